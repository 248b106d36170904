"""The understanding rejects rather than guesses, whatever comes in."""

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mexvoice.language import locale
from mexvoice.language.command import SERIOUS, Command, CommandId
from mexvoice.language.understanding import (
    Ambiguous,
    NotOpen,
    NotUnderstood,
    Outcome,
    Understanding,
    Understood,
)
from tests.language.states import STATES

SHIPPED = locale.available()
PLAYERS = ("Anna", "Ben", "Cleo")
CONFIRMING = STATES["confirming"]
ANYTHING = STATES["anything"]

codes = st.sampled_from(SHIPPED)
states = st.sampled_from(sorted(STATES))


@cache
def understanding(code: str, players: tuple[str, ...] = PLAYERS) -> Understanding:
    return Understanding(locale.load(code), players)


def hear(text: str, state: str = "anything", code: str = "en", players: tuple[str, ...] = PLAYERS) -> Outcome:
    return understanding(code, players).hear(text, STATES[state])


@given(code=codes, state=states, text=st.text(max_size=200))
def test_never_raises(code: str, state: str, text: str) -> None:
    outcome = hear(text, state, code)
    if isinstance(outcome, Understood):
        assert outcome.command.id in STATES[state]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(code=codes, state=states, data=st.data())
def test_never_raises_on_words_of_its_own(code: str, state: str, data: st.DataObject) -> None:
    """Texts put together from the words of the phrases, in any order."""
    words = sorted({word for text in understanding(code).book.phrases() for word in text.split()})
    text = " ".join(data.draw(st.lists(st.sampled_from(words), max_size=8)))
    match hear(text, state, code):
        case Understood(command):
            assert command.id in STATES[state]
        case NotOpen(command):
            assert command.id not in STATES[state] | {CommandId.YES, CommandId.NO}
        case Ambiguous(commands):
            assert len(set(commands)) > 1
            assert all(command.id in STATES[state] for command in commands)
        case NotUnderstood(heard, _):
            assert heard == text


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(code=codes, answer=st.sampled_from([CommandId.YES, CommandId.NO]), data=st.data())
def test_yes_never_becomes_no(code: str, answer: CommandId, data: st.DataObject) -> None:
    """Nor no yes: not among fillers, not with wrong letters, not cut short."""
    book = understanding(code).book
    phrase = data.draw(st.sampled_from(book.phrases({answer})))
    fillers = st.lists(st.sampled_from(book.fillers), max_size=2)
    text = " ".join([*data.draw(fillers), phrase, *data.draw(fillers)])
    letters = list(text)
    for _ in range(data.draw(st.integers(0, 2))):
        place = data.draw(st.integers(0, len(letters) - 1))
        letters[place] = data.draw(st.sampled_from(["", " ", *"abdeijknosyаденоят"]))
    spoilt = "".join(letters)
    match hear(spoilt, "confirming", code):
        case Understood(command) if command.id in (CommandId.YES, CommandId.NO) and command.id is not answer:
            # Only when the spoilt text is the other answer, word for word.
            other = {book.normalise(known) for known in book.phrases({command.id})}
            heard = book.normalise(spoilt)
            assert any(heard == known or f" {known} " in f" {heard} " for known in other)
            assert spoilt != text
        case _:
            pass


@pytest.mark.parametrize("code", SHIPPED)
def test_answers_count_only_exactly(code: str) -> None:
    book = understanding(code).book
    answers = book.phrases({CommandId.YES, CommandId.NO})
    for phrase in answers:
        for spoilt in (phrase + "x", "x" + phrase, phrase + " x", phrase[:-1] + "x"):
            assert not isinstance(hear(spoilt, "confirming", code), Understood), spoilt
        outcome = hear(phrase, "thrown", code)  # nothing was asked
        assert not isinstance(outcome, NotOpen | Ambiguous)
        assert not isinstance(outcome, Understood) or outcome.command.id in SERIOUS, "ja, abbrechen"


@pytest.mark.parametrize("code", SHIPPED)
def test_both_answers_at_once_are_none(code: str) -> None:
    book = understanding(code).book
    yes, no = book.phrases({CommandId.YES})[0], book.phrases({CommandId.NO})[0]
    for text in (f"{yes} {no}", f"{no} {yes}", f"{yes} {no} {yes}"):
        assert isinstance(hear(text, "confirming", code), NotUnderstood)


@pytest.mark.parametrize("code", SHIPPED)
def test_decoys_are_never_obeyed(code: str) -> None:
    for decoy in understanding(code).book.decoys:
        for state in ("anything", "anything_with_dice"):
            assert hear(decoy, state, code) == NotUnderstood(decoy, near=False), decoy


@pytest.mark.parametrize("code", SHIPPED)
def test_a_word_more_is_another_meaning(code: str) -> None:
    """Every long phrase with a foreign word anywhere in it is no command."""
    for text in understanding(code).book.phrases(set(CommandId) - {CommandId.DICE}):
        words = text.split()
        for place in range(len(words) + 1):
            changed = " ".join([*words[:place], "wombat", *words[place:]])
            assert isinstance(hear(changed, "anything", code), NotUnderstood), changed


@pytest.mark.parametrize("code", SHIPPED)
def test_what_cannot_be_taken_back_counts_only_exactly(code: str) -> None:
    book = understanding(code).book
    for phrase in book.phrases(SERIOUS):
        for place in range(len(phrase)):
            spoilt = f"{phrase[:place]}ω{phrase[place + 1 :]}"
            outcome = hear(spoilt, "anything", code)
            assert not (isinstance(outcome, Understood) and outcome.command.id in SERIOUS), spoilt


@pytest.mark.parametrize("code", SHIPPED)
def test_one_wrong_letter_never_makes_another_throw(code: str) -> None:
    """Dice: one letter wrong, missing or double is the same throw, nothing, or a question; never another."""
    hears = understanding(code)
    values = [word for words in locale.load(code).numbers.values.values() for word in words]
    for word in values:
        (command,) = hears.book.commands[hears.book.normalise(word)]
        for place in range(len(word)):
            for spoilt in (word[:place] + word[place + 1 :], f"{word[:place]}w{word[place + 1 :]}"):
                outcome = hears.hear(spoilt, {CommandId.DICE})
                assert (
                    not isinstance(outcome, Understood)
                    or outcome.command == command
                    or (hears.book.normalise(spoilt) in hears.book.commands)
                ), spoilt


def test_near_is_answered_and_talk_is_not() -> None:
    assert hear("throw the bricks") == NotUnderstood("throw the bricks", near=True)
    assert hear("how many lives has Hannibal") == NotUnderstood("how many lives has Hannibal", near=True)
    for text in ("", "   ", "?!", "we should not stop the music", "it rained all day", "yes I said so"):
        assert hear(text) == NotUnderstood(text, near=False)


def test_too_long_a_text_is_no_command() -> None:
    assert hear("uh " * 5 + "throw") == Understood(Command(CommandId.THROW))
    assert isinstance(hear("uh " * 500 + "throw"), NotUnderstood)


def test_names_alike_are_a_question() -> None:
    players = ("Marie", "Maria", "Tom")
    assert hear("how many lives has Maria", players=players) == Understood(
        Command(CommandId.LIVES_OF, player="Maria")
    )
    outcome = hear("how many lives has Marii", players=players)
    assert isinstance(outcome, Ambiguous)
    assert {command.player for command in outcome.commands} == {"Marie", "Maria"}


def test_closed_commands_are_named() -> None:
    assert hear("stop", "before_throw") == NotOpen(Command(CommandId.STOP))
    assert hear("uh, how many throws have i gott", "paused") == NotOpen(Command(CommandId.THROWS_LEFT))
    assert hear("throw the dice", "confirming") == NotOpen(Command(CommandId.THROW))


def test_mex_is_what_is_open() -> None:
    assert hear("mex", "choosing") == Understood(Command(CommandId.COUNT_MEX))
    assert hear("mex", "spoken_dice") == Understood(Command(CommandId.DICE, dice=(2, 1)))
    assert isinstance(hear("mex", "thrown"), NotOpen)


@pytest.mark.parametrize(
    "text",
    [
        "Throw",
        "THROW!",
        " throw. ",
        "…throw…",
        "Ｔｈｒｏｗ".lower(),
        "throw\n",
        "t\u0068row",
        "throw_the_dice",
    ],
)
def test_case_and_signs_do_not_matter(text: str) -> None:
    expected = Understood(Command(CommandId.THROW))
    if text.isascii() or "…" in text:
        assert hear(text) == expected
    else:
        assert isinstance(hear(text), NotUnderstood)
