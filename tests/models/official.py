"""Models of ours in the form of the official small ones, for none of the real ones can be had here.

Official small models (``vosk-model-small-en-us-0.15`` and its like) have no list of words: their vocabulary
is the symbol table inside ``graph/Gr.fst``, one word a symbol, ``[unk]`` among them. In the archive
everything lies in one folder with the name of the model.
"""

import io
import struct
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from mexvoice.hearing.graph import PhoneTable, UnknownModel, build_graph
from mexvoice.hearing.lexicon import Lexicon
from mexvoice.hearing.phones import INVENTORY
from mexvoice.hearing.pronunciation import Pronouncer
from mexvoice.language import locale as locales
from mexvoice.language.phrasebook import PhraseBook
from scripts.training.kaldi import Affine, write_model

_FEATURES = 40
_MFCC = """\
--use-energy=false
--num-mel-bins=40
--num-ceps=40
--low-freq=20
--high-freq=7600
--dither=0
"""
_SETTINGS = """\
--min-active=200
--max-active=3000
--beam=10.0
--lattice-beam=2.0
--acoustic-scale=1.0
--frame-subsampling-factor=3
--endpoint.silence-phones=1
"""
_SYMBOLS_MAGIC = 2125658996
_HAS_OUTPUT_SYMBOLS = 2
README = "A model of the tests, in the form of the official ones.\n"


def words_of(code: str, without: Iterable[str] = ()) -> list[str]:
    """All words of a locale's phrases."""
    book = PhraseBook(locales.load(code), "12345678")
    words = dict.fromkeys(word for phrase in book.phrases() for word in phrase.split())
    left_out = set(without)
    return [word for word in words if not word.isdigit() and word not in left_out]


def write_deaf_model(path: Path, code: str, words: Sequence[str]) -> None:
    """A complete model with these words and a network of random weights: it runs, and hears nothing right."""
    chance = np.random.default_rng(1)
    table = PhoneTable(INVENTORY)
    outputs = 2 * len(INVENTORY)
    weights = chance.normal(0, 0.02, (outputs, _FEATURES)).astype(np.float32)
    layer = Affine("output", "input", (0,), weights, np.zeros(outputs, np.float32), rectified=False)
    write_model(path / "am" / "final.mdl", table.outputs, [layer], _FEATURES)
    lexicon = Lexicon.of(words, Pronouncer(code))
    unknown = UnknownModel.from_words(
        reading for readings in lexicon.entries.values() for reading in readings
    )
    build_graph(path / "graph", INVENTORY, lexicon, unknown)
    (path / "conf").mkdir()
    (path / "conf" / "mfcc.conf").write_text(_MFCC, encoding="ascii")
    (path / "conf" / "model.conf").write_text(_SETTINGS, encoding="ascii")


def make_official(path: Path) -> None:
    """Give a model the form of the official ones: the words go into ``Gr.fst``, ``words.txt`` goes away."""
    listing = path / "graph" / "words.txt"
    symbols = [line.split() for line in listing.read_text(encoding="utf-8").splitlines()]
    listing.unlink()
    grammar = path / "graph" / "Gr.fst"
    grammar.write_bytes(_with_symbols(grammar.read_bytes(), {word: int(label) for word, label in symbols}))
    for file in path.iterdir():
        if file.is_file():
            file.unlink()
    (path / "README").write_text(README, encoding="ascii")


def _with_symbols(fst: bytes, symbols: Mapping[str, int]) -> bytes:
    """A transducer with a table of output symbols, in OpenFst's binary form (fst.cc, symbol-table.cc)."""
    stream = io.BytesIO(fst)
    stream.read(4)
    for _ in range(2):  # kind of transducer, kind of arc
        (length,) = struct.unpack("<i", stream.read(4))
        stream.read(length)
    at = stream.tell() + 4  # after the version
    (flags,) = struct.unpack_from("<i", fst, at)
    end = at + 4 + 8 + 3 * 8  # flags, properties; start, states, arcs
    table = (
        struct.pack("<i", _SYMBOLS_MAGIC) + _text("words") + struct.pack("<qq", len(symbols), len(symbols))
    )
    for word, label in symbols.items():
        table += _text(word) + struct.pack("<q", label)
    return fst[:at] + struct.pack("<i", flags | _HAS_OUTPUT_SYMBOLS) + fst[at + 4 : end] + table + fst[end:]


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<i", len(data)) + data


def packed(path: Path, name: str) -> bytes:
    """The archive of a model, as its publisher packs it: one folder, called like the model."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir(name)
        for file in sorted(path.rglob("*")):
            archive.write(file, f"{name}/{file.relative_to(path).as_posix()}")
    return memory.getvalue()
