"""What the network hears of a sound."""

import tracemalloc

import numpy as np

from mexvoice.hearing import features


def slow_mfcc(samples: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[float]:
    """The first frame's MFCC, term by term as Kaldi's documentation describes it."""
    frame = samples[:400] - samples[:400].mean()
    emphasised = [frame[0] * 0.03] + [frame[i] - 0.97 * frame[i - 1] for i in range(1, 400)]
    window = [(0.5 - 0.5 * np.cos(2 * np.pi * i / 399)) ** 0.85 for i in range(400)]
    power = np.abs(np.fft.fft(np.multiply(emphasised, window), 512)[:256]) ** 2

    def mel(hertz: float) -> float:
        return float(1127 * np.log(1 + hertz / 700))

    step = (mel(7600) - mel(20)) / 41
    energies = []
    for band in range(40):
        left = mel(20) + band * step
        total = 0.0
        for number in range(256):
            place = (mel(number * 16000 / 512) - left) / step
            total += power[number] * max(0.0, min(place, 2 - place))
        energies.append(np.log(total))
    cepstra = []
    for order in range(40):
        norm = np.sqrt((1 if order == 0 else 2) / 40)
        value = norm * sum(energies[k] * np.cos(np.pi / 40 * (k + 0.5) * order) for k in range(40))
        cepstra.append(float(value * (1 + 11 * np.sin(np.pi * order / 22))))
    return cepstra


def test_features_are_those_of_kaldi() -> None:
    samples = np.random.default_rng(0).normal(size=800) * 1000
    found = features.mfcc(samples.astype(np.float32))
    assert found.shape == (3, 40)
    np.testing.assert_allclose(found[0], slow_mfcc(samples), atol=0.02)
    assert features.mfcc(np.zeros(399, np.float32)).shape == (0, 40)


def test_a_warp_moves_a_tone_to_another_filter() -> None:
    tone = (1000 * np.sin(2 * np.pi * 1000 * np.arange(1600) / 16000)).astype(np.float32)
    plain, longer, shorter = (features.log_mel(tone, warp)[3].argmax() for warp in (1.0, 0.85, 1.15))
    assert shorter < plain < longer


def test_a_long_sound_takes_no_more_memory_than_what_comes_of_it() -> None:
    samples = np.random.default_rng(0).normal(size=60 * 16000).astype(np.float32) * 1000
    features.log_mel(samples[:16000])
    tracemalloc.start()
    found = features.log_mel(samples)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 3 * found.nbytes + 4e6
    parts = [features.log_mel(samples[160 * at : 160 * at + 400 + 160 * 99]) for at in range(0, 5900, 100)]
    np.testing.assert_allclose(found[:5900], np.concatenate(parts), atol=1e-3)
