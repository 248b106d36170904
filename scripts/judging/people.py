"""Are people's single words heard, by ``mexvoice hear --words``, and is a word heard where there is none."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import soundfile

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.lexicon import token
from mexvoice.hearing.model import BUILTIN
from mexvoice.table.hear import hear_files
from scripts.judging.material import Material
from scripts.judging.tally import Tally
from scripts.training.corpus import RATE

if TYPE_CHECKING:  # it needs what only the training needs
    from scripts.training.evaluate import Vocabulary


def hear(material: Material, words: Sequence[str], chosen: Sequence[int]) -> list[str]:
    """What the program hears in clips, of these words (or phrases) alone.

    Every clip is written to a file, and ``mexvoice hear --words`` is run on all of them.
    """
    out, err = io.StringIO(), io.StringIO()
    heard = [""] * len(chosen)
    if not chosen:
        return heard
    with tempfile.TemporaryDirectory(prefix="mexvoice-") as folder:
        files = [Path(folder) / f"{place}.wav" for place in range(len(chosen))]
        for file, at in zip(files, chosen, strict=True):
            soundfile.write(file, material.corpus.samples(at), RATE, subtype="PCM_16")
        status = hear_files(
            files, material.language, words, as_json=True, model_dir=BUILTIN, out=out, err=err
        )
    if status:
        raise MexvoiceError(f"A clip could not be heard: {err.getvalue().strip()}")
    for line in out.getvalue().splitlines():
        fields = json.loads(line)
        place = int(Path(fields["file"]).stem)
        heard[place] = f"{heard[place]} {fields['text']}".strip()
    return heard


def right_words(material: Material, vocabulary: Vocabulary, words: Sequence[str]) -> Tally:
    """Recordings of people that are one of the words: is it heard, alone."""
    chosen = [at for at in material.people() if token(material.text(at)) in vocabulary.meaning]
    tally = Tally()
    for at, heard in zip(chosen, hear(material, words, chosen), strict=True):
        said = vocabulary.meaning[token(material.text(at))]
        if not heard:
            tally.missed += 1
        elif vocabulary.meaning.get(token(heard)) == said:
            tally.right += 1
            continue
        else:
            tally.wrong += 1
        tally.confuse(material.text(at), heard)
    return tally


def false_words(
    material: Material, vocabulary: Vocabulary, words: Sequence[str], chosen: Sequence[int]
) -> Tally:
    """Recordings in which nobody says a word of the list: is one heard.

    Clips that are, or sound like, a word of the list are left out.
    """
    other = [at for at in chosen if not material.sounds_like(material.corpus.clips[at], vocabulary)]
    tally = Tally()
    for at, heard in zip(other, hear(material, words, other), strict=True):
        if heard:
            tally.wrong += 1
            tally.confuse(f"{material.text(at)} ({material.corpus.clips[at].language})", heard)
        else:
            tally.missed += 1
    return tally


def short_texts(material: Material) -> tuple[Vocabulary, list[str]]:
    """Every short text of the people who speak the language."""
    from scripts.training.evaluate import Vocabulary

    clips = (material.corpus.clips[at] for at in material.people())
    vocabulary = Vocabulary.of_clips(clips, material.pronouncer)
    return vocabulary, [name.replace("_", " ") for name in vocabulary.tokens]
