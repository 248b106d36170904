"""A damaged file is never thrown away: it gets another name."""

from datetime import datetime
from pathlib import Path
from typing import Final

from mexvoice.ledger.failure import explained

_COMPANIONS: Final = ("-journal", "-wal", "-shm")
"""What SQLite may have beside a file, and may need to read it."""


def set_aside(path: Path) -> Path:
    """Give ``path``, and what SQLite keeps beside it, a name that is free; the new path.

    Raises:
        MexvoiceError: if the folder does not allow it.
    """
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"{path.stem}-damaged-{stamp}{path.suffix}")
    try:
        count = 1
        while aside.exists():
            count += 1
            aside = path.with_name(f"{path.stem}-damaged-{stamp}-{count}{path.suffix}")
        for companion in _COMPANIONS:
            beside = path.with_name(path.name + companion)
            if beside.exists():
                beside.rename(aside.with_name(aside.name + companion))
        path.rename(aside)
    except OSError as error:
        raise explained(error, path) from error
    return aside
