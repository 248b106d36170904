"""The chronicle: a match that is resumed is the match that was played, whatever happened to the record."""

import errno
import os
import random
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mexvoice.errors import MexvoiceError
from mexvoice.ledger.entry import Entry
from mexvoice.ledger.failure import InUse
from mexvoice.ledger.ledger import FILE, Ledger
from mexvoice.rules import Options, Penalty
from mexvoice.table.assistant import DiceMode
from mexvoice.table.chronicle import Chronicle
from mexvoice.table.cup import Cup
from tests.ledger.evening import Evening, cut, same

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""A folder in memory, where there is one: many small matches need no disk to be proven equal."""

WORDS = ("throw", "stop", "abort", "undo", "count_mex", "count_pips", "new_match")
moves = st.lists(
    st.one_of(st.just("throw"), st.sampled_from(WORDS), st.just("undo"), st.just("cut")), max_size=60
)


@settings(max_examples=60)
@given(
    moves=moves,
    players=st.integers(2, 5),
    options=st.builds(
        Options, lives=st.integers(1, 3), max_throws=st.integers(1, 3), penalty=st.sampled_from(Penalty)
    ),
    seed=st.integers(0, 2**80),
    language=st.sampled_from(["fr", "de", "ru", "en"]),
    spoken=st.booleans(),
    dice=st.randoms(use_true_random=False),
)
def test_whatever_was_played_goes_on_as_it_was(
    moves: list[str],
    players: int,
    options: Options,
    seed: int,
    language: str,
    spoken: bool,
    dice: random.Random,
) -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        evening = Evening(
            Path(folder, "0"),
            tuple(f"Player {seat}" for seat in range(players)),
            options,
            language,
            seed,
            DiceMode.SPOKEN if spoken else DiceMode.MACHINE,
        )
        for number, move in enumerate([*moves, "cut"], start=1):
            if move == "cut":
                resumed = cut(evening, Path(folder, f"{number}"))
                same(resumed, evening)
                assert resumed.assistant.locale.code == language
                evening.chronicle.close()
                evening = resumed
            elif move in evening.assistant.open_commands():
                if move == "throw" and spoken:
                    move = f"{dice.randint(1, 6)}{dice.randint(1, 6)}"
                evening.do(move)
        assert evening.told == []
        evening.chronicle.close()


def test_a_throw_taken_back_before_the_cut_comes_again(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a")
    (first, second) = evening.dice_to_come(2)
    evening.do("throw", "undo")
    resumed = cut(evening, tmp_path / "b")
    assert resumed.dice_to_come(2) == [first, second]
    resumed.do("throw")
    assert resumed.assistant.match.history[-1].dice == first  # type: ignore[union-attr]


def test_the_second_match_of_an_evening_has_the_dice_after_the_first(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a", options=Options(max_throws=1))
    dice = evening.dice_to_come(3)
    evening.do("throw", "throw", "undo", "new_match")
    assert evening.dice_to_come(2) == dice[1:]
    resumed = cut(evening, tmp_path / "b")
    assert resumed.assistant.match.history == ()
    assert resumed.dice_to_come(2) == dice[1:]


def test_the_language_spoken_last_is_resumed(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a")
    evening.chronicle.speak("ru")
    assert cut(evening, tmp_path / "b").assistant.locale.code == "ru"


def test_a_match_that_is_over_is_resumed_as_over_and_its_end_can_be_taken_back(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a", options=Options(lives=1, max_throws=1))
    while evening.assistant.match.winner is None:
        evening.do("throw" if "throw" in evening.assistant.open_commands() else "count_mex")
    ledger = Ledger.read(tmp_path / "a")
    assert ledger is not None and ledger.entry(1).ended is not None
    resumed = cut(evening, tmp_path / "b")
    assert resumed.assistant.match.winner == evening.assistant.match.winner
    resumed.do("undo")
    ledger = Ledger.read(tmp_path / "b")
    assert ledger is not None and ledger.entry(1).ended is None


def test_the_match_resumed_last_is_resumed_again_rather_than_the_newest(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.do("throw", "new_match", "throw")
    evening.chronicle.close()
    evening = Evening(tmp_path, begin=False, resume=1)
    evening.do("undo")
    evening.chronicle.close()
    chronicle = Chronicle(tmp_path, print)
    assert chronicle.resume().match.history == ()


def test_a_match_without_an_action_is_not_left_on_record(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.do("throw")
    evening.chronicle.close()
    evening = Evening(tmp_path, players=("Someone", "Else"))
    evening.chronicle.close()
    assert Chronicle(tmp_path, print).resume().match.players == ("Anna", "Ben")


def test_nothing_to_resume_is_said(tmp_path: Path) -> None:
    with pytest.raises(MexvoiceError, match="No match to go on with is on record in"):
        Chronicle(tmp_path, print).resume()


def test_a_number_that_no_match_has_is_said(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.do("throw")
    evening.chronicle.close()
    chronicle = Chronicle(tmp_path, print)
    for number in (2, 0, -1, 2**70):
        with pytest.raises(MexvoiceError, match=f"There is no match {number} in"):
            chronicle.resume(number)


def test_an_imported_match_goes_on_with_new_dice_and_then_with_the_same(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "a", print) as ledger:
        ledger.keep([Entry.from_lines(['{"players": ["Anna", "Ben"]}', '{"throw": [6, 3]}'])])
    evening = Evening(tmp_path / "a", begin=False, resume=1)
    assert evening.told == []
    evening.do("throw", "undo", "undo")
    assert [(dice.first, dice.second) for dice in evening.dice_to_come(1)] == [(6, 3)]
    evening.do("throw", "throw")
    resumed = cut(evening, tmp_path / "b")
    same(resumed, evening)
    assert resumed.told == []
    assert resumed.assistant.locale.code == "en"


def test_dice_that_the_seed_does_not_give_are_said_and_new_ones_come(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.do("throw", "throw")
    evening.chronicle.close()
    connection = sqlite3.connect(tmp_path / FILE)
    with connection:
        connection.execute("UPDATE match SET seed = '8'")
    connection.close()
    told: list[str] = []
    chronicle = Chronicle(tmp_path, lambda trouble: told.append(str(trouble)))
    kept = chronicle.resume()
    assert kept.match.history == evening.assistant.match.history
    assert told == ["The dice of match 1 are not those of its seed: new ones come now."]
    chronicle.close()
    # From there on the new ones are those on record.
    again = Chronicle(tmp_path, lambda trouble: told.append(str(trouble))).resume()
    assert len(told) == 1
    assert [again.cup.throw() for _ in range(9)] == [kept.cup.throw() for _ in range(9)]


# Two at once


def test_the_second_one_at_the_record_is_refused_and_can_play_elsewhere(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a")
    with pytest.raises(InUse, match=r"Another mexvoice keeps its match in .*matches\.db: end that one first"):
        Chronicle(tmp_path / "a", print)
    evening.do("throw")
    same(cut(evening, tmp_path / "b"), evening)
    evening.chronicle.close()
    Chronicle(tmp_path / "a", print).close()


def test_every_refusal_tells_how_to_play_without_a_record(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(MexvoiceError, match=r"--data, or play without a record with --unkept\.$"):
        Chronicle(tmp_path, print)


def test_what_is_done_after_the_end_is_not_kept_and_hurts_nobody(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.do("throw")
    evening.chronicle.close()
    evening.chronicle.close()
    evening.do("throw", "undo", "new_match")
    evening.chronicle.speak("fr")
    assert evening.told == []
    kept = on_record(tmp_path)
    assert (kept.number, len(kept.actions), kept.language) == (1, 1, "en")


# Keeping fails while a match is played


def fail(evening: Evening, *names: str) -> None:
    """What is done must be kept in the refuge, and nothing must stop."""
    evening.do(*names)
    assert len(evening.told) == 1
    assert "The match goes on" in evening.told[0]


def refuge_of(evening: Evening) -> Path:
    sentence = evening.told[0]
    return Path(sentence[sentence.index("kept in ") + 8 : sentence.index(" until then")])


def on_record(data: Path) -> Entry:
    ledger = Ledger.read(data)
    assert ledger is not None
    with ledger:
        entry = ledger.last()
    assert entry is not None
    return entry


def test_a_folder_that_goes_away_is_made_again_with_all_of_the_match(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a")
    evening.do("throw", "throw")
    shutil.rmtree(tmp_path / "a")
    evening.do("throw", "undo", "stop")
    (sentence,) = evening.told
    assert "was moved or deleted while it was in use. A new one is begun, and all of this match" in sentence
    same(cut(evening, tmp_path / "b"), evening)


def test_a_folder_replaced_by_a_file_is_said_once_and_the_match_is_kept_elsewhere(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a")
    evening.do("throw")
    shutil.rmtree(tmp_path / "a")
    (tmp_path / "a").write_text("in the way")
    fail(evening, "throw", "undo", "undo")
    refuge = refuge_of(evening)
    assert on_record(refuge).actions == evening_actions(evening)
    (tmp_path / "a").unlink()
    evening.do("throw")
    assert evening.told[1:] == ["The match is on record again, nothing of it is missing."]
    assert not refuge.exists()
    same(cut(evening, tmp_path / "b"), evening)
    assert on_record(tmp_path / "a").number == 1


def evening_actions(evening: Evening) -> list[object]:
    return list(evening.chronicle._entry.actions)  # type: ignore[union-attr]


def test_a_match_that_ends_while_nothing_can_be_kept_says_where_it_is(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a")
    evening.do("throw")
    shutil.rmtree(tmp_path / "a")
    (tmp_path / "a").write_text("in the way")
    fail(evening, "throw")
    refuge = refuge_of(evening)
    evening.chronicle.close()
    assert evening.told[-1].startswith(
        f"The match is not on record, but in {refuge}: go on with mexvoice resume"
    )
    resumed = Evening(refuge, begin=False)
    same(resumed, evening)
    resumed.chronicle.close()
    shutil.rmtree(refuge)


def test_with_no_room_anywhere_the_match_goes_on_and_is_whole_when_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening = Evening(tmp_path / "a")
    evening.do("throw")
    shutil.rmtree(tmp_path / "a")
    (tmp_path / "a").write_text("in the way")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    evening.do("throw", "undo", "new_match", "throw")
    assert [sentence[-34:] for sentence in evening.told] == ["and it is kept nowhere until then."]
    (tmp_path / "a").unlink()
    evening.do("throw")
    assert evening.told[1:] == ["The match is on record again, nothing of it is missing."]
    same(cut(evening, tmp_path / "b"), evening)
    ledger = Ledger.read(tmp_path / "a")
    assert ledger is not None
    assert [len(ledger.entry(number).actions) for number in ledger.numbers()] == [3, 2]


def test_a_record_that_is_damaged_in_mid_match_is_set_aside_and_nothing_is_missing(tmp_path: Path) -> None:
    evening = Evening(tmp_path / "a")
    evening.do("throw", "undo", "throw")
    path = tmp_path / "a" / FILE
    with path.open("r+b") as file:
        file.write(b"\0" * path.stat().st_size)
    evening.do("throw", "undo")
    assert "is set aside as" in evening.told[0]
    assert evening.told[-1].endswith("A new one is begun, and all of this match is in it.")
    assert len(list((tmp_path / "a").glob("matches-damaged-*.db"))) == 1
    same(cut(evening, tmp_path / "b"), evening)


def test_cup_of_a_spoken_match_is_a_new_one(tmp_path: Path) -> None:
    evening = Evening(tmp_path, dice=DiceMode.SPOKEN)
    evening.do("63")
    evening.chronicle.close()
    kept = Chronicle(tmp_path, print).resume()
    assert kept.dice is DiceMode.SPOKEN
    assert isinstance(kept.cup, Cup)


# A full disk


def test_a_full_disk_is_said_once_and_the_match_is_kept_elsewhere_until_there_is_room(
    tmp_path: Path, small_disk: Path
) -> None:
    evening = Evening(small_disk / "a")
    evening.do("throw")
    ballast = small_disk / "ballast"
    fill(ballast)
    while not evening.told:
        evening.do("throw", "undo")
        assert len(evening_actions(evening)) < 5000
    assert evening.told[0].startswith(f"The disk is full, the record {small_disk / 'a' / FILE} cannot grow")
    refuge = refuge_of(evening)
    evening.do("throw")
    assert on_record(refuge).actions == evening_actions(evening)
    kept = on_record(small_disk / "a").actions
    assert kept == evening_actions(evening)[: len(kept)]
    ballast.unlink()
    evening.do("throw", "undo")
    assert evening.told[1:] == ["The match is on record again, nothing of it is missing."]
    same(cut(evening, tmp_path / "b"), evening)


def test_a_disk_that_is_full_from_the_start_is_said(small_disk: Path) -> None:
    fill(small_disk / "ballast")
    with pytest.raises(MexvoiceError, match=r"The disk is full, the record .* cannot grow: make room"):
        Chronicle(small_disk / "a", print)


def fill(ballast: Path) -> None:
    """Write until there is no room for a byte."""
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError as error:
            assert error.errno == errno.ENOSPC
