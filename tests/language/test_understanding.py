"""What is heard is understood as the tables say, and nothing else is."""

from functools import cache

import pytest

from mexvoice.language import locale
from mexvoice.language.understanding import NotUnderstood, Understanding
from tests.language.states import STATES
from tests.language.tables import CODES, heard, short, table


@cache
def understanding(code: str) -> Understanding:
    return Understanding(locale.load(code), table(code)["players"])


@pytest.mark.parametrize(
    ("code", "state", "expected", "text"), [(code, *case) for code in CODES for case in heard(code)]
)
def test_heard(code: str, state: str, expected: str, text: str) -> None:
    assert short(understanding(code).hear(text, STATES[state])) == expected


@pytest.mark.parametrize(("code", "text"), [(code, text) for code in CODES for text in table(code)["talk"]])
def test_table_talk_is_ignored(code: str, text: str) -> None:
    for state, commands in STATES.items():
        assert isinstance(understanding(code).hear(text, commands), NotUnderstood), state
