"""Events of the rules to sentences: which of them are worth a sentence, and which wording it takes."""

from collections.abc import Iterable
from functools import singledispatchmethod

from mexvoice.language.wording import Wording
from mexvoice.rules import ActionKind, Counting, event


class Narration:
    """Tells a batch of events, the result of one action, as short sentences.

    What the table knows already is left out: the starter's turn after "Ben starts", the end of a turn
    right after its last throw, points that change every round (they are on the screen and in the
    answer to "scores").

    Args:
        wording: the wording of the language spoken now.
        max_throws: throws a starter may take; a limit below it is told.
    """

    def __init__(self, wording: Wording, max_throws: int) -> None:
        self._wording = wording
        self._max_throws = max_throws
        self._batch: tuple[event.Event, ...] = ()

    def tell(self, events: Iterable[event.Event]) -> list[str]:
        """The sentences for the events of one action, in their order."""
        self._batch = tuple(events)
        sentences: list[str] = []
        for happened in self._batch:
            sentences.extend(self._sentences(happened))
        return sentences

    def _has(self, *kinds: type[event.Event]) -> bool:
        return any(isinstance(happened, kinds) for happened in self._batch)

    @singledispatchmethod
    def _sentences(self, happened: event.Event) -> list[str]:
        raise NotImplementedError(f"no narration for {type(happened).__name__}")

    @_sentences.register
    def _(self, happened: event.MatchStarted) -> list[str]:
        return [self._wording.say("match_started", players=happened.players, lives=happened.lives)]

    @_sentences.register
    def _(self, happened: event.RoundStarted) -> list[str]:
        return [self._wording.say("round_started", number=happened.number, starter=happened.starter)]

    @_sentences.register
    def _(self, happened: event.TurnStarted) -> list[str]:
        if self._has(event.RoundStarted):
            return []
        key = "turn_started_extra" if happened.extra else "turn_started"
        return [self._wording.say(key, player=happened.player, throws=happened.throws)]

    @_sentences.register
    def _(self, happened: event.DiceThrown) -> list[str]:
        if happened.mex and happened.counting is Counting.MEX:
            key = "dice_thrown_mex"
        elif happened.counting is Counting.PIPS:
            key = "dice_thrown_pips"
        elif happened.extra:
            key = "dice_thrown_extra"
        else:
            key = "dice_thrown"
        sentences = [self._wording.say(key, player=happened.player, value=happened.value)]
        if happened.throws_left and not happened.mex and not happened.extra:
            sentences.append(self._wording.say("throws_left_after", throws=happened.throws_left))
        return sentences

    @_sentences.register
    def _(self, happened: event.StakeRaised) -> list[str]:
        return [self._wording.say("stake_raised", mexes=happened.mexes, stake=happened.stake)]

    @_sentences.register
    def _(self, happened: event.TurnWaiting) -> list[str]:
        return [self._wording.say("turn_waiting", player=happened.player)]

    @_sentences.register
    def _(self, happened: event.TurnEnded) -> list[str]:
        if self._has(event.DiceThrown, event.RoundAborted):
            return []
        return [
            self._wording.say(
                "turn_ended", player=happened.player, value=happened.value, throws=happened.throws
            )
        ]

    @_sentences.register
    def _(self, happened: event.LimitSet) -> list[str]:
        if happened.throws == self._max_throws or self._has(event.RoundLost):
            return []
        return [self._wording.say("limit_set", player=happened.player, throws=happened.throws)]

    @_sentences.register
    def _(self, happened: event.RoundAborted) -> list[str]:
        key = "round_aborted_lowered" if happened.lowered else "round_aborted"
        return [self._wording.say(key, player=happened.player, value=happened.value)]

    @_sentences.register
    def _(self, happened: event.ExtraRoundStarted) -> list[str]:
        return [
            self._wording.say("extra_round_started", players=happened.players, value=happened.value),
            self._wording.say("choose_counting", player=happened.chooser),
        ]

    @_sentences.register
    def _(self, happened: event.CountingChosen) -> list[str]:
        return [self._wording.say(f"counting_chosen_{happened.counting.value}", player=happened.player)]

    @_sentences.register
    def _(self, happened: event.RoundLost) -> list[str]:
        key = "round_lost_pips" if happened.counting is Counting.PIPS else "round_lost"
        return [self._wording.say(key, player=happened.player, value=happened.value, stake=happened.stake)]

    @_sentences.register
    def _(self, happened: event.LivesLost) -> list[str]:
        return [
            self._wording.say("lives_lost", player=happened.player, lost=happened.lost, left=happened.left)
        ]

    @_sentences.register
    def _(self, happened: event.PlayerOut) -> list[str]:
        return [self._wording.say("player_out", player=happened.player)]

    @_sentences.register
    def _(self, _: event.PointsChanged) -> list[str]:
        return []

    @_sentences.register
    def _(self, happened: event.MatchWon) -> list[str]:
        return [self._wording.say("match_won", player=happened.player, points=happened.points)]

    @_sentences.register
    def _(self, happened: event.Undone) -> list[str]:
        counted = happened.action in (ActionKind.PIPS, ActionKind.MEX)
        kind = "count" if counted else happened.action.value
        return [self._wording.say(f"undone_{kind}", player=happened.player)]
