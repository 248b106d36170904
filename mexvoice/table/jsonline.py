"""JSON for an output that may be a terminal."""

import json
import re
from typing import TextIO

_STEERING = re.compile("[\x7f-\x9f]")
"""What JSON lets stand as it is and a terminal may obey."""


def json_text(record: object, out: TextIO, indent: int | None = None) -> str:
    """``record`` as JSON, with every letter as it is unless ``out`` has no way to write one of them.

    Args:
        record: anything JSON knows.
        out: where it will be written.
        indent: spaces for each level; None for one line.
    """
    text = json.dumps(record, ensure_ascii=False, indent=indent)
    try:
        text.encode(out.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(record, indent=indent)
    return _STEERING.sub(lambda letter: f"\\u{ord(letter[0]):04x}", text)
