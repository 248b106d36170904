"""The trial run of strange models, with models that Vosk itself loads and then dies of."""

import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mexvoice.data import shipped
from mexvoice.errors import MexvoiceError
from mexvoice.hearing import transducer
from mexvoice.hearing.model import SEAL, UNKNOWN, Model, load_vosk
from mexvoice.hearing.transducer import Transducer
from mexvoice.hearing.trial import RATE, speech_like
from tests.models.official import make_official

HEADER = 65
"""Bytes before the states of a transducer of the project."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the shipped English model without its seal."""
    shutil.copytree(shipped("models") / "en", tmp_path / "model", ignore=shutil.ignore_patterns(SEAL))
    return tmp_path / "model"


def harm(path: Path, field: str, value: int) -> None:
    """Put a number in a field of an arc, or of a state, that no noise ever leads to."""
    data = bytearray(path.read_bytes())
    states, arcs = struct.unpack_from("<qq", data, HEADER - 16)
    names = ("in", "out", "cost", "to") if field in ("in", "out", "to") else ("final", "first", "arcs")
    if field in names[:1] or len(names) == 4:
        at = HEADER + 20 * states + 16 * (arcs // 3)
    else:
        at = HEADER + 20 * (states // 3)
    struct.pack_into("<I", data, at + 4 * names.index(field), value)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("file", "field", "value"),
    [
        ("HCLr.fst", "to", 2**30),
        ("HCLr.fst", "in", 30_000),
        ("HCLr.fst", "first", 2**31),
        ("HCLr.fst", "arcs", 2**31),
        ("Gr.fst", "to", 2),
    ],
)
def test_a_graph_beyond_its_bounds_is_refused(copy: Path, file: str, field: str, value: int) -> None:
    harm(copy / "graph" / file, field, value)
    with pytest.raises(MexvoiceError, match="is damaged"):
        Model(copy)


def simple(path: Path) -> Path:
    """A transducer of three states."""
    made = Transducer()
    states = [made.state() for _ in range(3)]
    made.arc(states[0], states[1], 1, 1)
    made.arc(states[1], states[2], 2, 0, 0.5)
    made.arc(states[2], states[2], 9, 0, 0.5)
    made.final[states[2]] = 0.0
    made.write(path, sort_by_output=True)
    return path


@pytest.mark.parametrize(
    ("at", "form", "value", "matter"),
    [
        (HEADER - 24, "<q", 3, "numbers of states"),
        (HEADER - 24, "<q", -2, "numbers of states"),
        (HEADER - 16, "<q", -1, "numbers of states"),
        (HEADER - 16, "<q", 2, "shorter or longer"),
        (HEADER - 8, "<q", 4, "shorter or longer"),
        (4, "<i", 1000, "longer than the file"),
        (4, "<i", -1, "longer than the file"),
        (13, "<i", 7, "costs of an unknown kind"),
        (29, "<i", 1, "names of labels"),
        (HEADER, "<f", float("nan"), "no number"),
        (HEADER + 4, "<I", 3, "arcs that are not there"),
        (HEADER + 12, "<I", 2, "without label"),
        (HEADER + 60, "<i", -1, "label \\(in\\)"),
        (HEADER + 60, "<i", 8, "label \\(in\\)"),
        (HEADER + 64, "<i", 6, "label \\(out\\)"),
        (HEADER + 68, "<f", -float("inf"), "no number"),
        (HEADER + 72, "<i", 3, "no state"),
        (HEADER + 72, "<i", -1, "no state"),
    ],
)
def test_every_number_of_a_transducer_is_looked_at(
    tmp_path: Path, at: int, form: str, value: float, matter: str
) -> None:
    path = simple(tmp_path / "x.fst")
    transducer.check(path, 7, 5, [9])
    data = bytearray(path.read_bytes())
    if at == 13:
        data[at + 4 : at + 12] = b"standart"
    else:
        struct.pack_into(form, data, at, value)
    path.write_bytes(data)
    with pytest.raises(ValueError, match=matter):
        transducer.check(path, 7, 5, [9])


def test_a_label_beyond_the_highest_must_be_a_known_one(tmp_path: Path) -> None:
    path = simple(tmp_path / "x.fst")
    transducer.check(path, None, None)
    transducer.check(path, 2, 1, [9])
    with pytest.raises(ValueError, match="label"):
        transducer.check(path, 2, 1)


def test_a_transducer_of_another_kind_is_left_to_vosk(tmp_path: Path) -> None:
    path = simple(tmp_path / "x.fst")
    path.write_bytes(path.read_bytes().replace(b"const", b"ngram")[:-9])
    transducer.check(path, 7, 5)


def test_words_are_found_within_the_graph(copy: Path) -> None:
    """Official models have no other list of them."""
    lines = (copy / "graph" / "words.txt").read_text(encoding="utf-8").splitlines()
    words = {line.split()[0]: int(line.split()[1]) for line in lines}
    graph = copy / "graph" / "Gr.fst"
    assert transducer.symbols(graph) == {}
    make_official(copy)
    assert transducer.symbols(graph) == words
    transducer.check(graph, max(words.values()), max(words.values()))
    graph.write_bytes(graph.read_bytes()[:900])
    with pytest.raises(ValueError, match=r"cut off|longer"):
        transducer.symbols(graph)


@pytest.mark.parametrize("code", ["de", "en", "fr", "ru"])
def test_what_is_heard_in_a_trial_sounds_like_speech(code: str, model: Callable[[str], Model]) -> None:
    """Only speech leads the recogniser through all of the graph."""
    sound = speech_like(1)
    assert 2 < len(sound) / RATE < 8
    noise = np.random.default_rng(1).normal(0, 30, len(sound)).astype("<i2")
    heard = []
    for samples in (sound, noise):
        recogniser = load_vosk().KaldiRecognizer(model(code).handle, RATE, json.dumps([UNKNOWN]))
        recogniser.AcceptWaveform(samples.tobytes())
        heard.append(json.loads(recogniser.FinalResult())["text"])
    assert UNKNOWN in heard[0]
    assert heard[1] == ""
