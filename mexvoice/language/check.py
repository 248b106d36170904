"""What a locale file may get wrong although each value has the right type."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import babel

from mexvoice.language.command import SLOTS, Command, CommandId, together
from mexvoice.language.document import Place
from mexvoice.language.phrase import normalise, phrases, slots
from mexvoice.language.sentence import FREQUENT, LABELS, SENTENCES, Kind, pieces

if TYPE_CHECKING:
    from mexvoice.language.locale import Locale, Noun

PHRASES: Final = 3
"""The fewest phrases of a command."""

VARIANTS: Final = 3
"""The fewest variants of a frequent sentence."""

VALUES: Final = frozenset(
    {10 * high + low for high in range(3, 7) for low in range(1, high)} | {100 * die for die in range(1, 7)}
)
"""Every value of a throw but Mex."""

SEATED: Final = tuple(f"player{seat}" for seat in range(1, 9))
"""Names of eight players, for checking phrases that hold one."""

_DICE_SLOTS: Final = {("die", "die"), ("die",), ("value",), ("mex",)}
CALLED: Final = frozenset({CommandId.COUNT_MEX, CommandId.COUNT_PIPS, CommandId.DICE})
"""A call word may be a phrase of these commands: they answer a question, and answers need no call."""

_COUNTED: Final = range(1000)
"""Numbers a noun is counted with."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in a locale file."""

    place: Place
    reason: str


def faults(locale: "Locale", stem: str) -> Iterator[Fault]:
    """Everything wrong with a locale.

    Args:
        locale: with all types right.
        stem: the name of its file without the suffix; it has to be the language's code.
    """
    if locale.code != stem:
        yield Fault(("language",), f"the language is '{locale.code}' but the file is named '{stem}'")
    yield from mixed_scripts(locale.model_dump(by_alias=True, mode="json"), ())
    broken = [*_numbers(locale), *_phrases(locale)]
    yield from broken
    if not broken:
        yield from _collisions(locale)
    yield from _nouns(locale)
    yield from _wording(locale)
    yield from _same_keys("labels", set(locale.labels), set(LABELS))


def mixed_scripts(data: object, place: Place) -> Iterator[Fault]:
    """A Latin letter in a Cyrillic word looks right and is never heard."""
    if isinstance(data, dict):
        for key, value in data.items():
            step = int(key) if isinstance(key, str) and key.isdigit() else key
            yield from mixed_scripts(str(key), (*place, step))
            yield from mixed_scripts(value, (*place, step))
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from mixed_scripts(item, (*place, index))
    elif isinstance(data, str):
        for word in "".join(sign if sign.isalpha() else " " for sign in data).split():
            scripts = {unicodedata.name(letter, "?").split()[0] for letter in word}
            if {"LATIN", "CYRILLIC"} <= scripts:
                yield Fault(place, f"'{word}' mixes Latin and Cyrillic letters")


def _same_keys(section: str, found: set[str], wanted: set[str]) -> Iterator[Fault]:
    for key in sorted(wanted - found):
        yield Fault((section,), f"'{section}.{key}' is missing")
    for key in sorted(found - wanted):
        yield Fault((section, key), f"'{section}.{key}' is unknown")


def _numbers(locale: "Locale") -> Iterator[Fault]:
    numbers = locale.numbers
    for section, found, wanted in (
        ("numbers.digits", set(numbers.digits), set(range(1, 7))),
        ("numbers.values", set(numbers.values), set(VALUES)),
        ("seats", set(locale.seats), set(range(1, 9))),
    ):
        for number in sorted(wanted - found):
            yield Fault(tuple(section.split(".")), f"'{section}.{number}' is missing")
        for number in sorted(found - wanted):
            yield Fault((*section.split("."), number), f"'{section}.{number}' is unknown")
    known = {normalise(word) for words in numbers.digits.values() for word in words}
    known |= {part for words in numbers.values.values() for word in words for part in normalise(word).split()}
    for homophone, word in numbers.homophones.items():
        place = ("numbers", "homophones", homophone)
        if normalise(word) not in known:
            yield Fault(place, f"'{word}' is no word of a number")
        if normalise(homophone) in known:
            yield Fault(place, f"'{homophone}' is the word of a number itself")
    for letter in locale.fold:
        if len(letter) != 1:
            yield Fault(("fold", letter), f"'{letter}' is not one letter")
    if locale.code not in locale.languages:
        yield Fault(("languages",), f"'languages.{locale.code}' is missing: the language itself")


def _phrases(locale: "Locale") -> Iterator[Fault]:
    for command_id in CommandId:
        templates = locale.phrases.get(command_id)
        if templates is None:
            yield Fault(("phrases",), f"'phrases.{command_id.value}' is missing")
            continue
        place: Place = ("phrases", command_id.value)
        if len(templates) < PHRASES:
            yield Fault(place, f"'{command_id.value}' needs at least {PHRASES} phrases")
        for index, template in enumerate(templates):
            reason = phrase_fault(command_id, template)
            if reason:
                yield Fault((*place, index), reason)
        for text, times in Counter(normalise(template) for template in templates).items():
            if times > 1 and not any(slots(template) for template in templates):
                yield Fault(place, f"'{text}' is there twice")


def phrase_fault(command_id: CommandId, template: str) -> str | None:
    """Why a phrase is wrong, or None."""
    found = slots(template)
    allowed = SLOTS.get(command_id, frozenset())
    for slot in found:
        if slot not in allowed:
            return f"'{template}': the slot '{{{slot}}}' is unknown here"
    without = template
    for slot in found:
        without = without.replace(f"{{{slot}}}", "")
    if "{" in without or "}" in without:
        return f"'{template}': the braces do not match"
    if not found and not normalise(template):
        return f"'{template}' holds no word"
    if command_id is CommandId.DICE and found not in _DICE_SLOTS:
        return f"'{template}' needs the slots of one throw: {{die}} {{die}}, {{die}}, {{value}} or {{mex}}"
    if allowed and command_id is not CommandId.DICE and len(found) != 1:
        return f"'{template}' needs one slot {{{min(allowed)}}}"
    return None


def _collisions(locale: "Locale") -> Iterator[Fault]:
    """Phrases, fillers, decoys and sound-alikes that say the same."""
    owners: dict[str, list[Command]] = {}
    for phrase in phrases(locale, SEATED):
        text = normalise(phrase.text, locale.fold)
        commands = owners.setdefault(text, [])
        for other in commands:
            if other != phrase.command and together(other.id, phrase.command.id):
                same = other.id is phrase.command.id
                place = (phrase.filling if same else ()) or phrase.place
                yield Fault(place, f"'{text}' is a phrase of '{what(other)}' and of '{what(phrase.command)}'")
        if phrase.command not in commands:
            commands.append(phrase.command)
    for index, filler in enumerate(locale.fillers):
        for command in owners.get(normalise(filler, locale.fold), ()):
            # "okay" alone may be a yes, and still mean nothing before another command
            if command.id is not CommandId.YES:
                yield Fault(("fillers", index), f"the filler '{filler}' is a phrase of '{what(command)}'")
    for index, decoy in enumerate(locale.decoys):
        for command in owners.get(normalise(decoy, locale.fold), ()):
            yield Fault(("decoys", index), f"the decoy '{decoy}' is a phrase of '{what(command)}'")
    yield from _calls(locale, owners)
    for index, hush in enumerate(locale.hush):
        if not any(command.id is CommandId.STOP for command in owners.get(normalise(hush, locale.fold), ())):
            yield Fault(("hush", index), f"'{hush}' is no phrase of 'stop'")
    spoken = {word for text in owners for word in text.split()}
    for word, others in locale.sound_alikes.items():
        if normalise(word, locale.fold) not in spoken:
            yield Fault(("sound_alikes", word), f"'{word}' is no word of a phrase")
        for index, alike in enumerate(others):
            for command in owners.get(normalise(alike, locale.fold), ()):
                reason = f"the sound-alike '{alike}' is a phrase of '{what(command)}'"
                yield Fault(("sound_alikes", word, index), reason)


def _calls(locale: "Locale", owners: dict[str, list[Command]]) -> Iterator[Fault]:
    """Call words that mean something else, alone or with what follows them."""
    others = {normalise(text, locale.fold) for text in (*locale.fillers, *locale.decoys)}
    seen: set[str] = set()
    for index, call in enumerate(locale.call):
        text = normalise(call, locale.fold)
        reasons = [
            f"the call word '{call}' is a phrase of '{what(command)}'"
            for command in owners.get(text, ())
            if command.id not in CALLED
        ]
        if not text or "{" in call or "}" in call:
            reasons.append(f"'{call}' is no word that can be said")
        if text in seen:
            reasons.append(f"the call word '{call}' is there twice")
        if text in others:
            reasons.append(f"the call word '{call}' is a filler or a decoy")
        reasons += [
            f"'{phrase}' is a phrase, and the call word '{call}' before another"
            for phrase in owners
            if phrase.startswith(f"{text} ") and phrase.removeprefix(f"{text} ") in owners
        ]
        seen.add(text)
        yield from (Fault(("call", index), reason) for reason in reasons)


def what(command: Command) -> str:
    """A command and what fills its slot, for a sentence about it."""
    fillings = (command.player, command.language, command.dice and f"{command.dice[0]}-{command.dice[1]}")
    return " ".join([command.id.value, *(filling for filling in fillings if filling)])


def _nouns(locale: "Locale") -> Iterator[Fault]:
    try:
        plural = locale.cldr.plural_form
    except (babel.UnknownLocaleError, ValueError):
        yield Fault(("language",), f"no plural rule is known for the language '{locale.code}'")
        return
    numbers: dict[str, list[int]] = {}
    for number in _COUNTED:
        numbers.setdefault(plural(number), []).append(number)
    known = {*plural.tags, "other", "zero"}
    for name, noun in locale.nouns.items():
        for category in ("one", "two", "few", "many", "other"):
            form = noun.form(category)
            if form is not None and category not in known:
                yield Fault(("nouns", name, category), f"the language has no plural '{category}'")
                continue
            if form is None and category in numbers:
                example = numbers[category][0]
                yield Fault(("nouns", name), f"'{name}' has no form '{category}', as for {example}")
            if form is not None:
                yield from _form(name, noun, category, len(numbers.get(category, ())) == 1)
        if noun.zero is not None:
            yield from _form(name, noun, "zero", True)


def _form(name: str, noun: "Noun", category: str, single: bool) -> Iterator[Fault]:
    """Check one form; only a form for a ``single`` number may leave the number out."""
    place: Place = ("nouns", name, category)
    form = noun.form(category) or ""
    try:
        fields = [piece.field for piece in pieces(form) if piece.field is not None]
    except ValueError as error:
        yield Fault(place, str(error))
        return
    if any(field != "n" for field in fields):
        yield Fault(place, f"'{form}': a noun knows only the slot '{{n}}'")
    elif not fields and not single:
        yield Fault(place, f"'{form}' needs the slot '{{n}}': it counts more than one number")


def _wording(locale: "Locale") -> Iterator[Fault]:
    yield from _same_keys("wording", set(locale.wording), set(SENTENCES))
    for key, variants in locale.wording.items():
        fields = SENTENCES.get(key)
        if fields is None:
            continue
        if key in FREQUENT and len(set(variants)) < VARIANTS:
            yield Fault(("wording", key), f"'{key}' is said often and needs {VARIANTS} variants")
        for index, template in enumerate(variants):
            if template in variants[:index]:
                yield Fault(("wording", key, index), f"'{template}' is there twice")
            for reason in _template(template, fields, locale):
                yield Fault(("wording", key, index), reason)


def _template(template: str, fields: dict[str, Kind], locale: "Locale") -> Iterator[str]:
    try:
        parts = list(pieces(template))
    except ValueError as error:
        yield f"'{template}': {error}"
        return
    for part in parts:
        if part.field is None:
            continue
        if part.field not in fields:
            known = ", ".join(f"{{{field}}}" for field in fields) or "none"
            yield f"'{template}': the slot '{{{part.field}}}' is unknown here (known: {known})"
        elif part.noun and fields[part.field] not in (Kind.NUMBER, Kind.VALUE):
            yield f"'{template}': '{{{part.field}}}' is no number to count with"
        elif part.noun and part.noun not in locale.nouns:
            yield f"'{template}': the noun '{part.noun}' is unknown"
