"""What the recogniser makes of sound between two silences."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something was said."""

    start: float
    """Seconds of the stream at which it began."""

    end: float
    """Seconds of the stream at which it ended."""

    text: str
    """The phrase of the grammar that was said; "" when it was none, or not only that."""

    heard_at: float
    """Time (time.monotonic) at which this was known."""

    call: str = ""
    """The call word that came before it; also when that was all, and nothing objects to it."""

    heard: str = ""
    """The words that came out, the call word aside, for the eye only.

    Also those of table talk, with ``…`` for unknown speech.
    """

    reason: str = ""
    """Why it does not count; "" when it does.

    "decoy": it is a word of the grammar that does not count. "words": it is more than one phrase, or not
    in the grammar at all. "quiet": it hardly stands out from the noise. "length": it is too long or too short
    for the phrase. "pause": it follows other speech too closely. "doubt": it is little more like the phrase
    than like anything else.
    """

    margin: float = float("inf")
    """Log-likelihood, a word, by which it is likelier than unknown speech; infinite where that was not
    asked, as nothing else spoke for it."""

    certainty: float = float("inf")
    """Log-odds that it was said; infinite where that was not asked, or the model has no weights for it."""
