"""The one kind of failure a user sees."""

from collections.abc import Sequence


class MexvoiceError(Exception):
    """A failure the user can act on.

    ``str(error)`` is one sentence that says what happened and what to do; the command line prints it
    and ends with status 2.
    """


class Trouble(MexvoiceError):
    """A failure that may come in the middle of a match, where it is told in the language of the match.

    Args:
        text: the sentence for everywhere else.
        kind: the key of the locales' sentence for it; empty if they have none.
        details: what fills the fields of that sentence: names of devices, a driver's own words.
    """

    def __init__(self, text: str, kind: str = "", **details: str | Sequence[str]) -> None:
        super().__init__(text)
        self.kind = kind
        self.details = details


class Troubles(MexvoiceError):
    """What is told together, one sentence after another: what happened, and what follows from it.

    Args:
        parts: the sentences.
    """

    def __init__(self, *parts: MexvoiceError) -> None:
        super().__init__(" ".join(map(str, parts)))
        self.parts = parts
