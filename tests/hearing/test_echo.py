"""The assistant's own voice taken out of what the microphone hears, and what is said over it left in."""

import sys

import numpy as np
import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.echo import AFTER_SECONDS, EchoCanceller, FarEnd
from mexvoice.hearing.source import Block
from tests.hearing.clips import RATE, Clip, Samples, room
from tests.table.room import AUDIO

BLOCK = RATE // 20
STARTED = 1000.0
"""Monotonic time at which the sound of these tests begins."""


def talk(language: str = "en") -> Samples:
    """Some seconds of speech, for the speaker to play."""
    names = ("how_many_throws_do_i_have_left", "i've_got_fifty_three", "how_many_lives_for_player_two")
    clips = [Clip(AUDIO / language / f"{name}.flac", language).samples() for name in names]
    return np.concatenate([clips[0], clips[1], clips[2], clips[0], clips[1]])


def heard(near: Samples, far: Samples | None, ahead: float = 0.1, pace: int = RATE) -> Samples:
    """What is left of what the microphone hears, block by block, when the speaker plays ``far`` beside it."""
    known = FarEnd()
    canceller = EchoCanceller(known)
    left, told = [], 0
    for at in range(0, len(near) - BLOCK + 1, BLOCK):
        end = STARTED + (at + BLOCK) / RATE
        # The speaker is told of what will sound, 20 ms at a time.
        while far is not None and told < len(far) and STARTED + told / RATE < end + ahead:
            known.played(far[told : told + RATE // 50], pace, STARTED + told / RATE)
            told += RATE // 50
        block = canceller.clean(Block(end, near[at : at + BLOCK].tobytes(), 0.0))
        left.append(np.frombuffer(block.pcm, "<i2"))
    return np.concatenate(left)


def level(samples: Samples) -> float:
    """Loudness in dB of full scale."""
    return 10.0 * float(np.log10(np.mean(np.square(samples.astype(np.float64) / 32768)) + 1e-10))


def echo_of(far: Samples, delay: float = 0.08) -> Samples:
    """A speaker's sound as the microphone hears it: later, at half the strength, in a room."""
    late = round(delay * RATE)
    tail = np.random.default_rng(3).normal(0, 0.05, RATE // 10) * np.exp(-np.arange(RATE // 10) / 500)
    tail[0] = 1.0
    sound = np.convolve(np.pad(far, (late, 0)).astype(np.float64) * 0.5, tail)[: len(far)]
    return np.clip(sound + room(len(far) / RATE)[: len(far)], -32768, 32767).astype(np.int16)


def test_an_echo_is_taken_out() -> None:
    pytest.importorskip("pywebrtc_audio")
    far = talk()
    near = echo_of(far)
    left = heard(near, far)
    rest = slice(2 * RATE, len(left))
    assert level(left[rest]) < level(near[rest]) - 20
    # It knows by what the speaker plays, not by itself: without that, everything stays as it is.
    assert np.array_equal(heard(near, None), near[: len(left)])


def test_what_is_said_over_it_stays() -> None:
    pytest.importorskip("pywebrtc_audio")
    far = talk()
    near = echo_of(far).astype(np.int32)
    throw = Clip(AUDIO / "en" / "throw.flac", "en").samples()
    at = 4 * RATE
    near[at : at + len(throw)] += throw
    both = np.clip(near, -32768, 32767).astype(np.int16)
    said, silent = heard(both, far), heard(echo_of(far), far)
    word = slice(at, at + len(throw))
    assert level(said[word]) > level(silent[word]) + 15


def test_when_the_speaker_has_been_silent_for_a_while_nothing_is_touched() -> None:
    pytest.importorskip("pywebrtc_audio")
    far = talk()
    throw = Clip(AUDIO / "en" / "throw.flac", "en").samples()
    after = round((AFTER_SECONDS + 0.5) * RATE)
    near = np.concatenate([echo_of(far), room(after / RATE), throw, room(0.5)])
    left = heard(near, far)
    start = len(far) + after
    assert np.array_equal(left[start : start + len(throw)], throw)


def test_pieces_of_another_rate_and_with_gaps_lie_where_they_sound() -> None:
    far = FarEnd()
    tone = np.round(10000 * np.sin(np.arange(22050) * 2 * np.pi * 300 / 22050)).astype(np.int16)
    for at in range(0, 22050, 441):
        far.played(tone[at : at + 441], 22050, STARTED + at / 22050)
    far.played(tone, 22050, STARTED + 2.0)
    start = round(STARTED * RATE)
    assert not far.between(start - RATE, RATE).any()
    assert level(far.between(start + 1600, RATE // 2)) == pytest.approx(level(tone), abs=0.5)
    assert not far.between(start + round(1.1 * RATE), RATE // 2).any()
    assert level(far.between(start + round(2.1 * RATE), RATE // 2)) == pytest.approx(level(tone), abs=0.5)


def test_without_the_package_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pywebrtc_audio", None)
    with pytest.raises(
        MexvoiceError, match=r"run 'pip install mexvoice\[echo\]', or leave out --echo-cancel"
    ):
        EchoCanceller(FarEnd())
