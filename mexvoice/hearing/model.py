"""A Vosk model directory: found, checked before it can crash, loaded.

Vosk ends the whole process on some broken models (a missing ``HCLr.fst`` loads and fails at the first
utterance), so nothing is loaded here that has not been looked at first: every file by name, size and magic
bytes, then either a seal (the sum of every file, written when the project's own models are made) or a
trial run in a child process.
"""

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mexvoice.data import shipped
from mexvoice.errors import MexvoiceError
from mexvoice.hearing.installed import find
from mexvoice.hearing.memory import keep_small

if TYPE_CHECKING:
    from mexvoice.hearing.certainty import Certainty

UNKNOWN = "[unk]"
"""The word of a model that stands for any speech it has no word for."""

SEAL = "mexvoice.json"
"""Name of the file that seals one of the project's own models."""

WEIGHTS = "certainty.json"
"""Name of the file with the weights of `mexvoice.hearing.certainty`."""

BUILTIN = Path("builtin")
"""Stands for the directory of the shipped model, also when another one is installed."""

TRIAL_SECONDS = 90.0
"""A trial run of a strange model may take this long; the largest official models load in 20 s."""

_SYMBOL = re.compile(r"<\S*>|#\S*")

_FST = bytes.fromhex("d6fdb27e")
_MDL = b"\0B<TransitionModel>"

# File -> bytes it begins with. This is Vosk's layout since 2020; the one before is refused.
_FILES: dict[str, bytes] = {
    "am/final.mdl": _MDL,
    "conf/model.conf": b"",
    "conf/mfcc.conf": b"",
    "graph/HCLr.fst": _FST,
    "graph/Gr.fst": _FST,
    "graph/disambig_tid.int": b"",
}


class Model:
    """A loaded Vosk model.

    Attributes:
        path: the directory it came from.
        whole_phrases: True when the model has one token a phrase (``throw_the_dice``), as the project's own
            models have; False for a model of plain words.
        handle: the ``vosk.Model``.
        certainty: what tells how certain a phrase is; None for a model that has no weights for it.
    """

    def __init__(self, path: Path, *, trusted: bool = False) -> None:
        """Check and load the model in the directory `path`.

        Args:
            path: a Vosk model directory.
            trusted: skip the trial run, for a model this very process has just put together.

        Raises:
            MexvoiceError: when it is no model, is damaged, or is of a kind that cannot follow a grammar.
        """
        self.path = path
        check_files(path)
        seal_ = read_seal(path)
        ours = trusted or (seal_ is not None and seal_matches(path, seal_))
        if not ours:
            try_out(path)
        if seal_ is None:
            self.whole_phrases = trusted or _has_underscores(path / "graph" / "words.txt")
        else:
            self.whole_phrases = _seals_whole_phrases(path)
        self.certainty: Certainty | None = None
        vosk = load_vosk()
        try:
            self.handle: Any = vosk.Model(model_path=str(path))
        except Exception as error:
            raise MexvoiceError(_damaged(path)) from error
        if not self.has(UNKNOWN):
            raise MexvoiceError(
                f"The model {path} has no word for unknown speech ({UNKNOWN}): "
                "any sound would be a command, so get another."
            )

    def has(self, token: str) -> bool:
        """Whether the model knows this very token (a phrase's words joined by ``_``, or a word)."""
        # Symbols of the graph are in the list of words, too, and in a grammar they would end the process.
        return bool(token) and not _SYMBOL.fullmatch(token) and self.handle.vosk_model_find_word(token) > 0

    def missing(self, words: Iterable[str]) -> tuple[str, ...]:
        """Those of `words` (phrases allowed) the model lacks, in their order, each once.

        For a model of plain words a phrase is split and its missing words are named.
        """
        wanted: dict[str, None] = {}
        for phrase in words:
            for token in self.tokens(phrase):
                if not self.has(token):
                    wanted[phrase if self.whole_phrases else token] = None
        return tuple(wanted)

    def tokens(self, phrase: str) -> tuple[str, ...]:
        """The tokens of this model that make up `phrase`."""
        return (token_of(phrase),) if self.whole_phrases else tuple(phrase.split())


def token_of(phrase: str) -> str:
    """The one token a phrase is in a model of whole phrases: its words joined by ``_``."""
    return "_".join(phrase.split())


def load_vosk() -> Any:
    """Import vosk (0.2 s, hence late) and make it silent.

    Raises:
        MexvoiceError: when it is not there or its library cannot be loaded.
    """
    try:
        import vosk
    except (ImportError, OSError) as error:
        raise MexvoiceError(
            f"The recogniser Vosk cannot be loaded ({error}): run 'pip install vosk'."
        ) from error
    vosk.SetLogLevel(-3)
    keep_small()
    return vosk


def find_model(code: str, directory: Path | None = None) -> Model:
    """The model in `directory`, or else the installed one of the language `code`, or else the shipped one.

    Args:
        code: the language.
        directory: a model; `BUILTIN` for the shipped one.

    Raises:
        MexvoiceError: when there is none, or it is damaged.
    """
    model = Model(_directory(code, directory))
    words = _word_list(model.path / "graph" / "words.txt") - {UNKNOWN}
    return _judged(model, code, None, [word for word in words if not _SYMBOL.fullmatch(word)])


def model_for(
    code: str, directory: Path | None, phrases: Iterable[str], accents: Sequence[str] | None = None
) -> Model:
    """A model of the language `code` that has all `phrases`.

    The shipped model is taken when it has them. When it lacks some (players' names, words of
    ``hear --words``), a model of exactly these phrases is put together from it, in a temporary folder that is
    gone when this returns. A model given by its `directory`, and one that is installed, is taken as it is.

    Args:
        code: the language.
        directory: a model to take instead of the installed or shipped one; `BUILTIN` for the shipped one.
        phrases: what is to be heard, words separated by blanks.
        accents: espeak-ng voices that pronounce it; by default those of the language.

    Raises:
        MexvoiceError: when there is no such model, it is damaged, or a phrase cannot be pronounced.
    """
    wanted = tuple(dict.fromkeys(phrases))
    base = _directory(code, directory)
    known: frozenset[str] = frozenset(map(token_of, wanted))
    if directory in (None, BUILTIN) and base == _shipped(code):
        check_files(base)
        known = _word_list(base / "graph" / "words.txt")
    if all(token_of(phrase) in known for phrase in wanted):
        model = Model(base)
    else:
        # Imported here: most runs need no other model than the shipped one.
        from mexvoice.hearing.graph import assemble_model
        from mexvoice.hearing.pronunciation import Pronouncer

        with tempfile.TemporaryDirectory(prefix="mexvoice-") as folder:
            path = Path(folder)
            assemble_model(base, path, [token_of(phrase) for phrase in wanted], Pronouncer(code, accents))
            model = Model(path, trusted=True)
        model.path = base
    return _judged(model, code, accents, map(token_of, wanted))


def _judged(model: Model, code: str, accents: Sequence[str] | None, tokens: Iterable[str]) -> Model:
    """A model with its judge of certainty, if it has weights for one; it compares phrases with `tokens`."""
    if model.whole_phrases and (model.path / WEIGHTS).is_file():
        from mexvoice.hearing.certainty import Certainty
        from mexvoice.hearing.pronunciation import Pronouncer

        try:
            pronouncer = Pronouncer(code, accents)
        except MexvoiceError:
            return model  # nothing pronounces its phrases: the margin must do
        model.certainty = Certainty(model.path, pronouncer, sorted(tokens))
    return model


def check_files(path: Path) -> None:
    """Look at the files of a model without loading it.

    Raises:
        MexvoiceError: naming the first file that is missing, empty or not what it should be.
    """
    if not path.is_dir():
        raise MexvoiceError(
            f"There is no model directory at {path}: give the folder of an unpacked Vosk model."
        )
    if (path / "graph" / "HCLG.fst").is_file() and not (path / "graph" / "HCLr.fst").is_file():
        raise MexvoiceError(
            f"The model {path} has a fixed vocabulary (HCLG.fst): take one with a graph/HCLr.fst."
        )
    if not (path / "am").is_dir() and not (path / "graph").is_dir():
        raise MexvoiceError(f"{path} is not a Vosk model: it has neither 'am' nor 'graph' in it.")
    for name, magic in _FILES.items():
        file = path / name
        try:
            with file.open("rb") as stream:
                head = stream.read(max(len(magic), 1))
        except OSError as error:
            raise MexvoiceError(
                f"The model {path} has no readable file {name}: get the model again."
            ) from error
        if not head or not head.startswith(magic):
            raise MexvoiceError(f"The file {name} of the model {path} is damaged: get the model again.")


def seal(path: Path, *, whole_phrases: bool = True) -> None:
    """Write the seal of a finished model: the SHA-256 sum of each of its files.

    Args:
        path: the model, one of the project or one that has been installed and tried.
        whole_phrases: whether it has one token a phrase, not one a word.
    """
    sums = {name: _sum(path / name) for name in _sealed_files(path)}
    text = json.dumps({"whole_phrases": whole_phrases, "sha256": sums}, indent=1, sort_keys=True) + "\n"
    (path / SEAL).write_text(text, encoding="utf-8", newline="\n")


def read_seal(path: Path) -> dict[str, str] | None:
    """The sums in the seal of the model at `path`; None when it has no (readable) seal."""
    try:
        content = json.loads((path / SEAL).read_text(encoding="utf-8"))
        sums = content["sha256"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return {str(name): str(value) for name, value in sums.items()} if isinstance(sums, dict) else None


def _seals_whole_phrases(path: Path) -> bool:
    """Whether the seal of the model at `path` says that it has one token a phrase."""
    content = json.loads((path / SEAL).read_text(encoding="utf-8"))
    return bool(content.get("whole_phrases", True))


def seal_matches(path: Path, sums: dict[str, str]) -> bool:
    """Whether the files of the model at `path` are those that were sealed, all of them and unchanged."""
    return set(_sealed_files(path)) == set(sums) and all(_sum(path / name) == sums[name] for name in sums)


def try_out(path: Path, seconds: float = TRIAL_SECONDS) -> None:
    """Load a strange model in a child process and let it hear some seconds of what sounds like speech.

    Raises:
        MexvoiceError: when the child fails, dies or takes more than `seconds`.
    """
    command = [sys.executable, "-m", "mexvoice.hearing.trial", str(path.resolve())]
    started = time.monotonic()
    # The child must find this package also when it runs from a checkout that is not installed.
    folder = Path(__file__).resolve().parents[2]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=seconds,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        waited = time.monotonic() - started
        raise MexvoiceError(
            f"The model {path} did not load within {waited:.0f} s: take a smaller one."
        ) from error
    # OpenFst says that it cannot read a file, and goes on without it.
    if done.returncode != 0 or b"ERROR" in done.stderr:
        raise MexvoiceError(_damaged(path))


def _damaged(path: Path) -> str:
    return f"The model {path} is damaged (Vosk cannot run it): get the model again."


def _directory(code: str, directory: Path | None) -> Path:
    if directory is not None and directory != BUILTIN:
        return directory.resolve() if directory.is_dir() else directory
    found = find(code) if directory is None else None
    if found is not None:
        return found
    path = _shipped(code)
    if not path.is_dir():
        raise MexvoiceError(f"There is no model for the language '{code}': give one with --model DIR.")
    return path


def _shipped(code: str) -> Path:
    return shipped("models") / code


def _word_list(path: Path) -> frozenset[str]:
    """The tokens in a ``words.txt`` (one ``token number`` a line); none when there is no such file."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    return frozenset(line.split()[0] for line in lines if line.strip())


def _has_underscores(path: Path) -> bool:
    return any("_" in token.strip("_") for token in _word_list(path))


def _sealed_files(path: Path) -> list[str]:
    found = (file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file())
    return sorted(name for name in found if name != SEAL)


def _sum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
