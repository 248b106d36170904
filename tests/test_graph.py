"""Graphs: the files Vosk reads, and real Vosk decoding with them."""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
import vosk

from mexvoice.errors import MexvoiceError
from mexvoice.hearing import graph
from mexvoice.hearing.lexicon import Lexicon, token
from mexvoice.hearing.phones import INVENTORY, PAUSE
from mexvoice.hearing.pronunciation import Pronouncer

REPOSITORY = Path(__file__).resolve().parents[1]
MODELS = REPOSITORY / "models"
AUDIO = Path(__file__).parent / "audio"
LANGUAGES = ("en", "fr", "de", "ru")

vosk.SetLogLevel(-3)


def clips(language: str) -> list[Path]:
    return sorted((AUDIO / language).glob("*.flac"))


def hear(model: vosk.Model, tokens: list[str], path: Path) -> str:
    samples, rate = soundfile.read(path, dtype="int16")
    grammar = json.dumps([*tokens, graph.UNKNOWN], ensure_ascii=False)
    recogniser = vosk.KaldiRecognizer(model, rate, grammar)
    recogniser.AcceptWaveform(samples.tobytes())
    return str(json.loads(recogniser.FinalResult())["text"])


class Arcs:
    """An OpenFst ``const`` transducer, read back byte by byte."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        magic, length = struct.unpack_from("<ii", data)
        assert magic == 2125659606
        assert data[8 : 8 + length] == b"const"
        at = 8 + length
        (length,) = struct.unpack_from("<i", data, at)
        assert data[at + 4 : at + 4 + length] == b"standard"
        at += 4 + length
        self.version, _, self.properties, self.start, states, arcs = struct.unpack_from("<iiQqqq", data, at)
        at += struct.calcsize("<iiQqqq")
        self.states = np.frombuffer(data, "<f4,<u4,<u4,<u4,<u4", states, at)
        self.arcs = np.frombuffer(data, "<i4,<i4,<f4,<i4", arcs, at + self.states.nbytes)
        assert at + self.states.nbytes + self.arcs.nbytes == len(data)


def lexicon(**entries: str) -> Lexicon:
    return Lexicon({name: tuple(tuple(r.split()) for r in text.split("|")) for name, text in entries.items()})


def paths(directory: Path) -> dict[int, set[tuple[int, ...]]]:
    """Per word label, the sequences of phone numbers that spell it, silences between words left out."""
    fst = Arcs(directory / "HCLr.fst")
    first, counts = fst.states["f1"], fst.states["f2"]

    def follow(state: int, spelled: tuple[int, ...], label: int) -> None:
        for arc in fst.arcs[first[state] : first[state] + counts[state]]:
            read, write, _, to = (int(arc[0]), int(arc[1]), float(arc[2]), int(arc[3]))
            if read % 2 == 1:
                assert to == state  # a self-loop
            elif read == 0:
                assert write == 0
                found.setdefault(label, set()).add(spelled)
            elif read != graph.first_frame(graph.SILENCE_NUMBER):
                assert write == 0
                follow(to, (*spelled, read // 2), label)

    found: dict[int, set[tuple[int, ...]]] = {}
    loop = 1
    for arc in fst.arcs[first[loop] : first[loop] + counts[loop]]:
        follow(int(arc[3]), (int(arc[0]) // 2,), int(arc[1]))
    return found


def test_a_word_is_spelled_by_its_readings_with_positions(tmp_path: Path) -> None:
    words = lexicon(four="f ɔ ɹ|f ɔ", oh="o", go_on=f"ɡ o {PAUSE} ɒ n")
    graph.build_graph(tmp_path, INVENTORY, words, None)
    number = graph.PhoneTable(INVENTORY).numbers()
    begin, end, inner, alone = (number, *({p: n + k for p, n in number.items()} for k in (1, 2, 3)))
    pause = graph.PAUSE_NUMBER
    assert paths(tmp_path) == {
        1: {(begin["f"], inner["ɔ"], end["ɹ"]), (begin["f"], end["ɔ"])},
        2: {(alone["o"],)},
        3: {
            (begin["ɡ"], inner["o"], inner["ɒ"], end["n"]),
            (begin["ɡ"], inner["o"], pause, inner["ɒ"], end["n"]),
        },
    }
    listed = (tmp_path / "words.txt").read_text().split()
    assert listed == [
        "<eps>",
        "0",
        "four",
        "1",
        "oh",
        "2",
        "go_on",
        "3",
    ]


def test_files_have_the_forms_openfst_and_kaldi_want(tmp_path: Path) -> None:
    unknown = graph.UnknownModel.from_words([("f", "ɔ"), ("ɔ", "f"), ("f",)])
    graph.build_graph(tmp_path, INVENTORY, lexicon(four="f ɔ ɹ"), unknown)
    fst = Arcs(tmp_path / "HCLr.fst")
    assert (fst.version, fst.start) == (2, 0)
    for state in fst.states:
        outputs = [int(arc[1]) for arc in fst.arcs[state[1] : state[1] + state[2]]]
        assert outputs == sorted(outputs)
        assert state[4] == outputs.count(0)
    grammar = Arcs(tmp_path / "Gr.fst")
    assert [(int(arc[0]), int(arc[1])) for arc in grammar.arcs] == [(1, 1), (2, 2)]
    assert (tmp_path / "words.txt").read_text().splitlines()[-1] == f"{graph.UNKNOWN} 2"
    roles = (tmp_path / "phones" / "word_boundary.int").read_text().splitlines()
    assert len(roles) == 2 + 4 * (len(INVENTORY) - 1) == len(graph.PhoneTable(INVENTORY).outputs)
    assert roles[:3] == ["1 nonword", "2 internal", "3 begin"]


def test_readings_of_unknown_phones_are_left_out_and_a_token_without_any_is_refused(tmp_path: Path) -> None:
    graph.build_graph(tmp_path, ("SIL", "f", "o"), lexicon(a="f o|f ɔ"), None)
    assert len(paths(tmp_path)[1]) == 1
    with pytest.raises(ValueError, match="beta"):
        graph.build_graph(tmp_path, ("SIL", "f", "o"), lexicon(beta="b e"), None)


def test_the_unknown_model_is_read_back(tmp_path: Path) -> None:
    model = graph.UnknownModel.from_words([("a", "b", "a"), ("b",)])
    model.write(tmp_path / "unknown.json")
    again = graph.UnknownModel.read(tmp_path / "unknown.json")
    assert again.following.keys() == model.following.keys()
    assert again.start["a"] == pytest.approx(model.start["a"], abs=1e-3)
    total = sum(np.exp(list(model.following["a"].values()))) + np.exp(model.backoff["a"])
    assert total == pytest.approx(1.0)
    with pytest.raises(ValueError, match="no words"):
        graph.UnknownModel.from_words([])


def test_clashes_name_pairs_that_sound_alike_once() -> None:
    words = lexicon(anna="a n a", hannah="a n a", ben="b ɛ n", two="t u", how_has_anna="h a ʊ _ a n a")
    assert words.clashes(["anna", "hannah", "ben", "missing"]) == [("anna", "hannah")]
    assert ("ben", "two") not in words.clashes(["ben"], distance=0.5)


@pytest.mark.parametrize("language", LANGUAGES)
def test_shipped_models_are_whole_and_small(language: str) -> None:
    files = [path for path in (MODELS / language).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 2_000_000
    start = time.process_time()
    model = vosk.Model(str(MODELS / language))
    assert time.process_time() - start < 2.0
    tokens = [line.split()[0] for line in (MODELS / language / "graph" / "words.txt").open(encoding="utf-8")]
    assert model.vosk_model_find_word(graph.UNKNOWN) >= 0
    assert all(model.vosk_model_find_word(name) >= 0 for name in tokens)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_made_for_other_phrases_hears_them(language: str, tmp_path: Path) -> None:
    spoken = [path for path in clips(language) if not path.stem.startswith("talk-")]
    assert len(spoken) >= 8
    texts = [path.stem.replace("_", " ") for path in spoken] + ["Xenia", "Ксения", "Maël"]
    words = graph.assemble_model(MODELS / language, tmp_path, texts, Pronouncer(language))
    assert {token(text) for text in texts} == set(words)
    model = vosk.Model(str(tmp_path))
    right = [path.stem for path in spoken if hear(model, list(words), path) == path.stem]
    assert len(right) >= 0.8 * len(spoken)


@pytest.mark.parametrize("language", LANGUAGES)
def test_speech_outside_the_grammar_is_no_token(language: str, tmp_path: Path) -> None:
    talk = [path for path in clips(language) if path.stem.startswith("talk-")]
    assert talk
    texts = [path.stem for path in clips(language) if not path.stem.startswith("talk-")]
    words = graph.assemble_model(MODELS / language, tmp_path, texts, Pronouncer(language))
    model = vosk.Model(str(tmp_path))
    heard = [hear(model, list(words), path) for path in talk]
    assert [text for text in heard if text in words] == []


def test_a_large_graph_takes_less_than_half_a_second(tmp_path: Path) -> None:
    names = [f"name{number}" for number in range(1500)]
    rng = np.random.default_rng(0)
    phones = INVENTORY[1:]
    entries = {
        name: tuple(tuple(phones[int(at)] for at in rng.integers(len(phones), size=14)) for _ in range(2))
        for name in names
    }
    unknown = graph.UnknownModel.read(MODELS / "fr" / graph.UNKNOWN_FILE)
    best = 9.0
    for _ in range(3):
        start = time.process_time()
        graph.build_graph(tmp_path, INVENTORY, Lexicon(entries), unknown)
        best = min(best, time.process_time() - start)
    assert best < 0.5


def test_a_folder_that_is_no_model_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MexvoiceError, match="not a model"):
        graph.assemble_model(tmp_path, tmp_path / "out", ["yes"], Pronouncer("en"))
    with pytest.raises(MexvoiceError, match="pronounced"):
        graph.assemble_model(MODELS / "en", tmp_path / "out", ["..."], Pronouncer("en"))
