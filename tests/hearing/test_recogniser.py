"""Sound in, utterances out: real clips, real models."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.guards import STRICT, TOLERANT
from mexvoice.hearing.model import BUILTIN, Model, model_for
from mexvoice.hearing.recogniser import Recogniser
from mexvoice.hearing.utterance import Utterance
from tests.hearing.clips import MISSED, RATE, Clip, Samples, clips, in_room, room, spoken, words
from tests.hearing.conftest import feed, hear

Models = Callable[[str], Model]
Grammars = Callable[[str], Grammar]
LANGUAGES = sorted({clip.language for clip in clips()})


def _known(clip: Clip) -> object:
    marks = [pytest.mark.xfail(strict=True, reason="the model misses it")] if clip.name in MISSED else []
    return pytest.param(clip, marks=marks, id=clip.name)


@pytest.mark.parametrize("clip", [_known(clip) for clip in clips()])
def test_a_clip_gives_its_text(clip: Clip, model: Models, grammar: Grammars) -> None:
    heard = hear(Recogniser(model(clip.language), grammar(clip.language)), in_room(clip.samples(), 0.6, 1.0))
    assert [utterance.text for utterance in heard if utterance.text] == ([clip.text] if clip.text else [])


def test_several_phrases_in_a_row_are_as_certain_as_the_least_certain() -> None:
    """What is beside a phrase moves its certainty a little."""
    one, other = words("en")[-2:]
    pair = (one.text, other.text)
    grammar, model = Grammar(pair, sequences=True), model_for("en", BUILTIN, pair)
    both = in_room(np.concatenate([one.samples(), other.samples()]), 0.6, 1.0)

    def heard(least: float, sound: Samples) -> Utterance:
        guards = replace(TOLERANT, certainty=least, certainty_in_talk=least)
        (utterance,) = hear(Recogniser(model, grammar, guards=guards), sound)
        return utterance

    alone = [heard(-np.inf, in_room(clip.samples(), 0.6, 1.0)) for clip in (one, other)]
    together = heard(-np.inf, both)
    assert together.text == f"{one.text} {other.text}"
    assert together.certainty == pytest.approx(min(utterance.certainty for utterance in alone), abs=1.0)
    assert max(utterance.certainty for utterance in alone) > together.certainty + 1.0
    doubted = heard(together.certainty + 0.1, both)
    assert (doubted.text, doubted.reason) == ("", "doubt")


def test_a_phrase_in_something_very_long_must_be_as_certain_as_any(
    monkeypatch: pytest.MonkeyPatch, model: Models, grammar: Grammars
) -> None:
    monkeypatch.setattr(Recogniser, "_is_talk", lambda _self: True)
    clip = max(words("en"), key=lambda clip: len(clip.text))
    sound = in_room(clip.samples(), 0.6, 1.0)
    (heard,) = hear(Recogniser(model("en"), grammar("en")), sound)
    assert heard.text == clip.text
    assert STRICT.certainty < heard.certainty < np.inf
    stricter = replace(STRICT, certainty=heard.certainty + 0.1)
    (doubted,) = hear(Recogniser(model("en"), grammar("en"), guards=stricter), sound)
    assert (doubted.text, doubted.reason) == ("", "doubt")


def test_a_model_without_weights_goes_by_its_margin(model: Models, grammar: Grammars) -> None:
    clip = words("en")[0]
    bare = Model(model("en").path)
    assert bare.certainty is None
    sound = in_room(clip.samples(), 0.6, 1.0)
    (heard,) = hear(Recogniser(bare, grammar("en")), sound)
    assert (heard.text, heard.certainty) == (clip.text, np.inf)
    assert STRICT.margin < heard.margin < np.inf
    stricter = replace(STRICT, margin=heard.margin + 0.1)
    (doubted,) = hear(Recogniser(bare, grammar("en"), guards=stricter), sound)
    assert (doubted.text, doubted.reason) == ("", "doubt")


def test_without_weights_several_phrases_in_a_row_need_a_greater_margin_than_one() -> None:
    one, other = words("en")[-2:]
    pair = (one.text, other.text)
    grammar, model = Grammar(pair, sequences=True), model_for("en", BUILTIN, pair)
    model.certainty = None
    both = in_room(np.concatenate([one.samples(), other.samples()]), 0.6, 1.0)
    (heard,) = hear(Recogniser(model, grammar, guards=TOLERANT), both)
    assert heard.text == f"{one.text} {other.text}"
    stricter = replace(TOLERANT, sequence=heard.margin + 0.1)
    (doubted,) = hear(Recogniser(model, grammar, guards=stricter), both)
    assert (doubted.text, doubted.reason) == ("", "doubt")
    (single,) = hear(Recogniser(model, grammar, guards=stricter), in_room(one.samples(), 0.6, 1.0))
    assert single.text == one.text


def test_there_are_clips_to_hear() -> None:
    assert {"de", "en", "fr", "ru"} <= set(LANGUAGES)
    assert all(len(spoken(language)) >= 8 for language in LANGUAGES)
    assert sum(clip.is_talk for clip in clips()) >= 4


@pytest.mark.parametrize("clip", clips(), ids=lambda clip: clip.name)
def test_times_are_those_of_the_speech(clip: Clip, model: Models, grammar: Grammars) -> None:
    samples = clip.samples()
    heard = hear(Recogniser(model(clip.language), grammar(clip.language)), in_room(samples, 0.6, 1.0))
    if clip.is_talk:
        return
    (utterance,) = heard
    assert utterance.start == pytest.approx(0.6, abs=0.15)
    assert utterance.end == pytest.approx(0.6 + len(samples) / RATE, abs=0.2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_utterance_ends_within_a_third_of_a_second(
    language: str, model: Models, grammar: Grammars
) -> None:
    delays = []
    for clip in spoken(language):
        samples = clip.samples()
        recogniser = Recogniser(model(language), grammar(language))
        ends = [at for at, utterance in feed(recogniser, in_room(samples, 0.6, 2.0), 800) if utterance.text]
        delays += [(at - round(0.6 * RATE) - len(samples)) / RATE for at in ends]
    assert len(delays) > 0.8 * len(spoken(language))
    assert float(np.median(delays)) <= 0.35
    assert min(delays) > -0.1, "an utterance was cut before it had ended"


def test_a_phrase_is_not_cut_where_a_longer_one_is_possible() -> None:
    """The longer one has a pause within; its first half must not count alone."""
    first, second = words("en")[-3:-1]
    longer = f"{first.text} {second.text}"
    model = model_for("en", None, [first.text, longer])
    grammar = Grammar((first.text, longer))
    both = np.concatenate([first.samples(), room(0.3), second.samples()])
    assert [u.text for u in hear(Recogniser(model, grammar), in_room(both, 0.5, 1.0))] == [longer]

    alone = in_room(first.samples(), 0.5, 1.5)
    end = round(0.5 * RATE) + len(first.samples())
    ((waited, utterance),) = feed(Recogniser(model, grammar), alone, 800)
    assert utterance.text == first.text
    assert (waited - end) / RATE > 0.3, "the longer phrase had no time to come"
    same = Grammar(grammar.phrases, meanings={first.text: "same", longer: "same"})
    ((early, utterance),) = feed(Recogniser(model, same), alone, 800)
    assert utterance.text == first.text
    assert early < waited, "the longer phrase means the same and is not worth waiting for"


def test_several_utterances_in_one_stream_keep_the_time_of_the_stream(
    model: Models, grammar: Grammars
) -> None:
    some = spoken("en")[:6]
    parts, starts, at = [], [], 0.0
    for clip in some:
        starts.append(at + 0.8)
        parts.append(in_room(clip.samples(), 0.8, 0.8))
        at += len(parts[-1]) / RATE
    heard = hear(Recogniser(model("en"), grammar("en")), np.concatenate(parts))
    assert [u.text for u in heard] == [clip.text for clip in some]
    assert [u.start for u in heard] == pytest.approx(starts, abs=0.15)


@pytest.mark.parametrize("step", [160, 441, 800, 1600, 8000, 64000])
def test_the_size_of_blocks_does_not_matter(step: int, model: Models, grammar: Grammars) -> None:
    clip = spoken("en")[0]
    sound = in_room(clip.samples(), 0.6, 1.0)
    reference = hear(Recogniser(model("en"), grammar("en")), sound)
    heard = hear(Recogniser(model("en"), grammar("en")), sound, step)
    assert [(u.text, u.start, u.end) for u in heard] == [(u.text, u.start, u.end) for u in reference]
    assert [u.text for u in heard] == [clip.text]


@pytest.mark.parametrize("gain", [0.02, 0.1, 1.0, 10.0, 30.0])
def test_quiet_and_clipped_speech_is_heard(gain: float, model: Models, grammar: Grammars) -> None:
    right = 0
    some = spoken("en")[:10]
    for clip in some:
        loudness = clip.samples() / max(1, np.abs(clip.samples()).max()) * 30000 * gain
        samples = np.clip(loudness, -32768, 32767).astype(np.int16)
        heard = hear(Recogniser(model("en"), grammar("en")), in_room(samples, 0.6, 1.0, level=3.0))
        right += [u.text for u in heard] == [clip.text]
    assert right >= 0.8 * len(some)


@pytest.mark.parametrize(
    ("name", "sound"),
    [
        ("digital silence", np.zeros(30 * RATE, np.int16)),
        ("one step up and down", np.tile(np.array([0, 1], np.int16), 15 * RATE)),
        ("a quiet room", room(30.0)),
        ("a loud fan", room(30.0, 1500.0)),
        ("a constant", np.full(10 * RATE, 12000, np.int16)),
        ("full scale noise", np.random.default_rng(3).integers(-32768, 32767, 10 * RATE).astype(np.int16)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_noise_alone_is_nothing(name: str, sound: np.ndarray, model: Models, grammar: Grammars) -> None:
    for language in LANGUAGES:
        heard = hear(Recogniser(model(language), grammar(language)), sound)
        assert not [u.text for u in heard if u.text], f"{name}, {language}"
        if name != "full scale noise":
            assert not heard, f"{name}, {language}"


def test_a_switch_from_silence_to_noise_is_nothing(model: Models, grammar: Grammars) -> None:
    sound = np.concatenate([np.zeros(3 * RATE, np.int16), room(8.0, 300.0), np.zeros(3 * RATE, np.int16)])
    for language in LANGUAGES:
        heard = hear(Recogniser(model(language), grammar(language)), sound)
        assert not [u.text for u in heard if u.text]


def test_a_command_amid_speech_is_table_talk(model: Models, grammar: Grammars) -> None:
    """Talk, the command, talk, without pauses: whole words of the grammar, and not one command."""
    some = spoken("en")
    found = []
    for number in range(0, len(some) - 2, 3):
        run = np.concatenate([clip.samples() for clip in some[number : number + 3]])
        found += hear(Recogniser(model("en"), grammar("en")), in_room(run, 0.6, 1.0))
    assert found
    assert [u.text for u in found if u.text] == []
    assert {u.reason for u in found} <= {"words", "length", "pause"}


@pytest.mark.parametrize("limit", ["longest", "shortest", "knock"])
def test_what_takes_too_long_or_short_must_be_surer(model: Models, grammar: Grammars, limit: str) -> None:
    clip = max(words("en"), key=lambda clip: len(clip.samples()))
    sound = in_room(clip.samples(), 0.6, 1.0)
    seconds = {"longest": 0.7, "shortest": 1.4, "knock": 1.4}[limit] * len(clip.samples()) / RATE
    letters = 1 if limit == "knock" else len(clip.text.replace(" ", ""))
    limits: dict[str, Any] = {"extra": 0.0, "longest": np.inf} | {limit: seconds / letters}
    guards = replace(STRICT, **limits)

    def heard(needed: float) -> Utterance:
        odd = replace(guards, certainty_if_odd=needed)
        (utterance,) = hear(Recogniser(model("en"), grammar("en"), guards=odd), sound)
        return utterance

    sure = heard(-np.inf)
    assert sure.text == clip.text
    doubted = heard(sure.certainty + 0.1)
    assert (doubted.text, doubted.reason) == ("", "length")


def test_what_is_said_right_after_talk_does_not_count(model: Models) -> None:
    """Two utterances with a second and with a tenth of it between them, the first of them no command."""
    command, other = words("en")[:2]
    grammar = Grammar((command.text,), decoys=(other.text,))
    apart = np.concatenate([in_room(other.samples(), 0.6, 0.6), in_room(command.samples(), 0.4, 1.0)])
    close = np.concatenate([in_room(other.samples(), 0.6, 0.05), in_room(command.samples(), 0.05, 1.0)])
    assert [u.text for u in hear(Recogniser(model("en"), grammar), apart) if u.text] == [command.text]
    assert [u.text for u in hear(Recogniser(model("en"), grammar), close) if u.text] == []


def test_a_decoy_is_told_from_talk(model: Models) -> None:
    decoy, other = words("en")[:2]
    grammar = Grammar((other.text,), decoys=(decoy.text,))
    (utterance,) = hear(Recogniser(model("en"), grammar), in_room(decoy.samples(), 0.6, 1.0))
    assert (utterance.text, utterance.heard, utterance.reason) == ("", decoy.text, "decoy")


def test_the_grammar_changes_between_utterances(model: Models) -> None:
    """A change in the middle of an utterance waits for its end, unless it is wanted at once."""
    clip, other = words("en")[:2]
    sound = in_room(clip.samples(), 0.6, 1.0)
    middle = round(0.6 * RATE) + len(clip.samples()) // 2
    for at_once, expected in ((False, [clip.text]), (True, [])):
        recogniser = Recogniser(model("en"), Grammar((clip.text,)))
        assert [u for _, u in feed(recogniser, sound[:middle])] == []
        recogniser.set_grammar(Grammar((other.text,)), at_once=at_once)
        assert [u.text for u in hear(recogniser, sound[middle:]) if u.text] == expected
        assert [u.text for u in hear(recogniser, sound) if u.text] == [], "the old grammar is still in force"


def test_a_grammar_changed_a_thousand_times_in_speech_does_no_harm(model: Models, grammar: Grammars) -> None:
    clip = spoken("en")[0]
    sound = in_room(clip.samples(), 0.4, 0.4)
    recogniser = Recogniser(model("en"), grammar("en"))
    for at in range(0, len(sound), 160):
        recogniser.accept(sound[at : at + 160].tobytes())
        recogniser.set_grammar(grammar("en"), at_once=at % 3200 == 0)
    recogniser.flush()
    assert [u.text for u in hear(recogniser, in_room(clip.samples(), 0.6, 1.0))] == [clip.text]


def test_reset_forgets_what_is_being_said(model: Models, grammar: Grammars) -> None:
    clip = spoken("en")[0]
    sound = in_room(clip.samples(), 0.6, 1.0)
    middle = round(0.6 * RATE) + len(clip.samples()) - 800
    recogniser = Recogniser(model("en"), grammar("en"))
    recogniser.accept(sound[:middle].tobytes())
    recogniser.reset()
    assert recogniser.partial == ""
    assert [u.text for u in hear(recogniser, sound[middle + 800 :]) if u.text] == []
    assert [u.text for u in hear(recogniser, sound)] == [clip.text]


def test_what_was_being_said_at_the_end_of_the_stream_is_not_lost(model: Models, grammar: Grammars) -> None:
    clip = spoken("en")[0]
    assert [
        u.text for u in hear(Recogniser(model("en"), grammar("en")), in_room(clip.samples(), 0.6, 0.05))
    ] == [clip.text]


def test_partial_results_are_shown_while_somebody_speaks(model: Models, grammar: Grammars) -> None:
    clip = max(spoken("en"), key=lambda one: len(one.text))
    recogniser = Recogniser(model("en"), grammar("en"))
    seen = set()
    for at in range(0, (sound := in_room(clip.samples(), 0.6, 1.0)).size, 800):
        recogniser.accept(sound[at : at + 800].tobytes())
        seen.add(recogniser.partial)
    assert clip.text in seen
    assert recogniser.partial == ""


def test_recognisers_in_threads_do_not_mix(model: Models, grammar: Grammars) -> None:
    some = [clip for language in LANGUAGES for clip in spoken(language)[:2]]
    heard: dict[str, list[str]] = {}

    def work(clip: Clip) -> None:
        recogniser = Recogniser(loaded[clip.language], grammar(clip.language))
        heard[clip.name] = [u.text for u in hear(recogniser, np.tile(in_room(clip.samples(), 0.6, 1.0), 3))]

    loaded = {language: model(language) for language in LANGUAGES}
    threads = [threading.Thread(target=work, args=(clip,)) for clip in some]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == {clip.name: [clip.text] * 3 for clip in some}


def test_odd_bytes_and_nothing_do_no_harm(model: Models, grammar: Grammars) -> None:
    recogniser = Recogniser(model("en"), grammar("en"))
    assert recogniser.accept(b"") == []
    assert recogniser.accept(b"\x01") == []
    assert recogniser.flush() == []
    assert recogniser.flush() == []


def test_another_rate_is_refused(model: Models, grammar: Grammars) -> None:
    with pytest.raises(MexvoiceError, match="16000"):
        Recogniser(model("en"), grammar("en"), 8000)


def test_a_filler_before_a_phrase_is_dropped(model: Models) -> None:
    filler, _, command = words("en")[:3]
    sound = in_room(np.concatenate([filler.samples(), room(0.1), command.samples()]), 0.6, 1.0)
    with_filler = Grammar((command.text,), fillers=(filler.text,))
    without = Grammar((command.text,), decoys=(filler.text,))
    assert [u.text for u in hear(Recogniser(model("en"), with_filler), sound)] == [command.text]
    assert [u.text for u in hear(Recogniser(model("en"), without), sound) if u.text] == []
