"""``mexvoice hear``: files in, lines out."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from mexvoice.data import shipped
from mexvoice.errors import MexvoiceError
from mexvoice.language import locale
from mexvoice.language.command import Command, CommandId
from mexvoice.language.understanding import Understanding, Understood
from mexvoice.table.hear import SEATS, hear_files
from tests.hearing.clips import RATE, Clip, in_room, room, spoken, words

ONE = next((clip for clip in words("en")), None) or pytest.skip("no clips", allow_module_level=True)
"""A clip of one word."""

LONG = words("en")[-1]
"""A clip of several words."""


def run(
    files: Sequence[Path], language: str = "en", words: str | None = None, **options: Any
) -> tuple[int, Any, str]:
    """Status, lines of the output, and the error output."""
    out, err = io.StringIO(), io.StringIO()
    chosen = None if words is None else tuple(words.split(","))
    as_json = options.pop("as_json", True)
    status = hear_files(files, language, chosen, as_json, options.pop("model", None), out, err)
    lines = out.getvalue().splitlines()
    found: Any = [json.loads(line) for line in lines] if as_json else lines
    return status, found, err.getvalue()


def expected(clip: Clip) -> Command:
    """The command a clip asks for."""
    outcome = Understanding(locale.load(clip.language), SEATS).hear(clip.text, frozenset(CommandId))
    return outcome.command if isinstance(outcome, Understood) else getattr(outcome, "commands", [None])[0]


@pytest.mark.parametrize("language", ["de", "en", "fr", "ru"])
def test_a_line_has_file_times_text_and_command(language: str) -> None:
    """All clips of a language at once; the command is what the language makes of the text."""
    every = spoken(language)
    status, lines, err = run([clip.path for clip in every], language)
    assert (status, err) == (0, "")
    right = 0
    for line in lines:
        clip = next(clip for clip in every if str(clip.path) == line["file"])
        assert list(line)[:5] == ["file", "start", "end", "text", "command"]
        assert 0 <= line["start"] < line["end"] <= soundfile.info(clip.path).duration + 0.01
        if line["text"] != clip.text or line["command"] is None:
            continue
        command = expected(clip)
        slots = {"dice": command.dice and list(command.dice), "player": command.player}
        slots |= {"command": str(command.id), "language": command.language}
        slots = {key: value for key, value in slots.items() if value is not None}
        assert {key: line[key] for key in slots} == slots
        assert set(line) == {"file", "start", "end", "text", "command"} | set(slots)
        right += 1
    assert right >= 0.8 * len(every)


def test_times_are_those_of_the_file(tmp_path: Path) -> None:
    speech = ONE.samples()
    sound = np.concatenate([in_room(speech, 2.0, 1.5), in_room(speech, 1.0, 1.0)])
    soundfile.write(tmp_path / "two.wav", sound, RATE)
    _, lines, _ = run([tmp_path / "two.wav"])
    seconds = len(speech) / RATE
    assert [line["start"] for line in lines] == pytest.approx([2.0, 4.5 + seconds], abs=0.15)
    assert [line["end"] for line in lines] == pytest.approx([2.0 + seconds, 4.5 + 2 * seconds], abs=0.15)


def test_lines_for_people() -> None:
    status, (line,), _ = run([ONE.path], as_json=False)
    assert status == 0
    assert str(ONE.path) in line
    assert f'"{ONE.text}"' in line
    assert line.endswith(f"  {expected(ONE).id}")


def test_a_file_without_speech_gives_nothing(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "silence.wav", np.zeros(3 * RATE, np.int16), RATE)
    soundfile.write(tmp_path / "room.flac", room(3.0, 20.0), RATE)
    assert run([tmp_path / "silence.wav", tmp_path / "room.flac"]) == (0, [], "")


@pytest.mark.parametrize(("rate", "channels"), [(8000, 1), (11025, 2), (22050, 1), (44100, 2), (48000, 1)])
def test_any_rate_and_channels(rate: int, channels: int, tmp_path: Path) -> None:
    import soxr

    sound, own = soundfile.read(LONG.path, dtype="float32")
    other = soxr.resample(sound, own, rate)
    soundfile.write(tmp_path / "a.wav", np.stack([other] * channels, axis=1), rate)
    _, lines, _ = run([tmp_path / "a.wav"], words=f"{LONG.text},{ONE.text},elephant")
    assert [line["text"] for line in lines] == [LONG.text]


def test_words_cut_tightly_are_heard(tmp_path: Path) -> None:
    """No silence before or after, not even at the very edges."""
    right = 0
    some = words("en")[:6]
    for clip in some:
        soundfile.write(tmp_path / "a.wav", clip.samples(), RATE)
        _, lines, err = run([tmp_path / "a.wav"], words=",".join(clip.text for clip in some))
        assert err == ""
        right += [line["text"] for line in lines] == [clip.text]
    assert right >= 5


@pytest.mark.parametrize(
    "start", [pytest.param(0, marks=pytest.mark.xfail(strict=True, reason="the two are doubted")), 2]
)
def test_words_may_come_in_a_row(start: int, tmp_path: Path) -> None:
    first, second = words("en")[start : start + 2]
    soundfile.write(tmp_path / "a.wav", np.concatenate([first.samples(), room(0.15), second.samples()]), RATE)
    _, lines, _ = run([tmp_path / "a.wav"], words=f"{first.text},{second.text},elephant")
    assert [line["text"] for line in lines] == [f"{first.text} {second.text}"]


def test_words_replace_the_grammar() -> None:
    _, lines, _ = run([LONG.path], words="elephant,refrigerator")
    assert [line["text"] for line in lines if line["text"]] == []


def test_words_come_back_as_they_were_given() -> None:
    _, lines, _ = run([ONE.path], words=f"{ONE.text.upper()},Elephant")
    assert [line["text"] for line in lines] == [ONE.text.upper()]


def test_any_word_can_be_given() -> None:
    status, lines, err = run([ONE.path], words=f"{ONE.text},elephant,Xenia,quintessential")
    assert (status, err) == (0, "")
    assert [line["text"] for line in lines] == [ONE.text]


def test_a_given_model_says_which_words_it_lacks() -> None:
    model = shipped("models") / "en"
    status, lines, err = run([ONE.path], words=f"{ONE.text},elephant,zebra", model=model)
    assert status == 0
    assert [line["text"] for line in lines] == [ONE.text]
    assert "elephant, zebra" in err
    assert str(model) in err
    assert err.count("\n") == 1


def test_a_bad_file_among_good_ones_is_named_and_the_others_are_heard(tmp_path: Path) -> None:
    (tmp_path / "text.wav").write_text("not a sound")
    files = [ONE.path, tmp_path / "text.wav", tmp_path / "nowhere.wav", ONE.path]
    status, lines, err = run(files, words=f"{ONE.text},elephant")
    assert status == 2
    assert [line["text"] for line in lines] == [ONE.text, ONE.text]
    assert len(err.splitlines()) == 2
    assert str(tmp_path / "text.wav") in err
    assert str(tmp_path / "nowhere.wav") in err


def test_a_bad_model_or_language_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MexvoiceError, match="no model directory"):
        run([ONE.path], model=tmp_path / "nowhere")
    with pytest.raises(MexvoiceError):
        run([ONE.path], "xx")


def test_table_talk_has_no_command(tmp_path: Path) -> None:
    parts = [one.samples() for one in spoken("en")[:8]]
    soundfile.write(tmp_path / "talk.wav", np.concatenate(parts), RATE)
    _, lines, _ = run([tmp_path / "talk.wav"])
    assert lines
    assert all(line["command"] is None for line in lines)
