"""Input that once broke the program, and a short campaign of what has not been tried yet."""

import io
import json
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import soundfile

from mexvoice.cli import LONGEST_SENTENCE
from mexvoice.errors import MexvoiceError
from mexvoice.hearing.model import find_model, read_seal
from mexvoice.hearing.source import AudioFile
from mexvoice.language import locale
from mexvoice.language.phrase import MOST_MISHEARD, phrases
from mexvoice.language.wording import _words
from mexvoice.table.hear import hear_files
from scripts.benches.fuzz import KINDS
from scripts.fuzzing import campaign, law, nasty, terminal
from scripts.fuzzing.campaign import Failure, Tally, most_behind
from scripts.fuzzing.case import Command
from scripts.fuzzing.worker import run_here

CLIP = Path(__file__).parent / "audio" / "en" / "throw.flac"
ESCAPE = "\x1b[31m"


def test_names_of_files_and_words_never_steer_the_terminal(tmp_path: Path) -> None:
    match = tmp_path / f"m{ESCAPE}.jsonl"
    match.write_text('{"players": ["Anna"]}\n', encoding="utf-8")
    sound = tmp_path / f"s{ESCAPE}\x9b31m.flac"
    sound.write_bytes(CLIP.read_bytes())
    for words in (
        ["replay", str(match)],
        ["replay", f"no{ESCAPE}"],
        ["hear", str(sound), "--words", "throw"],
        ["hear", str(sound), f"no{ESCAPE}.wav", "--json", "--words", "throw"],
        ["history", f"x{ESCAPE}"],
        ["play", f"--players={ESCAPE},Ben", "--typed"],
    ):
        status, shown, told = run_here(Command(words), tmp_path)
        assert list(law.breaches(status, shown, told)) == []
        assert b"31m" in shown + told or words[0] == "play"
        if "--json" in words:
            assert json.loads(shown)["file"] == str(sound)


def test_a_refusal_is_a_sentence_however_long_its_cause(tmp_path: Path) -> None:
    status, shown, told = run_here(Command(["replay", "--" + "x" * 20_000]), tmp_path)
    assert status == 2 and shown == b""
    assert 0 < len(told.decode()) < 2 * LONGEST_SENTENCE


@pytest.mark.parametrize("rate", [1, 7, 999, 2**31 - 1])
def test_sound_nobody_can_hear_is_refused(rate: int, tmp_path: Path) -> None:
    soundfile.write(tmp_path / "sound.wav", np.ones(100, np.int16), rate)
    with pytest.raises(MexvoiceError, match=f"{rate} samples a second"):
        AudioFile(tmp_path / "sound.wav")


def test_samples_beyond_all_bounds_are_cut_off(tmp_path: Path) -> None:
    samples = np.random.default_rng(1).normal(scale=0.1, size=16000)
    samples[::100] = 1e38
    soundfile.write(tmp_path / "sound.wav", samples, 44100, subtype="FLOAT")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        blocks = list(AudioFile(tmp_path / "sound.wav"))
    assert np.isfinite([block.level for block in blocks]).all()


@pytest.mark.parametrize("word", ["<eps>", "#0", "<s>"])
def test_symbols_of_the_graph_are_no_words(word: str) -> None:
    assert not find_model("en").has(word)
    err = io.StringIO()
    assert hear_files([CLIP], "en", [word, "throw"], False, None, io.StringIO(), err) == 0
    assert f"lacks {word}" in err.getvalue()


@pytest.mark.parametrize("word", ["x" * 10_000, "a " * 3_000, "\udc80"])
def test_words_nobody_can_say_are_refused(word: str) -> None:
    with pytest.raises(MexvoiceError, match="can be pronounced"):
        hear_files([CLIP], "en", [word], False, None, io.StringIO(), io.StringIO())


def test_a_deep_seal_is_none(tmp_path: Path) -> None:
    (tmp_path / "mexvoice.json").write_text('{"sha256":' * 100_000, encoding="utf-8")
    assert read_seal(tmp_path) is None


def test_a_number_its_language_cannot_spell_is_written_in_digits() -> None:
    assert _words(-1, "am") == "-1"
    assert _words(-1, "ce") == "-1"


def test_a_phrase_full_of_homophones_is_not_misheard_in_every_way() -> None:
    english = locale.load("en")
    long = english.model_copy(
        update={"phrases": {**english.phrases, "dice": ["two " * 40 + "{mex}"]}},
    )
    found = [phrase for phrase in phrases(long, ()) if phrase.place[:2] == ("phrases", "dice")]
    assert len(found) <= MOST_MISHEARD * len(english.numbers.mex)


def test_nothing_typed_ends_a_match(tmp_path: Path) -> None:
    """A terminal of another encoding sends no UTF-8; another one answers what nobody asked."""
    match = [sys.executable, "-m", "mexvoice", "play", "--players", "Anna,Ben", "--lang", "en"]
    strange = (b"w\xfcrfeln", b"\x1b[99999999999u", b"\x1b[200~\xff\x1b[201~")
    status, drawn = terminal.run(
        [*match, "--typed", "--mute", "--unkept", "--seed", "1"],
        [*strange, b"\r", b"throw\r", b"\x03"],
        tmp_path,
        dict(os.environ),
    )
    assert list(law.screen_breaches(status, drawn)) == []
    left = drawn[drawn.rindex(terminal.LEFT) :].decode()
    assert "throw (understood)" in left


def test_a_key_that_leaves_counts_also_behind_bytes_that_are_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "AGAIN_SECONDS", 1000.0)
    match = [sys.executable, "-m", "mexvoice", "play", "--players", "Anna,Ben", "--lang", "en"]
    status, drawn = terminal.run(
        [*match, "--typed", "--mute", "--unkept", "--seed", "1"],
        [b"w\xfcrfeln\x03"],
        tmp_path,
        dict(os.environ),
    )
    assert list(law.screen_breaches(status, drawn)) == []


def test_what_breaks_the_law_on_a_screen() -> None:
    good = b"\x1b[?1049h\x1b[?2004hx\x1b[?2004l\x1b[?1049l"
    assert list(law.screen_breaches(0, good)) == []
    assert any("traceback" in fault for fault in law.screen_breaches(0, good + b"Traceback (most"))
    assert any("other screen" in fault for fault in law.screen_breaches(0, good + b"\x1b[?1049h"))
    assert any("reached" in fault for fault in law.screen_breaches(0, good + nasty.ESCAPES[0].encode()))
    assert any("status" in fault for fault in law.screen_breaches(124, good))


def test_a_campaign_gives_each_kind_its_share_of_the_time() -> None:
    took = {"screen": 8.0, "locale": 0.1, "model": 4.0, "replay": 0.5}
    tallies = {kind: Tally() for kind in took}
    for _ in range(4000):
        kind = most_behind(tallies)
        tallies[kind].seconds += took[kind]
        tallies[kind].cases += 1
    whole = sum(tally.seconds for tally in tallies.values())
    shares = {kind: campaign.SHARES.get(kind, 1.0) for kind in took}
    for kind, tally in tallies.items():
        assert tally.seconds / whole == pytest.approx(shares[kind] / sum(shares.values()), rel=0.1)


@pytest.mark.slow
def test_a_short_campaign_finds_nothing() -> None:
    found: list[Failure] = []
    report = campaign.run(KINDS, 1, len(KINDS), None, found.append)
    assert found == []
    assert all(tally.cases for tally in report.tallies.values())
    assert sum(tally.refused for tally in report.tallies.values()) > 0


def test_a_campaign_counts_what_breaks_the_law() -> None:
    assert list(law.breaches(0, b"all is well\n", b"")) == []
    assert any("control" in fault for fault in law.breaches(0, b"x\x1b[31m", b""))
    assert any("control" in fault for fault in law.breaches(0, "\x9b31m".encode(), b""))
    assert any(
        "traceback" in fault for fault in law.breaches(1, b"", b"Traceback (most recent call last):\nx")
    )
    assert any("status" in fault for fault in law.breaches(-6, b"", b"aborted"))
    assert any("sentence" in fault for fault in law.breaches(2, b"x", b""))
    assert any("word" in fault for fault in law.breaches(1, b"", b""))
