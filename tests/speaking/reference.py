"""The same speech without pyttsx3 and without the project's code: from espeak-ng, in a process of its own."""

import base64
import functools
import subprocess
import sys

import numpy as np

from mexvoice.speaking.synthesiser import Speech

_PROGRAM = """
import base64, ctypes, os, sys
try:
    import espeakng_loader
    os.environ["ESPEAK_DATA_PATH"] = espeakng_loader.get_data_path()
    name = espeakng_loader.get_library_path()
except ImportError:
    name = "libespeak-ng.so.1"
library = ctypes.CDLL(name)
voice, text, rate = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
sound = bytearray()
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
def keep(samples, count, events):
    if samples and count:
        sound.extend(ctypes.string_at(samples, 2 * count))
    return 0
per_second = library.espeak_Initialize(1, 1000, None, 0)
library.espeak_SetSynthCallback(keep)
assert library.espeak_SetVoiceByName(voice.encode()) == 0
library.espeak_SetParameter(1, rate, 0)
library.espeak_Synth(text, ctypes.c_size_t(len(text) + 1), 0, 1, 0, 0x1001, None, None)
library.espeak_Synchronize()
print(per_second, base64.b64encode(sound).decode())
"""

_QUIET = 80


@functools.cache
def reference_speech(voice: str, text: str, rate: int) -> Speech:
    """The speech, from 20 ms before the first loud sample to 50 ms after the last."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, voice, text, str(rate)], capture_output=True, text=True, check=True
    )
    per_second, sound = done.stdout.split()
    samples = np.frombuffer(base64.b64decode(sound), dtype=np.int16)
    loud = np.flatnonzero(np.abs(samples.astype(int)) > _QUIET)
    around = int(per_second) // 100
    return Speech(samples[max(0, loud[0] - 2 * around) : loud[-1] + 5 * around], int(per_second))
