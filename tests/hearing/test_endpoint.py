"""Where speech begins and ends, by its energy."""

import numpy as np
import pytest

from mexvoice.hearing.endpoint import Activity
from tests.hearing.clips import RATE, Clip, Samples, clips, in_room, room

SPOKEN = [clip for clip in clips() if not clip.is_talk]


def segments(samples: Samples, quiet: float = 0.5, step: int = 800) -> list[tuple[float, float]]:
    """Begin and end of each utterance, in seconds."""
    activity = Activity()
    found = []
    for at in range(0, len(samples), step):
        activity.feed(samples[at : at + step])
        if activity.speaking and activity.quiet_seconds >= quiet:
            found.append((activity.onset, activity.end_of_sound))
            activity.end()
    return found


@pytest.mark.parametrize("clip", SPOKEN, ids=lambda clip: clip.name)
def test_an_utterance_in_a_quiet_room_has_its_true_bounds(clip: Clip) -> None:
    samples = clip.samples()
    ((start, end),) = segments(in_room(samples, 1.0, 1.0))
    assert start == pytest.approx(1.0, abs=0.1)
    assert end == pytest.approx(1.0 + len(samples) / RATE, abs=0.15)


@pytest.mark.parametrize("snr", [24, 18, 12, 6])
def test_bounds_in_noise_are_near_the_true_ones(snr: int) -> None:
    """Steady noise so many dB below the speech; weak sounds at the ends drown."""
    starts, ends = [], []
    for clip in SPOKEN[::3]:
        samples = clip.samples().astype(float)
        level = float(np.sqrt(np.mean(samples**2))) * 10 ** (-snr / 20)
        sound = in_room(samples.astype(np.int16), 2.0, 1.0, level)
        found = segments(sound)
        assert found, f"{clip.name} was missed"
        starts.append(found[0][0] - 2.0)
        ends.append(found[-1][1] - 2.0 - len(samples) / RATE)
    assert abs(float(np.median(starts))) < 0.15
    assert abs(float(np.median(ends))) < (0.2 if snr == 6 else 0.15)


@pytest.mark.parametrize("level", [0.0, 3.0, 30.0, 300.0, 3000.0])
def test_steady_noise_is_no_utterance(level: float) -> None:
    assert segments(room(20.0, level)) == []


def test_noise_that_sets_in_is_learnt() -> None:
    """The utterance it seems to be at first ends by itself, and nothing comes after."""
    sound = np.concatenate([room(3.0, 5.0), room(20.0, 500.0)])
    found = segments(sound)
    assert len(found) <= 1
    assert all(end < 8.0 for _, end in found)


def test_a_click_is_no_utterance() -> None:
    sound = room(5.0)
    for second in (2, 3, 4):
        sound[second * RATE : second * RATE + 200] = 20000
    assert segments(sound) == []


def test_the_size_of_the_steps_does_not_matter() -> None:
    sound = in_room(SPOKEN[0].samples(), 1.0, 1.0)
    found = [segments(sound, step=step) for step in (100, 160, 800)]
    assert len(found[0]) == 1
    for other in found[1:]:
        assert np.array(other) == pytest.approx(np.array(found[0]), abs=0.011)


def test_peak_and_floor_are_levels() -> None:
    activity = Activity()
    time_axis = np.arange(RATE) / RATE
    tone = np.rint(3277 * np.sin(2 * np.pi * 1000 * time_axis)).astype(np.int16)
    activity.feed(np.concatenate([room(2.0, 33.0), tone]))
    assert activity.speaking
    assert activity.peak == pytest.approx(20 * np.log10(0.1 / np.sqrt(2)), abs=0.5)
    assert activity.floor == pytest.approx(20 * np.log10(33 / 32768), abs=3.0)
