"""Whether people are talking, and which command was doubted among it."""


class Talk:
    """What has been heard lately that was no command."""

    def __init__(self, memory: float) -> None:
        """Nothing has.

        Args:
            memory: seconds for which people are taken to go on talking after something that was no command.
        """
        self._memory = memory
        self._until = -1.0
        self._doubted = ""

    def heard(self, end: float, doubted: str) -> None:
        """Take note of something that did not count.

        Args:
            end: when it was over, in seconds of the stream.
            doubted: the phrase that it was all but taken for; "" for anything else.
        """
        self._until = end + self._memory
        self._doubted = doubted

    def goes_on(self, onset: float) -> bool:
        """Whether what begins at `onset` is said while people talk."""
        return onset < self._until

    def is_again(self, spoken: str, onset: float) -> bool:
        """Whether what begins at `onset` is the phrase that was doubted just before: people say again what
        they meant."""
        return bool(spoken) and spoken == self._doubted and onset < self._until
