"""Kaldi's binary form of an acoustic model (``final.mdl``), written without Kaldi.

The file holds a TransitionModel (HMM topology, phones, network outputs) and an nnet3 network of affine maps,
rectifiers and sums, its weights one byte each. The forms are those of Kaldi's own readers:
hmm/transition-model.cc, nnet3/nnet-nnet.cc, nnet3/nnet-simple-component.cc and matrix/compressed-matrix.cc.
"""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]

_QUARTERS = ((0, 64), (64, 128), (192, 63))  # first code and number of steps between two marks


@dataclass(frozen=True)
class Affine:
    """``y = weights @ (x at the offsets, one after the other) + bias``, perhaps rectified."""

    name: str
    """Name of the node."""
    source: str
    """Descriptor of what it reads: ``input`` or the ``output`` of an earlier node."""
    offsets: tuple[int, ...]
    """Frames (of 10 ms) it looks at, around its own."""
    weights: Matrix
    """Rows: outputs; columns: the inputs, offset by offset."""
    bias: Matrix
    """One number an output."""
    rectified: bool
    """Whether negative outputs become zero."""

    @property
    def output(self) -> str:
        """Descriptor of what it makes."""
        return f"{self.name}.{'relu' if self.rectified else 'affine'}"

    @property
    def descriptor(self) -> str:
        """Kaldi's descriptor of its input."""
        parts = [
            self.source if offset == 0 else f"Offset({self.source}, {offset})" for offset in self.offsets
        ]
        return parts[0] if len(parts) == 1 else f"Append({', '.join(parts)})"


class _Stream:
    """Kaldi's basic types in their binary forms."""

    def __init__(self) -> None:
        self.bytes = io.BytesIO()

    def raw(self, data: bytes) -> None:
        self.bytes.write(data)

    def token(self, *tokens: str) -> None:
        for name in tokens:
            self.raw(name.encode() + b" ")

    def integer(self, *values: int) -> None:
        for value in values:
            self.raw(b"\x04" + struct.pack("<i", value))

    def real(self, *values: float) -> None:
        for value in values:
            self.raw(b"\x04" + struct.pack("<f", value))

    def double(self, value: float) -> None:
        self.raw(b"\x08" + struct.pack("<d", value))

    def integers(self, values: Sequence[int]) -> None:
        self.integer(len(values))
        self.raw(np.asarray(values, "<i4").tobytes())

    def vector(self, values: Sequence[float] | Matrix) -> None:
        self.token("FV")
        self.integer(len(values))
        self.raw(np.asarray(values, "<f4").tobytes())

    def compressed(self, matrix: Matrix) -> None:
        low, span, marks, codes = compress(matrix)
        self.token("CM")
        self.raw(struct.pack("<ffii", low, span, *matrix.shape))
        self.raw(marks.tobytes())
        self.raw(codes.tobytes())


def compress(matrix: Matrix) -> tuple[float, float, npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
    """A matrix as Kaldi's CM, one byte an element.

    Returns the lowest value, the range, for every column four marks (lowest, first quartile, third, highest;
    in 65535ths of the range), and the elements, a row for every column: 0 to 64 lie between the first two
    marks, to 192 between the middle ones, to 255 above. One scale for a whole matrix (CM3) would give small
    weights few steps where others are large: the outputs of these networks then miss by a fifth.
    """
    low = float(matrix.min())
    span = float(matrix.max()) - low or 1e-5
    rows = len(matrix)
    ranks = np.sort(matrix, axis=0)
    places = (0, rows // 4, 3 * rows // 4, rows - 1) if rows >= 5 else np.minimum(range(4), rows - 1)
    marks = np.rint((ranks[list(places)] - low) * (65535.0 / span)).astype(np.int64)
    for at in range(4):  # they must rise
        marks[at] = np.clip(marks[at], marks[at - 1] + 1 if at else 0, 65532 + at)
    levels = (low + marks * (span / 65535.0)).astype(np.float32)
    parts = [
        (matrix - levels[at]) / (levels[at + 1] - levels[at]) * steps + first
        for at, (first, steps) in enumerate(_QUARTERS)
    ]
    coarse = np.where(matrix < levels[1], parts[0], np.where(matrix < levels[2], parts[1], parts[2]))
    codes = np.clip(np.rint(coarse), 0, 255).astype(np.uint8)
    return low, span, np.ascontiguousarray(marks.T.astype("<u2")), np.ascontiguousarray(codes.T)


def _transition_model(out: _Stream, outputs: Sequence[tuple[int, int]]) -> None:
    """All phones share one topology of one emitting state; numbers of phones start at 1."""
    phones = len(outputs)
    out.token("<TransitionModel>", "<Topology>")
    out.integers(range(1, phones + 1))
    out.integers([-1, *([0] * phones)])
    out.integer(-1, 1)  # "self-loops have outputs of their own"; one topology
    out.integer(2)  # its states: one that emits, one final
    out.integer(0, 1, 2)  # outputs of forward arc and self-loop, two transitions
    for target in (0, 1):
        out.integer(target)
        out.real(0.5)
    out.integer(-1, -1, 0)
    out.token("</Topology>", "<Tuples>")
    out.integer(phones)
    for number, (first, following) in enumerate(outputs, start=1):
        out.integer(number, 0, first, following)
    out.token("</Tuples>", "<LogProbs>")
    out.vector([0.0] + [math.log(0.5)] * (2 * phones))
    out.token("</LogProbs>", "</TransitionModel>")


def _affine_component(out: _Stream, layer: Affine) -> None:
    out.token("<ComponentName>", f"{layer.name}.affine", "<FixedAffineComponent>", "<LinearParams>")
    out.compressed(layer.weights)
    out.token("<BiasParams>")
    out.vector(layer.bias)
    out.token("</FixedAffineComponent>")


def _rectifier_component(out: _Stream, layer: Affine) -> None:
    out.token("<ComponentName>", f"{layer.name}.relu", "<RectifiedLinearComponent>", "<Dim>")
    out.integer(len(layer.bias))
    for statistic in ("<ValueAvg>", "<DerivAvg>"):
        out.token(statistic)
        out.vector([])
    out.token("<Count>")
    out.double(0.0)
    out.token("<OderivRms>")
    out.vector([])
    for count in ("<OderivCount>", "<NumDimsSelfRepaired>", "<NumDimsProcessed>"):
        out.token(count)
        out.double(0.0)
    out.token("</RectifiedLinearComponent>")


def _network(out: _Stream, layers: Sequence[Affine], features: int) -> None:
    out.token("<Nnet3>")
    out.raw(b"\n")
    nodes = [f"input-node name=input dim={features}"]
    for layer in layers:
        name = layer.name
        nodes.append(f"component-node name={name}.affine component={name}.affine input={layer.descriptor}")
        if layer.rectified:
            nodes.append(f"component-node name={name}.relu component={name}.relu input={name}.affine")
    nodes.append(f"output-node name=output input={layers[-1].output} objective=linear")
    out.raw(("\n".join(nodes) + "\n\n").encode())
    out.token("<NumComponents>")
    out.integer(sum(2 if layer.rectified else 1 for layer in layers))
    for layer in layers:
        _affine_component(out, layer)
        if layer.rectified:
            _rectifier_component(out, layer)
    out.token("</Nnet3>", "<LeftContext>")
    out.integer(0)  # Kaldi works out both contexts when it reads the network
    out.token("<RightContext>")
    out.integer(0)
    out.token("<Priors>")
    out.vector([])


def write_model(
    path: Path, outputs: Sequence[tuple[int, int]], layers: Sequence[Affine], features: int
) -> None:
    """Write ``final.mdl``.

    ``outputs``: per phone number from 1, its network outputs for the first and the following frames (see
    :class:`mexvoice.hearing.graph.PhoneTable`); ``layers``: the network, last one its output; ``features``:
    the size of an input frame.
    """
    out = _Stream()
    out.raw(b"\0B")
    _transition_model(out, outputs)
    _network(out, layers, features)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(out.bytes.getvalue())
