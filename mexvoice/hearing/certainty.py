"""How certain it is that a phrase was said: a trained second look at a whole utterance.

Vosk's likelihood of the whole may be high though one word of the phrase was never said. Here the phrase is
laid over the utterance phone by phone, compared with all other phrases and with speech that is none, and what
speaks for and against it (`mexvoice.hearing.evidence`) is weighed by a very small network. Its weights are
learned by ``scripts/training/weighing.py`` from phrases that were said and such as were not, and lie with the
model (`WEIGHTS`).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.acoustics import AcousticNetwork, Outputs
from mexvoice.hearing.alignment import PAUSE_UNIT, Segment, Units, align, score_of
from mexvoice.hearing.evidence import EVIDENCE, Fit, Numbers, Typical, evidence_of
from mexvoice.hearing.features import mfcc
from mexvoice.hearing.graph import UNKNOWN_FILE, UnknownModel
from mexvoice.hearing.model import WEIGHTS
from mexvoice.hearing.phone_loop import PhoneLoop
from mexvoice.hearing.phones import PAUSE, read_phones
from mexvoice.hearing.pronunciation import Pronouncer
from mexvoice.hearing.ranking import Rank, Ranking

MOST_READINGS = 48
"""Of a sequence of phrases no more combinations of pronunciations are looked at."""


FARTHEST = 2.5
"""Standard deviations from the mean; evidence beyond is taken for this: nothing can be learned of what was
hardly ever met, and no phrase is to be doubted because it fits better than any other did."""


def normal(evidence: Numbers, centre: Numbers, scale: Numbers) -> Numbers:
    """Evidence in standard deviations from the mean, as the network takes it."""
    found: Numbers = np.clip((evidence - centre) / scale, -FARTHEST, FARTHEST)
    return found


@dataclass(frozen=True)
class Weights:
    """A network of one hidden layer, from evidence to log-odds, and what it takes for typical."""

    centre: Numbers
    """[evidence] what is subtracted from each ..."""
    scale: Numbers
    """[evidence] ... and what it is divided by."""
    hidden: Numbers
    """[units, evidence] weights of the hidden layer (hyperbolic tangents)."""
    bias: Numbers
    """[units] what is added before the tangents."""
    out: Numbers
    """[units] weights of the log-odds."""
    offset: float
    """Log-odds where the units say nothing."""
    typical: Typical
    """Of each phone."""

    def log_odds(self, evidence: Numbers) -> Numbers:
        """Log-odds [...] of evidence [..., len(EVIDENCE)]."""
        units = np.tanh(normal(evidence, self.centre, self.scale) @ self.hidden.T + self.bias)
        found: Numbers = units @ self.out + self.offset
        return found

    @classmethod
    def read(cls, path: Path) -> "Weights":
        """Read what `write` wrote.

        Raises:
            MexvoiceError: when the file is no such thing.
        """
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            if fields["evidence"] != list(EVIDENCE):
                raise ValueError("its evidence is not what this version weighs")
            vectors = {name: np.array(fields[name], float) for name in _VECTORS}
            hidden, offset = np.array(fields["hidden"], float), float(fields["offset"])
            typical = [np.array(fields["typical"][name], float) for name in _TYPICAL]
            _check(vectors, hidden, offset, typical)
            return cls(**vectors, hidden=hidden, offset=offset, typical=Typical(*typical))
        except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise MexvoiceError(f"The file {path} cannot be read ({error}): get the model again.") from error

    def write(self, path: Path) -> None:
        """Write the weights as JSON."""
        fields: dict[str, object] = {"evidence": EVIDENCE, "offset": round(self.offset, 4)}
        for name in (*_VECTORS, "hidden"):
            fields[name] = np.round(getattr(self, name), 4).tolist()
        fields["typical"] = {name: np.round(getattr(self.typical, name), 3).tolist() for name in _TYPICAL}
        path.write_text(json.dumps(fields, separators=(",", ":")) + "\n", encoding="utf-8")


_VECTORS = ("centre", "scale", "bias", "out")
_TYPICAL = ("seen", "seen_spread", "length", "length_spread")


def _check(vectors: dict[str, Numbers], hidden: Numbers, offset: float, typical: Sequence[Numbers]) -> None:
    """Raise a ValueError unless the numbers of some weights fit together."""
    if {vectors["centre"].shape, vectors["scale"].shape} != {(len(EVIDENCE),)}:
        raise ValueError("not one number for each evidence")
    if (
        hidden.shape != (*vectors["bias"].shape, len(EVIDENCE))
        or vectors["out"].shape != vectors["bias"].shape
    ):
        raise ValueError("its layers do not fit together")
    if typical[0].ndim != 1 or len({values.shape for values in typical}) != 1:
        raise ValueError("not one number for each phone")
    numbers = np.concatenate([*vectors.values(), hidden.ravel(), [offset], *typical])
    if not np.isfinite(numbers).all():
        raise ValueError("a number that is not finite")
    if min(map(np.min, (vectors["scale"], typical[1], typical[3]))) <= 0:
        raise ValueError("a spread that is not above zero")


class Certainty:
    """Looks at utterances with the network of a model.

    Attributes:
        loop: what an utterance is worth as any speech.
    """

    def __init__(
        self,
        model: Path,
        pronouncer: Pronouncer,
        tokens: Iterable[str] = (),
        weights: Weights | None = None,
    ) -> None:
        """Read a model's network, phones and weights.

        Args:
            model: the folder of one of the project's own models.
            pronouncer: gives the phrases of the grammar their pronunciations.
            tokens: all that the model can hear, to compare phrases with.
            weights: to be used instead of those in the folder.

        Raises:
            MexvoiceError: when a file is missing or damaged.
        """
        self._network = AcousticNetwork(model / "am" / "final.mdl")
        try:
            phones = read_phones(model / "phones.txt")
            unknown = UnknownModel.read(model / UNKNOWN_FILE)
            self._number = {phone: at for at, phone in enumerate(phones)}
            self.loop = PhoneLoop(unknown, self._number)
        except (OSError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            # A text that is no UTF-8, or no JSON, is a ValueError, too.
            raise MexvoiceError(f"The model in {model} is damaged ({error}): reinstall it.") from error
        self._pronouncer = pronouncer
        self._tokens = tuple(tokens)
        self._ranking: Ranking | None = None
        self._weights = weights if weights is not None else Weights.read(model / WEIGHTS)
        if not len(phones) == len(self._weights.typical.seen) == self._network.outputs // 2:
            raise MexvoiceError(
                f"The model in {model} is damaged (its files disagree about its phones): reinstall it."
            )

    def prepare(self) -> None:
        """Get the phrases ready to be compared, once: it takes a quarter of a second, which is better spent
        while somebody is still speaking."""
        if self._ranking is None:
            self._pronouncer.pronounce_all(self._tokens)  # faster than one by one
            self._ranking = Ranking({token: self._readings([token]) for token in self._tokens})

    @property
    def ranking(self) -> Ranking:
        """All phrases of the model, ready to be compared."""
        self.prepare()
        assert self._ranking is not None
        return self._ranking

    def outputs(self, sound: npt.NDArray[np.float32]) -> Outputs:
        """The network's outputs [frames, 2 * phones] for a sound in the range of 16-bit samples."""
        return self._network(mfcc(sound))

    def segments(self, outputs: Outputs, tokens: Sequence[str]) -> list[Segment]:
        """The tokens of a model (phrases joined by underscores) laid over an utterance; none when they are
        too long for it."""
        return align(outputs, self._readings(tokens))

    def fit(self, outputs: Outputs, tokens: Sequence[str], rank: Rank, level: float) -> Fit | None:
        """Tokens laid over an utterance and compared with any speech; None when they cannot have been said.

        Args:
            outputs: of the network for the utterance.
            tokens: what was heard.
            rank: where the phrase stands among all.
            level: dB by which the peak of the utterance is above the noise.
        """
        segments = self.segments(outputs, tokens)
        if not segments:
            return None
        score, speech, sound = score_of(outputs, segments), self.loop.likely(outputs), self.loop.any(outputs)
        return Fit(segments, score, speech, sound, rank, level)

    def of(self, outputs: Outputs, fit: Fit | None) -> float:
        """Log-odds that a phrase was said that fits as `fit`; minus infinity without a fit."""
        if fit is None:
            return float("-inf")
        return float(self._weights.log_odds(evidence_of(outputs, fit, self._weights.typical)))

    def _readings(self, tokens: Iterable[str]) -> list[Units]:
        """The pronunciations of some tokens in a row, as indices of the network's phones."""
        choices: list[list[tuple[int, ...]]] = []
        for token in tokens:
            known = [
                tuple(PAUSE_UNIT if phone == PAUSE else self._number[phone] for phone in reading)
                for reading in self._pronouncer.pronounce(token, pauses=True)
                if all(phone == PAUSE or phone in self._number for phone in reading)
            ]
            choices.append(known)
        joined: list[Units] = []
        for combination in product(*choices):
            units: tuple[int, ...] = ()
            for reading in combination:
                units += (PAUSE_UNIT, *reading) if units else reading
            joined.append(units)
            if len(joined) >= MOST_READINGS:
                break
        return joined
