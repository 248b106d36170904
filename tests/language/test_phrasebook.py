"""Every phrase in full, and no phrase of one command taken for another."""

from itertools import combinations

import pytest

from mexvoice.language import locale
from mexvoice.language.command import Command, CommandId
from mexvoice.language.phrase import normalise, plain, written
from mexvoice.language.phrasebook import PhraseBook
from mexvoice.language.understanding import Understanding, Understood
from mexvoice.rules import Counting, Dice
from tests.language.states import STATES

CODES = locale.available()
PLAYERS = ("Anna", "Björn", "Жанна", "D'Arcy-Lee")


def book(code: str, players: tuple[str, ...] = PLAYERS) -> PhraseBook:
    return PhraseBook(locale.load(code), players)


@pytest.mark.parametrize("state", ["anything", "anything_with_dice"])
@pytest.mark.parametrize("code", CODES)
def test_no_phrase_is_taken_by_another_command(code: str, state: str) -> None:
    """Each phrase of each command, in the open with all others, is that command and nothing else."""
    hears = Understanding(locale.load(code), PLAYERS)
    phrases = 0
    for text, commands in hears.book.commands.items():
        expected = [command for command in commands if command.id in STATES[state]]
        if expected:
            phrases += 1
            assert hears.hear(text, STATES[state]) == Understood(expected[0]), text
            assert len(expected) == 1
    assert phrases > 200


@pytest.mark.parametrize("code", CODES)
def test_at_least_three_phrases_of_each_command(code: str) -> None:
    phrases = book(code)
    for command_id in CommandId:
        assert len(phrases.phrases({command_id})) >= 3, command_id


@pytest.mark.parametrize("code", CODES)
def test_every_throw_can_be_called(code: str) -> None:
    """All 21 throws, in either order of the dice, and by their value."""
    called = {command.dice for found in book(code).commands.values() for command in found if command.dice}
    assert called == {(high, low) for high in range(1, 7) for low in range(1, high + 1)}
    loaded = locale.load(code)
    hears = Understanding(loaded, PLAYERS)
    digits = loaded.numbers.digits
    for first in range(1, 7):
        for second in range(1, 7):
            dice = (max(first, second), min(first, second))
            for one in digits[first]:
                for other in digits[second]:
                    heard = hears.hear(f"{one} {other}", {CommandId.DICE})
                    assert heard == Understood(Command(CommandId.DICE, dice=dice)), (one, other)
            value = Dice(first, second).value(Counting.MEX)
            for word in loaded.numbers.values.get(value, loaded.numbers.mex):
                heard = hears.hear(word, {CommandId.DICE})
                assert heard == Understood(Command(CommandId.DICE, dice=dice)), word


@pytest.mark.parametrize("code", CODES)
def test_players_are_known_by_name_and_by_seat(code: str) -> None:
    loaded = locale.load(code)
    phrases = book(code)
    texts = phrases.phrases({CommandId.LIVES_OF})
    for seat, player in enumerate(PLAYERS, start=1):
        for template in loaded.phrases[CommandId.LIVES_OF]:
            for word in (player, *loaded.seats[seat]):
                text = template.replace("{player}", word)
                assert written(text) in texts
                assert phrases.commands[phrases.normalise(text)] == (
                    Command(CommandId.LIVES_OF, player=player),
                )
    empty = loaded.seats[len(PLAYERS) + 1][0]
    assert not any(written(empty) in text for text in texts), "a seat nobody sits on"


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("other", CODES)
def test_from_any_language_to_any(code: str, other: str) -> None:
    """By its name here, and by its name there."""
    hears = Understanding(locale.load(code), PLAYERS)
    for word in (locale.load(code).languages[other][0], locale.load(code).languages[other][-1]):
        assert hears.hear(word, {CommandId.LANGUAGE}) == Understood(
            Command(CommandId.LANGUAGE, language=other)
        )


def test_words_for_a_language_the_locale_does_not_know() -> None:
    hears = Understanding(locale.load("en"), PLAYERS, {"it": ["italiano"]})
    assert hears.hear("speak Italiano", {CommandId.LANGUAGE}) == Understood(
        Command(CommandId.LANGUAGE, language="it")
    )


def test_homophones_are_numbers_only_among_dice() -> None:
    hears = Understanding(locale.load("en"), PLAYERS)
    four_two = Understood(Command(CommandId.DICE, dice=(4, 2)))
    assert hears.hear("for to", {CommandId.DICE}) == four_two
    assert hears.hear("forty too", {CommandId.DICE}) == four_two
    everything_else = set(CommandId) - {CommandId.DICE}
    assert not isinstance(hears.hear("for to", everything_else), Understood)
    assert not isinstance(hears.hear("how many lives has player won", everything_else), Understood)
    spoken = hears.book.phrases({CommandId.DICE})
    assert "four two" in spoken
    assert "for to" not in spoken, "a homophone sounds the same: the recogniser need not know it"


@pytest.mark.parametrize("code", CODES)
def test_what_to_listen_for_is_written_as_recognisers_know_it(code: str) -> None:
    phrases = book(code)
    everything = phrases.phrases()
    assert set(everything) == {text for one in CommandId for text in phrases.phrases({one})}
    assert len(everything) == len(set(everything))
    for text in (*everything, *phrases.decoys, *phrases.fillers):
        assert text == written(text) and text
        assert not any(sign.isdigit() for sign in text)


def test_written_and_normalised() -> None:
    assert written("  Lance-toi, d’accord !  ") == "lance toi d'accord"
    assert normalise("D’accord !") == "daccord"
    assert normalise("Straße") == "strasse"
    assert normalise("ещё", {"ё": "е"}) == "еще"
    assert normalise("who_is_losing") == "who is losing"
    assert plain(normalise("Zoë à Çà")) == "zoe a ca"


def test_examples_are_filled() -> None:
    phrases = book("en")
    assert phrases.example(CommandId.THROW) == "throw"
    assert phrases.example(CommandId.LIVES_OF) == "how many lives has Anna"
    assert phrases.example(CommandId.DICE) == "six three"
    assert phrases.example(CommandId.LANGUAGE) != "english", "one changes to another language"
    assert phrases.example(Command(CommandId.DICE, dice=(6, 3))) == "six three"
    assert phrases.example(Command(CommandId.LIVES_OF, player="Björn")) == "how many lives has Björn"
    with pytest.raises(KeyError):
        phrases.example(Command(CommandId.LIVES_OF, player="Kim"))
    with pytest.raises(KeyError):
        PhraseBook(locale.load("en"), ()).example(CommandId.LIVES_OF)


def test_names_that_mean_the_same_are_ambiguous() -> None:
    """A player named like the seat of another, or like another but for the case."""
    hears = Understanding(locale.load("en"), ("Player Two", "Anna", "ANNA"))
    for text, players in (("how many lives has player two", 2), ("how many lives has anna", 2)):
        outcome = hears.hear(text, {CommandId.LIVES_OF})
        assert len(getattr(outcome, "commands", ())) == players


def test_a_name_without_letters_does_no_harm() -> None:
    phrases = PhraseBook(locale.load("en"), ("???", "Ben"))
    assert "how many lives has" not in phrases.commands
    assert phrases.commands["how many lives has player one"][0].player == "???"


@pytest.mark.parametrize("code", CODES)
def test_phrases_of_commands_open_together_differ_when_heard(code: str) -> None:
    """No two commands have phrases that are the same but for accents."""
    phrases = book(code)
    for text, commands in phrases.unaccented.items():
        for one, other in combinations(commands, 2):
            assert {one.id, other.id} == {CommandId.DICE, CommandId.COUNT_MEX}, text
