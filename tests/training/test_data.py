"""Voices, texts, corpora, features and augmentation of the training."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import numpy as np
import pytest

from scripts.training import augmentation, corpus, texts, voices

SYNTHESISERS = ("rhvoice", "mbrola", "pico", "flite", "festival", "espeak")


def test_no_speaker_stands_on_both_sides() -> None:
    roles: dict[str, set[str]] = {}
    for synthesiser in SYNTHESISERS:
        for language in texts.LANGUAGES:
            for voice in voices.voices(synthesiser, language):
                roles.setdefault(voice.speaker, set()).add(voice.role)
    assert len(roles) > 100
    assert {speaker: found for speaker, found in roles.items() if len(found) > 1} == {}


def test_kokoro_voices_have_one_role() -> None:
    table = voices.table()["kokoro"]
    training = [name for names in table["native"].values() for name in names] + table["foreign"]
    everything = training + table["tune"] + table["test"]
    assert len(everything) == len(set(everything))


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_commands_carry_every_number_and_the_locale(language: str) -> None:
    phrases = texts.command_phrases(language)
    assert len(phrases) > 200
    assert all("{" not in phrase and phrase == phrase.lower() for phrase in phrases)
    assert len(set(texts.tested_words(language))) == len(texts.tested_words(language)) >= 26
    assert all(isinstance(word, str) for word in texts.short_words(language))


def test_a_corpus_is_read_back_and_goes_on_after_a_torn_end(tmp_path: Path) -> None:
    stem = tmp_path / "corpora" / "voice-en-train"
    clip = corpus.Clip("yes", "command", "en", "somebody", "train", (("j", "ɛ", "s"),))
    sounds = [np.arange(100, dtype=np.int16), np.arange(50, dtype=np.int16)]
    with corpus.CorpusWriter(stem) as writer:
        for sound in sounds:
            writer.append(clip, sound)
    with stem.with_suffix(".pcm").open("r+b") as stream:
        stream.truncate(240)  # the second clip has lost its end
    with corpus.CorpusWriter(stem) as writer:
        assert writer.count == 1
        writer.append(clip, sounds[1])
    stored = corpus.Corpus([stem])
    assert [list(stored.samples(at)) for at in range(len(stored))] == [list(sound) for sound in sounds]
    assert stored.clips[1].words == clip.words
    assert stored.store_name(0) == "voice-en-train"


def test_silence_is_cut_and_the_level_is_common() -> None:
    sound = np.concatenate([np.zeros(8000), 0.1 * np.sin(np.arange(8000)), np.zeros(8000)])
    cut = corpus.trim(sound)
    assert cut is not None
    assert 8000 < len(cut) < 9300
    assert np.abs(cut).max() == 20000
    assert corpus.trim(np.zeros(8000)) is None
    assert corpus.trim(np.zeros(0)) is None


def test_augmentation_is_seeded_loud_enough_and_differs_each_time() -> None:
    voice = (8000 * np.sin(np.arange(16000) / 5)).astype(np.int16)

    def made(seed: int) -> list[augmentation.Sound]:
        source = augmentation.Augmentation(np.random.default_rng(seed), [voice], [voice])
        return [source.sound(voice, True) for _ in range(20)]

    first, again, other = made(1), made(1), made(2)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not any(np.array_equal(a, b) for a, b in zip(first, other, strict=True))
    assert not any(np.array_equal(a, b) for a, b in itertools.pairwise(first))
    for sound in first:
        assert np.isfinite(sound).all()
        assert 100 < np.abs(sound).max() <= 32768
        assert len(sound) >= 0.7 * len(voice)


@pytest.mark.parametrize("kind", ["babble", "music", "kitchen", "street"])
def test_noises_have_unit_power(kind: str) -> None:
    voice = (8000 * np.sin(np.arange(16000) / 5)).astype(np.int16)
    source = augmentation.Augmentation(np.random.default_rng(3), [voice], [voice])
    assert np.sqrt(np.mean(source.noise_of(kind, 20000) ** 2)) == pytest.approx(1.0, rel=1e-3)


def test_training_texts_are_seeded_and_a_third_are_commands() -> None:
    pytest.importorskip("wordfreq")
    made = [texts.TextSource("de", random.Random(5)) for _ in range(2)]
    first, again = ([source.next() for _ in range(400)] for source in made)
    assert first == again
    assert 0.2 < sum(text.kind == "command" for text in first) / len(first) < 0.5


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_texts_that_are_nearly_commands_are_a_word_away_from_one(language: str) -> None:
    pytest.importorskip("wordfreq")
    phrases = {tuple(text.split()) for text in texts.command_phrases(language)}
    made, again = (
        list(itertools.islice(texts.nearly_commands(language, random.Random(2)), 600)) for _ in range(2)
    )
    assert made == again
    whole = [text.words for text in made if text.kind == "command"]
    nearly = [text.words for text in made if text.kind != "command"]
    assert {tuple(text.split()) for text in whole} <= phrases and 350 < len(whole) < 450
    for text in nearly:
        words = tuple(text.split())
        assert words not in phrases
        cut = {words[:at] + words[at + 1 :] for at in range(len(words))}
        within = any(
            len(phrase) == len(words) and sum(a != b for a, b in zip(phrase, words, strict=True)) == 1
            for phrase in phrases
        )
        longer = any(
            len(phrase) == len(words) + 1
            and words in {phrase[:at] + phrase[at + 1 :] for at in range(len(phrase))}
            for phrase in phrases
        )
        assert cut & phrases or within or longer, text
    assert len(set(nearly)) > 0.9 * len(nearly)


def test_a_judged_listener_counts_right_wrong_rejected_and_false() -> None:
    pytest.importorskip("torch")
    from scripts.training.evaluate import Listener, Vocabulary, judge

    class Scripted(Listener):
        def __init__(self, answers: list[str]) -> None:
            self._answers = iter(answers)

        def hear(self, samples: corpus.Samples) -> str:
            assert len(samples) == 1
            return next(self._answers)

    vocabulary = Vocabulary(
        ("yes", "yeah", "no"), {"yes": "y", "yeah": "y", "no": "n"}, {("n", "o", "ʊ"): "no"}
    )
    said = [("yes", "command"), ("yes", "command"), ("no", "command"), ("know", "speech"), ("tea", "speech")]
    phones = {"know": (("n", "o", "ʊ"),)}
    clips = [
        (corpus.Clip(text, kind, "en", "s", "test", phones.get(text, (("t", "i"),))), np.zeros(1, np.int16))
        for text, kind in [*said, ("other", "command")]
    ]
    count = judge(Scripted(["yeah", "no", "", "no", "yes"]), vocabulary, clips)
    assert (count.right, count.wrong, count.rejected, count.false, count.other) == (2, 1, 1, 1, 1)
    assert count.confusions == {("yes", "no"): 1, ("no", ""): 1, ("tea", "yes"): 1}
