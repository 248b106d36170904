"""Why an utterance does not count: what makes it table talk, a knock or a doubt."""

from math import log

from mexvoice.hearing.decoder import Decoding
from mexvoice.hearing.endpoint import Activity
from mexvoice.hearing.grammar import Reading
from mexvoice.hearing.guards import Guards
from mexvoice.hearing.judgement import Judgement
from mexvoice.hearing.talk import Talk


class Rejection:
    """Applies the guards to one utterance after the other, and remembers what did not count.

    Attributes:
        talk: what has been heard lately that was no command.
        phrases: how many phrases may be said now.
    """

    def __init__(self, guards: Guards) -> None:
        """Nothing has been said yet."""
        self._guards = guards
        self.talk = Talk(guards.talk_memory)
        self.phrases = guards.usual

    def reason(
        self, reading: Reading, decoding: Decoding, activity: Activity, judgement: Judgement, extra: float
    ) -> str:
        """Why an utterance does not count; "" when it does.

        Args:
            reading: what it says.
            decoding: the tokens of that.
            activity: its loudness, and what came before.
            judgement: what is to be thought of it.
            extra: how much more certain it must be than usual.

        Returns:
            "decoy" or "words" for what is no phrase; "quiet", "length", "pause" or "doubt".
        """
        guards = self._guards
        letters = len(reading.spoken.replace(" ", ""))
        if not reading.whole:
            return "decoy" if reading.decoy else "words"
        if activity.excess < guards.excess:
            return "quiet"
        # Noise is loud before and after the phrase, too; the decoder knows how long the phrase itself is.
        longest = min(activity.loud_seconds, decoding.words[-1].end - decoding.words[0].start)
        short, long = guards.shortest * letters, guards.extra + guards.longest * letters
        is_odd = activity.loud_seconds < max(guards.knock, short) or longest > long
        # Echoes add to its length, noise hides some of it.
        if is_odd and not (judgement.is_weighed and judgement.certainty(decoding) >= guards.certainty_if_odd):
            return "length"
        if activity.previous >= 0 and activity.onset - activity.previous < guards.pause:
            return "pause"
        return "doubt" if self._doubtful(reading, decoding, activity.onset, judgement, extra) else ""

    def least_certainty(self, reading: Reading, onset: float) -> float:
        """How certain what begins at `onset` must be: more while people talk, less when it is said again."""
        guards = self._guards
        if self.talk.is_again(reading.spoken, onset):
            return guards.certainty_again
        if not self.talk.goes_on(onset):
            return guards.certainty
        more = log(max(1, self.phrases) / guards.usual)
        more = min(max(more, -guards.by_number), guards.by_number)
        return max(guards.certainty, guards.certainty_in_talk + more)

    def remember(self, activity: Activity, reason: str, doubted: str) -> None:
        """Take note of what did not count, unless it was a knock.

        Args:
            activity: its loudness.
            reason: why; "" for what did count.
            doubted: the phrase that it was all but taken for, if any.
        """
        if reason and activity.loud_seconds >= self._guards.knock:
            self.talk.heard(activity.end_of_sound, doubted)

    def _doubtful(
        self, reading: Reading, decoding: Decoding, onset: float, judgement: Judgement, extra: float
    ) -> bool:
        """Whether it is little more like the phrase than like anything else."""
        guards = self._guards
        if reading.call and not reading.text:
            return judgement.margin(decoding) < guards.call
        if not judgement.is_weighed:
            return judgement.margin(decoding) < (guards.sequence if reading.several else guards.margin)
        return judgement.certainty(decoding) < self.least_certainty(reading, onset) + extra
