"""The house's own phrases: heard in a real voice, and refused in a sentence when they cannot be."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from mexvoice.errors import MexvoiceError
from mexvoice.language import locale
from mexvoice.language.command import Command, CommandId
from mexvoice.language.house import MOST, with_phrases
from mexvoice.language.understanding import Understanding, Understood
from mexvoice.speaking.synthesiser import Synthesiser

RATE = 16000

SAID = {
    "de": (CommandId.THROW, "hinein ins vergnügen"),
    "ru": (CommandId.THROW, "полетели кубики вперёд"),
}


def written(folder: Path, text: str) -> Path:
    path = folder / "house.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def spoken(text: str, language: str, path: Path) -> Path:
    """The text said by the language's voice, quiet around it."""
    voice = locale.load(language).voice
    with Synthesiser(voice.espeak) as synthesiser:
        speech = synthesiser.render(text)
    samples = soxr.resample(speech.samples.astype(np.float32), speech.rate, RATE)
    quiet = np.random.default_rng(1).normal(scale=10.0, size=RATE).astype(np.float32)
    sound = np.concatenate([quiet, samples, quiet])
    soundfile.write(path, np.clip(sound, -32768, 32767).astype(np.int16), RATE)
    return path


def mexvoice(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "mexvoice", *arguments],
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(SAID))
def test_a_phrase_of_the_house_is_heard_and_obeyed(language: str, tmp_path: Path) -> None:
    command, phrase = SAID[language]
    house = written(tmp_path, f'phrases:\n  {command.value}: ["{phrase}"]\n')
    sound = spoken(phrase, language, tmp_path / "said.wav")
    match = ("play", "--lang", language, "--players", "Anna,Ben", "--mute", "--unkept", "--plain")
    without = mexvoice(*match, "--audio", str(sound))
    assert f"« {phrase}" not in without.stdout
    done = mexvoice(*match, "--audio", str(sound), "--phrases", str(house))
    assert done.returncode == 0, done.stderr
    understood = locale.load(language).labels["understood"]
    assert f"« {phrase} ({understood})" in done.stdout
    heard = mexvoice("hear", str(sound), "--lang", language, "--phrases", str(house))
    assert re.search(rf'"{phrase}"  {command.value}$', heard.stdout.strip()), heard.stdout


def test_slots_may_be_in_them_and_the_section_may_be_left_out(tmp_path: Path) -> None:
    house = written(tmp_path, 'lives_of: ["what is left of {player}"]\ndice: ["behold {die} {die}"]\n')
    understanding = Understanding(with_phrases(locale.load("en"), house), ("Xenia", "Ben"))
    every = set(CommandId)
    assert understanding.hear("what is left of Xenia", every) == Understood(
        Command(CommandId.LIVES_OF, player="Xenia")
    )
    assert understanding.hear("behold six three", every) == Understood(Command(CommandId.DICE, dice=(6, 3)))


def test_the_house_may_mean_what_is_table_talk_elsewhere(tmp_path: Path) -> None:
    english = locale.load("en")
    assert "come on" in english.decoys and "here goes" in english.fillers
    extended = with_phrases(english, written(tmp_path, "throw: [come on, here goes]\n"))
    understanding = Understanding(extended, ("Anna", "Ben"))
    for phrase in ("come on", "here goes"):
        assert understanding.hear(phrase, set(CommandId)) == Understood(Command(CommandId.THROW))
    assert "come on" not in understanding.book.decoys
    assert "hello" in understanding.book.decoys


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (
            "phrases:\n  throw: [tumble]\n  stop: [halt, undo]\n",
            3,
            "'undo' means 'stop' here and 'undo' already",
        ),
        ("throw: [tumble]\nstop: [halt, tumble]\n", 2, "'tumble' means 'stop' here and 'throw' already"),
        ("undo: [the score]\n", 1, "'the score' means 'undo' here and 'scores' already"),
        ("throw:\n  - tumble\n  - 7\n", 3, "'phrases.throw.1': input should be a valid string"),
        ("throw: [tumble]\nthorw: [tumble]\n", 2, "thorw"),
        ("throw: tumble\n", 1, "'phrases.throw': input should be a valid list"),
        ("throw: ['tumble {player}']\n", 1, "the slot '{player}' is unknown here"),
        ("throw: ['?!']\n", 1, "holds no word"),
        ("lives_of: [what is left]\n", 1, "needs one slot {player}"),
        ("throw: [tumble\n", 2, "expected"),
        ("throw: []\n", 1, "at least 1"),
        ("throw: &one [tumble]\nstop: *one\n", 1, "anchors and aliases"),
        ("throw: [tumblе]\n", 1, "mixes Latin and Cyrillic letters"),
        ("", 1, "the file is empty"),
        ("throw: [" + ", ".join(f"tumble {n}" for n in range(MOST + 1)) + "]\n", 1, f"room for {MOST}"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(text: str, line: int, reason: str, tmp_path: Path) -> None:
    with pytest.raises(MexvoiceError) as caught:
        with_phrases(locale.load("en"), written(tmp_path, text))
    assert str(caught.value).startswith(f"{tmp_path.name}/house.yaml:{line}: ")
    assert reason in str(caught.value)


def test_refusals_at_the_command_line(tmp_path: Path) -> None:
    house = written(tmp_path, "stop: [undo]\n")
    typed = ("play", "--players", "Anna,Ben", "--typed", "--mute", "--unkept", "--phrases")
    for path, named in ((house, "house.yaml:1: 'undo' means"), (tmp_path / "none.yaml", "No such file")):
        done = mexvoice(*typed, str(path))
        assert done.returncode == 2
        assert named in done.stderr
        assert len(done.stderr.splitlines()) == 1
    done = mexvoice("hear", "x.wav", "--words", "a,b", "--phrases", str(house))
    assert done.returncode == 2 and "--words" in done.stderr


def test_a_match_begins_with_what_the_house_may_mistake(tmp_path: Path) -> None:
    house = written(tmp_path, "undo: [würfen]\n")
    quiet = tmp_path / "quiet.wav"
    soundfile.write(quiet, np.zeros(RATE // 2, np.int16), RATE)
    match = ("play", "--lang", "de", "--players", "Anna,Ben", "--mute", "--unkept", "--plain", "--seed", "1")
    done = mexvoice(*match, "--audio", str(quiet), "--phrases", str(house))
    assert done.returncode == 0, done.stderr
    assert "„würfen“ klingt wie: " in done.stdout + done.stderr
