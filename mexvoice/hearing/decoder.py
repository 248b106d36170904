"""Vosk behind two questions: what does it sound like so far, and what was it as a whole.

The first is asked of a running recogniser, block by block; the second of the whole utterance once more, at
a standard level and from a clean start, which costs about a hundredth of its length.
"""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from mexvoice.hearing.endpoint import RATE
from mexvoice.hearing.grammar import FittedGrammar
from mexvoice.hearing.model import UNKNOWN, Model, load_vosk

Samples = npt.NDArray[np.int16]

FLOOR_NOISE = 2.0
"""Standard deviation, in 16-bit steps, of a noise under everything: no model ever heard digital silence."""

STANDARD_DB = -26.0
"""Level (dB of full scale) the loud part of an utterance is brought to before it is looked at as a whole."""

MOST_GAIN_DB = 20.0
"""No more gain or loss than this."""


@dataclass(frozen=True, slots=True)
class Word:
    """A token that came out, with its times in seconds of the sound decoded."""

    token: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Decoding:
    """What the recogniser makes of a piece of sound."""

    words: tuple[Word, ...]
    """The best sequence of tokens; none for silence."""

    score: float | None = None
    """Natural logarithm of its likelihood; None when not measured."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens alone."""
        return tuple(word.token for word in self.words)


class Decoder:
    """Vosk recognisers of one model and one grammar."""

    def __init__(self, model: Model, grammar: FittedGrammar) -> None:
        """Nothing is made before it is needed; a recogniser takes a few milliseconds."""
        self._vosk = load_vosk()
        self._model = model
        self._grammar = grammar
        self._stream: Any = None

    def begin(self) -> None:
        """A new utterance begins: forget the last."""
        self._stream = self._recogniser(self._grammar.json)
        self._stream.SetWords(True)

    def accept(self, samples: Samples) -> bool:
        """Hear more of the utterance; True when Vosk itself takes it for ended."""
        return bool(self._stream.AcceptWaveform(_over_noise(samples, 1.0).tobytes()))

    def partial(self) -> tuple[str, ...]:
        """The tokens so far."""
        return tuple(json.loads(self._stream.PartialResult())["partial"].split())

    def finish(self) -> Decoding:
        """End the running recogniser and take its result."""
        result = json.loads(self._stream.FinalResult())
        self._stream = None
        return Decoding(_words(result.get("result", [])))

    def judge(self, samples: Samples, loud_db: float) -> Decoding:
        """Look at an utterance as a whole.

        Args:
            samples: all of it, with a little silence at both ends.
            loud_db: level of its loud part, in dB of full scale.
        """
        return self._whole(self._grammar.json, samples, loud_db)

    def unknown(self, samples: Samples, loud_db: float) -> Decoding:
        """The same utterance taken for speech without any word of the grammar."""
        return self._whole(json.dumps([UNKNOWN]), samples, loud_db)

    def _whole(self, grammar: str, samples: Samples, loud_db: float) -> Decoding:
        # One each time: a recogniser that has given its final result starts afresh, but its times run on.
        recogniser = self._recogniser(grammar)
        recogniser.SetMaxAlternatives(1)
        recogniser.SetWords(True)
        recogniser.AcceptWaveform(dressed(samples, loud_db).tobytes())
        best = json.loads(recogniser.FinalResult())["alternatives"][0]
        return Decoding(_words(best.get("result", [])), float(best["confidence"]))

    def _recogniser(self, grammar: str) -> Any:
        return self._vosk.KaldiRecognizer(self._model.handle, RATE, grammar)


def dressed(samples: Samples, loud_db: float) -> Samples:
    """An utterance as it is looked at as a whole: at the standard level, over faint noise.

    Args:
        samples: all of it.
        loud_db: level of its loud part, in dB of full scale.
    """
    gain_db = min(max(STANDARD_DB - loud_db, -MOST_GAIN_DB), MOST_GAIN_DB)
    return _over_noise(samples, float(10 ** (gain_db / 20)))


def _over_noise(samples: Samples, gain: float) -> Samples:
    noise = np.resize(_noise(), len(samples))
    sound: Samples = np.clip(samples * np.float32(gain) + noise, -32768, 32767).astype("<i2")
    return sound


@cache
def _noise() -> npt.NDArray[np.float32]:
    """One second of faint noise, always the same."""
    return np.random.default_rng(1).normal(0, FLOOR_NOISE, RATE).astype(np.float32)


def _words(result: list[dict[str, Any]]) -> tuple[Word, ...]:
    return tuple(Word(str(word["word"]), float(word["start"]), float(word["end"])) for word in result)
