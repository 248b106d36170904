"""Where speech goes: what the announcer needs of a speaker, or of what stands in for one."""

from typing import Protocol

from mexvoice.errors import Trouble
from mexvoice.speaking.synthesiser import Speech


class SpeakerLost(Trouble):
    """There is no speaker, or it went away; a later try may find one."""


class Output(Protocol):
    """Plays speech, one after the other."""

    @property
    def playing(self) -> bool:
        """Whether something can still be heard, or will be."""

    @property
    def sounding_until(self) -> float:
        """Monotonic time (s) at which the last sample has left, or will leave, the speaker; 0.0 for never."""

    def play(self, speech: Speech) -> None:
        """Plays after what is playing already; returns at once.

        Raises:
            SpeakerLost: if it cannot be played.
        """

    def abort(self) -> None:
        """Ends all sound now."""

    def wait(self, timeout: float) -> bool:
        """Waits until nothing can be heard any more; False if `timeout` seconds were not enough.

        Raises:
            SpeakerLost: if the speaker went away in the middle.
        """

    def close(self) -> None:
        """Gives the device back."""
