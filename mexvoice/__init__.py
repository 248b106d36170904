"""mexvoice: an offline, voice-controlled game master for the dice game Mex."""

__version__ = "0.1.0"
