"""The decoding graph of a Vosk model, written without Kaldi or OpenFst.

A graph is made of ``HCLr.fst`` (HMM states, phones and words in one transducer, in OpenFst's binary form of
a constant transducer), ``Gr.fst`` (any word may follow any), ``words.txt``, the roles of phones in words and
the list of disambiguation labels (unused, but it must exist). Vosk composes HCLr with its grammar.

Every phone is one HMM state with two network outputs: one for its first frame (the arc that enters it), one
for the following frames (its self-loop). Phones carry their position in the word, as Kaldi's word alignment
wants; all positions share the outputs. A pause inside a phrase is an inner phone with the outputs of silence.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.lexicon import Lexicon
from mexvoice.hearing.phones import PAUSE, Pronunciation, read_phones
from mexvoice.hearing.pronunciation import Pronouncer
from mexvoice.hearing.transducer import Transducer

UNKNOWN = "[unk]"
"""The token for any sound that is no token of the lexicon."""

_EPSILON = 0
_POSITIONS = ("begin", "end", "internal", "singleton")
_SILENCE_COST = -math.log(0.5)
_PAUSE_COST = -math.log(0.15)
_WORD_LOOP_EXIT = 0.7


@dataclass(frozen=True)
class PhoneTable:
    """Numbers of phones in words, and which network outputs they use."""

    phones: Sequence[str]
    """The phones in the order of the network's outputs, silence first."""

    @property
    def roles(self) -> list[str]:
        """Per number (from 1), the place in a word: the lines of ``word_boundary.int``."""
        return ["nonword", "internal", *(_POSITIONS * (len(self.phones) - 1))]

    @property
    def outputs(self) -> list[tuple[int, int]]:
        """Per number (from 1), the network outputs of the first frame and of the following ones."""
        spread = [at for at in range(1, len(self.phones)) for _ in _POSITIONS]
        return [(2 * at, 2 * at + 1) for at in (0, 0, *spread)]

    def numbers(self) -> dict[str, int]:
        """Per phone, its number at the beginning of a word; ``end``, ``internal``, ``singleton`` follow."""
        return {phone: 3 + 4 * at for at, phone in enumerate(self.phones[1:])}


SILENCE_NUMBER = 1
"""Number of the silence between words."""
PAUSE_NUMBER = 2
"""Number of the pause inside a phrase."""


def first_frame(number: int) -> int:
    """Kaldi's transition label for entering a phone."""
    return 2 * number


def next_frame(number: int) -> int:
    """Kaldi's transition label for staying in a phone."""
    return 2 * number - 1


@dataclass(frozen=True)
class UnknownModel:
    """What ``[unk]`` is made of: any sequence of phones, by a bigram of the language's phones."""

    start: Mapping[str, float]
    """Log-probability of a word's first phone."""
    following: Mapping[str, Mapping[str, float]]
    """Log-probability of the phone after a phone, for the frequent pairs."""
    backoff: Mapping[str, float]
    """Log-weight of all other pairs after a phone."""
    any_phone: Mapping[str, float]
    """Log-probability of a phone by itself, used after ``backoff``."""
    words: float = 0.0
    """Penalty for every token of the lexicon: higher lets more be ``[unk]``."""
    each: float = 0.0
    """Penalty for every phone of an ``[unk]``: lower lets more, and longer, speech be ``[unk]``."""

    @classmethod
    def from_words(
        cls, words: Iterable[Pronunciation], strength: float = 1.5, least: float = 0.01
    ) -> UnknownModel:
        """Count a bigram over words; pairs rarer than ``least`` of a phone's go through the back-off.

        ``strength`` is the weight of the back-off in phones (absolute discounting would do as well).
        """
        start: dict[str, int] = {}
        pairs: dict[str, dict[str, int]] = {}
        single: dict[str, int] = {}
        for word in words:
            for at, phone in enumerate(word):
                single[phone] = single.get(phone, 0) + 1
                counts = start if at == 0 else pairs.setdefault(word[at - 1], {})
                counts[phone] = counts.get(phone, 0) + 1
        if not single:
            raise ValueError("no words to count phones in")
        total, starts = sum(single.values()), sum(start.values())
        any_phone = {phone: math.log(count / total) for phone, count in single.items()}
        following: dict[str, dict[str, float]] = {}
        backoff: dict[str, float] = {}
        for phone in single:
            counts = pairs.get(phone, {})
            whole = sum(counts.values()) + strength * max(1.0, math.sqrt(sum(counts.values())))
            kept = {other: count / whole for other, count in counts.items() if count / whole >= least}
            following[phone] = {other: math.log(share) for other, share in kept.items()}
            backoff[phone] = math.log(max(1e-4, 1.0 - sum(kept.values())))
        return cls(
            {phone: math.log(count / starts) for phone, count in start.items()}, following, backoff, any_phone
        )

    @classmethod
    def read(cls, path: Path) -> UnknownModel:
        """Read what :meth:`write` wrote."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))

    def write(self, path: Path) -> None:
        """Write the model as JSON, probabilities with three digits."""

        def rounded(table: Mapping[str, float]) -> dict[str, float]:
            return {phone: round(value, 3) for phone, value in sorted(table.items())}

        fields = {
            "words": self.words,
            "each": self.each,
            "start": rounded(self.start),
            "backoff": rounded(self.backoff),
            "any_phone": rounded(self.any_phone),
            "following": {phone: rounded(table) for phone, table in sorted(self.following.items())},
        }
        path.write_text(
            json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8"
        )


_Node = tuple[int, frozenset[int], bool]


class _Builder:
    """Builds the transducer of HMM states, phones and words."""

    def __init__(self, table: PhoneTable) -> None:
        self.fst = Transducer()
        self._begin = table.numbers()
        self._start, self._loop, self._silence = (self.fst.state() for _ in range(3))
        self._shared: dict[_Node, int] = {}
        self.fst.final[self._loop] = 0.0
        self.fst.arc(self._start, self._loop, _EPSILON, _EPSILON, _SILENCE_COST)
        self.fst.arc(self._start, self._silence, first_frame(SILENCE_NUMBER), _EPSILON, _SILENCE_COST)
        self._stay(self._silence, SILENCE_NUMBER)
        self.fst.arc(self._silence, self._loop, _EPSILON, _EPSILON)

    def _stay(self, state: int, number: int) -> None:
        self.fst.arc(state, state, next_frame(number), _EPSILON)

    def _end(self, state: int, cost: float = 0.0) -> None:
        whole = cost + _SILENCE_COST
        self.fst.arc(state, self._loop, _EPSILON, _EPSILON, whole)
        self.fst.arc(state, self._silence, first_frame(SILENCE_NUMBER), _EPSILON, whole)

    def _numbered(self, reading: Pronunciation) -> list[int]:
        """A reading as phone numbers with positions; :data:`PAUSE_NUMBER` where a pause may be."""
        spoken = [at for at, phone in enumerate(reading) if phone != PAUSE]
        first, last = spoken[0], spoken[-1]
        numbers = []
        for at in range(first, last + 1):
            if reading[at] == PAUSE:
                numbers.append(PAUSE_NUMBER)
            else:
                offset = 3 if first == last else 0 if at == first else 1 if at == last else 2
                numbers.append(self._begin[reading[at]] + offset)
        return numbers

    def word(self, label: int, readings: Sequence[Pronunciation], cost: float = 0.0) -> None:
        """Add a token. Its readings share what begins alike; endings are shared by all tokens."""
        tree: dict[int, object] = {}
        for reading in readings:
            branch = tree
            for number in self._numbered(reading):
                branch = branch.setdefault(number, {})  # type: ignore[assignment]
            branch[_EPSILON] = None  # a reading ends here
        for number, branch in tree.items():  # type: ignore[assignment]
            self.fst.arc(self._loop, self._node(number, branch), first_frame(number), label, cost)

    def _node(self, number: int, branch: dict[int, object]) -> int:
        """The state in which phone ``number`` sounds and the branch follows; equal ones are one state."""
        following: set[int] = set()
        inputs: dict[int, list[tuple[int, float]]] = {}
        for after, rest in branch.items():
            if after == _EPSILON:
                continue
            if after == PAUSE_NUMBER:
                for beyond, more in rest.items():  # type: ignore[attr-defined]
                    state = self._node(beyond, more)
                    pause = self._pause(beyond, state)
                    following |= {state, pause}
                    inputs.setdefault(state, []).append((first_frame(beyond), 0.0))
                    inputs.setdefault(pause, []).append((first_frame(PAUSE_NUMBER), _PAUSE_COST))
            else:
                state = self._node(after, rest)  # type: ignore[arg-type]
                following.add(state)
                inputs.setdefault(state, []).append((first_frame(after), 0.0))
        key = (number, frozenset(following), _EPSILON in branch)
        known = self._shared.get(key)
        if known is not None:
            return known
        made = self._shared[key] = self.fst.state()
        self._stay(made, number)
        for state, arcs in inputs.items():
            for label, cost in set(arcs):
                self.fst.arc(made, state, label, _EPSILON, cost)
        if _EPSILON in branch:
            self._end(made)
        return made

    def _pause(self, beyond: int, state: int) -> int:
        key = (PAUSE_NUMBER, frozenset([state]), False)
        if key not in self._shared:
            made = self._shared[key] = self.fst.state()
            self._stay(made, PAUSE_NUMBER)
            self.fst.arc(made, state, first_frame(beyond), _EPSILON)
        return self._shared[key]

    def unknown(self, label: int, model: UnknownModel) -> None:
        """Add ``[unk]``: a first phone, inner phones by the bigram, a last phone; or one phone alone."""
        phones = [phone for phone in model.any_phone if phone in self._begin]
        hub = self.fst.state()
        places = {}
        for phone in phones:
            for offset in range(4):
                places[phone, offset] = self.fst.state()
                self._stay(places[phone, offset], self._begin[phone] + offset)
        for phone in phones:
            number = self._begin[phone]
            cost = model.each - model.any_phone[phone]
            self.fst.arc(hub, places[phone, 2], first_frame(number + 2), _EPSILON, cost)
            self.fst.arc(hub, places[phone, 1], first_frame(number + 1), _EPSILON, cost)
            self._end(places[phone, 1])
            self._end(places[phone, 3], 1.0)
            if phone in model.start:
                cost = model.each - model.start[phone]
                self.fst.arc(self._loop, places[phone, 0], first_frame(number), label, cost)
                self.fst.arc(self._loop, places[phone, 3], first_frame(number + 3), label, cost)
            for offset in (0, 2):
                self.fst.arc(places[phone, offset], hub, _EPSILON, _EPSILON, -model.backoff[phone])
                for other, share in model.following[phone].items():
                    if other in self._begin:
                        arrival = first_frame(self._begin[other] + 2)
                        self.fst.arc(
                            places[phone, offset], places[other, 2], arrival, _EPSILON, model.each - share
                        )


def build_graph(
    directory: Path,
    phones: Sequence[str],
    lexicon: Lexicon,
    unknown: UnknownModel | None,
) -> None:
    """Write the graph of a Vosk model: ``directory/HCLr.fst`` and the rest.

    ``phones`` is the inventory the network was trained with; readings that use another phone are left out,
    and ValueError is raised when a token loses all of them.
    """
    table = PhoneTable(phones)
    known = {*phones, PAUSE}
    words = [*lexicon, *([UNKNOWN] if unknown is not None else [])]
    builder = _Builder(table)
    word_cost = unknown.words if unknown is not None else 0.0
    for label, name in enumerate(lexicon, start=1):
        readings = [reading for reading in lexicon.entries[name] if known.issuperset(reading)]
        if not readings:
            raise ValueError(f"no pronunciation of {name} consists of phones the model knows")
        builder.word(label, readings, word_cost)
    if unknown is not None:
        builder.unknown(len(words), unknown)
    loop = Transducer()
    only = loop.state()
    loop.final[only] = _WORD_LOOP_EXIT
    for label in range(1, len(words) + 1):
        loop.arc(only, only, label, label, math.log(len(words)) + _WORD_LOOP_EXIT)
    (directory / "phones").mkdir(parents=True, exist_ok=True)
    builder.fst.write(directory / "HCLr.fst", sort_by_output=True)
    loop.write(directory / "Gr.fst", sort_by_output=False)
    lines = [f"{word} {label}" for label, word in enumerate(["<eps>", *words])]
    (directory / "words.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    roles = [f"{number} {role}" for number, role in enumerate(table.roles, start=1)]
    (directory / "phones" / "word_boundary.int").write_text("\n".join(roles) + "\n", encoding="ascii")
    (directory / "disambig_tid.int").write_text(f"{2 * len(roles) + 1}\n", encoding="ascii")


PHONES_FILE = "phones.txt"
"""In a model's folder: the phones of its network, in order."""
UNKNOWN_FILE = "unknown.json"
"""In a model's folder: the model of ``[unk]``."""


def assemble_model(base: Path, out: Path, texts: Iterable[str], pronouncer: Pronouncer) -> Lexicon:
    """Make a complete Vosk model that hears ``texts`` (phrases or tokens) and ``[unk]``.

    ``base`` is a folder like ``models/fr``; network and settings are copied from it, the graph is new.
    Returns the lexicon. Raises MexvoiceError when ``base`` is no model of the project, or when nothing can be
    pronounced.
    """
    needed = (
        base / "am" / "final.mdl",
        base / "conf" / "model.conf",
        base / PHONES_FILE,
        base / UNKNOWN_FILE,
    )
    for path in needed:
        if not path.is_file():
            raise MexvoiceError(
                f"{base} is not a model of this program ({path.name} is missing): reinstall it."
            )
    lexicon = Lexicon.of(texts, pronouncer)
    if not len(lexicon):
        raise MexvoiceError("None of the given words can be pronounced: give at least one word.")
    try:
        phones = read_phones(base / PHONES_FILE)
        unknown = UnknownModel.read(base / UNKNOWN_FILE)
    except (ValueError, TypeError) as error:
        raise MexvoiceError(f"The model in {base} is damaged ({error}): reinstall it.") from error
    if out.resolve() != base.resolve():
        for folder in ("am", "conf"):
            shutil.copytree(base / folder, out / folder, dirs_exist_ok=True)
        for name in (PHONES_FILE, UNKNOWN_FILE):
            shutil.copyfile(base / name, out / name)
    build_graph(out / "graph", phones, lexicon, unknown)
    return lexicon
