"""Words an official model lacks, and what is heard in their stead."""

import io
from collections.abc import Collection
from pathlib import Path

import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.download import Downloader
from mexvoice.hearing.grammar import MOST_VARIANTS, Grammar
from mexvoice.language import locale as locales
from mexvoice.language.alike import sound_alikes
from mexvoice.language.phrase import normalise
from mexvoice.language.phrasebook import PhraseBook
from mexvoice.table import models
from tests.models.official import make_official, packed, words_of, write_deaf_model
from tests.models.server import Site
from tests.models.test_install import NAME, publish


class Words:
    """A vocabulary of plain words."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known

    def has(self, token: str) -> bool:
        """Whether the word is in it."""
        return token in self._known

    def tokens(self, phrase: str) -> tuple[str, ...]:
        """The words of a phrase."""
        return tuple(phrase.split())


def test_grammar_listens_for_sound_alikes() -> None:
    """A phrase with an unknown word is listened for in other words, and read back as itself."""
    grammar = Grammar(["by mex", "mex", "stop"], alikes={"mex": ["necks", "no such word", "make s"]})
    fitted = grammar.fit(Words({"by", "necks", "make", "s", "stop", "[unk]"}))
    assert fitted.dropped == ()
    for said in (["by", "necks"], ["by", "make", "s"]):
        reading = fitted.read(said)
        assert reading.text == "by mex" and reading.whole
    assert fitted.read(["necks"]).text == "mex"
    assert '"by necks"' in fitted.json and "mex" not in fitted.json


def test_known_words_have_no_sound_alikes() -> None:
    """A model that knows the word listens for the word alone."""
    fitted = Grammar(["mex"], alikes={"mex": ["necks"]}).fit(Words({"mex", "necks", "[unk]"}))
    assert fitted.json == '["mex", "[unk]"]'
    assert not fitted.read(["necks"]).whole


def test_phrase_in_its_own_words_comes_first() -> None:
    """A sound-alike never takes a phrase from another command, whatever the order."""
    grammar = Grammar(["mex", "max"], alikes={"mex": ["max"]})
    fitted = grammar.fit(Words({"max", "[unk]"}))
    assert fitted.read(["max"]).text == "max"
    assert fitted.dropped == ("mex",)


def test_sound_alike_beats_a_decoy() -> None:
    """What stands for a phrase is no decoy."""
    grammar = Grammar(["mex"], decoys=["max"], alikes={"mex": ["max"]})
    reading = grammar.fit(Words({"max", "[unk]"})).read(["max"])
    assert reading.text == "mex" and reading.whole


def test_phrase_without_sound_alikes_is_dropped() -> None:
    """What cannot be heard in any way is named."""
    grammar = Grammar(["by mex", "stop"], alikes={"mex": ["necks"]})
    assert grammar.fit(Words({"necks", "stop", "[unk]"})).dropped == ("by mex",)


def test_combinations_have_a_limit() -> None:
    """Many unknown words do not blow the grammar up."""
    alikes = {word: [f"{word}{number}" for number in range(5)] for word in "abcd"}
    known = {"[unk]", *(other for others in alikes.values() for other in others)}
    fitted = Grammar(["a b c d"], alikes=alikes).fit(Words(known))
    assert fitted.json.count("a0") + fitted.json.count("a1") == MOST_VARIANTS
    assert fitted.read(["a0", "b0", "c0", "d0"]).whole


def test_other_spellings() -> None:
    """A word may stand in a model with letters folded, or in two pieces after its apostrophe."""
    russian, french = locales.load("ru"), locales.load("fr")
    assert sound_alikes(russian, ["ещё раз"]) == {"ещё": ("еще",)}
    assert sound_alikes(french, ["j'arrête"]) == {"j'arrête": ("j' arrête",)}


@pytest.mark.parametrize("code", locales.available())
def test_every_locale_has_some_for_mex(code: str) -> None:
    """No official model knows the name of the game: each language says what comes near it."""
    locale = locales.load(code)
    book = PhraseBook(locale, ["Anna", "Ben"])
    mex = normalise(locale.numbers.mex[0])
    assert len(book.alikes[mex]) >= 2
    # None of them is what another number or command sounds like.
    assert not {normalise(other) for other in book.alikes[mex]} & set(book.commands)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("sound_alikes: {mexx: [max]}", "'mexx' is no word of a phrase"),
        ("sound_alikes: {mex: [stop]}", "the sound-alike 'stop' is a phrase of 'stop'"),
        ("sound_alikes: {mex: []}", "sound_alikes.mex"),
        ("sound_alikes: [mex]", "sound_alikes"),
    ],
)
def test_wrong_sound_alikes(tmp_path: Path, line: str, reason: str) -> None:
    """A locale file with sound-alikes of nothing, or of another command, is refused with the line."""
    text = (Path(__file__).parents[2] / "locales" / "en.yaml").read_text(encoding="utf-8")
    lines = [line if old.startswith("sound_alikes:") else old for old in text.splitlines()]
    path = tmp_path / "en.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(MexvoiceError, match=reason) as raised:
        locales.load_file(path)
    assert str(raised.value).split(":")[1] == str(1 + lines.index(line))


def test_check_names_what_is_lost(site: Site, hasty: Downloader, tmp_path: Path) -> None:
    """Unknown words, phrases that cannot be heard, and a command that cannot be said at all."""
    path = tmp_path / "model"
    book = PhraseBook(locales.load("de"), "12345678")
    abort = {
        word for phrase in book.phrases() for word in phrase.split() if "abbr" in word or "brech" in word
    }
    write_deaf_model(path, "de", words_of("de", without=["mex", "hilfe", *abort]))
    make_official(path)
    publish(site, packed(path, NAME))
    models.install("de", out := io.StringIO(), base=site.url, downloader=hasty)
    said = out.getvalue()
    assert "hilfe: nothing is heard instead" in said
    assert "mex: nothing is heard instead" in said
    assert "phrases that cannot be heard: " in said
    status = models.check("de", out := io.StringIO())
    assert status == 0 and "hilfe: nothing is heard instead" in out.getvalue()
    models.remove("de", io.StringIO())

    # Now one without a word of "stop".
    stop = {word for phrase in book.phrases() for word in phrase.split()} - {"würfeln", "werfen", "hilfe"}
    other = tmp_path / "other"
    write_deaf_model(other, "de", words_of("de", without=stop))
    make_official(other)
    publish(site, packed(other, NAME))
    models.install("de", io.StringIO(), base=site.url, downloader=hasty)
    status = models.check("de", out := io.StringIO())
    assert status == 1
    assert "no way to say 'stop' can be heard: this model is no good for a match by voice" in out.getvalue()
