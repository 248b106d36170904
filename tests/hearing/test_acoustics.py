"""The network outside Vosk: read from its file, and evaluated."""

import re
from pathlib import Path

import numpy as np
import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.acoustics import AcousticNetwork, expand
from mexvoice.hearing.features import Frames
from scripts.training.kaldi import Affine, compress, write_model

RNG = np.random.default_rng(3)


def layer(
    name: str, source: str, offsets: tuple[int, ...], shape: tuple[int, int], rectified: bool
) -> Affine:
    weights = RNG.normal(size=(shape[0], shape[1] * len(offsets))).astype(np.float32)
    bias = RNG.normal(size=shape[0]).astype(np.float32)
    return Affine(name, source, offsets, weights, bias, rectified)


def small_network() -> list[Affine]:
    """The parts of the shipped networks: a layer at 10 ms, one at 30 ms, narrow blocks with shortcuts."""
    first = layer("first", "input", (-2, -1, 0, 1, 2), (7, 4), True)
    second = layer("second", first.output, (-1, 0, 1), (6, 7), True)
    narrow = layer("narrow1", second.output, (-3, 0), (3, 6), False)
    wide = layer("wide1", narrow.output, (0, 3), (6, 3), True)
    state = f"Sum(Scale(0.7, {second.output}), {wide.output})"
    narrow2 = layer("narrow2", state, (-3, 0), (3, 6), False)
    wide2 = layer("wide2", narrow2.output, (0,), (6, 3), True)
    state2 = f"Sum(Scale(0.7, {state}), {wide2.output})"
    return [first, second, narrow, wide, narrow2, wide2, layer("output", state2, (0,), (5, 6), False)]


def slowly(layers: list[Affine], frames: Frames, time: int) -> Frames:
    """Kaldi's descriptors at one frame, the obvious way, with the weights as one byte each keeps them."""
    by_output = {layer.output: layer for layer in layers}

    def value(source: str, at: int) -> Frames:
        if source == "input":
            return np.asarray(frames[min(max(at, 0), len(frames) - 1)], np.float32)
        total = re.fullmatch(r"Sum\(Scale\(([\d.]+), (.*)\), (\w+\.\w+)\)", source)
        if total:
            return np.asarray(float(total[1]) * value(total[2], at) + value(total[3], at), np.float32)
        layer = by_output[source]
        joined = np.concatenate([value(layer.source, at + offset) for offset in layer.offsets])
        made = expand(*compress(layer.weights)) @ joined + layer.bias
        return np.asarray(np.maximum(made, 0) if layer.rectified else made, np.float32)

    return value(layers[-1].output, time)


@pytest.mark.parametrize("count", [1, 2, 17, 30])
def test_a_network_that_was_written_computes_the_same(tmp_path: Path, count: int) -> None:
    layers = small_network()
    write_model(tmp_path / "final.mdl", [(0, 1), (2, 3)], layers, 4)
    frames = RNG.normal(size=(count, 4)).astype(np.float32)
    found = AcousticNetwork(tmp_path / "final.mdl")(frames)
    assert found.shape == ((count + 2) // 3, 5)
    for at, outputs in enumerate(found):
        np.testing.assert_allclose(outputs, slowly(layers, frames, 3 * at), rtol=1e-3, atol=1e-3)


def test_no_frames_have_no_outputs(tmp_path: Path) -> None:
    write_model(tmp_path / "final.mdl", [(0, 1)], small_network(), 4)
    assert AcousticNetwork(tmp_path / "final.mdl")(np.zeros((0, 4), np.float32)).shape == (0, 5)


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 144])
def test_one_byte_weights_are_close_whatever_stands_beside_them(rows: int) -> None:
    matrix = RNG.normal(size=(rows, 9)).astype(np.float32)
    matrix[:, 4] *= 100.0
    again = expand(*compress(matrix))
    steps = (
        np.ptp(matrix, axis=0) / 60 + np.ptp(matrix) / 30000
    )  # a quarter of a column has 63 steps at least
    assert (np.abs(again - matrix) <= steps).all()


@pytest.mark.parametrize("content", [b"", b"\0B<TransitionModel> ", b"<Nnet3> \nnothing\n\n"])
def test_a_file_that_is_none_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "final.mdl").write_bytes(content)
    with pytest.raises(MexvoiceError, match=r"final\.mdl cannot be read"):
        AcousticNetwork(tmp_path / "final.mdl")
