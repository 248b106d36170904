"""Model directories: found, checked, tried out, refused with a sentence."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mexvoice.data import shipped
from mexvoice.errors import MexvoiceError
from mexvoice.hearing.grammar import Grammar
from mexvoice.hearing.model import SEAL, Model, find_model, model_for, read_seal, seal, seal_matches, try_out
from mexvoice.hearing.recogniser import Recogniser
from tests.hearing.clips import in_room, spoken, words
from tests.hearing.conftest import hear

NEEDED = (
    "am/final.mdl",
    "conf/model.conf",
    "conf/mfcc.conf",
    "graph/HCLr.fst",
    "graph/Gr.fst",
    "graph/disambig_tid.int",
    "graph/words.txt",
)
DAMAGE: dict[str, Callable[[bytes], bytes | None]] = {
    "missing": lambda _: None,
    "empty": lambda _: b"",
    "half": lambda content: content[: len(content) // 2],
    "cut": lambda content: content[:-3],
    "random": lambda content: random.Random(1).randbytes(len(content)),
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the English model, without its seal, so that it is somebody else's."""
    path = tmp_path / "model"
    shutil.copytree(shipped("models") / "en", path)
    (path / SEAL).unlink(missing_ok=True)
    return path


STILL_WHOLE = {("conf/model.conf", "cut"), ("graph/words.txt", "cut")}
"""Texts that a few letters less leave a text of the same kind; only the seal of our own models tells."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "damage"),
    [(name, damage) for name in NEEDED for damage in DAMAGE if (name, damage) not in STILL_WHOLE],
)
def test_a_broken_model_is_a_sentence_and_no_crash(name: str, damage: str, copy: Path) -> None:
    content = DAMAGE[damage]((copy / name).read_bytes())
    (copy / name).unlink()
    if content is not None:
        (copy / name).write_bytes(content)
    with pytest.raises(MexvoiceError) as caught:
        Model(copy)
    assert str(copy) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_whole_model_of_somebody_else_works(copy: Path) -> None:
    clip = spoken("en")[0]
    recogniser = Recogniser(Model(copy), Grammar((clip.text,)))
    assert [u.text for u in hear(recogniser, in_room(clip.samples(), 0.6, 1.0))] == [clip.text]


def test_what_is_no_model_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no model")
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(MexvoiceError, match="no model directory"):
            Model(path)
    with pytest.raises(MexvoiceError, match="not a Vosk model"):
        Model(tmp_path / "empty")


def test_a_model_with_a_fixed_graph_is_refused(copy: Path) -> None:
    (copy / "graph" / "HCLr.fst").rename(copy / "graph" / "HCLG.fst")
    with pytest.raises(MexvoiceError, match="fixed vocabulary"):
        Model(copy)


def test_a_model_without_a_word_for_unknown_speech_is_refused(copy: Path) -> None:
    words = copy / "graph" / "words.txt"
    words.write_text(words.read_text(encoding="utf-8").replace("[unk]", "unk"), encoding="utf-8")
    with pytest.raises(MexvoiceError, match="unknown speech"):
        Model(copy)


def test_a_model_that_takes_for_ever_is_given_up(copy: Path) -> None:
    with pytest.raises(MexvoiceError, match="did not load within"):
        try_out(copy, 0.01)


def test_a_seal_holds_every_file(copy: Path) -> None:
    seal(copy)
    sums = read_seal(copy)
    assert sums is not None
    assert set(NEEDED) <= set(sums)
    assert seal_matches(copy, sums)
    (copy / "graph" / "words.txt").write_bytes((copy / "graph" / "words.txt").read_bytes() + b"more 9999\n")
    assert not seal_matches(copy, sums)


def test_a_sealed_model_is_not_tried_out(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Path] = []
    monkeypatch.setattr("mexvoice.hearing.model.try_out", lambda path: tried.append(path))
    seal(copy)
    Model(copy)
    assert tried == []
    (copy / "conf" / "model.conf").write_bytes((copy / "conf" / "model.conf").read_bytes() + b"\n")
    Model(copy)
    assert tried == [copy]


def test_the_shipped_models_load_without_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise AssertionError(f"{path} has no valid seal: seal it anew after a change")

    monkeypatch.setattr("mexvoice.hearing.model.try_out", refuse)
    for path in sorted(shipped("models").iterdir()):
        if path.is_dir():
            assert Model(path).whole_phrases


def test_an_unknown_language_gets_a_sentence() -> None:
    with pytest.raises(MexvoiceError, match="--model"):
        find_model("xx")


def test_a_model_knows_what_it_lacks(model: Callable[[str], Model]) -> None:
    loaded = model("en")
    known = words("en")[-1].text
    assert loaded.has(known.replace(" ", "_"))
    assert not loaded.has("throw_the_elephant")
    assert not loaded.has("")
    assert loaded.missing([known, "throw the elephant", "stop"]) == ("throw the elephant",)


def test_a_model_is_put_together_for_any_words() -> None:
    """Words nobody thought of when the model was made."""
    words = ["elephant", "stop", "how many lives has Xenia"]
    assert find_model("en").missing(words) != ()
    assert model_for("en", None, words).missing(words) == ()


def test_a_model_put_together_hears_what_the_shipped_one_hears() -> None:
    clip = words("en")[-1]
    model = model_for("en", None, [clip.text, "throw the elephant"])
    recogniser = Recogniser(model, Grammar((clip.text, "throw the elephant")))
    assert [u.text for u in hear(recogniser, in_room(clip.samples(), 0.6, 1.0))] == [clip.text]


def test_nothing_is_put_together_when_the_shipped_model_has_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("put together in vain")

    monkeypatch.setattr("mexvoice.hearing.graph.assemble_model", refuse)
    assert model_for("en", None, [words("en")[-1].text, "stop"]).has("stop")


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert model_for("en", None, ["elephant"]).has("elephant")
    assert list(tmp_path.iterdir()) == []
