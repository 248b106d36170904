"""Fixtures for every test."""

from collections.abc import Iterator

import pytest

from tests.sound_server import SoundServer, missing_parts


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
