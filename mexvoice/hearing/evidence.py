"""What speaks for and against a phrase in an utterance: what `mexvoice.hearing.certainty` weighs.

The phrase has been laid over the utterance phone by phone. What counts is how the network sees each phone and
the worst ones, how long they are, what is in the pauses, and how much likelier the phrase is than other
phrases and than speech that is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mexvoice.hearing.acoustics import Outputs
from mexvoice.hearing.alignment import SILENCE, Segment
from mexvoice.hearing.ranking import Rank

Numbers = npt.NDArray[np.float64]

EVIDENCE = (
    "normal mean", "normal worst", "normal worst two", "normal sum", "rival mean", "rival worst",
    "agreed", "denied", "phones", "pace", "longest", "length mean", "length worst",
    "silence", "loudest silence", "level", "covered",
    "over speech", "under sound", "under sound a phone", "ahead", "share",
    "worst stretch", "spoken pauses",
)  # fmt: skip
"""What is weighed, in order; see :func:`evidence_of`."""

_WORST = -5.2
"""One phone that nobody said in this way is no proof: its log-probability counts down to here ..."""

_WORST_RIVAL = -3.0
"""... beside that of the likeliest phone down to here ..."""

_SPREADS = 3.0
"""... and in spreads of what is typical, up and down, to here."""

_HEARD = -0.7
"""Log-probability of silence (one half) below which something is said."""

_STRETCH = 5
"""Frames of the stretch that fits worst: about a syllable ..."""

_BESIDE = 2
"""... which may begin or end so many frames beside the phrase ..."""

_WORST_FRAME = 8.0
"""... and in which no frame counts more than this."""

_LOUDEST = 45.0
"""dB above the noise; more says no more."""


@dataclass(frozen=True)
class Typical:
    """What is typical of each phone in phrases that were said; all [phones]."""

    seen: Numbers
    """How the network sees it: mean of its log-probability ..."""
    seen_spread: Numbers
    """... and the standard deviation of that."""
    length: Numbers
    """How long it is: mean of the logarithm of its frames ..."""
    length_spread: Numbers
    """... and the standard deviation of that."""


@dataclass(frozen=True)
class Fit:
    """A phrase laid over an utterance, and what it has to be compared with."""

    segments: Sequence[Segment]
    """The phrase."""
    score: float
    """Log-likelihood of the utterance as this phrase ..."""
    speech: float
    """... as any speech of the language ..."""
    sound: float
    """... and as any phones in any order."""
    rank: Rank
    """Where the phrase stands among all."""
    level: float
    """dB by which the peak of the utterance is above the noise."""


def evidence_of(outputs: Outputs, fit: Fit, typical: Typical) -> Numbers:
    """What is weighed, in the order of `EVIDENCE`.

    Args:
        outputs: [frames, 2 * phones] of the network.
        fit: of a phrase of at least one phone.
        typical: of the phones.
    """
    phones = phone_scores(outputs)
    best, winner = phones.max(axis=1), phones.argmax(axis=1)
    spoken = [segment for segment in fit.segments if segment.phone != SILENCE]
    parts = [(segment.phone, slice(segment.start, segment.end)) for segment in spoken]
    numbers = np.array([segment.phone for segment in spoken])
    frames = np.array([segment.end - segment.start for segment in spoken], float)
    count = len(spoken)

    own = np.array([max(_WORST, phones[part, phone].mean()) for phone, part in parts])
    rival = np.array([max(_WORST_RIVAL, (phones[part, phone] - best[part]).mean()) for phone, part in parts])
    agreed = np.array([(winner[part] == phone).mean() for phone, part in parts])
    normal = _spreads(own, typical.seen[numbers], typical.seen_spread[numbers])
    length = _spreads(np.log(frames), typical.length[numbers], typical.length_spread[numbers])
    low = np.sort(normal)

    quiet = [
        phones[segment.start : segment.end, SILENCE] for segment in fit.segments if segment.phone == SILENCE
    ]
    silence = np.concatenate(quiet) if quiet else np.zeros(1)
    heard = int((phones[:, SILENCE] < _HEARD).sum())

    under = fit.score - fit.sound
    return np.array(
        [
            normal.mean(), low[0], low[:2].mean(), normal.sum() / np.sqrt(count), rival.mean(), rival.min(),
            agreed.mean(), (agreed == 0).mean(), np.log(count), np.log(frames).mean(), np.log(frames.max()),
            length.mean(), np.abs(length).max(),
            silence.mean(), min(float(silence.min()), _HEARD), min(fit.level, _LOUDEST) / 10.0,
            frames.sum() / max(1, heard),
            np.clip((fit.score - fit.speech) / count, -3.0, 4.0),
            np.clip(under, -60.0, 60.0), np.clip(under / count, -8.0, 3.0), fit.rank.ahead, fit.rank.share,
            _worst_stretch(phones, fit), _spoken_pauses(phones, fit),
        ]
    )  # fmt: skip


def _worst_stretch(phones: Outputs, fit: Fit) -> float:
    """How much likelier than the phrase the likeliest phones are in the stretch where it fits worst, a frame.

    A word too many, or another one, shows here; noise is spread over the whole.
    """
    path = np.concatenate([phones[segment.start : segment.end, segment.phone] for segment in fit.segments])
    spoken = [segment for segment in fit.segments if segment.phone != SILENCE]
    near = slice(max(0, spoken[0].start - _BESIDE), spoken[-1].end + _BESIDE)
    behind = np.minimum(phones.max(axis=1) - path, _WORST_FRAME)[near]
    whole = np.concatenate([[0.0], np.cumsum(np.pad(behind, (0, max(0, _STRETCH - len(behind)))))])
    return float((whole[_STRETCH:] - whole[:-_STRETCH]).max()) / _STRETCH


def _spoken_pauses(phones: Outputs, fit: Fit) -> float:
    """Frames in the pauses of the phrase in which something is said."""
    pauses = [segment for segment in fit.segments[1:-1] if segment.phone == SILENCE]
    return float(sum((phones[pause.start : pause.end, SILENCE] < _HEARD).sum() for pause in pauses))


def phone_scores(outputs: Outputs) -> npt.NDArray[np.float32]:
    """[frames, phones] logarithm of the probability the network gives each phone."""
    whole = np.logaddexp.reduce(outputs, axis=1, keepdims=True)
    found: npt.NDArray[np.float32] = np.logaddexp(outputs[:, 0::2], outputs[:, 1::2]) - whole
    return found


def _spreads(values: Numbers, typical: Numbers, spread: Numbers) -> Numbers:
    """Values by how many spreads they are above what is typical."""
    found: Numbers = np.clip((values - typical) / spread, -_SPREADS, _SPREADS)
    return found
