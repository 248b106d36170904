"""A second look: a phrase laid over an utterance, and how certain it is."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mexvoice.data import shipped
from mexvoice.errors import MexvoiceError
from mexvoice.hearing.alignment import PAUSE_UNIT, SILENCE, align
from mexvoice.hearing.certainty import EVIDENCE, Certainty, Weights
from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.guards import STRICT, Guards
from mexvoice.hearing.model import BUILTIN, model_for
from mexvoice.hearing.pronunciation import Pronouncer
from mexvoice.hearing.recogniser import Recogniser
from tests.hearing.clips import MISSED, Clip, Samples, clips, in_room, room, spoken
from tests.hearing.conftest import hear

LANGUAGES = ["de", "en", "fr", "ru"]


def outputs(phones: str) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Outputs that are sure of a phone ("0" silence, "1", "2", ...) in each frame, the first frames apart."""
    found = np.full((len(phones), 10), -5.0, np.float32)
    for at, phone in enumerate(phones):
        new = at == 0 or phones[at - 1] != phone
        found[at, 2 * int(phone) + (0 if new else 1)] = 5.0
    return found


def laid(phones: str, *pronunciations: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    found = align(outputs(phones), pronunciations)
    return [(part.phone, part.start, part.end, part.word) for part in found]


def test_phones_are_laid_where_they_sound() -> None:
    assert laid("0011222300", (1, 2, 3)) == [
        (SILENCE, 0, 2, 0), (1, 2, 4, 0), (2, 4, 7, 0), (3, 7, 8, 0), (SILENCE, 8, 10, 1)
    ]  # fmt: skip


def test_silence_around_and_pauses_between_are_not_needed() -> None:
    assert laid("112233", (1, PAUSE_UNIT, 2, 3)) == [(1, 0, 2, 0), (2, 2, 4, 1), (3, 4, 6, 1)]
    assert laid("110023", (1, PAUSE_UNIT, 2, 3)) == [
        (1, 0, 2, 0), (SILENCE, 2, 4, 1), (2, 4, 5, 1), (3, 5, 6, 1)
    ]  # fmt: skip


def test_the_likeliest_pronunciation_is_taken() -> None:
    assert [part[0] for part in laid("01240", (1, 2, 3), (1, 2, 4), (1, 2))] == [0, 1, 2, 4, 0]


def test_a_phrase_with_more_phones_than_frames_cannot_be_there() -> None:
    assert laid("12", (1, 2, 3)) == []
    assert laid("12", (1, 2, 3), (1, 2)) != []


def heard_clips(language: str) -> list[Clip]:
    return [clip for clip in spoken(language) if clip.name not in MISSED]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_said_is_more_certain_than_what_was_not(language: str) -> None:
    chosen = heard_clips(language)
    model = model_for(language, BUILTIN, [clip.text for clip in chosen])
    assert model.certainty is not None
    right: list[float] = []
    wrong: list[float] = []
    for clip, other in zip(chosen, [*chosen[1:], chosen[0]], strict=True):
        seen = model.certainty.outputs(in_room(clip.samples(), 0.2, 0.2).astype(np.float32))
        for text, found in ((clip.text, right), (other.text, wrong)):
            found.append(model.certainty.of(seen, model.tokens(text), 5.0, 40.0, False))
    assert np.median(right) > STRICT.certainty > np.median(wrong)
    assert min(right) > max(wrong) - 3.0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_phrase_counts_only_when_it_is_certain_enough(language: str) -> None:
    clip = heard_clips(language)[0]
    model = model_for(language, BUILTIN, [clip.text])
    sound = in_room(clip.samples(), 0.6, 1.0)
    (heard,) = hear(Recogniser(model, Grammar([clip.text])), sound)
    assert heard.text == clip.text
    assert STRICT.certainty < heard.certainty < np.inf
    doubting = replace(STRICT, certainty=heard.certainty + 0.1)
    (doubted,) = hear(Recogniser(model, Grammar([clip.text]), guards=doubting), sound)
    assert (doubted.text, doubted.reason, doubted.heard) == ("", "doubt", clip.text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_while_people_talk_a_phrase_must_be_more_certain_unless_it_is_said_again(language: str) -> None:
    talk = next(clip for clip in clips() if clip.language == language and clip.is_talk)
    clip = heard_clips(language)[0]
    model = model_for(language, BUILTIN, [clip.text])
    said, quiet = in_room(clip.samples(), 0.6, 1.0), room(STRICT.talk_memory)
    (alone,) = hear(Recogniser(model, Grammar([clip.text])), said)
    guards = replace(STRICT, certainty=alone.certainty - 1.5, certainty_in_talk=alone.certainty + 1.5)

    def heard(*sounds: Samples) -> list[tuple[str, str]]:
        recogniser = Recogniser(model, Grammar([clip.text]), guards=guards)
        return [(one.text, one.reason) for one in hear(recogniser, np.concatenate(sounds))]

    talked = in_room(talk.samples(), 0.6, 1.0)
    assert heard(said) == [(clip.text, "")]
    doubted = heard(talked, said)
    assert doubted[-1] == ("", "doubt")
    assert heard(talked, said, said) == [*doubted, (clip.text, "")]
    assert heard(talked, quiet, said)[-1] == (clip.text, "")


@pytest.mark.parametrize(
    ("language", "text", "decoy"),
    [("en", "throw", "throe"), ("en", "two hundred", "too hundred"), ("ru", "нет", "нед")],
)
def test_a_certain_phrase_comes_before_a_decoy_that_sounds_the_same(
    language: str, text: str, decoy: str
) -> None:
    clip = next(clip for clip in spoken(language) if clip.text == text)
    model = model_for(language, BUILTIN, [text, decoy])
    sound = in_room(clip.samples(), 0.6, 1.0)

    def heard(guards: Guards, *decoys: str) -> tuple[str, str, str]:
        (one,) = hear(Recogniser(model, Grammar([text], decoys=decoys), guards=guards), sound)
        return one.text, one.heard, one.reason

    assert heard(STRICT, decoy) == (text, text, "")
    assert heard(replace(STRICT, behind_decoy=-np.inf), decoy) == ("", decoy, "decoy")
    assert heard(replace(STRICT, over_decoy=np.inf), decoy) == ("", text, "doubt")
    assert heard(replace(STRICT, over_decoy=np.inf)) == (text, text, "")


def test_weights_are_read_back(tmp_path: Path) -> None:
    each = {name: at / 8 for at, name in enumerate(EVIDENCE)}
    weights = Weights(1.5, each, np.array([0.25, -1.0]), np.array([1.0, 2.0]))
    weights.write(tmp_path / "certainty.json")
    again = Weights.read(tmp_path / "certainty.json")
    assert (again.bias, again.each) == (1.5, each)
    assert again.typical.tolist() == [0.25, -1.0]
    assert again.spread.tolist() == [1.0, 2.0]


def damaged(**changed: object) -> str:
    """A file of weights with something wrong in it."""
    right = {"bias": 0.5, "each": dict.fromkeys(EVIDENCE, 1.0), "typical": [1.0, 2.0], "spread": [1.0, 2.0]}
    return json.dumps(right | changed)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        damaged(bias=float("nan")),
        damaged(bias=10**400),
        damaged(each={}),
        damaged(typical=[1.0]),
        damaged(typical=[[1.0, 2.0]], spread=[[1.0, 2.0]]),
        damaged(typical="phones"),
        damaged(spread=[0.0, 1.0]),
    ],
)
def test_a_file_of_weights_that_is_none_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "certainty.json").write_text(content, encoding="utf-8")
    with pytest.raises(MexvoiceError, match=r"certainty\.json cannot be read"):
        Weights.read(tmp_path / "certainty.json")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("phones.txt", b"SIL\xff\n"),
        ("phones.txt", b"SIL\na\n"),
        ("certainty.json", damaged().encode()),
        ("am/final.mdl", b"\0B<TransitionModel> "),
    ],
)
def test_a_model_with_a_damaged_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    model = shutil.copytree(shipped("models") / "en", tmp_path / "en")
    (model / name).write_bytes(content)
    with pytest.raises(MexvoiceError, match=re.escape(str(model))):
        Certainty(model, Pronouncer("en"))
