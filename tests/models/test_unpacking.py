"""Archives that would do harm, and archives that are none."""

import io
import random
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.unpacking import Limits, unpack

GOOD = {"m/": b"", "m/am/final.mdl": b"network", "m/graph/Gr.fst": b"grammar" * 10, "m/README": b""}
Build = Callable[[zipfile.ZipFile], None]


def archive_of(members: dict[str, bytes], build: Build | None = None) -> bytes:
    """A zip file with these members, and what `build` adds."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        if build is not None:
            build(archive)
    return memory.getvalue()


def unpacked(tmp_path: Path, data: bytes, limits: Limits | None = None) -> dict[str, bytes]:
    """What comes out of an archive: files by their path. Nothing may come out beside the target."""
    inner = tmp_path / "inner"
    inner.mkdir(parents=True, exist_ok=True)
    archive = inner / "model.zip"
    archive.write_bytes(data)
    target = inner / "target"
    target.mkdir()
    try:
        unpack(archive, target, limits)
    finally:
        outside = [path for path in tmp_path.rglob("*") if not path.is_relative_to(target)]
        assert sorted(outside) == sorted([inner, archive])
        assert not [path for path in target.rglob("*") if path.is_symlink()]
    return {
        path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()
    }


def test_good_archive(tmp_path: Path) -> None:
    """The contents of the one folder come out, with ordinary rights."""
    found = unpacked(tmp_path, archive_of(GOOD))
    assert found == {"am/final.mdl": b"network", "graph/Gr.fst": b"grammar" * 10, "README": b""}
    mode = (tmp_path / "inner" / "target" / "am" / "final.mdl").stat().st_mode
    assert stat.S_ISREG(mode) and not mode & (stat.S_ISUID | stat.S_IXUSR | stat.S_IWOTH)


def test_folders_need_not_be_listed(tmp_path: Path) -> None:
    """Some packers list files only."""
    files = {name: content for name, content in GOOD.items() if not name.endswith("/")}
    assert "am/final.mdl" in unpacked(tmp_path, archive_of(files))


def test_litter_is_passed_over(tmp_path: Path) -> None:
    """What a Mac leaves in archives does no harm, and is not taken."""
    litter = {"__MACOSX/m/._final.mdl": b"x", "m/.DS_Store": b"x", "__MACOSX/ä": b"x"}
    assert len(unpacked(tmp_path, archive_of({**GOOD, **litter}))) == 3


def _named(name: str) -> Build:
    return lambda archive: archive.writestr(zipfile.ZipInfo(name), b"evil")


def _of_kind(kind: int, name: str = "m/link", content: bytes = b"/etc/passwd") -> Build:
    def build(archive: zipfile.ZipFile) -> None:
        info = zipfile.ZipInfo(name)
        info.create_system = 3
        info.external_attr = (kind | 0o777) << 16
        archive.writestr(info, content)

    return build


HOSTILE_NAMES = [
    "../evil",
    "m/../../evil",
    "m/..",
    "..",
    "m/../evil",
    "/etc/evil",
    "//server/share/evil",
    "C:/evil",
    "C:evil",
    "m/C:/evil",
    "m/file:stream",
    "..\\evil",
    "m\\..\\..\\evil",
    "m\\evil",
    "\\\\server\\evil",
    "m//evil",
    "m/./evil",
    "./m/evil",
    "m/evil\n",
    "m/\x1b[2Jevil",
    "m/evil ",
    "m/evil.",
    "m/ evil",
    "m/CON",
    "m/nul.txt",
    "m/Com1",
    "m/évil",
    "m/ev\u202eil",
    "m/a/b/c/d/e/f/g",
    "m/" + "x" * 101,
    "m/~evil",
    "m/$evil",
    "m/-evil",
    "other/evil",
    "evil",
    "m",
    "",
    "/",
]


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_hostile_name(tmp_path: Path, name: str) -> None:
    """A name that leads elsewhere, or means something to some system: nothing at all is written."""
    with pytest.raises(MexvoiceError, match=r"(refused|damaged)") as raised:
        unpacked(tmp_path, archive_of(GOOD, _named(name)))
    assert str(raised.value).isprintable()
    assert not list((tmp_path / "inner" / "target").iterdir())


def test_name_with_a_nul(tmp_path: Path) -> None:
    """Python's reader ends a name at a zero byte, others do not: refused."""
    data = archive_of(GOOD, _named("m/evilXmore"))
    with pytest.raises(MexvoiceError, match="not a plain path"):
        unpacked(tmp_path, data.replace(b"evilXmore", b"evil\0more"))


def test_two_names_of_one_file(tmp_path: Path) -> None:
    """The local header says one name, the table of contents another."""
    data = archive_of(GOOD)
    at = data.index(b"m/README")
    with pytest.raises(MexvoiceError, match="damaged"):
        unpacked(tmp_path, data[:at] + b"../READM" + data[at + 8 :])


@pytest.mark.parametrize(
    "kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK], ids=str
)
def test_link_or_device(tmp_path: Path, kind: int) -> None:
    """Links and devices are refused."""
    with pytest.raises(MexvoiceError, match="a link or a device"):
        unpacked(tmp_path, archive_of(GOOD, _of_kind(kind)))


def test_folder_that_is_a_file(tmp_path: Path) -> None:
    """A folder by its kind, a file by its name."""
    with pytest.raises(MexvoiceError, match="a folder and a file"):
        unpacked(tmp_path, archive_of(GOOD, _of_kind(stat.S_IFDIR)))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["m/README", "m/readme", "M/README", "m/graph/GR.fst"])
def test_name_that_is_there_twice(tmp_path: Path, name: str) -> None:
    """Two members that are one file on some system."""
    with pytest.raises(MexvoiceError, match=r"(twice|just one folder)"):
        unpacked(tmp_path, archive_of(GOOD, _named(name)))


@pytest.mark.parametrize("name", ["m/README/x", "m/readme/x", "m/am"])
def test_file_that_is_a_folder(tmp_path: Path, name: str) -> None:
    """A member below another that is a file."""
    with pytest.raises(MexvoiceError, match="lies in a file"):
        unpacked(tmp_path, archive_of(GOOD, _named(name)))


def test_bomb_by_ratio(tmp_path: Path) -> None:
    """A hundred megabytes of zeros in a hundred kilobytes."""
    with pytest.raises(MexvoiceError, match="grows too much"):
        unpacked(tmp_path, archive_of({**GOOD, "m/zeros": bytes(100_000_000)}))


def test_bomb_beside_ballast(tmp_path: Path) -> None:
    """One file that grows too much among others that do not."""
    ballast = random.Random(1).randbytes(3_000_000)
    with pytest.raises(MexvoiceError, match="'m/zeros' grows too much"):
        unpacked(tmp_path, archive_of({**GOOD, "m/ballast": ballast, "m/zeros": bytes(50_000_000)}))


def test_bomb_by_size(tmp_path: Path) -> None:
    """More than the limit in all."""
    with pytest.raises(MexvoiceError, match="would take 0 MB, more than any small model"):
        unpacked(tmp_path, archive_of(GOOD), Limits(total=50))


def test_bomb_by_number(tmp_path: Path) -> None:
    """More files than a model has."""
    files = {f"m/{number}": b"" for number in range(201)}
    with pytest.raises(MexvoiceError, match="more than 200 files"):
        unpacked(tmp_path, archive_of(files))


def test_bomb_by_table_of_contents(tmp_path: Path) -> None:
    """A table of contents so long that reading it would fill the memory."""
    files = {f"m/{number}": b"" for number in range(5000)}
    with pytest.raises(MexvoiceError, match="table of contents is too long"):
        unpacked(tmp_path, archive_of(files))


def test_bomb_of_overlapping_files(tmp_path: Path) -> None:
    """Many entries of the table of contents that share one piece of packed data (D. Fifield, 2019)."""
    noise = random.Random(1).randbytes(10_000)
    data = archive_of({"m/a": noise})
    start = data.index(b"PK\x01\x02")
    entry = data[start : data.index(b"PK\x05\x06")]
    table = b"".join(entry[:46] + b"m/" + bytes([97 + at]) for at in range(20))
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 20, 20, len(table), start, 0)
    with pytest.raises(MexvoiceError, match="lie upon each other"):
        unpacked(tmp_path, data[:start] + table + end)


@pytest.mark.parametrize(("said", "message"), [(5, "damaged"), (50_000, "smaller than it says")])
def test_file_that_lies_about_its_size(tmp_path: Path, said: int, message: str) -> None:
    """What comes out is held against what the table says."""
    data = archive_of({"m/a": b"0123456789" * 1000})
    at = data.index(b"PK\x01\x02") + 24
    with pytest.raises(MexvoiceError, match=message):
        unpacked(tmp_path, data[:at] + struct.pack("<I", said) + data[at + 4 :])


def test_wrong_checksum(tmp_path: Path) -> None:
    """A flipped bit in a stored file."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("m/a", b"something stored")
    with pytest.raises(MexvoiceError, match="damaged"):
        unpacked(tmp_path, memory.getvalue().replace(b"something", b"somethinG"))


def test_encrypted(tmp_path: Path) -> None:
    """An encrypted file is refused without a question for its password."""
    data = bytearray(archive_of({"m/a": b"secret"}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(MexvoiceError, match="encrypted"):
        unpacked(tmp_path, bytes(data))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_packing(tmp_path: Path, method: int) -> None:
    """Only what the publisher's packer makes."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", method) as archive:
        archive.writestr("m/a", b"a" * 1000)
    with pytest.raises(MexvoiceError, match="unusual way"):
        unpacked(tmp_path, memory.getvalue())


def test_large_kind(tmp_path: Path) -> None:
    """The form for archives over four gigabytes is refused."""
    data = archive_of(GOOD)
    locator = b"PK\x06\x07" + bytes(16)
    end = data.index(b"PK\x05\x06")
    with pytest.raises(MexvoiceError, match="large kind"):
        unpacked(tmp_path, data[:end] + locator + data[end:])


@pytest.mark.parametrize(
    "members",
    [{}, {"m/": b""}, {"am/final.mdl": b"", "graph/Gr.fst": b""}, {"final.mdl": b""}, {"__MACOSX/a": b""}],
    ids=str,
)
def test_no_model_inside(tmp_path: Path, members: dict[str, bytes]) -> None:
    """An archive that does not hold one folder is refused; an empty folder gives nothing."""
    if members == {"m/": b""}:
        assert unpacked(tmp_path, archive_of(members)) == {}
        return
    with pytest.raises(MexvoiceError, match="just one folder"):
        unpacked(tmp_path, archive_of(members))


@pytest.mark.parametrize(
    "data",
    [b"", b"P", b"<html>Please log in</html>", b"PK\x03\x04" + bytes(100), b"\x1f\x8b" + bytes(99)],
    ids=ascii,
)
def test_no_archive(tmp_path: Path, data: bytes) -> None:
    """What is no zip file is said to be none."""
    with pytest.raises(MexvoiceError, match="not a zip file"):
        unpacked(tmp_path, data)


def test_place_before_the_beginning(tmp_path: Path) -> None:
    """A table of contents that points before the archive's first byte."""
    data = archive_of(GOOD)
    at = data.index(b"PK\x05\x06") + 16
    (offset,) = struct.unpack_from("<I", data, at)
    with pytest.raises(MexvoiceError, match="damaged"):
        unpacked(tmp_path, data[:at] + struct.pack("<I", offset + 40) + data[at + 4 :])


def test_cut_archive(tmp_path: Path) -> None:
    """Every beginning of an archive that is not the whole of it is refused."""
    data = archive_of(GOOD)
    for length in range(len(data)):
        with pytest.raises(MexvoiceError):
            unpacked(tmp_path / str(length), data[:length])


_CHANGED = archive_of(GOOD)


@given(
    changes=st.lists(
        st.tuples(st.integers(0, len(_CHANGED) - 1), st.integers(0, 255)), min_size=1, max_size=12
    ),
    insert=st.tuples(st.integers(0, len(_CHANGED)), st.binary(max_size=30)),
)
def test_damaged_archive(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int]], insert: tuple[int, bytes]
) -> None:
    """Any damage: the archive is unpacked inside its target, or refused in one sentence."""
    data = bytearray(_CHANGED)
    for at, value in changes:
        data[at] = value
    data[insert[0] : insert[0]] = insert[1]
    try:
        unpacked(tmp_path_factory.mktemp("fuzz"), bytes(data))
    except MexvoiceError as error:
        assert str(error).isprintable() and len(str(error)) < 400


@pytest.mark.filterwarnings("ignore:Duplicate name")
@given(name=st.text(min_size=1, max_size=40))
def test_any_name(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    """Whatever a member is called, nothing lands outside the target."""
    try:
        data = archive_of(GOOD, _named("m/" + name))
    except (ValueError, UnicodeError):
        return
    try:
        found = unpacked(tmp_path_factory.mktemp("name"), data)
    except MexvoiceError as error:
        assert str(error).isprintable()
    else:
        assert set(found) >= {"am/final.mdl", "README"}
