"""Locale files and files of the house's own phrases, harmed in every way."""

import random
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from scripts.fuzzing import nasty
from scripts.fuzzing.case import Case, Command

LOCALES = Path(__file__).resolve().parents[2] / "locales"
TYPED = ("play", "--players", "Anna,Ben", "--typed", "--mute", "--plain", "--unkept", "--seed", "1")

TOKENS = tuple(
    token.encode()
    for token in (
        *(
            "{",
            "}",
            "[",
            "]",
            "&a ",
            "*a",
            "!!python/object/apply:os.system ",
            "!x ",
            "- ",
            ": ",
            "? ",
            "| ",
            "> ",
        ),
        *(
            "\t",
            "\n",
            "\n\n  ",
            "\n---\n",
            "\n...\n",
            "%YAML 9.9\n",
            "<<: *a",
            "#",
            "'",
            '"',
            '"\\e[7731m"',
            ",",
        ),
        *(
            '"\\u202e"',
            '"\\0"',
            '"\\ud800"',
            "\x1b[7731m",
            "\x00",
            "\ufeff",
            "\u2028",
            "~",
            "null",
            "yes",
            "0x1f",
        ),
        *(
            "1" * 5000,
            "9" * 30,
            "é",
            "ё",
            "{player}",
            "{die} ",
            "{n:life}",
            "{player!r}",
            "{}",
            "{0}",
            "{a.b}",
        ),
    )
)

PHRASES = """\
phrases:
  throw: [let it rip, "here they come"]
  stop: [no more for me]
  lives_of: ["what is left of {player}"]
  dice: ["behold {die} {die}", "see {value}"]
  language: ["parley {language}"]
"""


def locale(rng: random.Random, folder: Path) -> Case:
    """A match in a language whose file is harmed."""
    code = rng.choice(("de", "en", "fr", "ru"))
    path = folder / f"{code}.yaml"
    path.write_bytes(_harmed(rng, (LOCALES / f"{code}.yaml").read_bytes(), code))
    typed = b"throw\nhelp\nscores\nstop\n\xff\xfe\nquit\nyes\n"
    return Case([Command([*TYPED, "--lang", code], typed, locales=folder)])


def house(rng: random.Random, folder: Path) -> Case:
    """A match with phrases of the house that are harmed."""
    path = folder / rng.choice(("house.yaml", f"h\x1b[{nasty.MARK}m.yaml", "h.txt"))
    base = PHRASES.encode() if rng.random() < 0.7 else PHRASES.partition("\n")[2].encode()
    path.write_bytes(_harmed(rng, base, "house"))
    typed = b"let it rip\nno more for me\nquit\nyes\n"
    if rng.random() < 0.15:
        clip = LOCALES.parent / "tests" / "audio" / "en" / "throw.flac"
        return Case([Command(["hear", str(clip), "--lang", "en", "--phrases", str(path)])])
    return Case([Command([*TYPED, "--lang", "en", "--phrases", str(path)], typed)])


def _harmed(rng: random.Random, data: bytes, name: str) -> bytes:
    match rng.randrange(10):
        case 0:
            return rng.randbytes(rng.choice((0, 1, 10, 5000)))
        case 1:
            return _bomb(rng)
        case 2:
            lines = data.split(b"\n")
            for _ in range(rng.choice((1, 1, 3))):
                one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
                lines[one] = rng.choice((lines[other], b"", b" " + lines[one], lines[one].lstrip()))
            return b"\n".join(lines)
        case 3 | 4 | 5:
            return _restructured(rng, name, data)
        case _:
            return nasty.mangled(rng, data, TOKENS)


def _bomb(rng: random.Random) -> bytes:
    """What a small file can do to a reader."""
    depth = rng.choice((10, 1000, 100_000))
    match rng.randrange(7):
        case 0:
            return b"a: &a [x, x]\n" + b"".join(
                f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n".encode()
                for n in range(12)
            )
        case 1:
            return b"throw: " + b"[" * depth + b"x" + b"]" * depth
        case 2:
            return b"throw: " + b"{a: " * depth + b"x" + b"}" * depth
        case 3:
            return b"\n".join(b" " * n + b"a:" for n in range(min(depth, 2000)))
        case 4:
            return b"throw: [" + b"x, " * 500_000 + b"x]"
        case 5:
            return b"throw: [" + b", ".join(b"p%d" % n for n in range(rng.choice((150, 20_000)))) + b"]"
        case _:
            return b"throw: ['" + b"word " * rng.choice((59, 60, 10_000)) + b"']"


@lru_cache(maxsize=8)
def _tree(name: str, data: bytes) -> Any:
    del name
    return yaml.load(data, Loader=yaml.BaseLoader)


def _restructured(rng: random.Random, name: str, data: bytes) -> bytes:
    """The file with other values, of other types, in a few places."""
    tree = _copied(_tree(name, data))
    for _ in range(rng.choice((1, 1, 2, 5))):
        holder, key = _place(rng, tree)
        if holder is None:
            break
        match rng.randrange(5):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[nasty.text(rng, 60)] = holder[key]
            case 2 if isinstance(holder, list):
                holder.insert(0, nasty.text(rng, 400))
            case 3 if isinstance(holder[key], str):
                text = holder[key]
                at = rng.randrange(len(text) + 1)
                holder[key] = text[:at] + nasty.text(rng, 300) + text[at:]
            case _:
                holder[key] = nasty.value(rng)
    text = yaml.dump(
        tree, allow_unicode=rng.random() < 0.8, default_flow_style=rng.choice((None, False, True))
    )
    return text.encode("utf-8", "surrogatepass")


def _copied(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _copied(value) for key, value in tree.items()}
    return [_copied(value) for value in tree] if isinstance(tree, list) else tree


def _place(rng: random.Random, tree: Any) -> tuple[Any, Any]:
    """A random place in a tree: what holds it, and its key there."""
    holder, key, node = None, None, tree
    while isinstance(node, dict | list) and node:
        holder, key = node, rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
        node = node[key]
        if rng.random() < 0.25:
            break
    return holder, key
