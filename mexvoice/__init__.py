"""mexvoice: an offline, voice-controlled game master for the dice game Mex."""

import os

# Its matrices are small: threads that share them cost more time than they save, and take it from Vosk.
# numpy looks at this when it is imported, which is after this package.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"
