"""The house's own phrases: a YAML file of more phrases for the commands of one language.

It is written like the part ``phrases`` of a locale file, with or without that word above it::

    phrases:
      throw: [let it rip, "here they come"]
      lives_of: ["what is left of {player}"]
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from mexvoice.errors import MexvoiceError
from mexvoice.language import document
from mexvoice.language.check import SEATED, Fault, mixed_scripts, phrase_fault, what
from mexvoice.language.command import Command, CommandId, together
from mexvoice.language.document import Document
from mexvoice.language.locale import Locale, Part, Texts, first_fault, validation_faults
from mexvoice.language.phrase import Phrase, normalise, phrases

MOST: Final = 200
"""The most phrases a house may have: each is listened for, and takes time at the start."""

MOST_SAID: Final = 2000
"""The same with every slot filled in every way."""

_SECTION: Final = "phrases"


class House(Part):
    """The file."""

    phrases: dict[CommandId, Texts]
    """What people say, by command; slots in braces."""


def with_phrases(locale: Locale, path: Path) -> Locale:
    """The language with the house's own phrases, after its own.

    Decoys and fillers of the language that are phrases of the house are left out: the house means them.

    Args:
        locale: the language.
        path: the house's file.

    Raises:
        MexvoiceError: if the file cannot be read, is wrong, or says with one phrase what means another
            command, as ``FILE:LINE: reason``.
    """
    name = f"{path.parent.name}/{path.name}" if path.parent.name else path.name
    try:
        read = _sectioned(document.read(path))
    except OSError as error:
        raise MexvoiceError(f"{name} cannot be read: {error.strerror or error}.") from None
    except document.DocumentError as error:
        raise MexvoiceError(f"{name}:{error.line}: {error.reason}") from None
    try:
        house = House.model_validate(read.data)
    except ValidationError as error:
        raise first_fault(name, read, validation_faults(error, read)) from None
    both = _joined(locale, house)
    found = list(_faults(house)) or list(_clashes(locale, both))
    if found:
        raise first_fault(name, read, found)
    said = _said(both, locale)
    if len(said) > MOST_SAID:
        many = f"these are {len(said)} phrases with all slots filled, and a house has room for {MOST_SAID}"
        raise first_fault(name, read, [Fault((_SECTION,), many)])
    return both.model_copy(
        update={
            part: [text for text in getattr(locale, part) if normalise(text, locale.fold) not in said]
            for part in ("fillers", "decoys")
        }
    )


def _sectioned(read: Document) -> Document:
    """The file as if ``phrases`` stood above everything."""
    if set(read.data) == {_SECTION}:
        return read
    lines = {(_SECTION, *place): line for place, line in read.lines.items()}
    return Document({_SECTION: read.data}, {**lines, (_SECTION,): 1})


def _joined(locale: Locale, house: House) -> Locale:
    every = {command: [*own, *house.phrases.get(command, ())] for command, own in locale.phrases.items()}
    return locale.model_copy(update={"phrases": every})


def _faults(house: House) -> Iterator[Fault]:
    """What is wrong with the phrases by themselves."""
    yield from mixed_scripts(house.model_dump(mode="json"), ())
    count = sum(map(len, house.phrases.values()))
    if count > MOST:
        yield Fault((_SECTION,), f"there are {count} phrases, and a house has room for {MOST}")
    for command, templates in house.phrases.items():
        for index, template in enumerate(templates):
            reason = phrase_fault(command, template)
            if reason:
                yield Fault((_SECTION, command.value, index), reason)


def _clashes(locale: Locale, both: Locale) -> Iterator[Fault]:
    """Phrases of the house that mean another command already; their places are those in the house's file."""
    owners: dict[str, list[tuple[Command, Fault | None]]] = {}
    for phrase in phrases(both, SEATED):
        text = normalise(phrase.text, locale.fold)
        place = _place_in_house(phrase.place, locale)
        fault = None if place is None else Fault(place, f"'{text}' means '{what(phrase.command)}'")
        for other, others_fault in owners.get(text, ()):
            new, old = (fault, other) if fault is not None else (others_fault, phrase.command)
            if other != phrase.command and together(other.id, phrase.command.id) and new is not None:
                yield Fault(new.place, f"{new.reason} here and '{what(old)}' already: choose another phrase")
        owners.setdefault(text, []).append((phrase.command, fault))


def _place_in_house(place: document.Place, locale: Locale) -> document.Place | None:
    """Where the house's file has a phrase that stands at a place of both together; None for the locale's."""
    match place:
        case (section, str(command), int(index)) if section == _SECTION:
            index -= len(locale.phrases[CommandId(command)])
            return (_SECTION, command, index) if index >= 0 else None
    return None


def own_phrases(both: Locale, locale: Locale, players: Sequence[str]) -> Iterator[Phrase]:
    """The phrases of the house, slots filled.

    Args:
        both: the language with them.
        locale: the language without them.
        players: names in seat order.
    """
    for phrase in phrases(both, players):
        if _place_in_house(phrase.place, locale) is not None:
            yield phrase


def _said(both: Locale, locale: Locale) -> Mapping[str, None]:
    """Every phrase of the house, as texts are compared."""
    return {normalise(phrase.text, locale.fold): None for phrase in own_phrases(both, locale, SEATED)}
