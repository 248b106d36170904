"""How certain it is that a phrase was said: a trained second look at a whole utterance.

Vosk's likelihood of the whole may be high though one word of the phrase was never said. Here the phrase is
laid over the utterance phone by phone, and what speaks for and against it is weighed: how the network sees
each phone, the worst ones, how long they are, what is in the pauses, how much likelier than unknown speech
the whole is. The weights are learned by ``scripts/training/weighing.py`` from phrases that were said and such
as were only heard, and lie with the model (`WEIGHTS`).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.acoustics import AcousticNetwork, Outputs
from mexvoice.hearing.alignment import PAUSE_UNIT, SILENCE, Segment, align
from mexvoice.hearing.features import mfcc
from mexvoice.hearing.model import WEIGHTS
from mexvoice.hearing.phones import PAUSE, read_phones
from mexvoice.hearing.pronunciation import Pronouncer

MOST_READINGS = 48
"""Of a sequence of phrases no more combinations of pronunciations are looked at."""

HIGHEST_MARGIN = 15.0
"""A margin counts up to here: beyond, it says no more."""

WORST = (-5.2, -3.0, -3.0)
"""No phone counts for worse than this: by its log-probability, that beside the likeliest phone's, and its
log-probability in spreads of what is typical."""

EVIDENCE = (
    "margin", "mean", "worst", "worst two", "word", "normal mean", "normal worst", "normal worst two",
    "rival mean", "rival worst", "phones", "agreed", "denied", "pace", "longest", "silence",
    "loudest silence", "level", "several",
)  # fmt: skip
"""What is weighed, in order; see :func:`evidence_of`."""

Evidence = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """How much each piece of evidence counts."""

    bias: float
    """Log-odds where all evidence is zero."""
    each: Mapping[str, float]
    """Log-odds for each unit of each piece of `EVIDENCE`."""
    typical: npt.NDArray[np.float64]
    """[phones] how the network sees a phone that was said: mean of its log-probability."""
    spread: npt.NDArray[np.float64]
    """[phones] standard deviation of that."""

    @classmethod
    def read(cls, path: Path) -> "Weights":
        """Read what `write` wrote.

        Raises:
            MexvoiceError: when the file is no such thing.
        """
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            each = {name: float(fields["each"][name]) for name in EVIDENCE}
            typical, spread = (np.array(fields[name], float) for name in ("typical", "spread"))
            bias = float(fields["bias"])
            numbers = np.array([bias, *each.values(), *typical, *spread])
            if typical.ndim != 1 or typical.shape != spread.shape or not np.isfinite(numbers).all():
                raise ValueError("not one finite number for each phone")
            if (spread <= 0).any():
                raise ValueError("a spread that is not above zero")
            return cls(bias, each, typical, spread)
        except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise MexvoiceError(f"The file {path} cannot be read ({error}): get the model again.") from error

    def write(self, path: Path) -> None:
        """Write the weights as JSON."""
        fields = {
            "bias": round(self.bias, 4),
            "each": {name: round(value, 4) for name, value in self.each.items()},
            "typical": [round(float(value), 3) for value in self.typical],
            "spread": [round(float(value), 3) for value in self.spread],
        }
        path.write_text(json.dumps(fields, ensure_ascii=False) + "\n", encoding="utf-8")


class Certainty:
    """Looks at utterances with the network of a model."""

    def __init__(self, model: Path, pronouncer: Pronouncer, weights: Weights | None = None) -> None:
        """Read a model's network, phones and weights.

        Args:
            model: the folder of one of the project's own models.
            pronouncer: gives the phrases of the grammar their pronunciations.
            weights: to be used instead of those in the folder.

        Raises:
            MexvoiceError: when a file is missing or damaged.
        """
        self._network = AcousticNetwork(model / "am" / "final.mdl")
        try:
            phones = read_phones(model / "phones.txt")
        except (OSError, ValueError) as error:  # a text that is no UTF-8 is a ValueError, too
            raise MexvoiceError(f"The model in {model} is damaged ({error}): reinstall it.") from error
        self._number = {phone: at for at, phone in enumerate(phones)}
        self._pronouncer = pronouncer
        self._weights = weights if weights is not None else Weights.read(model / WEIGHTS)
        if not len(phones) == len(self._weights.typical) == self._network.outputs // 2:
            raise MexvoiceError(
                f"The model in {model} is damaged (its files disagree about its phones): reinstall it."
            )

    def outputs(self, sound: npt.NDArray[np.float32]) -> Outputs:
        """The network's outputs [frames, 2 * phones] for a sound in the range of 16-bit samples."""
        return self._network(mfcc(sound))

    def segments(self, outputs: Outputs, tokens: Sequence[str]) -> list[Segment]:
        """The tokens of a model (phrases joined by underscores) laid over an utterance; none when they are
        too long for it."""
        return align(outputs, self._readings(tokens))

    def of(
        self, outputs: Outputs, tokens: Sequence[str], margin: float, level: float, several: bool
    ) -> float:
        """Log-odds that the tokens were said; minus infinity when they cannot have been.

        Args:
            outputs: of the network for the utterance.
            tokens: what was heard.
            margin: log-likelihood, a word, by which it is likelier than unknown speech.
            level: dB by which the peak of the utterance is above the noise.
            several: whether the tokens are several phrases.
        """
        segments = self.segments(outputs, tokens)
        if not segments:
            return float("-inf")
        weights = self._weights
        found = evidence_of(outputs, segments, margin, level, several, weights)
        return weights.bias + float(found @ np.array([weights.each[name] for name in EVIDENCE]))

    def _readings(self, tokens: Iterable[str]) -> list[tuple[int, ...]]:
        """The pronunciations of some tokens in a row, as indices of the network's phones."""
        choices: list[list[tuple[int, ...]]] = []
        for token in tokens:
            known = [
                tuple(PAUSE_UNIT if phone == PAUSE else self._number[phone] for phone in reading)
                for reading in self._pronouncer.pronounce(token, pauses=True)
                if all(phone == PAUSE or phone in self._number for phone in reading)
            ]
            choices.append(known)
        joined: list[tuple[int, ...]] = []
        for combination in product(*choices):
            units: tuple[int, ...] = ()
            for reading in combination:
                units += (PAUSE_UNIT, *reading) if units else reading
            joined.append(units)
            if len(joined) >= MOST_READINGS:
                break
        return joined


def evidence_of(
    outputs: Outputs,
    segments: Sequence[Segment],
    margin: float,
    level: float,
    several: bool,
    weights: Weights,
) -> Evidence:
    """What is weighed, in the order of `EVIDENCE`; arguments as in `Certainty.of`."""
    phones = phone_scores(outputs)
    best = phones.max(axis=1)
    winner = phones.argmax(axis=1)
    spoken = [segment for segment in segments if segment.phone != SILENCE]
    quiet = [phones[segment.start : segment.end, SILENCE] for segment in segments if segment.phone == SILENCE]
    silence = np.concatenate(quiet) if quiet else np.zeros(1)
    parts = [(segment.phone, slice(segment.start, segment.end)) for segment in spoken]
    # One phone that nobody said in this way is no proof: what is bad counts up to a point.
    own = np.array([max(WORST[0], phones[part, phone].mean()) for phone, part in parts])
    rival = np.array([max(WORST[1], (phones[part, phone] - best[part]).mean()) for phone, part in parts])
    agreed = np.array([(winner[part] == phone).mean() for phone, part in parts])
    long = np.array([segment.end - segment.start for segment in spoken], float)
    numbers = np.array([segment.phone for segment in spoken])
    normal = np.clip((own - weights.typical[numbers]) / weights.spread[numbers], WORST[2], 3.0)
    words = np.array([segment.word for segment in spoken])
    worst_word = min(float(normal[words == word].mean()) for word in np.unique(words))
    low, low_normal = np.sort(own), np.sort(normal)
    return np.array(
        [
            min(margin, HIGHEST_MARGIN), own.mean(), low[0], low[:2].mean(), worst_word,
            normal.mean(), low_normal[0], low_normal[:2].mean(), rival.mean(), rival.min(),
            np.log(len(spoken)), agreed.mean(), float((agreed == 0).mean()),
            np.log(long).mean(), np.log(long.max()), silence.mean(), min(float(silence.min()), -0.7),
            min(level, 45.0) / 10.0, float(several),
        ]
    )  # fmt: skip


def phone_scores(outputs: Outputs) -> npt.NDArray[np.float32]:
    """[frames, phones] logarithm of the probability the network gives each phone."""
    whole = np.logaddexp.reduce(outputs, axis=1, keepdims=True)
    found: npt.NDArray[np.float32] = np.logaddexp(outputs[:, 0::2], outputs[:, 1::2]) - whole
    return found
