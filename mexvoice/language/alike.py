"""What a recogniser with a vocabulary of its own may write for words it does not have."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from mexvoice.language.phrase import written

if TYPE_CHECKING:
    from mexvoice.language.locale import Locale


def sound_alikes(locale: "Locale", phrases: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Per word of some phrases what can stand for it, best first; words without any are left out.

    These are the sound-alikes of the locale file, then other spellings of the word itself: with letters
    folded (``ещё`` as ``еще``) and in two pieces after an apostrophe (``j'arrête`` as ``j' arrête``).

    Args:
        locale: the language.
        phrases: as `phrase.written`.
    """
    own = {
        written(word): [written(other) for other in others] for word, others in locale.sound_alikes.items()
    }
    found: dict[str, tuple[str, ...]] = {}
    for word in dict.fromkeys(word for phrase in phrases for word in phrase.split()):
        others = [*own.get(word, ()), _folded(word, locale.fold), _in_pieces(word)]
        different = tuple(dict.fromkeys(other for other in others if other and other != word))
        if different:
            found[word] = different
    return found


def _folded(word: str, fold: Mapping[str, str]) -> str:
    for letter, other in fold.items():
        word = word.replace(letter, other)
    return word


def _in_pieces(word: str) -> str:
    before, apostrophe, after = word.partition("'")
    return f"{before}' {after}" if apostrophe and after else ""
