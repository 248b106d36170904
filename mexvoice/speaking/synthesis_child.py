"""The process that turns text into sound files with pyttsx3; `synthesiser.py` starts it and talks to it.

pyttsx3 and the engines under it hang, print, and lose settings now and then, and espeak-ng may even end the
process. So they live in a process of their own that does one thing: save one text to one file a run. Requests
and answers are JSON objects, one a line, in ASCII.

Requests::

    {"text": "...", "file": "...", "espeak": "roa/fr", "languages": ["fr"], "rate": 165, "pitch": 50}
    {"find": true, "espeak": "roa/fr", "languages": ["fr"]}

Answers: ``{"ready": true}`` once at the start, then ``{"file": "..."}``,
``{"found": true, "engine": "espeak", "voice": "roa/fr"}`` or
``{"error": "engine" | "voice" | "speech", "reason": "..."}``. The process ends when its input ends.

It imports nothing of mexvoice and as little as possible of anything else, to start fast.
"""

import contextlib
import ctypes
import json
import os
import queue
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from typing import IO, Any

HEADER = 44
"""Bytes of a WAV file without samples."""

TRIES = 3
"""So often a run is repeated when a setting was lost or the file is empty."""

SETTING_SECONDS = 0.5
"""espeak-ng takes its settings in a thread of its own; it gets this long to do so."""

FILE_SECONDS = 2.0
"""A system's own engine may return before its file is there; it gets this long to begin it."""

STEADY_SECONDS = 0.25
"""A file of such an engine is complete when it has not grown for so long."""

NATIVE = {"darwin": "nsss", "win32": "sapi5"}
"""The engines of pyttsx3 that come with a system, by `sys.platform`."""

PITCH = 50
"""What espeak-ng takes as the normal pitch, on its scale of 0 to 99."""


class Failure(Exception):
    """A request that cannot be fulfilled: its kind as in an answer's `error`, and a reason for the log."""

    def __init__(self, kind: str, reason: object) -> None:
        super().__init__(kind, str(reason))
        self.kind, self.reason = kind, str(reason)


def choose_voice(voices: Iterable[tuple[str, Sequence[str]]], languages: Sequence[str]) -> str | None:
    """The id of the voice that suits a language best.

    Args:
        voices: id and language tags (``fr-FR``, ``fr_FR``, ``fr``) of each voice there is.
        languages: the tags looked for, best first.

    Returns:
        The first voice with the first tag that some voice has, else the first of the same language whatever
        the country, else None.
    """
    known = [(voice, [_tag(tag) for tag in tags]) for voice, tags in voices]
    for wanted in map(_tag, languages):
        for voice, tags in known:
            if wanted in tags:
                return voice
    for wanted in map(_tag, languages):
        for voice, tags in known:
            if any(tag.split("-")[0] == wanted.split("-")[0] for tag in tags):
                return voice
    return None


def _tag(tag: str) -> str:
    return str(tag).replace("_", "-").lower()


def load_espeak() -> None:
    """Makes pyttsx3 use the espeak-ng of the package espeakng-loader, where there is one for this machine.

    Without its data path espeak-ng would end the process. To be done before pyttsx3 looks for the library.
    """
    try:
        import espeakng_loader
    except ImportError:
        return  # then it is the system's espeak-ng
    os.environ["ESPEAK_DATA_PATH"] = espeakng_loader.get_data_path()
    library = ctypes.CDLL(espeakng_loader.get_library_path(), mode=ctypes.RTLD_GLOBAL)
    if sys.platform.startswith("linux"):
        return  # loading it under its usual name finds the one loaded already
    # Elsewhere a library is looked for by its path, so pyttsx3 has to be handed this one.
    load = ctypes.cdll.LoadLibrary
    ctypes.cdll.LoadLibrary = lambda name: library if "espeak" in str(name) else load(name)


class Speaker:
    """The engines of pyttsx3, each started when it is first needed."""

    def __init__(self) -> None:
        """Loads what is needed everywhere, and the engine that most requests will go to.

        Raises:
            Failure: if there is no engine at all.
        """
        # pyttsx3 forgets an engine nobody holds on to.
        self._engines: dict[str, Any] = {}
        self._voices: dict[str, list[tuple[str, Sequence[str]]]] = {}
        self._native = NATIVE.get(sys.platform)
        self._finished = threading.Event()
        load_espeak()
        if self._native:
            with contextlib.suppress(Failure):
                self._engine(self._native)
                return
        self._engine("espeak")

    def _engine(self, name: str) -> Any:
        if name not in self._engines:
            try:
                import pyttsx3

                engine = pyttsx3.init(name)
                engine.connect("finished-utterance", self._note)
                self._engines[name] = engine
            except Exception as error:
                raise Failure("engine", error) from error
        return self._engines[name]

    def _note(self, completed: bool = True, **_: object) -> None:
        if completed:
            self._finished.set()

    def _known(self, name: str) -> list[tuple[str, Sequence[str]]]:
        if name not in self._voices:
            voices = self._engine(name).getProperty("voices")
            self._voices[name] = [(str(voice.id), [str(tag) for tag in voice.languages]) for voice in voices]
        return self._voices[name]

    def find(self, espeak: str, languages: Sequence[str]) -> tuple[str, str]:
        """The engine and the voice id for a language: the system's own voice before espeak-ng's.

        Args:
            espeak: id of espeak-ng's voice, with or without a variant (``roa/fr+f2``).
            languages: language tags for a system's own voice; empty to have espeak-ng's.

        Raises:
            Failure: if neither is there.
        """
        if self._native and languages:
            with contextlib.suppress(Failure):
                voice = choose_voice(self._known(self._native), languages)
                if voice is not None:
                    return self._native, voice
        base = espeak.partition("+")[0].lower()
        names = {
            name for voice, tags in self._known("espeak") for name in (voice, voice.rpartition("/")[2], *tags)
        }
        if base not in names:
            raise Failure("voice", f"no voice {espeak!r}")
        return "espeak", espeak

    def save(
        self, text: str, file: str, espeak: str, languages: Sequence[str], rate: int, pitch: int
    ) -> None:
        """Saves a text as a sound file.

        Raises:
            Failure: if there is no such voice, or three runs bring no sound.
        """
        name, voice = self.find(espeak, languages)
        engine = self._engine(name)
        reason = "no sound"
        for left in reversed(range(TRIES)):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(file)  # noqa: PTH108 - pathlib costs time at the start
            engine.setProperty("voice", voice)
            engine.setProperty("rate", rate)
            if name == "espeak":
                engine.setProperty("pitch", pitch)
                # A run begins by cancelling what espeak-ng has not done yet, settings too. Made and awaited
                # now, they are safe.
                engine.proxy.setBusy(False)
                # When it does not take them however often told: better at another rate than not at all.
                if not _settled(rate, pitch) and left:
                    reason = f"rate {rate} or pitch {pitch} was not taken"
                    continue
            self._finished.clear()
            engine.save_to_file(text, file)
            engine.runAndWait()
            if name == "espeak":
                # It synthesises in a thread of its own and the run does not wait for that. If the end never
                # comes, it is the parent that loses patience.
                self._finished.wait()
            # The voice of a system's own engine is set within the run, so it is only now that it can be read.
            if not _same_voice(engine.getProperty("voice"), voice):
                reason = f"voice {voice!r} was not taken"
            elif _size(file) > HEADER if name == "espeak" else self._file_comes(file):
                return
        raise Failure("speech", reason)

    def _file_comes(self, file: str) -> bool:
        """Waits until a system's own engine has written its file; False if no sound is in it in time."""
        size, since = -1, time.monotonic()
        while True:
            now, before, size = time.monotonic(), size, _size(file)
            if size != before:
                since = now
            if size > HEADER and (self._finished.is_set() or now - since > STEADY_SECONDS):
                return True
            if size <= HEADER and now - since > FILE_SECONDS:
                return False
            time.sleep(0.02)


def _settled(rate: int, pitch: int) -> bool:
    """Waits until espeak-ng has taken its settings and has nothing left to do; False when time is up."""
    until = time.monotonic() + SETTING_SECONDS
    while time.monotonic() < until:
        if not _espeak_works() and (_espeak_parameter("RATE"), _espeak_parameter("PITCH")) == (rate, pitch):
            return True
        time.sleep(0.001)
    return False


def _espeak_works() -> bool:
    """Whether espeak-ng has something to do still."""
    from pyttsx3.drivers import _espeak

    return bool(_espeak.IsPlaying())


def _espeak_parameter(name: str) -> int:
    """The rate (words a minute) or pitch (0 to 99) espeak-ng uses now.

    Asked directly: pyttsx3 2.99 leaves out the argument that says whether the rate in use or the usual one is
    meant, so that it returns now this, now that.
    """
    from pyttsx3.drivers import _espeak

    return int(_espeak.dll.espeak_GetParameter(getattr(_espeak, name), 1))


def _same_voice(actual: object, wanted: str) -> bool:
    """Whether the engine uses the voice asked for; espeak-ng puts the family's name before it."""
    have, want = str(actual).lower(), wanted.lower()
    return have == want or have.endswith("/" + want)


def _size(file: str) -> int:
    """Bytes in a file, -1 if it is not there."""
    try:
        return os.stat(file).st_size  # noqa: PTH116
    except OSError:
        return -1


def answer(speaker: Speaker, request: dict[str, Any]) -> dict[str, object]:
    """Does what one request asks for."""
    try:
        if request.get("find"):
            engine, voice = speaker.find(request["espeak"], request["languages"])
            return {"found": True, "engine": engine, "voice": voice}
        speaker.save(**request)
    except Failure as failure:
        return {"error": failure.kind, "reason": failure.reason}
    except Exception as error:  # whatever an engine may raise: the next request may fare better
        return {"error": "speech", "reason": repr(error)}
    return {"file": request["file"]}


def _read(lines: IO[str], requests: "queue.SimpleQueue[str]", folder: str | None) -> None:
    """Fetches requests, and ends the process when there will be no more, even while an engine hangs."""
    for line in lines:
        requests.put(line)
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def main() -> None:
    """Answers requests until the input ends; the folder named in the first argument is then removed."""
    # Ctrl-C goes to every process of a terminal, and it is the parent that decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Engines print; what they print must not get among the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)

    def send(message: dict[str, object]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    folder = sys.argv[1] if len(sys.argv) > 1 else None
    threading.Thread(target=_read, args=(sys.stdin, requests, folder), daemon=True).start()
    try:
        speaker = Speaker()
    except Failure as failure:
        send({"error": failure.kind, "reason": failure.reason})
        return
    send({"ready": True})
    while True:
        send(answer(speaker, json.loads(requests.get())))


if __name__ == "__main__":
    main()
