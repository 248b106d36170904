"""The assistant: what it obeys, what it refuses, what it asks, and what silence means."""

from collections.abc import Iterable

import pytest

from mexvoice.language.command import CommandId
from mexvoice.rules import Dice, Options, Phase
from mexvoice.showing.display import Verdict
from mexvoice.table.assistant import (
    CONFIRM_SECONDS,
    REMIND_SECONDS,
    Assistant,
    DiceMode,
)
from mexvoice.table.cup import Cup
from mexvoice.table.effect import Cut, Effect, Leave, Say, Switch
from mexvoice.table.scoreboard import view_of

PLAYERS = ("Anna", "Ben", "Cleo")


class Table:
    """An assistant with a clock, spoken to in text; its dice are put on top of the cup."""

    def __init__(
        self,
        dice: Iterable[tuple[int, int]] = (),
        language: str = "en",
        mode: DiceMode = DiceMode.MACHINE,
        lives: int = 12,
        max_throws: int = 3,
    ) -> None:
        self.cup = Cup(1)
        for first, second in reversed(list(dice)):
            self.cup.put_back(Dice(first, second))
        options = Options(lives=lives, max_throws=max_throws)
        self.assistant = Assistant(PLAYERS, options, language, self.cup, mode)
        self.now = 0.0
        self._verdict = Verdict.IGNORED
        self.effects: list[Effect] = self.assistant.begin()

    def hear(self, *texts: str) -> list[Effect]:
        for text in texts:
            self.now += 1.0
            outcome = self.assistant.understanding.hear(text, self.assistant.open_commands())
            self._verdict, self.effects = self.assistant.obey(outcome, self.now)
        return self.effects

    def silence(self, seconds: float) -> list[Effect]:
        end, effects = self.now + seconds, []
        while self.now < end:
            self.now += 0.1
            effects += self.assistant.tick(self.now, quiet=True)
        return effects

    def verdict(self) -> Verdict:
        return self._verdict

    def phase(self) -> Phase:
        return self.assistant.match.phase

    @property
    def said(self) -> str:
        return " ".join(effect.text for effect in self.effects if isinstance(effect, Say))


def test_a_match_begins_with_who_plays_and_who_starts() -> None:
    table = Table()
    assert all(name in table.said for name in PLAYERS)
    assert table.assistant.match.turn == "Anna"


@pytest.mark.parametrize(
    ("language", "words"), [("en", "throw"), ("fr", "je lance"), ("de", "würfeln"), ("ru", "бросаю")]
)
def test_a_throw_is_told_with_its_value(language: str, words: str) -> None:
    table = Table([(6, 3)], language)
    table.hear(words)
    assert table.verdict() is Verdict.OBEYED
    assert "63" in table.said


def test_throw_while_the_turn_waits_is_stop_and_the_next_players_throw() -> None:
    table = Table([(3, 1), (5, 4)], max_throws=1)
    table.hear("throw")
    assert table.phase() is Phase.WAITING
    table.hear("throw")
    assert table.verdict() is Verdict.OBEYED
    assert table.assistant.match.throws["Ben"] == (Dice(5, 4),)
    assert "Ben" in table.said or "54" in table.said


def test_undo_gives_the_same_dice_again() -> None:
    table = Table([(6, 3)])
    table.hear("throw", "undo")
    assert table.assistant.match.throws_taken == 0
    table.hear("throw")
    assert "63" in table.said


@pytest.mark.parametrize(
    ("question", "command"), [("abort", "abort"), ("quit", "quit"), ("new match", "new_match")]
)
def test_what_cannot_be_repaired_is_confirmed(question: str, command: str) -> None:
    del command
    table = Table([(3, 1)])
    table.hear("throw", question)
    before = table.assistant.match
    assert table.said.endswith("?")
    assert CommandId.YES in table.assistant.open_commands()
    assert CommandId.THROW not in table.assistant.open_commands()
    table.hear("no")
    assert table.assistant.match is before
    assert table.assistant.match.throws["Anna"] == (Dice(3, 1),)


def test_yes_aborts_the_round() -> None:
    table = Table([(5, 4), (3, 1)])
    table.hear("throw", "stop", "throw", "abort", "yes")
    assert table.assistant.match.lives["Ben"] == 11
    assert "Ben" in table.said


def test_yes_quits() -> None:
    table = Table()
    table.hear("quit", "yes")
    assert Leave() in table.effects


def test_yes_begins_a_new_match() -> None:
    table = Table([(5, 4), (3, 1)])
    table.hear("throw", "stop", "throw", "abort", "yes", "new match", "yes")
    assert table.assistant.match.lives["Ben"] == 12
    assert not table.assistant.match.history


def test_silence_counts_as_no() -> None:
    table = Table()
    table.hear("quit")
    assert not table.silence(CONFIRM_SECONDS - 1)
    assert any(isinstance(effect, Say) for effect in table.silence(2))
    assert CommandId.THROW in table.assistant.open_commands()
    table.hear("yes")
    assert table.verdict() is Verdict.IGNORED


def test_only_quiet_time_counts_as_silence() -> None:
    table = Table()
    table.hear("quit")
    for _ in range(200):
        table.now += 0.1
        assert not table.assistant.tick(table.now, quiet=False)
    assert CommandId.YES in table.assistant.open_commands()


def choosing() -> Table:
    table = Table([(4, 1), (4, 1), (5, 4)], max_throws=1)
    table.hear("throw", "throw", "throw")
    return table


def test_the_choice_is_asked_of_the_last_tied_player_and_asked_again() -> None:
    table = choosing()
    assert table.phase() is Phase.CHOOSING
    assert "Ben" in table.said
    again = table.silence(REMIND_SECONDS + 1)
    assert len(again) == 1
    assert isinstance(again[0], Say)
    assert "Ben" in again[0].text
    assert not table.silence(REMIND_SECONDS)
    assert table.silence(REMIND_SECONDS + 1)
    table.hear("pips")
    assert table.phase() is Phase.EXTRA
    assert not table.silence(100)


def test_mex_chooses_the_counting_only_where_a_choice_is_open() -> None:
    table = choosing()
    table.hear("mex")
    assert table.verdict() is Verdict.OBEYED
    assert table.phase() is Phase.EXTRA


def test_not_open_is_answered_once_for_the_same_noise() -> None:
    table = Table()
    table.hear("stop")
    assert table.verdict() is Verdict.NOT_OPEN
    assert table.said
    table.hear("stop")
    assert table.verdict() is Verdict.NOT_OPEN
    assert not table.effects
    table.hear("throw", "stop")
    assert table.verdict() is Verdict.OBEYED


@pytest.mark.parametrize("talk", ["we should not stop the music", "yes", "who wants another beer"])
def test_table_talk_gets_no_answer(talk: str) -> None:
    table = Table()
    table.hear(talk)
    assert table.verdict() is Verdict.IGNORED
    assert not table.effects


def test_pause_hears_nothing_but_resume_and_quit() -> None:
    table = Table()
    table.hear("pause", "throw")
    assert table.verdict() is not Verdict.OBEYED
    assert not table.assistant.match.history
    table.hear("resume", "throw")
    assert table.assistant.match.history


def test_real_dice_are_said() -> None:
    table = Table(mode=DiceMode.SPOKEN, max_throws=1)
    table.hear("six three")
    assert table.assistant.match.throws["Anna"][-1] == Dice(6, 3)
    table.hear("double four")
    assert table.assistant.match.throws["Ben"][-1] == Dice(4, 4)
    assert table.phase() is Phase.WAITING


def test_dice_are_not_called_to_the_machines_dice() -> None:
    table = Table()
    table.hear("six three")
    assert not table.assistant.match.history


def test_answers_about_the_score() -> None:
    table = Table([(5, 4), (3, 1)])
    table.hear("throw", "stop", "throw", "abort", "yes")
    table.hear("how many lives has Ben")
    assert "eleven" in table.said.lower()
    table.hear("scores")
    assert all(name in table.said for name in PLAYERS)
    table.hear("whose turn is it")
    assert "Ben" in table.said


def test_repeat_says_the_last_announcement_again() -> None:
    table = Table([(6, 3)])
    table.hear("throw")
    first = table.said
    table.hear("repeat")
    assert table.said == first


def test_skip_cuts_the_announcer() -> None:
    table = Table()
    assert Cut() in table.hear("skip")


def test_the_language_changes_and_the_match_goes_on() -> None:
    table = Table([(6, 3)])
    table.hear("throw", "in French")
    assert Switch("fr") in table.effects
    table.hear("arrête")
    assert table.assistant.match.turn == "Ben"


def test_the_view_shows_the_table() -> None:
    table = Table([(2, 1)])
    table.hear("throw")
    view = view_of(table.assistant)
    assert view.dice == (2, 1)
    assert view.stake == 2
    assert view.seats[0].throws == ("Mex",)
    assert [seat.name for seat in view.seats] == list(PLAYERS)
    assert any(seat.on_turn and seat.name == "Ben" for seat in view.seats)


def test_a_whole_match_is_won_and_told() -> None:
    table = Table(lives=1)
    for _ in range(200):
        if table.assistant.match.winner:
            break
        table.hear("pips" if table.phase() is Phase.CHOOSING else "throw")
    winner = table.assistant.match.winner
    assert winner is not None
    assert winner in table.said
    assert "throw" not in table.assistant.can_say()
    table.hear("undo")
    assert table.assistant.match.winner is None
