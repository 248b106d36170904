"""Fixtures of the tests of official models."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mexvoice.data import DATA_VARIABLE
from mexvoice.hearing.connection import Patience
from mexvoice.hearing.download import Downloader
from tests.models.official import make_official, packed, words_of, write_deaf_model
from tests.models.server import Site

FEW_TRIES = Patience(silence=20.0, window=60.0, trickle=1000, tries=3, pause=0.0)
"""Few attempts; long waits still, for a busy machine stalls too."""

SHORT_WAITS = Patience(silence=0.7, window=1.0, trickle=1000, tries=3, pause=0.0)
"""For tests of stalling."""


@pytest.fixture
def site() -> Iterator[Site]:
    """A web server on this machine that serves nothing yet."""
    with Site() as running:
        yield running


@pytest.fixture
def hasty() -> Downloader:
    """A downloader that does not wait between its few attempts."""
    return Downloader(FEW_TRIES, sleep=lambda _: None)


@pytest.fixture
def impatient() -> Downloader:
    """A downloader that gives up soon on a line that brings nothing."""
    return Downloader(SHORT_WAITS, sleep=lambda _: None)


@pytest.fixture(scope="session")
def official_archive(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A German model in official form that knows every word of the locale's phrases but "mex"."""
    path = tmp_path_factory.mktemp("official") / "model"
    write_deaf_model(path, "de", [*words_of("de", without=["mex"]), "max", "hex"])
    make_official(path)
    return packed(path, "vosk-model-small-de-0.15")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own, in use everywhere."""
    folder = tmp_path / "data"
    monkeypatch.setenv(DATA_VARIABLE, str(folder))
    return folder
