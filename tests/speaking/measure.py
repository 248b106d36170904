"""Figures of speaking on this machine, from virtual sound devices: ``python -m tests.speaking.measure``."""

import os
import signal
import statistics
import time
from collections.abc import Callable

from mexvoice.speaking.announcer import TAIL_SECONDS, Announcer
from mexvoice.speaking.player import open_player
from mexvoice.speaking.synthesiser import Synthesiser, measure_start
from tests.sound_server import SoundServer, missing_parts

ROUNDS = 20
SENTENCE = "C'est à Ben de lancer les dés, encore deux lancers."


def show(what: str, seconds: list[float]) -> None:
    """Prints the median and the worst of some durations."""
    milliseconds = [1000 * value for value in seconds]
    print(
        f"{what:52} median {statistics.median(milliseconds):6.0f} ms, worst {max(milliseconds):6.0f} ms"
        f"  ({len(seconds)} times)",
        flush=True,
    )


def timed(work: Callable[[], object]) -> float:
    """Seconds it takes."""
    started = time.monotonic()
    work()
    return time.monotonic() - started


def measure_synthesis() -> None:
    """How long a text, a start and a new start take."""
    show("child ready after its start", [measure_start() for _ in range(ROUNDS // 2)])
    with Synthesiser("roa/fr") as synthesiser:
        synthesiser.render(SENTENCE)
        show("a sentence rendered", [timed(lambda: synthesiser.render(SENTENCE)) for _ in range(ROUNDS)])
        for what, number, rounds in (("killed", signal.SIGKILL, 5), ("hanging", signal.SIGSTOP, 3)):
            found = []
            for _ in range(rounds):
                assert synthesiser.child_pid is not None
                os.kill(synthesiser.child_pid, number)
                found.append(timed(lambda: synthesiser.render(SENTENCE)))
            show(f"a sentence rendered with a {what} child, new start included", found)


def measure_device() -> None:
    """How long it is from saying to sound, and from cutting to silence, as the speaker was heard."""
    server = SoundServer()
    try:
        with (
            server.in_process(),
            Synthesiser("roa/fr") as synthesiser,
            Announcer(synthesiser, player := open_player(), lambda _: None) as announcer,
        ):
            synthesiser.render("un")
            first, cut, off = [], [], []
            for _ in range(ROUNDS):
                recorder = server.record()
                said = time.monotonic()
                announcer.say(SENTENCE)
                time.sleep(1)
                announcer.cut()
                stopped = time.monotonic()
                time.sleep(0.2)
                spans = recorder.stop().spans(gap=0.5)
                first.append(spans[0][0] - said)
                cut.append(spans[-1][1] - stopped)
            for _ in range(ROUNDS // 2):
                recorder = server.record()
                announcer.say("À Ben.")
                announcer.wait(10)
                until = announcer.deaf_until
                time.sleep(0.3)
                off.append(until - TAIL_SECONDS - recorder.stop().spans(gap=0.5)[-1][1])
            show("say() to the first sample at the speaker", first)
            show("cut() to the last sample at the speaker", cut)
            show("deaf_until less its tail, after the last loud sample", off)
            player.close()
    finally:
        server.close()


if __name__ == "__main__":
    measure_synthesis()
    if reason := missing_parts():
        print(reason)
    else:
        measure_device()
