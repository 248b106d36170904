"""From a checkpoint to ``models/<language>/``: complete Vosk models, all with the same network."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from mexvoice.hearing import features, graph
from mexvoice.hearing.model import seal
from mexvoice.hearing.phones import Pronunciation, write_phones
from mexvoice.hearing.pronunciation import Pronouncer
from mexvoice.language.phrase import written
from scripts.training import kaldi, network
from scripts.training.texts import (
    TextSource,
    book,
    locale,
    names,
    number_words,
    short_words,
)

MODEL_CONF = """--min-active=200
--max-active=3000
--beam=10.0
--lattice-beam=2.0
--acoustic-scale=1.0
--frame-subsampling-factor=3
--frames-per-chunk=9
--endpoint.silence-phones=1
--endpoint.rule2.min-trailing-silence=0.5
--endpoint.rule3.min-trailing-silence=0.75
--endpoint.rule4.min-trailing-silence=1.0
"""
"""``conf/model.conf``. A wider lattice beam would make the lattices of ``[unk]`` explode."""

_BIGRAM_TEXTS = 3000


@dataclass(frozen=True)
class Penalties:
    """What tokens and ``[unk]`` pay, see :class:`mexvoice.hearing.graph.UnknownModel`."""

    words: float
    """For every token that is not ``[unk]``."""
    each: float
    """For every phone in it."""


def unknown_model(language: str, penalties: Penalties) -> graph.UnknownModel:
    """The phone loop of a language, from dictionary words and word sequences."""
    import random

    speaker = Pronouncer(language)
    source = TextSource(language, random.Random(f"bigram-{language}"))
    words: list[Pronunciation] = []
    while len(words) < _BIGRAM_TEXTS:
        words += speaker.words(source.next().words)
    model = graph.UnknownModel.from_words(words)
    return replace(model, words=penalties.words, each=penalties.each)


def vocabulary(language: str) -> list[str]:
    """What a shipped model can hear: the locale's phrases (seats for players), decoys, numbers, words."""
    phrases = book(language)
    extra = [*number_words(language, range(101)), *short_words(language), *names(language)]
    listed = [*phrases.phrases(), *phrases.decoys, *phrases.fillers, *map(written, extra)]
    return [text for text in dict.fromkeys(listed) if text]


def pronouncer(language: str) -> Pronouncer:
    """The pronunciations of a language in the accents its locale names."""
    return Pronouncer(language, locale(language).pronounce)


def write_base(directory: Path, net: network.Network, phones: list[str], unknown: graph.UnknownModel) -> None:
    """Write everything of a model but its graph."""
    table = graph.PhoneTable(phones)
    kaldi.write_model(directory / "am" / "final.mdl", table.outputs, net.layers(), features.SIZE)
    conf = directory / "conf"
    conf.mkdir(parents=True, exist_ok=True)
    (conf / "mfcc.conf").write_text(features.CONF, encoding="ascii")
    (conf / "model.conf").write_text(MODEL_CONF, encoding="ascii")
    write_phones(directory / graph.PHONES_FILE, phones)
    unknown.write(directory / graph.UNKNOWN_FILE)


def export(checkpoint: Path, language: str, directory: Path, penalties: Penalties) -> int:
    """Write one language's model into ``directory``; returns the number of its tokens."""
    net, phones = network.load(checkpoint)
    net.eval()
    write_base(directory, net, phones, unknown_model(language, penalties))
    lexicon = graph.assemble_model(directory, directory, vocabulary(language), pronouncer(language))
    seal(directory)
    return len(lexicon)


def write_settings(base: Path, directory: Path) -> None:
    """Copy the network and the settings of a model, without its graph."""
    for folder in ("am", "conf"):
        shutil.copytree(base / folder, directory / folder, dirs_exist_ok=True)


def folder_size(directory: Path) -> int:
    """Bytes of all files under a folder."""
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def scratch_model(base: Path, texts: Iterable[str], speaker: Pronouncer) -> tempfile.TemporaryDirectory[str]:
    """A model in a temporary folder that hears just ``texts``; the folder goes with the returned object."""
    folder = tempfile.TemporaryDirectory(prefix="mexvoice-")
    graph.assemble_model(base, Path(folder.name), texts, speaker)
    return folder
