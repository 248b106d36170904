"""A language the program does not come with needs one YAML file and no line of code."""

import random
import shutil
from pathlib import Path

import pytest

from mexvoice.data import shipped
from mexvoice.language import locale
from mexvoice.language.command import Command, CommandId
from mexvoice.language.locale import Locale
from mexvoice.language.narration import Narration
from mexvoice.language.understanding import NotOpen, NotUnderstood, Understanding, Understood
from mexvoice.language.wording import Wording
from mexvoice.rules import MEX, Match, Options, Stop, ThrowDice
from mexvoice.rules import Dice as RulesDice
from tests.language.states import STATES

ITALIAN = Path(__file__).parent / "fifth" / "it.yaml"


@pytest.fixture
def italian(tmp_path: Path) -> Locale:
    return locale.load_file(Path(shutil.copy(ITALIAN, tmp_path)))


def test_it_is_not_shipped() -> None:
    assert "it" not in locale.available()


def test_it_is_understood(italian: Locale) -> None:
    hears = Understanding(italian, ["Anna", "Bruno"])
    thrown = STATES["thrown"]
    assert hears.hear("allora, tira i dadi", thrown) == Understood(Command(CommandId.THROW))
    assert hears.hear("tira i dadi dai", thrown) == Understood(Command(CommandId.THROW))
    assert hears.hear("tira i dadi dal", thrown) == NotUnderstood("tira i dadi dal", near=True)
    assert hears.hear("quante vite ha Bruno", thrown) == Understood(
        Command(CommandId.LIVES_OF, player="Bruno")
    )
    assert hears.hear("quante vite ha giocatore uno", thrown) == Understood(
        Command(CommandId.LIVES_OF, player="Anna")
    )
    assert hears.hear("sì", STATES["confirming"]) == Understood(Command(CommandId.YES))
    assert hears.hear("si", STATES["confirming"]) == Understood(Command(CommandId.YES)), "no accent typed"
    assert hears.hear("riprendi", thrown) == NotOpen(Command(CommandId.RESUME))
    assert hears.hear("mex", STATES["choosing"]) == Understood(Command(CommandId.COUNT_MEX))
    dice = Command(CommandId.DICE, dice=(6, 3))
    for text in ("sessantatré", "sessantatre", "tre sei", "63"):
        assert hears.hear(text, STATES["spoken_dice"]) == Understood(dice)
    assert isinstance(hears.hear("non dobbiamo fermare la musica", thrown), NotUnderstood)


def test_it_is_said(italian: Locale) -> None:
    says = Wording(italian, random.Random(1))
    assert [says.count(number, "life") for number in (0, 1, 2, 21, 101)] == [
        "nessuna vita",
        "una vita",
        "due vite",
        "ventuno vite",
        "centouno vite",
    ]
    assert says.value(MEX) == "Mex"
    assert (
        says.say("match_started", players=("Anna", "Bruno"), lives=12) == "Anna e Bruno, dodici vite a testa."
    )


def test_all_others_know_it_when_its_file_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in the folder is all it takes to change from English to Italian by voice, and back."""
    for path in (shipped("locales") / "en.yaml", ITALIAN):
        shutil.copy(path, tmp_path)
    (tmp_path / "xx.yaml").write_text("broken", "utf-8")
    monkeypatch.setattr(locale, "shipped", lambda _: tmp_path)
    assert locale.available() == ("en", "it", "xx")
    hears = Understanding(locale.load("en"), ["Anna", "Bruno"])
    assert hears.hear("italiano", STATES["thrown"]) == Understood(Command(CommandId.LANGUAGE, language="it"))
    hears = Understanding(locale.load("it"), ["Anna", "Bruno"])
    assert hears.hear("parla inglese", STATES["thrown"]) == Understood(
        Command(CommandId.LANGUAGE, language="en")
    )


def test_a_match_is_told_in_it(italian: Locale) -> None:
    tells = Narration(Wording(italian, random.Random(1)), max_throws=3)
    match = Match(["Anna", "Bruno"], Options(lives=1))
    told = tells.tell(match.begin())
    for action in (ThrowDice(RulesDice(6, 3)), Stop(), ThrowDice(RulesDice(3, 1))):
        told += tells.tell(match.apply(action))
    assert match.winner == "Anna"
    assert told[-1] == "Vince Anna!"


def test_numbers_are_digits_where_no_library_can_spell_them(tmp_path: Path) -> None:
    """Swahili: babel knows its plurals, num2words does not know its numbers."""
    text = ITALIAN.read_text("utf-8").replace("language: it\n", "language: sw\n")
    path = tmp_path / "sw.yaml"
    path.write_text(
        text.replace("languages: {it:", "languages: {sw:").replace('many: "{n} vite", ', ""), "utf-8"
    )
    says = Wording(locale.load_file(path), random.Random(1))
    assert [says.count(number, "life") for number in (1, 2, 21, -3)] == [
        "una vita",
        "2 vite",
        "21 vite",
        "-3 vite",
    ]


def test_numbers_are_spelled_by_the_code_in_the_file(tmp_path: Path) -> None:
    """Swiss French counts otherwise: the file says which way."""
    path = tmp_path / "it.yaml"
    text = ITALIAN.read_text("utf-8").replace("  mex: [mex]\n", "  mex: [mex]\n  spelling: fr_CH\n")
    path.write_text(text, "utf-8")
    assert Wording(locale.load_file(path), random.Random(1)).count(92, "life") == "nonante-deux vite"
