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
from mexvoice.table.hear import hear_files
from tests.hearing.clips import RATE, in_room, room, spoken


def run(
    files: Sequence[Path], language: str = "en", words: str | None = None, **options: Any
) -> tuple[int, Any, str]:
    """Status, lines of the output, and the error output."""
    out, err = io.StringIO(), io.StringIO()
    chosen = None if words is None else tuple(words.split(","))
    as_json = options.pop("as_json", True)
    status = hear_files(files, language, chosen, as_json, options.pop("model", None), out, err)
    lines = out.getvalue().splitlines()
    return status, [json.loads(line) for line in lines] if as_json else lines, err.getvalue()


def clip(language: str, text: str) -> Path:
    return next(one.path for one in spoken(language) if one.text == text)


@pytest.mark.parametrize(
    ("language", "text", "command"),
    [("en", "throw the dice", "throw"), ("en", "stop", "stop"), ("fr", "oui", "yes"), ("de", "nein", "no")],
)
def test_a_line_has_file_times_text_and_command(language: str, text: str, command: str) -> None:
    path = clip(language, text)
    status, (line,), err = run([path], language)
    assert (status, err) == (0, "")
    assert list(line) == ["file", "start", "end", "text", "command"]
    assert (line["file"], line["text"], line["command"]) == (str(path), text, command)
    assert 0 <= line["start"] < line["end"] <= soundfile.info(path).duration + 0.01


def test_times_are_those_of_the_file(tmp_path: Path) -> None:
    speech = next(one for one in spoken("en") if one.text == "stop").samples()
    sound = np.concatenate([in_room(speech, 2.0, 1.5), in_room(speech, 1.0, 1.0)])
    soundfile.write(tmp_path / "two.wav", sound, RATE)
    _, lines, _ = run([tmp_path / "two.wav"])
    seconds = len(speech) / RATE
    assert [line["start"] for line in lines] == pytest.approx([2.0, 4.5 + seconds], abs=0.15)
    assert [line["end"] for line in lines] == pytest.approx([2.0 + seconds, 4.5 + 2 * seconds], abs=0.15)


def test_a_command_with_a_slot_shows_what_fills_it() -> None:
    """Languages and dice: only the keys the command has."""
    every = {one.text: one.path for one in spoken("en")}
    asked = {"six three": {"dice": [6, 3]}, "speak french": {"language": "fr"}, "german": {"language": "de"}}
    found = [text for text in asked if text in every]
    if not found:
        pytest.skip("no clip of a command with a slot")
    for text in found:
        _, (line,), _ = run([every[text]])
        assert {key: line[key] for key in asked[text]} == asked[text]


def test_lines_for_people() -> None:
    path = clip("en", "throw the dice")
    status, (line,), _ = run([path], as_json=False)
    assert status == 0
    assert str(path) in line
    assert '"throw the dice"' in line
    assert line.endswith("  throw")


def test_a_file_without_speech_gives_nothing(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "silence.wav", np.zeros(3 * RATE, np.int16), RATE)
    soundfile.write(tmp_path / "room.flac", room(3.0, 20.0), RATE)
    assert run([tmp_path / "silence.wav", tmp_path / "room.flac"]) == (0, [], "")


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 48000])
@pytest.mark.parametrize("channels", [1, 2])
def test_any_rate_and_channels(rate: int, channels: int, tmp_path: Path) -> None:
    import soxr

    text = "throw the dice"
    sound, own = soundfile.read(clip("en", text), dtype="float32")
    other = soxr.resample(sound, own, rate)
    soundfile.write(tmp_path / "a.wav", np.stack([other] * channels, axis=1), rate)
    _, lines, _ = run([tmp_path / "a.wav"], words="throw the dice,stop,yes")
    assert [line["text"] for line in lines] == [text]


@pytest.mark.parametrize("text", ["yes", "no", "stop", "two", "six"])
def test_words_cut_tightly_are_heard(text: str, tmp_path: Path) -> None:
    """No silence before or after, not even at the very edges."""
    speech = next(one for one in spoken("en") if one.text == text).samples()
    soundfile.write(tmp_path / "a.wav", speech, RATE)
    _, lines, err = run([tmp_path / "a.wav"], words="one,two,three,four,five,six,yes,no,stop")
    assert err == ""
    assert [line["text"] for line in lines] == [text]


def test_words_may_come_in_a_row(tmp_path: Path) -> None:
    parts = [next(one for one in spoken("en") if one.text == text).samples() for text in ("two", "three")]
    soundfile.write(tmp_path / "a.wav", np.concatenate([parts[0], room(0.15), parts[1]]), RATE)
    _, lines, _ = run([tmp_path / "a.wav"], words="one,two,three,four")
    assert [line["text"] for line in lines] == ["two three"]


def test_words_replace_the_grammar() -> None:
    _, lines, _ = run([clip("en", "stop")], words="yes,no,elephant")
    assert [line["text"] for line in lines if line["text"]] == []


def test_words_come_back_as_they_were_given() -> None:
    _, lines, _ = run([clip("en", "stop")], words="Stop,Yes")
    assert [line["text"] for line in lines] == ["Stop"]


def test_any_word_can_be_given() -> None:
    status, lines, err = run([clip("en", "stop")], words="stop,elephant,Xenia,quintessential")
    assert (status, err) == (0, "")
    assert [line["text"] for line in lines] == ["stop"]


def test_a_given_model_says_which_words_it_lacks() -> None:
    model = shipped("models") / "en"
    status, lines, err = run([clip("en", "stop")], words="stop,elephant,zebra", model=model)
    assert status == 0
    assert [line["text"] for line in lines] == ["stop"]
    assert "elephant, zebra" in err
    assert str(model) in err
    assert err.count("\n") == 1


def test_a_bad_file_among_good_ones_is_named_and_the_others_are_heard(tmp_path: Path) -> None:
    (tmp_path / "text.wav").write_text("not a sound")
    good = clip("en", "stop")
    status, lines, err = run([good, tmp_path / "text.wav", tmp_path / "nowhere.wav", good], words="stop,yes")
    assert status == 2
    assert [line["text"] for line in lines] == ["stop", "stop"]
    assert len(err.splitlines()) == 2
    assert str(tmp_path / "text.wav") in err
    assert str(tmp_path / "nowhere.wav") in err


def test_a_bad_model_or_language_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MexvoiceError, match="no model directory"):
        run([clip("en", "stop")], model=tmp_path / "nowhere")
    with pytest.raises(MexvoiceError):
        run([clip("en", "stop")], "xx")


def test_table_talk_has_no_command(tmp_path: Path) -> None:
    parts = [one.samples() for one in spoken("en")[:8]]
    soundfile.write(tmp_path / "talk.wav", np.concatenate(parts), RATE)
    _, lines, _ = run([tmp_path / "talk.wav"])
    assert lines
    assert all(line["command"] is None for line in lines)
