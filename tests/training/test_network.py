"""The exported layers compute what the network in training computes; checkpoints are read back."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("torch")

import torch

from scripts.training import kaldi, network

SHAPE = network.Shape(10, features=6, first=7, width=8, narrow=4, blocks=((-1, 1), (-1, 0)))


def trained() -> network.Network:
    """A network whose norms have seen data, so that folding them in is not trivial."""
    torch.manual_seed(0)
    net = network.Network(SHAPE)
    torch.nn.init.normal_(net.output.weight)
    for _ in range(20):
        net(torch.randn(4, 40, SHAPE.features) * 3 + 1)
    return net.eval()


def run(layers: list[kaldi.Affine], frames: npt.NDArray[np.float32], time: int) -> npt.NDArray[np.float32]:
    """Evaluate Kaldi's descriptors at one frame, the slow and obvious way."""
    by_output = {layer.output: layer for layer in layers}

    def value(source: str, at: int) -> npt.NDArray[np.float32]:
        if source == "input":
            return frames[min(max(at, 0), len(frames) - 1)]
        total = re.fullmatch(r"Sum\(Scale\(([\d.]+), (.*)\), (\w+\.\w+)\)", source)
        if total:
            return np.asarray(float(total[1]) * value(total[2], at) + value(total[3], at), np.float32)
        layer = by_output[source]
        joined = np.concatenate([value(layer.source, at + offset) for offset in layer.offsets])
        made = layer.weights @ joined + layer.bias
        return np.asarray(np.maximum(made, 0) if layer.rectified else made, np.float32)

    return value(layers[-1].output, time)


def test_layers_for_kaldi_compute_the_same() -> None:
    net = trained()
    frames = np.random.default_rng(0).normal(size=(30, SHAPE.features)).astype(np.float32)
    with torch.no_grad():
        expected = net(torch.tensor(frames)[None])[0].numpy()
    assert expected.shape == (10, SHAPE.outputs)
    layers = net.layers()
    for at in (0, 4, 9):
        np.testing.assert_allclose(run(layers, frames, network.STRIDE * at), expected[at], atol=1e-4)


def test_checkpoints_are_read_back(tmp_path: Path) -> None:
    net = trained()
    network.save(tmp_path / "checkpoint.npz", net, ["SIL", "a", "b", "c", "d"])
    again, phones = network.load(tmp_path / "checkpoint.npz")
    assert phones == ["SIL", "a", "b", "c", "d"]
    x = torch.randn(1, 20, SHAPE.features)
    with torch.no_grad():
        np.testing.assert_allclose(again.eval()(x).numpy(), net(x).numpy(), atol=2e-2)
