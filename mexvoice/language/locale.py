"""A language: what people say in it and what is said to them, read from one YAML file."""

from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

import babel
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from mexvoice.data import shipped
from mexvoice.errors import MexvoiceError
from mexvoice.language import document
from mexvoice.language.check import Fault, faults
from mexvoice.language.command import CommandId

Text = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=300)]
Texts = Annotated[list[Text], Field(min_length=1)]
Number = Annotated[int, Field(strict=True)]
Code = Annotated[str, StringConstraints(strict=True, pattern=r"^[a-z]{2,3}$")]


class Part(BaseModel):
    """A part of a locale file: nothing in it is unknown."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)


class Voice(Part):
    """How the language is spoken aloud."""

    espeak: Text
    """The id of the espeak-ng voice, e.g. ``gmw/en-us``."""
    languages: Texts
    """Language tags by which another speech engine may know a voice for it, best first."""
    rate: Annotated[int, Field(strict=True, ge=80, le=400)]
    """Words a minute."""


class Numbers(Part):
    """How numbers are said."""

    digits: dict[Number, Texts]
    """The words for one die, by its pips 1 to 6."""
    values: dict[Number, Texts]
    """The words for a throw as a whole, by its value: 31 to 65, 100 to 600."""
    mex: Texts
    """The words for a throw of 2 and 1."""
    homophones: dict[Text, Text] = {}
    """Words that sound like words of numbers, with the number's word; heeded only where dice are called."""
    spelling: Text | None = None
    """The code by which num2words knows the language; its own code if None."""


class Noun(Part):
    """A noun that is counted; ``{n}`` in its forms is the number, spelled."""

    zero: Text | None = None
    """For none at all, whatever the language's plural rule says of 0."""
    one: Text | None = None
    two: Text | None = None
    few: Text | None = None
    many: Text | None = None
    other: Text | None = None
    ending: dict[Text, Text] = {}
    """Endings of the spelled number that the noun changes, e.g. ``{un: une}``."""

    def form(self, category: str) -> str | None:
        """The form for a CLDR plural category."""
        form: str | None = getattr(self, category, None)
        return form


class Values(Part):
    """How values of throws are said that are no number."""

    mex: Text


class Joining(Part):
    """How a list of names is joined."""

    between: Annotated[str, StringConstraints(strict=True, min_length=1)] = ", "
    last: Annotated[str, StringConstraints(strict=True, min_length=1)]


class Locale(Part):
    """One language: what is said in it, both ways."""

    code: Code = Field(alias="language")
    """ISO 639 code, e.g. ``fr``."""
    name: Text
    """The language's own name for itself."""
    voice: Voice
    pronounce: Texts
    """The espeak-ng voices that give pronunciations."""
    players: Annotated[list[Text], Field(min_length=3)]
    """Some first names, for examples and the demo."""
    fold: dict[Text, Text] = {}
    """Letters to compare as others."""
    fillers: list[Text] = []
    """Words dropped at both ends of an utterance."""
    call: Annotated[list[Text], Field(min_length=2)]
    """What calls the assistant, where a command counts only after that; the first is the one shown."""
    hush: Texts
    """Phrases of ``stop`` that only silence the assistant when they are said while it speaks."""
    numbers: Numbers
    seats: dict[Number, Texts]
    """What the player of a seat, 1 to 8, can be called instead of by name."""
    languages: dict[Code, Texts]
    """The words for each language, in this one and in that one."""
    phrases: dict[CommandId, Texts]
    """What people say, by command; slots in braces."""
    decoys: list[Text] = []
    """Table talk that sounds like a command: listened for so that it is not taken for one."""
    sound_alikes: dict[Text, Texts] = {}
    """Per word of the phrases the words near it in sound, best first: official models may lack it."""
    nouns: dict[Text, Noun]
    values: Values
    joining: Joining = Field(alias="list")
    wording: dict[Text, Texts]
    """Variants of each sentence of ``sentence.SENTENCES``."""
    labels: dict[Text, Text]
    """The short strings of the screen."""

    @cached_property
    def cldr(self) -> babel.Locale:
        """The language's rules of plural.

        Raises:
            babel.UnknownLocaleError: if babel does not know the language.
        """
        return babel.Locale.parse(self.code)


def available() -> tuple[str, ...]:
    """The codes of the languages that came with the program, sorted."""
    return tuple(sorted(path.stem for path in shipped("locales").glob("*.yaml")))


def load(code: str) -> Locale:
    """A language that came with the program.

    Raises:
        MexvoiceError: if there is none of that code, or its file is wrong.
    """
    codes = available()
    if code not in codes:
        raise MexvoiceError(f"There is no language '{code}': choose one of {', '.join(codes)}.")
    path = shipped("locales") / f"{code}.yaml"
    return _load_once(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=32)
def _load_once(path: Path, _: int) -> Locale:
    """A file read once for each time it was changed."""
    return load_file(path)


def unlisted(locale: Locale) -> dict[str, list[str]]:
    """The words that languages which came with the program have for themselves and this one does not know.

    Such a language was added after this one's file was written; a broken file is left out.
    """
    words: dict[str, list[str]] = {}
    for code in available():
        if code not in locale.languages:
            try:
                words[code] = load(code).languages[code]
            except MexvoiceError:
                continue
    return words


def load_file(path: Path) -> Locale:
    """The language in a YAML file, checked in every detail.

    Raises:
        MexvoiceError: if the file cannot be read or is wrong, as ``FILE:LINE: reason``.
    """
    name = f"{path.parent.name}/{path.name}"
    try:
        read = document.read(path)
    except OSError as error:
        raise MexvoiceError(f"{name} cannot be read: {error.strerror}.") from None
    except document.DocumentError as error:
        raise MexvoiceError(f"{name}:{error.line}: {error.reason}") from None
    try:
        locale = Locale.model_validate(read.data)
    except ValidationError as error:
        found = validation_faults(error, read)
    else:
        found = list(faults(locale, path.stem))
        if not found:
            return locale
    raise first_fault(name, read, found)


def first_fault(name: str, read: document.Document, found: Iterable[Fault]) -> MexvoiceError:
    """The first of the faults of a file, as ``FILE:LINE: reason``."""
    line, reason = min(((read.line(fault.place), fault.reason) for fault in found), key=lambda one: one[0])
    return MexvoiceError(f"{name}:{line}: {reason}")


def validation_faults(error: ValidationError, read: document.Document) -> list[Fault]:
    """What pydantic found wrong in a file, with the places there."""
    return [Fault(_place(fault["loc"], read), _reason(fault)) for fault in error.errors()]


def _place(loc: tuple[int | str, ...], read: document.Document) -> document.Place:
    """The place in the file that pydantic's location means.

    Pydantic marks a wrong key by a last "[key]" and names a missing key, which has no line of its own.
    """
    place: document.Place = ()
    for step in loc:
        if (*place, step) not in read.lines:
            break
        place = (*place, step)
    return place


def _reason(fault: Any) -> str:
    """Pydantic's message with the way to the fault."""
    where = ".".join(str(step) for step in fault["loc"])
    match fault["type"]:
        case "missing":
            return f"'{where}' is missing"
        case "extra_forbidden":
            return f"'{where}' is unknown"
    message = fault["msg"]
    return f"'{where}': {message[0].lower()}{message[1:]}"
