"""Whether the assistant can be interrupted by voice while it speaks."""

from enum import StrEnum


class Interruption(StrEnum):
    """What is listened to while the assistant speaks."""

    NONE = "none"
    """Nothing: the microphone hears the assistant itself."""
    HEADPHONES = "headphones"
    """Everything: what the assistant says does not reach the microphone.

    A command that is obeyed cuts what is being said, and "stop" does nothing else.
    """
    CANCELLER = "echo-cancel"
    """Only "skip", "stop" and the like: what remains of the assistant's own voice must never throw dice."""
