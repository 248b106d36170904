"""A second look: a phrase laid over an utterance, and how certain it is."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mexvoice.data import shipped
from mexvoice.errors import MexvoiceError
from mexvoice.hearing.acoustics import Outputs
from mexvoice.hearing.alignment import PAUSE_UNIT, SILENCE, align
from mexvoice.hearing.certainty import FARTHEST, Certainty, Weights
from mexvoice.hearing.decoder import Decoder, Decoding, Word
from mexvoice.hearing.evidence import EVIDENCE, Numbers, Typical
from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.guards import STRICT, Guards
from mexvoice.hearing.model import BUILTIN, UNKNOWN, model_for
from mexvoice.hearing.pronunciation import Pronouncer
from mexvoice.hearing.recogniser import Recogniser
from tests.hearing.clips import MISSED, Clip, Samples, clips, in_room, room, spoken
from tests.hearing.conftest import hear

LANGUAGES = ["de", "en", "fr", "ru"]


def outputs(phones: str) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Outputs that are sure of a phone ("0" silence, "1", "2", ...) in each frame, the first frames apart."""
    found = np.full((len(phones), 10), -5.0, np.float32)
    for at, phone in enumerate(phones):
        new = at == 0 or phones[at - 1] != phone
        found[at, 2 * int(phone) + (0 if new else 1)] = 5.0
    return found


def laid(phones: str, *pronunciations: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    found = align(outputs(phones), pronunciations)
    return [(part.phone, part.start, part.end, part.word) for part in found]


def test_phones_are_laid_where_they_sound() -> None:
    assert laid("0011222300", (1, 2, 3)) == [
        (SILENCE, 0, 2, 0), (1, 2, 4, 0), (2, 4, 7, 0), (3, 7, 8, 0), (SILENCE, 8, 10, 1)
    ]  # fmt: skip


def test_silence_around_and_pauses_between_are_not_needed() -> None:
    assert laid("112233", (1, PAUSE_UNIT, 2, 3)) == [(1, 0, 2, 0), (2, 2, 4, 1), (3, 4, 6, 1)]
    assert laid("110023", (1, PAUSE_UNIT, 2, 3)) == [
        (1, 0, 2, 0), (SILENCE, 2, 4, 1), (2, 4, 5, 1), (3, 5, 6, 1)
    ]  # fmt: skip


def test_the_likeliest_pronunciation_is_taken() -> None:
    assert [part[0] for part in laid("01240", (1, 2, 3), (1, 2, 4), (1, 2))] == [0, 1, 2, 4, 0]


def test_a_phrase_with_more_phones_than_frames_cannot_be_there() -> None:
    assert laid("12", (1, 2, 3)) == []
    assert laid("12", (1, 2, 3), (1, 2)) != []


def heard_clips(language: str) -> list[Clip]:
    return [clip for clip in spoken(language) if clip.name not in MISSED]


def certainty_of(judge: Certainty, seen: Outputs, token: str) -> float:
    rank = judge.ranking.rank(token, judge.ranking.scores(seen), lambda _other: False)
    return judge.of(seen, judge.fit(seen, [token], rank, 40.0))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_said_is_more_certain_than_what_was_not(language: str) -> None:
    chosen = heard_clips(language)
    model = model_for(language, BUILTIN, [clip.text for clip in chosen])
    assert model.certainty is not None
    right: list[float] = []
    wrong: list[float] = []
    for clip, other in zip(chosen, [*chosen[1:], chosen[0]], strict=True):
        seen = model.certainty.outputs(in_room(clip.samples(), 0.2, 0.2).astype(np.float32))
        for text, found in ((clip.text, right), (other.text, wrong)):
            found.append(certainty_of(model.certainty, seen, *model.tokens(text)))
    assert np.median(right) > STRICT.certainty > np.median(wrong)
    assert min(right) > max(wrong) - 3.0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_phrase_counts_only_when_it_is_certain_enough(language: str) -> None:
    clip = heard_clips(language)[0]
    model = model_for(language, BUILTIN, [clip.text])
    sound = in_room(clip.samples(), 0.6, 1.0)
    (heard,) = hear(Recogniser(model, Grammar([clip.text])), sound)
    assert heard.text == clip.text
    assert STRICT.certainty < heard.certainty < np.inf
    doubting = replace(STRICT, certainty=heard.certainty + 0.1)
    (doubted,) = hear(Recogniser(model, Grammar([clip.text]), guards=doubting), sound)
    assert (doubted.text, doubted.reason, doubted.heard) == ("", "doubt", clip.text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_while_people_talk_a_phrase_must_be_more_certain_unless_it_is_said_again(language: str) -> None:
    talk = next(clip for clip in clips() if clip.language == language and clip.is_talk)
    clip = heard_clips(language)[0]
    model = model_for(language, BUILTIN, [clip.text])
    said, quiet = in_room(clip.samples(), 0.6, 1.0), room(STRICT.talk_memory)
    (alone,) = hear(Recogniser(model, Grammar([clip.text])), said)
    guards = replace(STRICT, certainty=alone.certainty - 1.5, certainty_in_talk=alone.certainty + 1.5)

    def heard(*sounds: Samples) -> list[tuple[str, str]]:
        recogniser = Recogniser(model, Grammar([clip.text]), guards=guards)
        return [(one.text, one.reason) for one in hear(recogniser, np.concatenate(sounds))]

    talked = in_room(talk.samples(), 0.6, 1.0)
    assert heard(said) == [(clip.text, "")]
    doubted = heard(talked, said)
    assert doubted[-1] == ("", "doubt")
    assert heard(talked, said, said) == [*doubted, (clip.text, "")]
    assert heard(talked, quiet, said)[-1] == (clip.text, "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_doubted_may_be_less_certain_when_it_is_said_again(language: str) -> None:
    clip = heard_clips(language)[0]
    model = model_for(language, BUILTIN, [clip.text])
    twice = np.concatenate([in_room(clip.samples(), 0.6, 1.0)] * 2)

    def certainties(guards: Guards) -> list[tuple[str, float]]:
        found = hear(Recogniser(model, Grammar([clip.text]), guards=guards), twice)
        return [(one.text, one.certainty) for one in found]

    (_, first), (_, second) = certainties(replace(STRICT, certainty=-50.0))
    doubting = replace(STRICT, certainty=max(first, second) + 0.5, certainty_in_talk=np.inf)

    def heard(again: float) -> list[str]:
        return [text for text, _ in certainties(replace(doubting, certainty_again=second + again))]

    assert heard(-0.1) == ["", clip.text]
    assert heard(0.1) == ["", ""]


@pytest.mark.parametrize(
    ("language", "text", "decoy"),
    [("en", "throw", "throe"), ("en", "two hundred", "too hundred"), ("ru", "нет", "нед")],
)
def test_a_certain_phrase_comes_before_a_decoy_that_sounds_the_same(
    language: str, text: str, decoy: str
) -> None:
    clip = next(clip for clip in spoken(language) if clip.text == text)
    model = model_for(language, BUILTIN, [text, decoy])
    sound = in_room(clip.samples(), 0.6, 1.0)

    def heard(guards: Guards, *decoys: str) -> tuple[str, str, str]:
        (one,) = hear(Recogniser(model, Grammar([text], decoys=decoys), guards=guards), sound)
        return one.text, one.heard, one.reason

    assert heard(STRICT, decoy) == (text, text, "")
    assert heard(replace(STRICT, over_decoy=np.inf), decoy) == ("", decoy, "decoy")
    assert heard(replace(STRICT, over_decoy=np.inf)) == (text, text, "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_certain_phrase_comes_before_unknown_speech_that_is_a_little_likelier(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = max(heard_clips(language), key=lambda clip: len(clip.text))
    model = model_for(language, BUILTIN, [clip.text])
    sound = in_room(clip.samples(), 0.6, 1.0)
    unknown = Decoding((Word(UNKNOWN, 0.3, 0.9),))
    monkeypatch.setattr(
        Decoder, "judge", lambda *_: unknown
    )  # stands for a noise in which Vosk hears no word
    monkeypatch.setattr(Decoder, "finish", lambda _self: unknown)

    def heard(guards: Guards) -> tuple[str, str]:
        (one,) = hear(Recogniser(model, Grammar([clip.text]), guards=guards), sound)
        return one.text, one.reason

    assert heard(replace(STRICT, certainty=-5.0)) == (clip.text, "")
    assert heard(replace(STRICT, certainty=-5.0, over_unknown=np.inf)) == ("", "words")


@pytest.mark.parametrize("memory", [10.0, 0.0])
def test_what_was_nearly_taken_for_a_phrase_counts_when_it_is_said_again(memory: float) -> None:
    text, decoy = "throw", "throe"
    clip = next(clip for clip in spoken("en") if clip.text == text)
    model, grammar = model_for("en", BUILTIN, [text, decoy]), Grammar([text], decoys=[decoy])
    sound = in_room(clip.samples(), 0.6, 1.0)
    (alone,) = hear(Recogniser(model, grammar), sound)
    over = alone.certainty - STRICT.certainty + 0.5
    guards = replace(STRICT, talk_memory=memory, certainty_in_talk=STRICT.certainty, over_decoy=over)
    twice = hear(Recogniser(model, grammar, guards=guards), np.concatenate([sound, sound]))
    again = (text, "") if memory else ("", "decoy")
    assert [(one.text, one.reason) for one in twice] == [("", "decoy"), again]


def some_weights() -> Weights:
    """Weights of two units, that know two phones."""
    width = len(EVIDENCE)
    numbers = np.arange(2.0 * width).reshape(2, width) / 8
    pair = np.array([0.25, 1.0])
    return Weights(
        numbers[0], numbers[1] + 1, numbers, pair, -pair, 1.5, Typical(-pair, pair, pair + 1, pair + 2)
    )


def test_weights_are_read_back(tmp_path: Path) -> None:
    some_weights().write(tmp_path / "certainty.json")
    again = Weights.read(tmp_path / "certainty.json")
    evidence = np.linspace(-1, 1, len(EVIDENCE))
    assert again.log_odds(evidence) == pytest.approx(some_weights().log_odds(evidence))
    assert [values.tolist() for values in vars_of(again.typical)] == [
        [-0.25, -1.0], [0.25, 1.0], [1.25, 2.0], [2.25, 3.0]
    ]  # fmt: skip


def vars_of(typical: Typical) -> list[Numbers]:
    return [typical.seen, typical.seen_spread, typical.length, typical.length_spread]


def test_log_odds_are_those_of_a_network_of_one_layer() -> None:
    weights = some_weights()
    evidence = np.linspace(-1, 1, len(EVIDENCE))
    units = [
        np.tanh(
            sum(
                (evidence[at] - weights.centre[at]) / weights.scale[at] * weights.hidden[unit, at]
                for at in range(len(EVIDENCE))
            )
            + weights.bias[unit]
        )
        for unit in (0, 1)
    ]
    expected = weights.offset + units[0] * weights.out[0] + units[1] * weights.out[1]
    assert weights.log_odds(evidence) == pytest.approx(expected)
    assert weights.log_odds(np.array([evidence, evidence])) == pytest.approx([expected, expected])


def test_evidence_farther_out_than_any_that_was_learned_from_changes_nothing() -> None:
    weights = replace(some_weights(), hidden=some_weights().hidden / 1000)
    edge = weights.centre + FARTHEST * weights.scale
    assert weights.log_odds(edge + 9.0) == pytest.approx(weights.log_odds(edge))
    assert weights.log_odds(edge - 0.1 * weights.scale) != pytest.approx(weights.log_odds(edge))


def damaged(tmp_path: Path, **changed: object) -> str:
    """A file of weights with something wrong in it."""
    some_weights().write(tmp_path / "right.json")
    return json.dumps(json.loads((tmp_path / "right.json").read_text(encoding="utf-8")) | changed)


UNKNOWN_FIELDS = ("start", "following", "backoff", "any_phone")


def unknown(**changed: object) -> bytes:
    """A file of what follows what with something wrong in it."""
    return json.dumps({name: {} for name in UNKNOWN_FIELDS} | changed).encode()


TYPICAL = {"seen": [1.0], "seen_spread": [1.0], "length": [1.0], "length_spread": [1.0]}


@pytest.mark.parametrize("content", ["", "[]", "{}", "[" * 100_000])
def test_a_file_that_is_none_of_weights_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "certainty.json").write_text(content, encoding="utf-8")
    with pytest.raises(MexvoiceError, match=r"certainty\.json cannot be read"):
        Weights.read(tmp_path / "certainty.json")


@pytest.mark.parametrize(
    "changed",
    [
        {"offset": float("nan")},
        {"offset": 10**400},
        {"offset": None},
        {"evidence": [*EVIDENCE[1:], EVIDENCE[0]]},
        {"centre": [0.0]},
        {"scale": [0.0] * len(EVIDENCE)},
        {"hidden": [[1.0] * len(EVIDENCE)]},
        {"hidden": "much"},
        {"out": [1.0]},
        {"typical": {}},
        {"typical": TYPICAL | {"seen": [1.0, 2.0]}},
        {"typical": {name: [[1.0]] for name in TYPICAL}},
        {"typical": TYPICAL | {"seen_spread": [0.0]}},
        {"typical": TYPICAL | {"length_spread": [-1.0]}},
        {"typical": TYPICAL | {"length": ["long"]}},
    ],
)
def test_weights_that_do_not_fit_together_are_named(tmp_path: Path, changed: dict[str, object]) -> None:
    (tmp_path / "certainty.json").write_text(damaged(tmp_path, **changed), encoding="utf-8")
    with pytest.raises(MexvoiceError, match=r"certainty\.json cannot be read"):
        Weights.read(tmp_path / "certainty.json")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("phones.txt", b"SIL\xff\n"),
        ("phones.txt", b"SIL\na\n"),
        ("unknown.json", b"{"),
        ("unknown.json", b"[]"),
        ("unknown.json", b'{"start": 1, "following": 2, "backoff": 3, "any_phone": 4}'),
        ("unknown.json", b"[" * 100_000),
        ("unknown.json", unknown(start={"a": float("nan")})),
        ("unknown.json", unknown(start={"a": 10**400})),
        ("unknown.json", unknown(backoff={"a": "b"}, any_phone={"a": 1})),
        ("certainty.json", b"{}"),
        ("am/final.mdl", b"\0B<TransitionModel> "),
    ],
)
def test_a_model_with_a_damaged_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    model = shutil.copytree(shipped("models") / "en", tmp_path / "en")
    (model / name).write_bytes(content)
    with pytest.raises(MexvoiceError, match=re.escape(str(model))):
        Certainty(model, Pronouncer("en"))


def test_weights_of_another_network_are_named(tmp_path: Path) -> None:
    model = shutil.copytree(shipped("models") / "en", tmp_path / "en")
    some_weights().write(model / "certainty.json")
    with pytest.raises(MexvoiceError, match="disagree about its phones"):
        Certainty(model, Pronouncer("en"))
