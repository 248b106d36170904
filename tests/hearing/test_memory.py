"""What is kept of memory that is no longer used."""

import platform
import subprocess
import sys

import pytest

SCRIPT = """
import resource
import numpy as np
from pathlib import Path
from mexvoice.hearing.memory import keep_small

def used():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20

if {small}:
    keep_small()
before = used()
for megabytes in (30, 20, 10):
    big = np.ones(megabytes * 2**17)
    small = np.ones(3000)  # lies above the big one, where that is no block of its own
    del big
print(used() - before)
"""


def kept(small: bool) -> float:
    script = SCRIPT.format(small=small)
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_large_blocks_are_given_back() -> None:
    assert kept(small=False) > 8
    assert kept(small=True) < 2
