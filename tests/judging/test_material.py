"""What is played: held-out clips, chosen fairly, and an evening of talk without a command in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mexvoice.errors import MexvoiceError
from scripts.judging.material import Material
from scripts.training.corpus import RATE, Clip, CorpusWriter

pytest.importorskip("torch", reason="the conditions of the tests need what the training needs")

VOICES = {"alan": 40, "berta": 4}
SPOKEN = ("stop", "throw", "the weather is fine", "what a day", "undo")


def write(data: Path, store: str, language: str, speaker: str, texts: list[tuple[str, str]]) -> None:
    rng = np.random.default_rng(len(store) + len(texts))
    with CorpusWriter(data / "corpora" / store) as writer:
        for text, kind in texts:
            clip = Clip(text, kind, language, speaker, "test", (tuple(text.replace(" ", "")),))
            writer.append(clip, (3000 * rng.standard_normal(RATE // 2)).astype(np.int16))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two voices of unequal length, and people of three languages."""
    for speaker, count in VOICES.items():
        texts = [
            (SPOKEN[place % 5], "speech" if " " in SPOKEN[place % 5] else "command") for place in range(count)
        ]
        write(tmp_path, f"{speaker}-en-test", "en", speaker, texts)
    write(tmp_path, "human-en-test", "en", "eve", [("Stop.", "speech"), ("hello", "speech")])
    write(tmp_path, "human-fr-test", "fr", "fred", [("bonjour", "speech"), ("stop", "speech")])
    write(tmp_path, "human-es-test", "es", "esteban", [("hola a todos", "speech")] * 3)
    write(tmp_path, "other-de-test", "de", "dora", [("los", "command")])
    return tmp_path


def test_commands_are_taken_of_every_voice_alike(data: Path) -> None:
    material = Material.load(data, "en")
    chosen = material.commands(4)
    speakers = [material.corpus.clips[at].speaker for at in chosen]
    assert sorted(speakers) == ["alan", "alan", "berta", "berta"]
    assert all(material.said(at) for at in chosen)
    everything = material.commands(1000)
    assert len(everything) == 24 + 2
    assert len({*everything}) == len(everything)


def test_people_and_foreigners_are_told_apart(data: Path) -> None:
    material = Material.load(data, "en")
    assert [material.text(at) for at in material.people()] == ["stop", "hello"]
    assert {material.corpus.clips[at].language for at in material.foreigners()} == {"fr", "es"}
    assert {material.corpus.clips[at].language for at in material.foreigners(2)} == {"fr", "es"}


def test_talk_holds_no_command(data: Path) -> None:
    material = Material.load(data, "en")
    people, voices = material.talk()
    assert {material.text(at) for at in people} == {"hello", "bonjour", "hola a todos"}
    assert {material.text(at) for at in voices} == {"the weather is fine", "what a day"}


def test_an_evening_of_talk_is_seeded_and_as_long_as_asked_for(data: Path) -> None:
    from scripts.judging.talk import Talk

    material = Material.load(data, "en")
    talks = [Talk(material, seed) for seed in (3, 3, 4)]
    first, again, other = (np.concatenate(list(talk.pieces(150.0))) for talk in talks)
    assert len(first) == 150 * RATE
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert talks[0].spoken == talks[1].spoken
    said = talks[0].spoken[3]
    assert said.text in talks[0].at(said.start, said.end)
    share = talks[0].speech_seconds / 150
    assert 0.1 < share < 0.9
    goes_on = np.concatenate(list(talks[0].pieces(30.0)))
    assert len(goes_on) == 30 * RATE
    assert max(one.end for one in talks[0].spoken) > 150


def test_without_voices_of_the_language_it_says_what_to_do(data: Path) -> None:
    with pytest.raises(MexvoiceError, match="no test voices for 'ru'"):
        Material.load(data, "ru")
