"""OpenFst's constant transducers, written and checked without OpenFst.

The file is a header (magic number, two names, numbers), a row for each state (which arcs are its own), and a
row for each arc. OpenFst believes the numbers in it, and Vosk reads beyond its memory if they are wrong.
"""

import struct
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.void]

_EPSILON = 0
_MAGIC = 2125659606
_SYMBOLS_MAGIC = 2125658996
_ALIGNED_VERSION = 1
_VERSION = 2
_EXPANDED = 0x1
_INPUT_SORTED = 0x10000000
_OUTPUT_SORTED = 0x40000000
_INPUT_SYMBOLS = 0x1
_OUTPUT_SYMBOLS = 0x2
_WITH_SYMBOLS = _INPUT_SYMBOLS | _OUTPUT_SYMBOLS
_ALIGNED = 0x4
_ALIGNMENT = 16
_NUMBERS = struct.Struct("<iiQqqq")  # version, flags, properties, start, number of states and of arcs
_LENGTH = struct.Struct("<i")
_TABLE = struct.Struct("<qq")  # next label, number of labels
_LABEL = struct.Struct("<q")
_LONGEST_HEADER = 512

_STATE = np.dtype(
    [("final", "<f4"), ("first", "<u4"), ("arcs", "<u4"), ("in_eps", "<u4"), ("out_eps", "<u4")]
)
_ARC = np.dtype([("in", "<i4"), ("out", "<i4"), ("cost", "<f4"), ("to", "<i4")])


class _Header(NamedTuple):
    kind: bytes
    costs: bytes
    version: int
    flags: int
    start: int
    states: int
    arcs: int
    end: int
    """Position after the header."""


class Transducer:
    """A transducer under construction: states are numbers, arcs are columns."""

    def __init__(self) -> None:
        self.states = 0
        self.arcs: list[tuple[int, int, int, float, int]] = []  # from, input, output, cost, to
        self.final: dict[int, float] = {}

    def state(self) -> int:
        """Another state."""
        self.states += 1
        return self.states - 1

    def arc(self, start: int, to: int, read: int, write: int, cost: float = 0.0) -> None:
        """Another arc: from a state to a state, with an input label, an output label and a cost."""
        self.arcs.append((start, read, write, cost, to))

    def write(self, path: Path, sort_by_output: bool) -> None:
        """Write OpenFst's ``const`` form, the arcs of each state sorted; the start state is 0."""
        table = np.array(self.arcs, dtype=[("from", "<i4"), *((name, _ARC[name]) for name in _COLUMNS)])
        table = table[np.lexsort((table["out"] if sort_by_output else table["in"], table["from"]))]
        counts = np.bincount(table["from"], minlength=self.states)
        states = np.zeros(self.states, _STATE)
        states["final"] = np.inf
        states["final"][list(self.final)] = list(self.final.values())
        states["first"] = np.concatenate([[0], np.cumsum(counts)[:-1]])
        states["arcs"] = counts
        states["in_eps"] = np.bincount(table["from"][table["in"] == _EPSILON], minlength=self.states)
        states["out_eps"] = np.bincount(table["from"][table["out"] == _EPSILON], minlength=self.states)
        arcs = np.zeros(len(table), _ARC)
        for name in _COLUMNS:
            arcs[name] = table[name]
        properties = _EXPANDED | (_OUTPUT_SORTED if sort_by_output else _INPUT_SORTED)
        header = struct.pack("<i", _MAGIC) + _text("const") + _text("standard")
        header += _NUMBERS.pack(_VERSION, 0, properties, 0, self.states, len(table))
        path.write_bytes(header + states.tobytes() + arcs.tobytes())


_COLUMNS = ("in", "out", "cost", "to")  # in the order of the arcs of a Transducer


def symbols(path: Path) -> dict[str, int]:
    """The names of labels that a transducer of any type brings with it; none when it has no such list.

    Raises:
        ValueError: when what should be a list is none.
    """
    with path.open("rb") as stream:
        header = _header(stream.read(_LONGEST_HEADER))
        if not header.flags & _WITH_SYMBOLS:
            return {}
        stream.seek(header.end)
        return _symbols(stream.read(), 0)[0]


def check(path: Path, inputs: int | None, outputs: int | None, others: Collection[int] = ()) -> None:
    """Look for numbers in a constant transducer that are out of bounds. Other types are not looked into.

    Args:
        path: the file.
        inputs: the highest input label there is; None when it is not known.
        outputs: the highest output label there is; None when it is not known.
        others: input labels beyond that are right all the same.

    Raises:
        ValueError: saying what is wrong.
    """
    with path.open("rb") as stream:
        head = stream.read(_LONGEST_HEADER)
        header = _header(head)
        if header.kind != b"const":
            return
        data = head + stream.read()
    if header.costs != b"standard":
        raise ValueError("costs of an unknown kind")
    states, arcs = header.states, header.arcs
    if states < 0 or arcs < 0 or not -1 <= header.start < states:
        raise ValueError("numbers of states that cannot be")
    at = header.end
    for flag in (_INPUT_SYMBOLS, _OUTPUT_SYMBOLS):
        if header.flags & flag:
            at = _symbols(data, at)[1]
    aligned = _ALIGNMENT if header.version == _ALIGNED_VERSION or header.flags & _ALIGNED else 1
    states_at = -(-at // aligned) * aligned
    arcs_at = -(-(states_at + states * _STATE.itemsize) // aligned) * aligned
    if len(data) != arcs_at + arcs * _ARC.itemsize:
        raise ValueError("the file is shorter or longer than it says")
    rows = np.frombuffer(data, _STATE, states, states_at), np.frombuffer(data, _ARC, arcs, arcs_at)
    _check_rows(*rows, inputs, outputs, others)


def _check_rows(
    states: Rows, arcs: Rows, inputs: int | None, outputs: int | None, others: Collection[int]
) -> None:
    if (states["first"].astype(np.int64) + states["arcs"] > len(arcs)).any():
        raise ValueError("a state has arcs that are not there")
    if (states["in_eps"] > states["arcs"]).any() or (states["out_eps"] > states["arcs"]).any():
        raise ValueError("a state has more arcs without label than arcs")
    if ((arcs["to"] < 0) | (arcs["to"] >= len(states))).any():
        raise ValueError("an arc leads to no state")
    for name, highest, more in (("in", inputs, others), ("out", outputs, ())):
        labels = arcs[name]
        beyond = labels[labels > highest] if highest is not None else labels[:0]
        if (labels < _EPSILON).any() or not np.isin(beyond, list(more)).all():
            raise ValueError(f"an arc has a label ({name}) that does not exist")
    for costs in (states["final"], arcs["cost"]):
        if not (costs > -np.inf).all():  # nor "not a number"
            raise ValueError("a cost that is no number")


def _header(data: bytes) -> _Header:
    kind, at = _name(data, 4)
    costs, at = _name(data, at)
    version, flags, _, start, states, arcs = _unpack(_NUMBERS, data, at)
    return _Header(kind, costs, version, flags, start, states, arcs, at + _NUMBERS.size)


def _symbols(data: bytes, at: int) -> tuple[dict[str, int], int]:
    """A list of names of labels, and the position after it."""
    (magic,) = _unpack(_LENGTH, data, at)
    if magic != _SYMBOLS_MAGIC:
        raise ValueError("no names of labels where they should be")
    _, at = _name(data, at + _LENGTH.size)
    _, size = _unpack(_TABLE, data, at)
    at += _TABLE.size
    found = {}
    for _ in range(size):
        name, at = _name(data, at)
        (found[name.decode("utf-8", "replace")],) = _unpack(_LABEL, data, at)
        at += _LABEL.size
    return found, at


def _name(data: bytes, at: int) -> tuple[bytes, int]:
    """A name, and the position after it."""
    (length,) = _unpack(_LENGTH, data, at)
    end = at + _LENGTH.size + length
    if not 0 <= length <= len(data) - at - _LENGTH.size:
        raise ValueError("a name is longer than the file")
    return data[end - length : end], end


def _unpack(what: struct.Struct, data: bytes, at: int) -> tuple[int, ...]:
    if len(data) < at + what.size:
        raise ValueError("the file is cut off")
    return what.unpack_from(data, at)


def _text(value: str) -> bytes:
    return struct.pack("<i", len(value)) + value.encode()
