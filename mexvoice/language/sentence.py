"""The sentences the assistant can say: their keys, their fields, their templates."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from string import Formatter


class Kind(StrEnum):
    """How a field of a sentence is written."""

    NAME = "name"
    """A player's name, as typed."""
    NAMES = "names"
    """Several names, joined as the language joins a list."""
    NUMBER = "number"
    """A number: digits, or with a noun (``{left:life}``) counted in words."""
    VALUE = "value"
    """What a throw is worth: digits or the word for Mex; with a noun (``{value:pip}``) counted in words."""
    TEXT = "text"
    """Any other text, inserted as it is."""
    TEXTS = "texts"
    """Several texts, separated by commas."""


NAME, NAMES, NUMBER, VALUE, TEXT, TEXTS = Kind

EVENTS: dict[str, dict[str, Kind]] = {
    "match_started": {"players": NAMES, "lives": NUMBER},
    "round_started": {"number": NUMBER, "starter": NAME},
    "turn_started": {"player": NAME, "throws": NUMBER},
    "turn_started_extra": {"player": NAME, "throws": NUMBER},
    "dice_thrown": {"player": NAME, "value": VALUE},
    "dice_thrown_mex": {"player": NAME},
    "dice_thrown_pips": {"player": NAME, "value": VALUE},
    "dice_thrown_extra": {"player": NAME, "value": VALUE},
    "throws_left_after": {"throws": NUMBER},
    "stake_raised": {"mexes": NUMBER, "stake": NUMBER},
    "turn_waiting": {"player": NAME},
    "turn_ended": {"player": NAME, "value": VALUE, "throws": NUMBER},
    "limit_set": {"player": NAME, "throws": NUMBER},
    "round_aborted": {"player": NAME, "value": VALUE},
    "round_aborted_lowered": {"player": NAME, "value": VALUE},
    "extra_round_started": {"players": NAMES, "value": VALUE},
    "counting_chosen_mex": {"player": NAME},
    "counting_chosen_pips": {"player": NAME},
    "round_lost": {"player": NAME, "value": VALUE, "stake": NUMBER},
    "round_lost_pips": {"player": NAME, "value": VALUE, "stake": NUMBER},
    "lives_lost": {"player": NAME, "lost": NUMBER, "left": NUMBER},
    "player_out": {"player": NAME},
    "points_changed": {"player": NAME, "change": NUMBER, "points": NUMBER},
    "match_won": {"player": NAME, "points": NUMBER},
    "undone_throw": {"player": NAME},
    "undone_stop": {"player": NAME},
    "undone_abort": {"player": NAME},
    "undone_count": {"player": NAME},
}
"""Sentences for what happens in a match, with the fields their templates may use.

A key is the name of an event of the rules, with a suffix where a sentence changes with circumstance.
"""

ANSWERS: dict[str, dict[str, Kind]] = {
    "scores_intro": {},
    "scores_entry": {"player": NAME, "lives": NUMBER, "points": NUMBER},
    "lives_of": {"player": NAME, "left": NUMBER},
    "lives_of_out": {"player": NAME},
    "whose_turn": {"player": NAME},
    "lowest": {"players": NAMES, "value": VALUE},
    "lowest_none": {},
    "throws_left": {"player": NAME, "throws": NUMBER},
    "throws_left_none": {"player": NAME},
    "choose_counting": {"player": NAME},
    "choose_counting_again": {"player": NAME},
    "help": {"phrases": TEXTS},
    "paused": {},
    "resumed": {},
    "confirm_abort": {"player": NAME},
    "confirm_new_match": {},
    "confirm_quit": {},
    "declined": {},
    "not_understood": {},
    "not_open": {"phrase": TEXT},
    "ambiguous": {"first": TEXT, "second": TEXT},
    "nothing_to_undo": {},
    "nothing_to_repeat": {},
    "goodbye": {},
    "language_changed": {},
    "call_dice": {"player": NAME},
    "match_over_hint": {},
    "no_microphone": {},
    "microphone_back": {},
    "no_speaker": {},
    "seat_hint": {"player": NAME, "seat": TEXT},
    "final_points": {"player": NAME, "points": NUMBER},
    "typed_hint": {},
    "call_hint": {"call": TEXT, "phrase": TEXT},
}
"""Sentences that answer a command or ask for one, with the fields their templates may use."""

NOTICES: dict[str, dict[str, Kind]] = {
    "no_voice": {},
    "sound_lost": {"blocks": NUMBER},
    "phrases_lost": {"number": NUMBER, "phrases": TEXTS},
    "house_phrase_alike": {"phrase": TEXT, "others": TEXTS},
    "portaudio_missing": {},
    "microphone_missing": {},
    "microphone_unchosen": {"devices": TEXTS},
    "microphone_unknown": {"device": TEXT, "devices": TEXTS},
    "microphone_busy": {"device": TEXT, "reason": TEXT},
    "microphone_silent": {"device": TEXT},
    "speaker_missing": {},
    "speaker_silent": {},
    "speech_missing": {},
    "speech_fails": {"reason": TEXT},
    "record_full": {"file": TEXT},
    "record_forbidden": {"file": TEXT},
    "record_in_use": {"file": TEXT},
    "record_lost": {"file": TEXT},
    "record_damaged": {"file": TEXT, "reason": TEXT},
    "record_fails": {"file": TEXT, "reason": TEXT},
    "record_set_aside": {"file": TEXT},
    "record_rescued": {"number": TEXT},
    "record_renewed": {},
    "record_sheltered": {"folder": TEXT},
    "record_waits": {},
    "record_back": {},
    "record_elsewhere": {"folder": TEXT},
    "record_missing": {},
    "record_other_dice": {"number": TEXT},
    "demo_over": {"spoken": NUMBER, "heard": NUMBER, "missed": NUMBER},
    "recorded": {"seconds": NUMBER, "file": TEXT},
}
"""Sentences that are only written, with the fields their templates may use."""

DOCTOR: dict[str, dict[str, Kind]] = {
    "doctor_begins": {},
    "doctor_well": {"command": TEXT},
    "doctor_ill": {"command": TEXT},
    "doctor_no_portaudio": {"command": TEXT},
    "doctor_no_microphone": {"command": TEXT},
    "doctor_microphone_fails": {"reason": TEXT, "devices": TEXTS, "command": TEXT},
    "doctor_microphone_dead": {"device": TEXT, "command": TEXT},
    "doctor_microphone_mute": {"device": TEXT, "devices": TEXTS},
    "doctor_microphone_good": {"device": TEXT, "level": TEXT},
    "doctor_say_word": {"phrase": TEXT},
    "doctor_word_heard": {"phrase": TEXT},
    "doctor_word_missed": {"seconds": NUMBER, "command": TEXT},
    "doctor_word_wrong": {"heard": TEXT, "phrase": TEXT, "command": TEXT},
    "doctor_word_skipped": {"command": TEXT},
    "doctor_speaker_good": {"device": TEXT},
    "doctor_no_speaker": {"command": TEXT},
    "doctor_speaker_fails": {"command": TEXT},
    "doctor_voice_good": {"voice": TEXT},
    "doctor_voice_missing": {"command": TEXT},
    "doctor_model_good": {},
    "doctor_model_installed": {"model": TEXT},
    "doctor_model_loads": {},
    "doctor_model_untried": {},
    "doctor_model_mute": {"command": TEXT},
    "doctor_model_broken": {"command": TEXT},
    "doctor_data_good": {"folder": TEXT, "free": NUMBER, "number": NUMBER},
    "doctor_data_fails": {"folder": TEXT, "reason": TEXT, "command": TEXT},
    "doctor_data_full": {"folder": TEXT, "free": NUMBER, "command": TEXT},
    "doctor_record_fails": {"folder": TEXT, "reason": TEXT},
    "doctor_part_missing": {"part": TEXT, "command": TEXT},
}
"""Sentences of ``mexvoice doctor``, with the fields their templates may use; ``command`` is what to type."""

SENTENCES: dict[str, dict[str, Kind]] = EVENTS | ANSWERS | NOTICES | DOCTOR
"""Every sentence; a locale has wording for each of them."""

FREQUENT = frozenset(
    {
        "dice_thrown",
        "dice_thrown_mex",
        "dice_thrown_pips",
        "dice_thrown_extra",
        "turn_started",
        "turn_started_extra",
        "turn_waiting",
        "turn_ended",
        "throws_left_after",
        "round_started",
        "round_lost",
        "round_lost_pips",
        "lives_lost",
        "whose_turn",
        "not_understood",
        "not_open",
    }
)
"""The sentences heard again and again: a locale has at least three variants of each."""

LABELS: frozenset[str] = frozenset(
    [
        "turn",
        "throws_left",
        "stake",
        "lives",
        "points",
        "say",
        "heard",
        "understood",
        "ignored",
        "not_open",
        "not_understood",
        "ambiguous",
        "listening",
        "speaking",
        "paused",
        "muted",
        "level",
        "out",
        "round",
        "scoreboard",
        "type_here",
        "keys_hint",
        "microphone",
        "test_word",
        "speaker",
        "voice",
        "model",
        "data",
        "versions",
        "call_first",
        "press_space",
        "press_enter",
    ]
)
"""The short strings of the screen; a locale has each of them."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a template: literal text, then perhaps a field."""

    literal: str
    """Text before the field."""
    field: str | None = None
    """The field's name, None after the last field."""
    noun: str = ""
    """The noun to count with, empty for none."""


def pieces(template: str) -> Iterator[Piece]:
    """The parts of a template such as ``"{player} loses {lost:life}."``.

    Raises:
        ValueError: if its braces do not match or a field has more than a name and a noun.
    """
    for literal, field, noun, conversion in Formatter().parse(template):
        if (
            conversion
            or (field is not None and not field.isidentifier())
            or (noun and not noun.isidentifier())
        ):
            raise ValueError(f"a slot is written {{name}} or {{name:noun}}, not as in '{template}'")
        yield Piece(literal, field, noun or "")
