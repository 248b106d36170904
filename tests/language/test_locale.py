"""Locale files: the shipped ones are right, a wrong one is refused with file, line and reason."""

import re
from pathlib import Path

import pytest

from mexvoice.data import shipped
from mexvoice.errors import MexvoiceError
from mexvoice.language import locale
from mexvoice.language.command import CommandId

SOURCE = (shipped("locales") / "en.yaml").read_text("utf-8")


def refused(folder: Path, text: str | bytes, name: str = "en.yaml") -> tuple[int, str]:
    """The line and the reason for which a file is refused; its name comes first."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(MexvoiceError) as caught:
        locale.load_file(path)
    found = re.fullmatch(rf"{folder.name}/{re.escape(name)}:(\d+): (.+)", str(caught.value))
    assert found, caught.value
    return int(found[1]), found[2]


def line_of(text: str, part: str) -> int:
    """The line of the first place of a part."""
    return text.count("\n", 0, text.index(part)) + 1


@pytest.mark.parametrize("code", locale.available())
def test_shipped_locales_load(code: str) -> None:
    loaded = locale.load(code)
    assert loaded.code == code
    assert set(loaded.phrases) == set(CommandId)


def test_four_languages_are_shipped() -> None:
    assert {"de", "en", "fr", "ru"} <= set(locale.available())


def test_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(MexvoiceError, match="no language 'xx': choose one of de, en, fr, ru"):
        locale.load("xx")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(MexvoiceError, match="cannot be read: No such file"):
        locale.load_file(tmp_path / "en.yaml")


WRONG: dict[str, tuple[str, str, str]] = {
    "unknown section": ("\nseats:\n", "\nseets: {}\nseats:\n", r"'seets' is unknown"),
    "call word that is a command": (
        "call: [Mex",
        "call: [skip, Mex",
        r"call word 'skip' is a phrase of 'skip'",
    ),
    "call word that is a filler": ("call: [Mex", "call: [hey, Mex", r"the call word 'hey' is a filler"),
    "call word that begins a phrase": ("call: [Mex", "call: [roll, Mex", r"call word 'roll' is a phrase of"),
    "call word before a phrase": (
        "call: [Mex",
        "call: [i, Mex",
        r"'i throw' is a phrase, and the call word 'i' before another",
    ),
    "call word twice": ("call: [Mex", "call: [mex, Mex", r"the call word 'Mex' is there twice"),
    "silence that is no stop": ("hush: [stop", "hush: [throw", r"'throw' is no phrase of 'stop'"),
    "one call word": (
        "call: [Mex, Hey Mex, Okay Mex, Game master]",
        "call: [Mex]",
        r"'call': list should have at least 2 items",
    ),
    "wrong type": ("rate: 165", "rate: quick", r"'voice.rate': input should be a valid integer"),
    "wrong range": ("rate: 165", "rate: 9000", r"'voice.rate': input should be less than or equal to 400"),
    "number as a phrase": (
        "pips: [",
        "pips: [6, ",
        r"'phrases.count_pips.0': input should be a valid string",
    ),
    "text for a list": (
        "  count_pips: [pips,",
        "  count_pips: pips\n  count_pipss: [pips,",
        r"'phrases.count_pips': input should be a valid list",
    ),
    "unknown command": ("  undo: [", "  undoo: [ab, cd, ef]\n  undo: [", r"undoo"),
    "too few phrases": ('  "no": [', '  "no": ["no", nope]\n  nono: [', r"nono"),
    "key twice": ("  undo: [", "  undo: [undo]\n  undo: [", r"the key 'undo' is there twice"),
    "unknown slot in a phrase": (
        "[throw, roll,",
        '["throw {thing}", roll,',
        r"the slot '\{thing\}' is unknown",
    ),
    "slot missing in a phrase": ("lives of {player}", "lives of nobody", r"needs one slot \{player\}"),
    "half a throw": ('"{die} {die}"', '"{die} {value}"', r"needs the slots of one throw"),
    "open brace": ("[throw, roll,", '["throw {", roll,', r"the braces do not match"),
    "phrase of signs": ("[throw, roll,", '["?!", roll,', r"holds no word"),
    "phrase of two commands": ("[undo, ", "[stop, ", r"'stop' is a phrase of 'stop' and of 'undo'"),
    "dice of two values": (
        "32: [thirty-two]",
        "32: [thirty-one]",
        r"thirty one' is a phrase of 'dice 3-1' and",
    ),
    "language of two": (
        "de: [german,",
        "de: [french,",
        r"french' is a phrase of 'language fr' and of 'language de'",
    ),
    "phrase twice": ("[undo, ", "[undo that, ", r"'undo that' is there twice"),
    "filler that is a command": (
        "fillers: [uh,",
        "fillers: [stop,",
        r"the filler 'stop' is a phrase of 'stop'",
    ),
    "decoy that is a command": (
        "  rolling, roll over,",
        "  throw, roll over,",
        r"the decoy 'throw' is a phrase of",
    ),
    "mixed letters": ("[undo, ", "[unдo, ", r"'unдo' mixes Latin and Cyrillic"),
    "value missing": ("    65: [sixty-five]\n", "", r"'numbers.values.65' is missing"),
    "value impossible": (
        "    65: [sixty-five]\n",
        "    65: [a]\n    66: [b]\n",
        r"'numbers.values.66' is unknown",
    ),
    "seat missing": ("  8: [player eight", "  9: [player eight", r"'seats.(8' is missing|9' is unknown)"),
    "homophone of no number": ("to: two, too", "to: twoo, too", r"'twoo' is no word of a number"),
    "homophone that is a number": ("{to: two,", "{six: two,", r"'six' is the word of a number itself"),
    "fold of two letters": ("\nfillers:", "\nfold: {ab: c}\nfillers:", r"'ab' is not one letter"),
    "plural category unknown here": ("one: one life,", "one: one life, few: few,", r"has no plural 'few'"),
    "plural form missing": (
        "one: one life, other:",
        "one: one life, zero: x, two:",
        r"key 'zero' is there twice",
    ),
    "plural form without a number": ('other: "{n} lives"', "other: lives", r"needs the slot '\{n\}'"),
    "plural form with another slot": (
        'other: "{n} lives"',
        'other: "{m} lives"',
        r"knows only the slot '\{n\}'",
    ),
    "sentence unknown": ("  goodbye:\n", "  hello: [hi]\n  goodbye:\n", r"'wording.hello' is unknown"),
    "field unknown": ("{player} is out.", "{players} is out.", r"the slot '\{players\}' is unknown here"),
    "field badly written": ("{player} is out.", "{player!r} is out.", r"a slot is written \{name\}"),
    "field open": ("{player} is out.", "{player is out.", r"expected '\}'"),
    "noun unknown": ("{lost:life}", "{lost:lief}", r"the noun 'lief' is unknown"),
    "noun for a name": (
        "{player} is out.",
        "{player:life} is out.",
        r"'\{player\}' is no number to count with",
    ),
    "label unknown": ("  level: Level\n", "  level: Level\n  lever: L\n", r"'labels.lever' is unknown"),
    "language of another file": (
        "language: en\n",
        "language: de\n",
        r"the language is 'de' but the file is named",
    ),
    "no code": ("language: en\n", "language: English\n", r"'language': string should match"),
    "anchor": ("fillers: [uh,", "fillers: [&a uh,", r"anchors and aliases"),
    "tag": ("fillers: [uh,", "fillers: [!!python/name:os.system uh,", r"tags are not allowed"),
    "not YAML": ("fillers: [uh,", "fillers: [uh]]", r"expected"),
    "tabulator": ("\nseats:\n", "\nseats:\n\t1: x\n", r"found character '\\t'"),
    "empty value": ("fillers: [uh,", "fillers: [,", r"."),
    "null": ("name: English", "name:", r"'name': input should be a valid string"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_file_is_refused_with_line_and_reason(case: str, tmp_path: Path) -> None:
    old, new, reason = WRONG[case]
    assert old in SOURCE
    text = SOURCE.replace(old, new, 1)
    line, found = refused(tmp_path, text)
    assert re.search(reason, found), found
    changed = line_of(SOURCE, old)
    last = changed + max(old.count("\n"), new.count("\n"))
    missing = "is missing" in found or "is there twice" in found
    assert changed <= line <= last or missing, (line, changed, found)


@pytest.mark.parametrize(
    ("section", "key"),
    [("phrases", "undo"), ("wording", "goodbye"), ("labels", "level")],
)
def test_missing_key_names_its_section(section: str, key: str, tmp_path: Path) -> None:
    text = re.sub(rf"^  {key}:.*\n(    .*\n)*", "", SOURCE, flags=re.MULTILINE)
    line, reason = refused(tmp_path, text)
    assert reason == f"'{section}.{key}' is missing"
    assert line == line_of(text, f"\n{section}:") + 1


@pytest.mark.parametrize(
    "section", ["voice", "numbers", "phrases", "nouns", "labels", "wording", "list", "players"]
)
def test_missing_section(section: str, tmp_path: Path) -> None:
    text = re.sub(rf"^{section}:.*\n((  .*)?\n)*", "", SOURCE, flags=re.MULTILINE)
    assert refused(tmp_path, text) == (1, f"'{section}' is missing")


def test_too_few_phrases_and_variants(tmp_path: Path) -> None:
    text = re.sub(r"^  undo: \[.*\n", "  undo: [undo, undo that]\n", SOURCE, flags=re.MULTILINE)
    assert refused(tmp_path, text) == (line_of(text, "  undo:"), "'undo' needs at least 3 phrases")
    text = SOURCE.replace('    - "{throws:throw} to go."\n', "")
    assert refused(tmp_path, text) == (
        line_of(text, "  throws_left_after:"),
        "'throws_left_after' is said often and needs 3 variants",
    )


def test_plural_form_missing(tmp_path: Path) -> None:
    text = SOURCE.replace('one: one life, other: "{n} lives"', "one: one life")
    assert refused(tmp_path, text) == (line_of(text, "  life:"), "'life' has no form 'other', as for 0")


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b"", 1, "the file is empty"),
        (b"# nothing\n", 1, "the file is empty"),
        (b"- a\n- b\n", 1, "the file has to be a mapping"),
        (b"just words", 1, "the file has to be a mapping"),
        (b"language: en\nname: \xff\xfe\n", 2, "this is not UTF-8 text"),
        (b"language: en\n\nname: a\x07b\n", 3, "the character U[+]0007 is not allowed"),
        (b"language: en\n---\nname: x\n", 2, "but found another document"),
        (b"a: " + b"[" * 5000 + b"]" * 5000, 1, "nested too deeply"),
        (b"a: " + b"x" * 200_001, 1, "larger than 200 kB"),
        (b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", 1, "anchors and aliases"),
        (b"? [a]\n: b\n", 1, "a key has to be a word"),
        (b"? \n: b\n", 1, "a key is empty"),
    ],
)
def test_hardly_a_locale(content: bytes, line: int, reason: str, tmp_path: Path) -> None:
    found = refused(tmp_path, content)
    assert found[0] == line
    assert re.match(reason, found[1]) or reason in found[1], found[1]


def test_words_that_yaml_takes_for_something_else(tmp_path: Path) -> None:
    """Yes, no, on and null are words here, quoted or not."""
    path = tmp_path / "en.yaml"
    path.write_text(SOURCE.replace('  "no": ["no", no thanks', "  no: [no, off, null, no thanks"), "utf-8")
    assert locale.load_file(path).phrases[CommandId.NO][:4] == ["no", "off", "null", "no thanks"]


def test_every_language_has_words_for_every_other() -> None:
    for code in locale.available():
        known = locale.load(code).languages
        for other in locale.available():
            assert known.get(other), (code, other)
            # the name a language has for itself is understood everywhere, in the script of the table
            if "ru" not in (code, other):
                assert set(known[other]) & {locale.load(other).name.lower(), locale.load(other).name}, (
                    code,
                    other,
                )
