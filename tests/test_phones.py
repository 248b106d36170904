"""Phones: what espeak-ng writes, what the models know, what a speaker of another language says."""

from __future__ import annotations

from pathlib import Path

import pytest

from mexvoice.hearing.phones import (
    INVENTORY,
    NATIVE,
    SILENCE,
    nativise,
    normalise,
    read_phones,
    write_phones,
)


@pytest.mark.parametrize(
    ("raw", "language", "phones"),
    [
        ("θ_ɹ_ˈoʊ", "en", "θ ɹ o ʊ"),
        ("s_ˈɜː_ʔ_n̩", "en", "s ɜ t ə n"),
        ("f_ˈɔːɹ", "en", "f ɔ ɹ"),
        ("dʒ_ˌʌ_m_p_t", "en", "dʒ ʌ m p t"),
        ("k_ˈɑ̃", "fr", "k ɑ̃"),
        ("ˈœ̃", "fr", "ɛ̃"),
        ("d_ə-", "fr", "d ə"),
        ("pf_ˈɛ_f_ɜ", "de", "p f ɛ f ɐ"),
        ("v_ˈʏ_ɾ_f_ə_l_n", "de", "v ʏ ʁ f ə l n"),
        ("ç", "de", "ç"),
        ("n_ˈɔø_n", "de", "n ɔ ɪ n"),
        ("tʃʲ_ɪ_t_ˈy_rʲ_ɪ", "ru", "tʃ ɪ t ɨ rʲ ɪ"),
        ("s_k_ˈo_ɭ_k_ʌ", "ru", "s k o l k ɐ"),
        ('lʲ_u"_b_ˈo_fʲ', "ru", "lʲ u b o fʲ"),
        ("", "en", ""),
    ],
)
def test_transcriptions_become_shared_phones(raw: str, language: str, phones: str) -> None:
    assert normalise(raw, language) == tuple(phones.split())


def test_every_native_phone_is_in_the_inventory_once() -> None:
    assert INVENTORY[0] == SILENCE
    assert len(set(INVENTORY)) == len(INVENTORY)
    for phones in NATIVE.values():
        assert phones < set(INVENTORY)


@pytest.mark.parametrize("language", sorted(NATIVE))
def test_foreign_phones_become_native_ones(language: str) -> None:
    for phone in INVENTORY[1:]:
        said = nativise((phone,), language)
        assert said, f"{phone} is lost in {language}"
        assert set(said) <= NATIVE[language]
        if phone in NATIVE[language]:
            assert said == (phone,)


def test_a_palatal_nasal_is_said_as_n_and_j_where_there_is_none() -> None:
    assert nativise(("nʲ", "u"), "en") == ("n", "j", "u")
    assert nativise(("nʲ", "u"), "ru") == ("nʲ", "u")


def test_phone_files_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "phones.txt"
    write_phones(path)
    assert read_phones(path) == INVENTORY


@pytest.mark.parametrize("text", ["", "a\nb\n", "SIL\na\na\n"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "phones.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"phones\.txt"):
        read_phones(path)
