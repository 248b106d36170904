"""MFCC features, as Vosk computes them at run time from ``conf/mfcc.conf`` (``feat/feature-mfcc.cc`` of
Kaldi).

The training computes its own so that the mel filters can be warped, which makes a vocal tract longer or
shorter.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from mexvoice.hearing.endpoint import RATE

SIZE = 40
"""Numbers a frame; as many as mel filters."""
_LOWEST, _HIGHEST = 20.0, 7600.0
_WINDOW, _SHIFT, _FFT = 400, 160, 512
_EMPHASIS = 0.97
_LIFTER = 22.0
_BLOCK = 256
"""Frames worked on together, so that a long utterance needs no more memory than a short one."""

Frames = npt.NDArray[np.float32]

CONF = """--use-energy=false
--num-mel-bins=40
--num-ceps=40
--low-freq=20
--high-freq=7600
--dither=0
--allow-upsample=true
--allow-downsample=true
"""
"""``conf/mfcc.conf``: the same settings for Vosk."""


def _mel(hertz: npt.NDArray[np.floating[Any]] | float) -> npt.NDArray[np.float64]:
    return np.asarray(1127.0 * np.log1p(np.asarray(hertz) / 700.0))


def _hertz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(700.0 * np.expm1(mel / 1127.0))


@cache
def _filters(warp: float) -> Frames:
    """Triangular mel filters [bins, filters], their centres at ``warp`` times Kaldi's frequencies."""
    low, high = _mel(_LOWEST), _mel(_HIGHEST)
    edges = low + np.arange(SIZE + 2) * (high - low) / (SIZE + 1)
    if warp != 1.0:
        edges = _mel(np.minimum(_hertz(edges) * warp, RATE / 2 - 20 * np.arange(SIZE + 2)[::-1] - 1))
    bins = _mel(np.arange(_FFT // 2) * (RATE / _FFT))[:, None]
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (bins - left) / (centre - left), (right - bins) / (right - centre)
    return np.maximum(0.0, np.minimum(rising, falling)).astype(np.float32)


@cache
def _window() -> Frames:
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(_WINDOW) / (_WINDOW - 1))
    return (hann**0.85).astype(np.float32)  # Kaldi's "povey" window


@cache
def cosines() -> Frames:
    """[filters, coefficients]: log mel energies to liftered cepstra."""
    order, filters = np.arange(SIZE)[None, :], np.arange(SIZE)[:, None]
    transform = np.sqrt(2.0 / SIZE) * np.cos(np.pi / SIZE * (filters + 0.5) * order)
    transform[:, 0] = np.sqrt(1.0 / SIZE)
    return np.asarray(transform * (1.0 + 0.5 * _LIFTER * np.sin(np.pi * order / _LIFTER)), np.float32)


def log_mel(samples: npt.NDArray[np.float32], warp: float = 1.0) -> Frames:
    """[frames, filters] log energies of a sound in the range of 16-bit samples; ``warp`` is rounded to 0.01.

    A sound shorter than one window has no frame.
    """
    count = 1 + (len(samples) - _WINDOW) // _SHIFT if len(samples) >= _WINDOW else 0
    if count <= 0:
        return np.zeros((0, SIZE), np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(samples, _WINDOW)[::_SHIFT][:count]
    return np.concatenate([_energies(frames[at : at + _BLOCK], warp) for at in range(0, count, _BLOCK)])


def _energies(frames: Frames, warp: float) -> Frames:
    """[frames, filters] of [frames, samples]."""
    frames = frames - frames.mean(1, keepdims=True)
    emphasised = frames.copy()
    emphasised[:, 1:] -= _EMPHASIS * frames[:, :-1]
    emphasised[:, 0] *= 1.0 - _EMPHASIS
    spectrum = np.fft.rfft(emphasised * _window(), _FFT, axis=1)
    power = (spectrum.real**2 + spectrum.imag**2).astype(np.float32)[:, : _FFT // 2]
    energies = np.maximum(power @ _filters(round(warp, 2)), np.finfo(np.float32).eps)
    return np.asarray(np.log(energies), np.float32)


def mfcc(samples: npt.NDArray[np.float32], warp: float = 1.0) -> Frames:
    """[frames, 40] MFCC of a sound in the range of 16-bit samples, one frame every 10 ms."""
    return np.asarray(log_mel(samples, warp) @ cosines(), np.float32)
