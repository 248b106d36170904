"""The table of official models and the publisher's list."""

import json
from pathlib import Path

import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.catalogue import LARGEST, official_model, official_models, read_catalogue
from mexvoice.language import locale as locales

MD5 = "0123456789abcdef0123456789ABCDEF"


def test_every_language_has_one() -> None:
    """There is an official model for each language the program speaks."""
    assert set(official_models()) == set(locales.available())


def test_pinned_sums() -> None:
    """The pinned sums and sizes are those that are known."""
    english, french = official_model("en"), official_model("fr")
    assert english.url == "https://alphacephei.com/vosk/models/vosk-model-small-en-us-0.15.zip"
    assert english.size == 41_205_931
    assert english.sha256 == "30f26242c4eb449f948e42cb302dd7a686cb29a3423a8367f99ff41780942498"
    assert french.sha256 == "cabf6180e177eb9b3a9a9d43a437bd5e549f3a7d09525e5d69a3fed787be12ad"
    assert [official_model(code).name for code in ("de", "ru")] == [
        "vosk-model-small-de-0.15",
        "vosk-model-small-ru-0.22",
    ]


def test_another_base() -> None:
    """A mirror is a base address, with or without a slash at its end."""
    for base in ("https://example.org/vosk", "https://example.org/vosk/"):
        assert official_model("de", base).url == "https://example.org/vosk/vosk-model-small-de-0.15.zip"
        assert official_model("de", base).list_url == "https://example.org/vosk/model-list.json"


def test_unknown_language() -> None:
    """A language without an official model is a sentence."""
    with pytest.raises(
        MexvoiceError, match=r"No official model is known for 'xx': there are de, en, fr, ru\."
    ):
        official_model("xx")


def row(**changes: object) -> dict[str, object]:
    """A row of the publisher's list, in the form it has there."""
    return {
        "lang": "de",
        "lang_text": "German",
        "md5": MD5,
        "name": "vosk-model-small-de-0.15",
        "obsolete": "false",
        "size": 46_499_967,
        "size_text": "44.3MiB",
        "type": "small",
        "url": "https://alphacephei.com/vosk/models/vosk-model-small-de-0.15.zip",
        "version": "0.15",
        **changes,
    }


def test_listed() -> None:
    """Sum and size come from the row of the model."""
    rows = [row(name="vosk-model-de-0.21", md5="f" * 32), "?", row()]
    expected = official_model("de").listed(json.dumps(rows).encode())
    assert (expected.algorithm, expected.digest, expected.size) == ("md5", MD5.lower(), 46_499_967)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is not the publisher's list"),
        (b"<html>Please log in</html>", "is not the publisher's list"),
        (b"{}", "is not the publisher's list"),
        (b"\xff\xfe", "is not the publisher's list"),
        (b"[" * 100_000, "is not the publisher's list"),
        (b"[]", "has no vosk-model-small-de-0.15 any more"),
        (b"[1, null]", "has no vosk-model-small-de-0.15 any more"),
        (json.dumps([row(md5=None)]).encode(), "has no sum"),
        (json.dumps([row(md5="")]).encode(), "has no sum"),
        (json.dumps([row(md5="x" * 32)]).encode(), "has no sum"),
        (json.dumps([row(md5=[])]).encode(), "has no sum"),
        (json.dumps([row(size="44.3MiB")]).encode(), "no likely size"),
        (json.dumps([row(size=0)]).encode(), "no likely size"),
        (json.dumps([row(size=-5)]).encode(), "no likely size"),
        (json.dumps([row(size=LARGEST + 1)]).encode(), "no likely size"),
    ],
)
def test_bad_list(text: bytes, message: str) -> None:
    """A list that does not help is said to be one."""
    with pytest.raises(MexvoiceError, match=message):
        official_model("de").listed(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "models: [",
        "publisher: ftp://x/\nlist: a\nmodels: {}",
        "publisher: https://x/\nlist: ../a\nmodels: {}",
        "publisher: https://x/\nlist: a\nmodels: {de: {name: ../evil, bytes: 1}}",
        "publisher: https://x/\nlist: a\nmodels: {de: {name: a, bytes: 1, sha256: abc}}",
        "publisher: https://x/\nlist: a\nmodels: {de: {name: a, bytes: 999999999}}",
        "publisher: https://x/\nlist: a\nmodels: {../de: {name: a, bytes: 1}}",
    ],
)
def test_damaged_table(tmp_path: Path, text: str) -> None:
    """A damaged table is a sentence too."""
    path = tmp_path / "catalogue.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MexvoiceError, match="install mexvoice again"):
        read_catalogue(path)
