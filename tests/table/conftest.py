"""People who say anything, for the tests of the table."""

from collections.abc import Iterator

import numpy as np
import pytest
import soxr

from mexvoice.language import locale as locales
from mexvoice.speaking.synthesiser import Synthesiser, Voice
from tests.hearing.clips import RATE, Samples, speech
from tests.table.room import Speak, Voices


@pytest.fixture(scope="package")
def voices() -> Iterator[Voices]:
    """Somebody who says anything in a language."""
    with Synthesiser(Voice("gmw/en-us", ("en-US",), 150)) as synthesiser:
        known: dict[tuple[str, str], Samples] = {}

        def of(language: str) -> Speak:
            voice = f"{locales.load(language).voice.espeak}+f2"

            def speak(text: str) -> Samples:
                if (language, text) not in known:
                    said = synthesiser.render(text, voice=voice)
                    sound = soxr.resample(said.samples.astype(np.float32), said.rate, RATE)
                    samples = np.clip(sound * 0.5, -32768, 32767).astype(np.int16)
                    begin, end = speech(samples)
                    known[language, text] = samples[begin:end]
                return known[language, text]

            return speak

        yield of
