"""What sounds like something else: names (their players are called by their seat), phrases of the house."""

from collections.abc import Iterable, Iterator, Mapping

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.lexicon import Lexicon, token
from mexvoice.hearing.pronunciation import Pronouncer
from mexvoice.language.command import CommandId, together
from mexvoice.language.document import Place
from mexvoice.language.house import own_phrases
from mexvoice.language.locale import Locale
from mexvoice.language.phrase import Phrase, written
from mexvoice.table.assistant import Assistant
from mexvoice.table.effect import Effect, Say

NEAR = 0.25
"""Two names, or two phrases, clash when no more than this share of their sounds differs: Anna and Hannah."""

MOST_COMPARED = 100
"""Of more phrases of the house, slots filled, only the first filling of each is compared: it takes time."""

SHOWN = 3
"""So many of the things that sound like a phrase are named."""

_LONGER = 2.0
"""A phrase with this many times the letters of a name, or of another phrase, cannot be taken for it."""


def alike(assistant: Assistant) -> tuple[str, ...]:
    """The players whose names cannot be told by ear from another's or from a command, in seat order.

    Raises:
        MexvoiceError: if there is no espeak-ng to pronounce the names.
    """
    names = {token(name.casefold()): name for name in assistant.players}
    longest = _LONGER * max(len(name) for name in names)
    short = [phrase for phrase in _commands(assistant) if len(phrase) <= longest]
    lexicon = Lexicon.of([*names, *short], Pronouncer(assistant.locale.code, assistant.locale.pronounce))
    found = {name for pair in lexicon.clashes(list(names), NEAR) for name in pair}
    found.update(token(phrase) for phrase in short)
    return tuple(name for sound, name in names.items() if sound in found)


def _commands(assistant: Assistant) -> Iterable[str]:
    """The phrases of commands that hold no name."""
    return assistant.understanding.book.phrases(set(CommandId) - {CommandId.LIVES_OF})


def seat_hints(assistant: Assistant) -> list[Effect]:
    """Say which players are better called by their seat, and how; nothing when all names are clear."""
    hints: list[str] = []
    try:
        unclear = alike(assistant)
    except MexvoiceError:
        # Without espeak-ng nobody knows how names sound, and the match is played all the same.
        return []
    for name in unclear:
        seat = assistant.players.index(name) + 1
        words = assistant.locale.seats.get(seat)
        if words:
            hints.append(assistant.wording.say("seat_hint", player=name, seat=words[0]))
    return [Say(" ".join(hints))] if hints else []


def house_notices(assistant: Assistant, plain: Locale) -> Iterator[str]:
    """Say which phrases of the house sound like what means something else, and like what.

    Args:
        assistant: it speaks the language with the phrases of the house.
        plain: the language without them.
    """
    try:
        found = unclear(assistant, plain)
    except MexvoiceError:
        return  # as in `seat_hints`
    for phrase, others in found.items():
        yield assistant.wording.say("house_phrase_alike", phrase=phrase, others=others[:SHOWN])


def unclear(assistant: Assistant, plain: Locale) -> Mapping[str, tuple[str, ...]]:
    """The phrases of the house that sound like another command's, a decoy or a player's name, with these.

    Args:
        assistant: it speaks the language with the phrases of the house.
        plain: the language without them.

    Raises:
        MexvoiceError: if there is no espeak-ng to pronounce them.
    """
    own = _compared(own_phrases(assistant.locale, plain, assistant.players))
    texts = {**_others(assistant, own), **{token(phrase): phrase for phrase in own}}
    names = {token(written(name)): name for name in assistant.players}
    lexicon = Lexicon.of([*texts, *names], Pronouncer(assistant.locale.code, assistant.locale.pronounce))
    sounds = [token(phrase) for phrase in own]
    pairs = [(sound, sound) for sound in sounds if sound in names] + lexicon.clashes(sounds, NEAR)
    found: dict[Place, tuple[str, list[str]]] = {}
    for sound, other in pairs:
        phrase = own[texts[sound]]
        meant = _meanings(assistant, texts[other]) if other in texts and sound != other else frozenset()
        if all(_confused(phrase.command.id, command) for command in meant):
            # Of a phrase with a slot one filling stands for all.
            text, others = found.setdefault(phrase.place, (texts[sound], []))
            if text == texts[sound]:
                others.append(names.get(other) or texts[other])
    return {text: tuple(others) for text, others in found.values()}


def _compared(phrases: Iterable[Phrase]) -> dict[str, Phrase]:
    """The phrases of the house that are listened for, each by its text as `phrase.written`."""
    spoken = [phrase for phrase in phrases if phrase.spoken]
    if len(spoken) > MOST_COMPARED:
        first: dict[Place, Phrase] = {}
        for phrase in spoken:
            first.setdefault(phrase.place, phrase)
        spoken = list(first.values())
    return {written(phrase.text): phrase for phrase in spoken}


def _others(assistant: Assistant, own: Iterable[str]) -> dict[str, str]:
    """What else is listened for and about as long as a phrase of the house, by token."""
    lengths = sorted(map(len, own))
    book = assistant.understanding.book
    return {
        token(text): text
        for text in (*book.phrases(), *book.decoys, *book.fillers)
        if any(len(text) <= _LONGER * length and length <= _LONGER * len(text) for length in lengths)
    }


def _meanings(assistant: Assistant, text: str) -> frozenset[CommandId]:
    """The commands of a phrase; none for what is no command."""
    book = assistant.understanding.book
    return frozenset(command.id for command in book.commands.get(book.normalise(text), ()))


def _confused(one: CommandId, other: CommandId) -> bool:
    """Whether it matters which of two commands is heard: not of one, nor of two that are never both open."""
    return one is not other and together(one, other)
