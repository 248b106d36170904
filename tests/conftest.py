"""Fixtures and settings for every test."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from mexvoice.data import DATA_VARIABLE
from tests.sound_server import SoundServer, missing_parts

# Other tests share the cores, so one slow example proves nothing; pytest's own time limit catches what hangs.
hypothesis.settings.register_profile("mexvoice", deadline=None, print_blob=True)
hypothesis.settings.load_profile("mexvoice")


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker `alone` known, and the tests blind to what the user of this machine has installed."""
    os.environ[DATA_VARIABLE] = str(Path(tempfile.gettempdir()) / "mexvoice-tests-have-no-data")
    config.addinivalue_line(
        "markers", "alone: looks at the clock or uses sound devices; nothing runs beside it"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test that uses the virtual sound devices as `alone`."""
    for item in items:
        if "running_sound_server" in getattr(item, "fixturenames", ()):
            item.add_marker("alone")


@pytest.fixture(scope="session")
def running_sound_server() -> Iterator[SoundServer]:
    """One sound server for the whole run; tests take `sound_server`, which puts it in order for each."""
    if reason := missing_parts():
        pytest.skip(reason)
    server = SoundServer()
    yield server
    server.close()


@pytest.fixture
def sound_server(running_sound_server: SoundServer) -> Iterator[SoundServer]:
    """A virtual microphone and speaker, plugged in, nothing sounding; skips where there is no PulseAudio."""
    running_sound_server.reset()
    yield running_sound_server
    running_sound_server.reset()
