"""The stage that has every voice say texts, into one corpus per synthesiser and language."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr

from mexvoice.hearing.pronunciation import HABITS, Pronouncer
from scripts.training import kokoro as kokoro_module
from scripts.training import voices
from scripts.training.corpus import RATE, Clip, CorpusWriter, read_clips, trim
from scripts.training.texts import LANGUAGES, Text, TextSource, command_phrases, nearly_commands, tested_words

CLIPS = {
    ("espeak", "en"): 1000,
    ("espeak", "fr"): 1200,
    ("espeak", "de"): 1200,
    ("espeak", "ru"): 1200,
    ("mbrola", "en"): 1200,
    ("mbrola", "fr"): 2700,
    ("mbrola", "de"): 3300,
    ("pico", "en"): 1000,
    ("pico", "fr"): 900,
    ("pico", "de"): 900,
    ("rhvoice", "ru"): 2800,
    ("rhvoice", "en"): 1000,
    ("flite", "en"): 1000,
    ("festival", "en"): 900,
}
"""How many clips each synthesiser says for training, over all its voices of a language."""

TEST_CLIPS = 100
"""How many clips a held-out voice says (espeak-ng variants: together four times as many)."""

KOKORO_SHARES = {"en": 0.27, "fr": 0.33, "de": 0.27, "ru": 0.13}
"""The languages Kokoro's time goes to."""

NEAR_CLIPS = 1500
"""How many clips of commands, whole or nearly so, the voices for tuning say in a language."""

_RELOAD = 200


@dataclass(frozen=True)
class Job:
    """Clips of one role from one synthesiser in one language."""

    synthesiser: str
    language: str
    role: str
    clips: int

    def stem(self, data: Path) -> Path:
        """Where its corpus lies."""
        return data / "corpora" / f"{self.synthesiser}-{self.language}-{self.role}"


def jobs() -> list[Job]:
    """Every job of the classic synthesisers that are installed; the small held-out sets first."""
    made: list[Job] = []
    for synthesiser, language in CLIPS:
        if not voices.available(synthesiser):
            continue
        for role in ("test", "tune"):
            speakers = {voice.speaker for voice in voices.voices(synthesiser, language) if voice.role == role}
            count = TEST_CLIPS * (4 if synthesiser == "espeak" else len(speakers))
            if speakers:
                made.append(Job(synthesiser, language, role, count))
    for language in LANGUAGES:
        speaking = [job.synthesiser for job in made if (job.language, job.role) == (language, "tune")]
        made += [Job(name, language, "near", NEAR_CLIPS // len(speaking)) for name in speaking]
    made += [Job(*key, "train", count) for key, count in CLIPS.items() if voices.available(key[0])]
    return made


def held_out_texts(language: str, rng: random.Random) -> Iterator[Text]:
    """Texts for held-out voices: a third each phrases, single words, and general speech."""
    commands, words = command_phrases(language), tested_words(language)
    general = TextSource(language, rng)
    while True:
        kind = rng.random()
        if kind < 0.35:
            yield Text(rng.choice(commands), "command")
        elif kind < 0.65:
            yield Text(rng.choice(words), "command")
        else:
            text = general.next()
            if text.kind == "speech":
                yield text


def training_texts(language: str, rng: random.Random) -> Iterator[Text]:
    """Texts for training voices; the locale is read anew now and then."""
    while True:
        source = TextSource(language, rng)
        for _ in range(_RELOAD):
            yield source.next()


def _texts(language: str, role: str, rng: random.Random) -> Iterator[Text]:
    texts = {"train": training_texts, "near": nearly_commands}
    return texts.get(role, held_out_texts)(language, rng)


def _voices_for(role: str) -> str:
    """The role whose voices speak: what is nearly a command is said by those kept for tuning."""
    return "tune" if role == "near" else role


def run_job(job: Job, data: Path, seed: int, scale: float = 1.0) -> int:
    """Say what is missing of one job; returns the number of clips now there."""
    wanted = max(1, round(job.clips * scale))
    with CorpusWriter(job.stem(data)) as writer:
        if writer.count >= wanted:
            return writer.count
        rng = random.Random(f"{seed}-{job}-{writer.count}")
        role = _voices_for(job.role)
        pool = [voice for voice in voices.voices(job.synthesiser, job.language) if voice.role == role]
        pronouncers = {voice.accent: Pronouncer(job.language, [voice.accent]) for voice in pool}
        failures = 0
        for turn, text in enumerate(_texts(job.language, job.role, rng)):
            if writer.count >= wanted or failures > 50:
                break
            voice = rng.choice(pool) if job.synthesiser == "espeak" else pool[turn % len(pool)]
            sound = voices.speak(voice, text.words, rng)
            samples = trim(soxr.resample(*sound, RATE)) if sound is not None else None
            words = pronouncers[voice.accent].words(text.words)
            if samples is None or not words:
                failures += 1
                continue
            writer.append(Clip(text.words, text.kind, job.language, voice.speaker, job.role, words), samples)
        return writer.count


def run_kokoro(
    data: Path,
    seed: int,
    role: str,
    minutes: float,
    clips: int | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Have Kokoro speak for some minutes, or until each language has ``clips``."""
    synthesiser = kokoro_module.Kokoro(data, voices.table()["kokoro"])
    deadline = time.monotonic() + 60 * minutes
    writers = {
        language: CorpusWriter(data / "corpora" / f"kokoro-{language}-{role}") for language in LANGUAGES
    }
    rng = random.Random(f"{seed}-kokoro-{role}-{sum(writer.count for writer in writers.values())}")
    texts = {language: _texts(language, role, rng) for language in LANGUAGES}
    accents = {"en": ["en-us", "en-us", "en-gb"], "fr": ["fr-fr"], "de": ["de"], "ru": ["ru"]}
    pronouncers = {accent: Pronouncer(code, [accent]) for code in LANGUAGES for accent in accents[code]}
    while time.monotonic() < deadline:
        open_languages = [code for code in LANGUAGES if clips is None or writers[code].count < clips]
        if not open_languages:
            break
        shares = [KOKORO_SHARES[code] for code in open_languages]
        language = rng.choices(open_languages, shares)[0]
        text, accent = next(texts[language]), rng.choice(accents[language])
        mixture = synthesiser.mixture(language, accent, _voices_for(role), rng)
        sound = synthesiser.say(text.words, language, accent, mixture, rng.uniform(0.75, 1.4))
        samples = trim(np.asarray(soxr.resample(sound, kokoro_module.RATE, RATE)))
        words = pronouncers[accent].words(text.words)
        if language == "de":  # kokoro_phones has the r after vowels spoken as people do
            words = tuple(Pronouncer.relax(word, HABITS["de"][0]) for word in words)
        if samples is None or not words:
            continue
        speaker = "kokoro:" + "+".join(sorted(mixture))
        writers[language].append(Clip(text.words, text.kind, language, speaker, role, words), samples)
        if sum(writer.count for writer in writers.values()) % 100 == 0:
            say("kokoro " + " ".join(f"{code} {writers[code].count}" for code in LANGUAGES))
    for writer in writers.values():
        writer.__exit__()


def report(data: Path) -> str:
    """How many clips and hours every corpus has."""
    lines = []
    for path in sorted((data / "corpora").glob("*.jsonl")):
        clips = list(read_clips(path.with_suffix("")))
        hours = sum(clip.length for clip in clips) / RATE / 3600
        lines.append(
            f"{path.stem:24} {len(clips):6} clips {hours:6.2f} h {len({c.speaker for c in clips}):4} speakers"
        )
    return "\n".join(lines)
