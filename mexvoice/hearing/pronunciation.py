"""Text to phones, by espeak-ng.

espeak-ng is used as a library (its data come with ``espeakng_loader``, else from the system), never as a
program: a word takes a fraction of a millisecond. Every text gets a few pronunciations: one for each accent
of the language, and the habits of quick speech that a dictionary leaves out (``HABITS``). A word in a foreign
script is read by a voice that knows it, and its sounds become the nearest ones of the language spoken.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import re
import threading
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.phones import PAUSE, Pronunciation, nativise, normalise

ACCENTS: Mapping[str, tuple[str, ...]] = {
    "en": ("en-us", "en-gb"),
    "fr": ("fr-fr", "fr-ch"),
    "de": ("de",),
    "ru": ("ru",),
}
"""The espeak-ng voices that pronounce a language, the commonest first."""

READERS: Mapping[str, tuple[str, ...]] = {"cyrillic": ("ru",), "latin": ("de", "en-us")}
"""The voices that read a word whose script the language does not use."""

HABITS: Mapping[str, tuple[tuple[tuple[str, str], ...], ...]] = {
    "en": (
        (  # weak forms of for (not of "four and ..."), and, are
            (r"(?<=_ )f ɔ ɹ(?= _ (?!. n d))", "f ɚ"),
            (r"(?<=_ )f ɔ(?= _ (?!. n d))", "f ə"),
            (r"(?<=_ )[æa] n d(?= _)", "ə n"),
            (r"(?<=_ )[ɑa] ɹ(?= _)", "ɚ"),
            (r"(?<=_ )ɑ(?= _)", "ə"),
        ),
    ),
    "de": (
        ((r"ʁ(?= [^aeiouyøœɐəɛɪɔʊʏ]|$)", "ɐ"),),  # a vowel for the r after a vowel: vier, würfeln
        ((r"ʁ(?= [^aeiouyøœɐəɛɪɔʊʏ]|$)", "ɐ"), (r"(?<=[^aeiouyøœɐəɛɪɔʊʏ] )ə (?=[nl]( |$))", "")),  # werf'n
        (  # fünf un' 'ne drei, einunvierzig (which espeak-ng reads as if it began with a w)
            (r"ʁ(?= [^aeiouyøœɐəɛɪɔʊʏ]|$)", "ɐ"),
            (r"(?<=ʊ n) d v (?=i [ʁɐ] ts)", " f "),
            (r"(?<=ʊ n) [td](?= [^aeiouyøœɐəɛɪɔʊʏʁ])", ""),
            (r"(?<=_ )a ɪ n ə(?= _)", "n ə"),
        ),
    ),
    "fr": (
        ((r"(?<=[ptkbdɡfv]) [lʁ]( ə)?(?= _|$)", ""), (r" ə(?= _|$)", "")),  # quat', trois aut'
        ((r"(?<=[ʒdlsmnk]) ə(?= [ptkbdɡfvszʃʒmnlʁ])", ""),),  # j' lance, d'mi-tour
    ),
    "ru": (((r"j ɪ(?= )", "ɪ"),),),
}  # fmt: skip
"""What quick speech makes of a pronunciation: each line is one further reading, a list of replacements."""

_SPACED = re.compile(r"[_\s]+")
_SWITCH = re.compile(r"\(([a-z]{2,3})[^)]*\)")
_PHONEMES_IPA = 0x02
_RETRIEVAL = 1
_DONT_EXIT = 0x8000
_UTF8 = 1
_INSTALL = "install it (Debian: apt install libespeak-ng1; any system: pip install espeakng-loader)"


class _VoiceRecord(ctypes.Structure):
    """``espeak_VOICE`` of speak_lib.h, as far as it is read here."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("languages", ctypes.c_void_p),
        ("identifier", ctypes.c_char_p),
    )


class Espeak:
    """The one espeak-ng library of this process; every call holds a lock, since the library has one state."""

    _instance: Espeak | None = None
    _creation = threading.Lock()

    def __init__(self) -> None:
        """Load the library and its data; raises MexvoiceError when there is none. Use :meth:`shared`."""
        self._lock = threading.Lock()
        self._library, data = self._load()
        self._library.espeak_TextToPhonemes.restype = ctypes.c_char_p
        self._library.espeak_TextToPhonemes.argtypes = [
            ctypes.POINTER(ctypes.c_void_p),
            ctypes.c_int,
            ctypes.c_int,
        ]
        self._library.espeak_SetVoiceByName.argtypes = [ctypes.c_char_p]
        self._library.espeak_ListVoices.restype = ctypes.POINTER(ctypes.POINTER(_VoiceRecord))
        self._library.espeak_ListVoices.argtypes = [ctypes.c_void_p]
        parent = str(data.parent).encode() if data is not None else None
        if self._library.espeak_Initialize(_RETRIEVAL, 0, parent, _DONT_EXIT) <= 0:
            raise MexvoiceError(f"espeak-ng finds no voice data: {_INSTALL}.")
        self._voices = self._list_voices()
        self._current = ""

    @classmethod
    def shared(cls) -> Espeak:
        """The library, loaded at the first call."""
        with cls._creation:
            if cls._instance is None:
                cls._instance = cls()
            return cls._instance

    @staticmethod
    def _load() -> tuple[ctypes.CDLL, Path | None]:
        try:
            import espeakng_loader

            return ctypes.CDLL(espeakng_loader.get_library_path()), Path(espeakng_loader.get_data_path())
        except (ImportError, OSError, RuntimeError):
            pass
        for name in (ctypes.util.find_library("espeak-ng"), "libespeak-ng.so.1", "libespeak-ng.dylib"):
            try:
                if name:
                    return ctypes.CDLL(name), None
            except OSError:
                continue
        raise MexvoiceError(f"espeak-ng, which gives words their pronunciation, was not found: {_INSTALL}.")

    def _list_voices(self) -> dict[str, str]:
        """Language code or identifier (``fr-fr``, ``roa/fr``) to espeak-ng's identifier."""
        found: dict[str, str] = {}
        records = self._library.espeak_ListVoices(None)
        at = 0
        while records[at]:
            record = records[at].contents
            identifier = record.identifier.decode()
            address = record.languages
            while ctypes.string_at(address, 1) != b"\0":  # a priority byte before each code, 0 at the end
                language = ctypes.string_at(address + 1)
                address += len(language) + 2
                if not identifier.startswith("mb/"):
                    found.setdefault(language.decode().lower(), identifier)
            found.setdefault(identifier.lower(), identifier)
            at += 1
        for code, identifier in list(found.items()):
            if code == identifier.lower() and "/" in code:
                found.setdefault(code.split("/", 1)[1], identifier)
        return found

    @property
    def version(self) -> str:
        """The version of espeak-ng, like ``1.52.0``."""
        self._library.espeak_Info.restype = ctypes.c_char_p
        self._library.espeak_Info.argtypes = [ctypes.c_void_p]
        words = (self._library.espeak_Info(None) or b"").decode("utf-8", "replace").split()
        return words[0] if words else "?"

    def has(self, voice: str) -> bool:
        """Whether a voice, given as a language code or an identifier, exists."""
        return voice.lower() in self._voices

    def transcribe(self, text: str, voice: str) -> str:
        """espeak-ng's IPA for a text: blank between words, ``_`` between phones, ``(en)`` where it switches.

        Raises MexvoiceError for a voice espeak-ng does not have.
        """
        identifier = self._voices.get(voice.lower())
        if identifier is None:
            raise MexvoiceError(f"espeak-ng has no voice '{voice}': choose one of 'espeak-ng --voices'.")
        with self._lock:
            if self._current != identifier:
                if self._library.espeak_SetVoiceByName(identifier.encode()) != 0:
                    raise MexvoiceError(
                        f"espeak-ng cannot load its voice '{voice}': install espeak-ng again."
                    )
                self._current = identifier
            buffer = ctypes.create_string_buffer(text.encode("utf-8", "replace"))
            rest = ctypes.c_void_p(ctypes.addressof(buffer))
            clauses: list[str] = []
            while rest.value:
                mode = _PHONEMES_IPA | (ord("_") << 8)
                clauses.append(self._library.espeak_TextToPhonemes(ctypes.byref(rest), _UTF8, mode).decode())
        return " ".join(clauses)


def _script(word: str) -> str:
    for letter in word:
        if letter.isalpha():
            return "cyrillic" if unicodedata.name(letter, "").startswith("CYRILLIC") else "latin"
    return ""


def _runs(text: str, own: str) -> list[tuple[bool, str]]:
    """Cut a text into pieces of one script: (whether it is ``own``, piece). Figures join the piece before."""
    runs: list[tuple[bool, str]] = []
    for word in text.split():
        native = _script(word) in ("", own)
        if runs and (runs[-1][0] == native or not _script(word)):
            runs[-1] = (runs[-1][0], runs[-1][1] + " " + word)
        else:
            runs.append((native, word))
    return runs


def _join(words: Iterable[Pronunciation]) -> Pronunciation:
    """One reading of several words, a place for a pause between them."""
    joined: Pronunciation = ()
    for word in words:
        if word:
            joined += (PAUSE, *word) if joined else word
    return joined


def _plain(reading: Pronunciation) -> Pronunciation:
    return tuple(phone for phone in reading if phone != PAUSE)


class Pronouncer:
    """Gives texts of one language their pronunciations."""

    def __init__(self, language: str, accents: Sequence[str] | None = None) -> None:
        """``accents`` are espeak-ng voices; without them, those of :data:`ACCENTS` or the language's own.

        Accents this espeak-ng lacks are passed over. Raises MexvoiceError when none is left, or no espeak-ng.
        """
        self._espeak = Espeak.shared()
        wanted = tuple(accents) if accents else ACCENTS.get(language, (language,))
        self.language = language
        self.accents = tuple(accent for accent in wanted if self._espeak.has(accent))
        if not self.accents:
            raise MexvoiceError(
                f"espeak-ng has no voice for '{language}' ({', '.join(wanted)}): name another one."
            )
        self._own_script = "cyrillic" if language in ("ru", "uk", "be", "bg", "sr", "mk") else "latin"
        self._known: dict[str, tuple[Pronunciation, ...]] = {}

    def pronounce(self, text: str, pauses: bool = False) -> tuple[Pronunciation, ...]:
        """All pronunciations of a word or phrase (blanks or underscores between words), the likeliest first.

        With ``pauses`` they hold a mark between words. Empty for a text without sound (punctuation).
        """
        return self.pronounce_all([text], pauses)[text]

    def pronounce_all(
        self, texts: Iterable[str], pauses: bool = False
    ) -> dict[str, tuple[Pronunciation, ...]]:
        """:meth:`pronounce` for many texts: faster, since each accent is set once."""
        texts = list(texts)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        found: dict[str, dict[Pronunciation, None]] = {text: {} for text in new}
        for accent in self.accents:
            for text in new:
                for reading in self._read(text, accent):
                    found[text][reading] = None
        for text, readings in found.items():
            for reading in list(readings):
                for habit in HABITS.get(self.language, ()):
                    readings[self.relax(reading, habit)] = None
            self._known[text] = tuple(reading for reading in readings if reading)
        if pauses:
            return {text: self._known[text] for text in texts}
        return {text: tuple(dict.fromkeys(map(_plain, self._known[text]))) for text in texts}

    def words(self, text: str, accent: str | None = None) -> tuple[Pronunciation, ...]:
        """The phones of each spoken word of a text in one accent; espeak-ng may join small words into one."""
        spoken = self._espeak.transcribe(_SPACED.sub(" ", text), accent or self.accents[0])
        return tuple(word for word in self._parse(spoken) if word)

    def _read(self, text: str, accent: str) -> list[Pronunciation]:
        """A text in one accent; several readings when it has words in a foreign script."""
        readings: list[Pronunciation] = [()]
        for native, piece in _runs(_SPACED.sub(" ", text).strip(), self._own_script):
            voices = (accent,) if native else READERS[_script(piece)]
            parts = {
                _join(self._parse(self._espeak.transcribe(piece, voice), voice)): None for voice in voices
            }
            readings = [_join([reading, part]) for reading in readings for part in parts]
        return readings

    def _parse(self, transcription: str, voice: str | None = None) -> list[Pronunciation]:
        """espeak-ng's IPA to phones, word by word; sounds of other languages become native ones."""
        start = voice.split("-")[0].rsplit("/")[-1] if voice else self.language
        language = start
        words: list[Pronunciation] = []
        for spoken in transcription.split():
            phones: Pronunciation = ()
            at = 0
            for switch in (*_SWITCH.finditer(spoken), None):
                phones += normalise(spoken[at : switch.start() if switch else len(spoken)], language)
                if switch:
                    language, at = switch.group(1), switch.end()
            words.append(nativise(phones, self.language))
        return words

    @staticmethod
    def relax(reading: Pronunciation, habit: tuple[tuple[str, str], ...]) -> Pronunciation:
        """A reading after one of the :data:`HABITS`."""
        said = " ".join(reading)
        for pattern, replacement in habit:
            said = re.sub(pattern, replacement, said)
        return tuple(said.split())
