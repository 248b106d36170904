"""Trouble with devices in the middle of a match is told in the language of the match."""

import os
import random
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from mexvoice.errors import MexvoiceError, Trouble
from mexvoice.hearing.source import Microphone
from mexvoice.language import locale
from mexvoice.language.wording import Wording
from mexvoice.speaking.player import DevicePlayer
from mexvoice.speaking.synthesiser import Synthesiser
from tests.table.game import Game

# The program on a machine without any sound device.
BARE = """
import sys
import sounddevice
from mexvoice import cli
def none(wanted=None, kind=None):
    if kind is not None:
        raise ValueError("no device")
    return []
sounddevice.query_devices = none
sys.argv[0] = "mexvoice"
cli.main()
"""


class PortAudioError(Exception):
    """What the library raises."""


def library(*names: str, default: bool = True) -> Any:
    """A sound library whose devices, microphones of these names, cannot be opened."""
    devices = [
        {"name": name, "max_input_channels": 1, "default_samplerate": 48000.0, "index": number}
        for number, name in enumerate(names)
    ]

    def query(wanted: str | int | None = None, kind: str | None = None) -> Any:
        if kind is None:
            return devices
        found = [one for one in devices if wanted is None or one["name"] == wanted]
        if kind == "output" or not found or (wanted is None and not default):
            raise ValueError("no such device")
        return found[0]

    def stream(**_: object) -> Any:
        raise PortAudioError("Device unavailable", -9985)

    return SimpleNamespace(
        PortAudioError=PortAudioError,
        query_devices=query,
        RawInputStream=stream,
        OutputStream=stream,
        _StreamBase=type("_StreamBase", (), {}),
        _terminate=lambda: None,
        _initialize=lambda: None,
    )


def nobody() -> None:
    with Synthesiser("no/such-voice") as synthesiser:
        synthesiser.render("x")


RAISED: dict[str, tuple[Callable[[], object], tuple[str, ...]]] = {
    "microphone_missing": (lambda: Microphone(sounddevice=library()), ()),
    "microphone_unchosen": (lambda: Microphone(sounddevice=library("Desk", default=False)), ("0 Desk",)),
    "microphone_unknown": (lambda: Microphone("Nemo", sounddevice=library("Desk")), ("Nemo", "0 Desk")),
    "microphone_busy": (lambda: Microphone(sounddevice=library("Desk")), ("Desk", "Device unavailable")),
    "speaker_missing": (lambda: DevicePlayer(sounddevice=library()).check(), ()),
    "no_voice": (nobody, ()),
}


@pytest.mark.parametrize("kind", RAISED)
def test_trouble_is_told_in_every_language(kind: str) -> None:
    provoke, named = RAISED[kind]
    with pytest.raises(Trouble) as caught:
        provoke()
    assert caught.value.kind == kind
    told = set()
    for code in locale.available():
        sentence = Wording(locale.load(code), random.Random(1)).trouble(caught.value)
        assert all(name in sentence for name in named)
        told.add(sentence)
    assert len(told) == len(locale.available())
    assert str(caught.value) not in told


def test_an_error_without_a_sentence_is_told_as_it_is() -> None:
    wording = Wording(locale.load("de"), random.Random(1))
    for error in (MexvoiceError("The disk is full."), Trouble("The disk is full.")):
        assert wording.trouble(error) == "The disk is full."


def test_a_match_without_devices_says_so_in_its_language() -> None:
    game = Game(os.environ, "--lang", "fr", "--seed", "1", program=(sys.executable, "-c", BARE))
    try:
        words = locale.load("fr").wording
        game.wait_for(f"! {words['microphone_missing'][0]}")
        game.wait_for(f"! {words['speaker_missing'][0]}")
    finally:
        game.end()
    assert not any("There is no" in line for line in game.lines)
