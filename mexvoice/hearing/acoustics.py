"""The network of a model once more, outside Vosk: how likely is each phone in each frame of an utterance.

Vosk tells the likelihood of a whole utterance only. What in it is like the phrase and what is not can be told
from the outputs of the same network, read from the same file: `am/final.mdl`, in the form that
``scripts/training/kaldi.py`` writes (affine maps at offsets, rectifiers and sums, a byte a weight; Kaldi's
nnet3/nnet-nnet.cc and matrix/compressed-matrix.cc).
"""

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.features import Frames

STRIDE = 3
"""Frames of 10 ms an output frame."""

_EDGE = 60
"""Frames by which the first and the last are repeated; more than the network looks back or ahead."""

_SPLIT = re.compile(r"\s*([A-Za-z_][\w.]*|-?\d+(?:\.\d+)?|[(),])")

Outputs = npt.NDArray[np.float32]


@dataclass(frozen=True)
class _Affine:
    weights: Frames
    bias: Frames


@dataclass(frozen=True)
class _Part:
    """A piece of what a node reads: a weighted sum of other nodes, some frames away."""

    offset: int
    nodes: Mapping[str, float]


class AcousticNetwork:
    """Frames in, log-likelihoods of the network's outputs (up to a constant) out.

    Attributes:
        outputs: how many there are, two for each phone.
    """

    def __init__(self, path: Path) -> None:
        """Read a network.

        Raises:
            MexvoiceError: when the file is not of the form that the project writes.
        """
        try:
            data = path.read_bytes()
            text, body = data[data.index(b"<Nnet3>") + 8 :].split(b"\n\n", 1)
            found = re.findall(
                r"node name=(\S+).*? input=(.+?)(?: objective=\S+)?$", text.decode("ascii"), re.M
            )
            self._inputs = {name: _parse(descriptor) for name, descriptor in found}
            self._affine = dict(_components(body))
            self._sparse = self._find_sparse()
            last = {source: name for name, parts in self._inputs.items() for p in parts for source in p.nodes}
            # What nobody reads any more is let go: that halves the memory an utterance takes.
            self._done = {name: [source for source in last if last[source] == name] for name in self._inputs}
            self.outputs = len(self._affine["output.affine"].bias)
        except (OSError, ValueError, KeyError, IndexError, struct.error) as error:
            raise MexvoiceError(
                f"The network {path} cannot be read ({error}): get the model again."
            ) from error

    def __call__(self, frames: Frames) -> Outputs:
        """[frames, features] -> [ceil(frames / 3), outputs]."""
        count = len(frames)
        if not count:
            return np.zeros((0, self.outputs), np.float32)
        wanted = (count + STRIDE - 1) // STRIDE
        padded = np.pad(frames, ((_EDGE, _EDGE + wanted * STRIDE - count), (0, 0)), mode="edge")
        values: dict[str, Frames] = {"input": padded}
        for name, parts in self._inputs.items():
            read = [self._read(part, name, values) for part in parts]
            made = read[0] if len(read) == 1 else np.concatenate(read, axis=1)
            affine = self._affine.get(name)
            if affine is not None:
                made = made @ affine.weights.T + affine.bias
            elif name.endswith(".relu"):
                made = np.maximum(made, 0.0)
            values[name] = made
            for source in self._done[name]:
                del values[source]
        first = _EDGE // STRIDE
        found: Outputs = values["output"][first : first + wanted]
        return found

    def _find_sparse(self) -> frozenset[str]:
        """The nodes that are seen only at multiples of `STRIDE`: they are worked out there alone."""
        seen: dict[str, set[int]] = {"output": {0}}
        for name in reversed(self._inputs):
            for part in self._inputs[name]:
                for source in part.nodes:
                    places = {(place + part.offset) % STRIDE for place in seen.get(name, set())}
                    seen.setdefault(source, set()).update(places)
        return frozenset(name for name, places in seen.items() if places == {0})

    def _read(self, part: _Part, reader: str, values: Mapping[str, Frames]) -> Frames:
        """What a node reads, frame by frame; frames beyond the edges are those at the edges."""
        sparse = all(source in self._sparse for source in part.nodes)
        total = sum(np.float32(scale) * values[source] for source, scale in part.nodes.items())
        read = np.asarray(total, np.float32)
        offset = part.offset // STRIDE if sparse else part.offset
        if offset:
            read = read[np.clip(np.arange(len(read)) + offset, 0, len(read) - 1)]
        return read[::STRIDE] if reader in self._sparse and not sparse else read


def _parse(descriptor: str) -> list[_Part]:
    """The pieces that a node reads one beside the other, from Kaldi's way of writing them:
    ``Append(Offset(a, -3), Sum(Scale(0.7, a), b))``.
    """
    tokens = _SPLIT.findall(descriptor)

    def expression(at: int) -> tuple[list[_Part], int]:
        name = tokens[at]
        if at + 1 >= len(tokens) or tokens[at + 1] != "(":
            return [_Part(0, {name: 1.0})], at + 1
        at += 1
        factor = 1.0
        if name == "Scale":
            factor, at = float(tokens[at + 1]), at + 2
        parts: list[_Part] = []
        while tokens[at] != ")":
            if name == "Offset" and parts:
                parts = [_Part(part.offset + int(tokens[at + 1]), part.nodes) for part in parts]
                at += 2
                continue
            more, at = expression(at + 1)
            parts += more
        if name == "Sum":
            parts = [_Part(0, {node: scale for part in parts for node, scale in part.nodes.items()})]
        elif name == "Scale":
            parts = [_Part(p.offset, {node: factor * s for node, s in p.nodes.items()}) for p in parts]
        elif name not in ("Append", "Offset"):
            raise ValueError(f"an unknown descriptor {name}")
        return parts, at + 1

    return expression(0)[0]


def _components(body: bytes) -> Iterator[tuple[str, _Affine]]:
    """The affine maps by name."""
    at = 0
    while (start := body.find(b"<ComponentName> ", at)) >= 0:
        head = body[start + 16 :].split(b" ", 2)
        name, kind = head[0].decode("ascii"), head[1]
        at = start + 16 + len(head[0]) + len(kind) + 2
        if kind != b"<FixedAffineComponent>":
            continue
        at = body.index(b"CM ", at) + 3
        low, span, rows, columns = struct.unpack_from("<ffii", body, at)
        marks = np.frombuffer(body, "<u2", 4 * columns, at + 16).reshape(columns, 4)
        at += 16 + 8 * columns
        codes = np.frombuffer(body, np.uint8, rows * columns, at).reshape(columns, rows)
        at = body.index(b"FV ", at + rows * columns) + 4
        (size,) = struct.unpack_from("<i", body, at)
        bias = np.frombuffer(body, "<f4", size, at + 4)
        at += 4 + 4 * size
        yield name, _Affine(expand(low, span, marks, codes), bias)


def expand(low: float, span: float, marks: npt.NDArray[np.uint16], codes: npt.NDArray[np.uint8]) -> Frames:
    """The matrix [rows, columns] of Kaldi's one-byte form with headers.

    Args:
        low: lowest value of the matrix.
        span: the highest less the lowest.
        marks: [columns, 4] lowest value, quartiles and highest of each column, in 65535ths of `span`.
        codes: [columns, rows] the elements: 0 to 64 between the first two marks, to 192 between the next,
            to 255 between the last.
    """
    levels = low + marks.astype(np.float32) * np.float32(span / 65535.0)
    first, second, third, last = (levels[:, at, None] for at in range(4))
    value = codes.astype(np.float32)
    found: Frames = np.where(
        value <= 64,
        first + (second - first) * value / 64,
        np.where(
            value <= 192,
            second + (third - second) * (value - 64) / 128,
            third + (last - third) * (value - 192) / 63,
        ),
    ).T
    return np.ascontiguousarray(found, np.float32)
