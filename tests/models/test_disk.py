"""Disks that are full, and folders that cannot be written."""

import contextlib
import hashlib
import io
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mexvoice.data import DATA_VARIABLE
from mexvoice.errors import MexvoiceError
from mexvoice.hearing.catalogue import Official
from mexvoice.hearing.download import Downloader
from mexvoice.hearing.installed import find
from mexvoice.table import models
from tests.models.server import Site, whole
from tests.models.test_install import changed

NAME = "vosk-model-small-de-0.15"
_NOBODY = 65534


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


@contextlib.contextmanager
def small_disk(path: Path, size: int) -> Iterator[None]:
    """A file system of `size` bytes in the folder `path`; skips where that cannot be had."""
    if not _is_root() or sys.platform != "linux":
        pytest.skip("a small disk needs root on Linux")
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


@pytest.fixture
def bulky(site: Site, official_archive: bytes) -> Official:
    """A model of a megabyte, served and pinned."""
    archive = changed(official_archive, {"ballast": random.Random(1).randbytes(1_000_000)})
    site.serve(f"/{NAME}.zip", whole(archive))
    digest = hashlib.sha256(archive).hexdigest()
    return Official("de", NAME, len(archive), digest, site.url, "model-list.json")


def test_too_small_a_disk(
    bulky: Official, hasty: Downloader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no room for the whole, nothing is begun."""
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    with small_disk(tmp_path, 2_000_000):
        with pytest.raises(MexvoiceError, match=r"needs 3\.. MB in .* make room there, or .*--data DIR"):
            models.install("de", io.StringIO(), official=bulky, downloader=hasty)
        assert find("de") is None and not list((tmp_path / "models").glob("*.part"))


@pytest.mark.parametrize("size", [200_000, 1_000_000, 1_400_000, 1_900_000, 2_050_000])
def test_disk_that_fills_up(
    bulky: Official, hasty: Downloader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """The disk fills up while something is written: said, no model, what has been downloaded is kept."""
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    monkeypatch.setattr(
        models, "_require_room", lambda *_: None
    )  # others fill the disk after it was looked at
    with small_disk(tmp_path, size):
        with pytest.raises(MexvoiceError, match=r"cannot be written .*No space left on device.*--data DIR"):
            models.install("de", io.StringIO(), official=bulky, downloader=hasty)
        assert find("de") is None
        names = {path.name for path in (tmp_path / "models").iterdir()}
        assert names <= {".de.lock", ".de.zip.part", ".de.zip.part.json"}
        if size > 1_500_000:
            assert (tmp_path / "models" / ".de.zip.part").stat().st_size == bulky.size
        subprocess.run(["mount", "-o", "remount,size=9000000", str(tmp_path)], check=True)
        models.install("de", io.StringIO(), official=bulky, downloader=hasty)
        assert find("de") is not None


@pytest.mark.parametrize("act", [models.install, models.remove])
def test_data_folder_that_is_a_file(tmp_path: Path, act: object) -> None:
    """A file in the place of the data folder."""
    (tmp_path / "file").write_bytes(b"")
    assert callable(act)
    assert find("de", tmp_path / "file") is None
    with pytest.raises(MexvoiceError, match=r"cannot be written \(Not a directory\).*--data DIR"):
        act("de", io.StringIO(), tmp_path / "file")


def test_read_only_folder(bulky: Official, hasty: Downloader, tmp_path: Path) -> None:
    """A folder one may not write to (root may write to all: it becomes somebody else for this)."""
    if sys.platform == "win32":
        pytest.skip("rights are another matter on Windows")
    tmp_path.chmod(0o755)
    for folder in (tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    data = tmp_path / "data"
    data.mkdir(mode=0o555)
    with _as_nobody():
        with pytest.raises(MexvoiceError, match=r"cannot be written \(Permission denied\).*--data DIR"):
            models.install("de", io.StringIO(), data, official=bulky, downloader=hasty)
        assert find("de", data) is None
        out = io.StringIO()
        assert models.list_models(out, data) == 0 and "not installed" in out.getvalue()


def test_unreadable_folder(tmp_path: Path) -> None:
    """A data folder of somebody else counts as empty."""
    if sys.platform == "win32":
        pytest.skip("rights are another matter on Windows")
    (tmp_path / "models").mkdir()
    (tmp_path / "models").chmod(0o000)
    try:
        with _as_nobody():
            assert find("de", tmp_path) is None
    finally:
        (tmp_path / "models").chmod(0o755)


@contextlib.contextmanager
def _as_nobody() -> Iterator[None]:
    if not _is_root():
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_model_that_cannot_be_removed(
    bulky: Official, hasty: Downloader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model in use on Windows, say: one sentence, and the model is still there."""
    models.install("de", io.StringIO(), tmp_path, official=bulky, downloader=hasty)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", refuse)
        with pytest.raises(MexvoiceError, match=r"cannot be removed \(Permission denied\)"):
            models.remove("de", io.StringIO(), tmp_path)
    assert find("de", tmp_path) is not None
    shutil.rmtree(tmp_path / "models")
