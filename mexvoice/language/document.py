"""A YAML file as plain data that remembers its lines."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import yaml

Data: TypeAlias = "str | int | list[Data] | dict[str | int, Data] | None"
Place: TypeAlias = tuple[str | int, ...]
"""The way to a value: keys and list indices from the top."""

_DEPTH = 8
_SIZE = 200_000
_INTEGER = re.compile(r"0|[1-9][0-9]{0,8}")


class DocumentError(Exception):
    """A file that is no plain YAML mapping: why, and on which line (from 1)."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


@dataclass(frozen=True)
class Document:
    """The data of a YAML file and where each part of it stands."""

    data: dict[str | int, Data]
    lines: dict[Place, int]
    """Line (from 1) of each key and each list item."""

    def line(self, place: Place) -> int:
        """The line of a place, or of the nearest place above it that the file has."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def read(path: Path) -> Document:
    """Read a YAML file of strings, whole numbers, lists and mappings.

    Only a plain unquoted row of digits is a number; ``yes``, ``no`` and ``on`` are words, as they should
    be in a file about language. Aliases, tags and repeated keys are refused.

    Raises:
        DocumentError: with the line, for anything else, bad encodings included.
        OSError: if the file cannot be read.
    """
    raw = path.read_bytes()
    if len(raw) > _SIZE:
        raise DocumentError(1, f"the file is larger than {_SIZE // 1000} kB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(raw.count(b"\n", 0, error.start) + 1, "this is not UTF-8 text") from None
    try:
        root = yaml.compose(text, Loader=_PlainLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = " ".join((error.problem or "not YAML").split())
        raise DocumentError(mark.line + 1 if mark else 1, reason) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        sign = error.character if isinstance(error.character, int) else ord(error.character)
        raise DocumentError(line, f"the character U+{sign:04X} is not allowed") from None
    if root is None:
        raise DocumentError(1, "the file is empty")
    if not isinstance(root, yaml.MappingNode):
        raise DocumentError(root.start_mark.line + 1, "the file has to be a mapping (key: value)")
    lines: dict[Place, int] = {}
    data = _mapping(root, (), lines)
    return Document(data, lines)


class _PlainLoader(yaml.SafeLoader):
    """Refuses what plain data never needs, and what makes a small file huge or deep."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1 if event.start_mark else 1
        if getattr(event, "anchor", None):  # an alias has one, too
            raise DocumentError(line, "anchors and aliases (& and *) are not allowed")
        if tag := getattr(event, "tag", None):
            raise DocumentError(line, f"tags are not allowed: {tag}")
        if self._depth > _DEPTH:
            raise DocumentError(line, "the file is nested too deeply")
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _mapping(node: yaml.MappingNode, place: Place, lines: dict[Place, int]) -> dict[str | int, Data]:
    data: dict[str | int, Data] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise DocumentError(line, "a key has to be a word or a number")
        key = _scalar(key_node)
        if key is None:
            raise DocumentError(line, "a key is empty")
        if key in data:
            raise DocumentError(line, f"the key '{key}' is there twice")
        lines[*place, key] = line
        data[key] = _value(value_node, (*place, key), lines)
    return data


def _value(node: yaml.Node, place: Place, lines: dict[Place, int]) -> Data:
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, place, lines)
    if isinstance(node, yaml.SequenceNode):
        items: list[Data] = []
        for index, item in enumerate(node.value):
            lines[*place, index] = item.start_mark.line + 1
            items.append(_value(item, (*place, index), lines))
        return items
    if not isinstance(node, yaml.ScalarNode):
        raise TypeError(f"YAML has no node like {node!r}")
    return _scalar(node)


def _scalar(node: yaml.ScalarNode) -> str | int | None:
    """A plain row of digits is a number, a plain nothing is None, all the rest is text."""
    text: str = node.value
    if node.style is None and text == "":
        return None
    if node.style is None and _INTEGER.fullmatch(text):
        return int(text)
    return text
