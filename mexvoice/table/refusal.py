"""What is answered to words that lead to no action, and how often."""

from mexvoice.language.command import Command, CommandId
from mexvoice.language.phrasebook import PhraseBook
from mexvoice.language.understanding import Ambiguous, NotOpen, NotUnderstood, Outcome, Understood
from mexvoice.language.wording import Wording
from mexvoice.showing.display import Verdict

REFUSAL_SECONDS = 5.0
"""For so long after "I did not understand" the same answer is not spoken again."""

_RARELY_MEANT = {CommandId.YES, CommandId.NO, CommandId.RESUME, CommandId.DICE, CommandId.COUNT_MEX}
"""Words of every conversation: said where they are not open, they get no answer."""


class Refusals:
    """Remembers what was refused last: nobody wants to hear the same twice."""

    def __init__(self) -> None:
        self._last: tuple[Verdict, str] | None = None
        self._at = -REFUSAL_SECONDS

    def forget(self) -> None:
        """Something was obeyed: the same refusal is new again."""
        self._last = None

    def refuse(
        self, outcome: Outcome, now: float, typed: bool, wording: Wording, book: PhraseBook
    ) -> tuple[Verdict, str | None]:
        """What becomes of words that lead to no action, and the sentence that says so, if one is said.

        Args:
            outcome: what the understanding made of them.
            now: seconds on a monotonic clock.
            typed: they were typed, so that they are meant for the assistant and always get an answer.
            wording: of the language spoken now.
            book: of the same.

        Raises:
            ValueError: if they were understood, and what they ask for is open.
        """
        match outcome:
            case NotUnderstood(text, near):
                if not near and not typed:
                    return Verdict.IGNORED, None
                verdict, noise = Verdict.NOT_UNDERSTOOD, text
                sentence = wording.say("not_understood")
            case NotOpen(command):
                if command.id in _RARELY_MEANT and not typed:
                    return Verdict.IGNORED, None
                verdict, noise = Verdict.NOT_OPEN, command.id.value
                sentence = wording.say("not_open", phrase=book.example(command))
            case Ambiguous(commands):
                verdict = Verdict.AMBIGUOUS
                sentence, noise = _either(commands, wording, book)
            case Understood(_):
                raise ValueError("an understood command is not refused")
        refusal = (verdict, noise)
        again = refusal == self._last or (
            verdict is Verdict.NOT_UNDERSTOOD and now - self._at < REFUSAL_SECONDS
        )
        self._last = refusal
        if verdict is Verdict.NOT_UNDERSTOOD:
            self._at = now
        return verdict, None if again and not typed else sentence


def _either(commands: tuple[Command, ...], wording: Wording, book: PhraseBook) -> tuple[str, str]:
    """The question which of two commands is meant, and their phrases."""
    first, second = (book.example(command) for command in commands[:2])
    return wording.say("ambiguous", first=first, second=second), f"{first} {second}"
