"""How memory is given back, so that an evening of four hours needs no more than its first minutes.

glibc keeps large blocks that were freed for later, and the larger the blocks it has seen, the larger those it
keeps: after a few hours of long and short utterances some 15 MB lie between what is still in use. With fixed
limits every large block goes back to the system at once (``M_MMAP_THRESHOLD`` in mallopt(3)).
"""

import ctypes
import gc

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""``M_TRIM_THRESHOLD`` and ``M_MMAP_THRESHOLD`` of glibc's malloc.h."""

_LARGE = 128 * 1024
"""Bytes: what both begin with."""


def keep_small() -> None:
    """Have large blocks given back as they are freed; nothing where the C library is not glibc."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return  # Windows has no such list, macOS and musl no such function
    for limit in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
        mallopt(limit, _LARGE)


def give_back() -> None:
    """Give back what is free at once, after much has been freed; nothing where the C library is not glibc."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):
        return
