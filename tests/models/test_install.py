"""Models installed from a server on this machine, in the form the publisher packs them."""

import hashlib
import io
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mexvoice.errors import MexvoiceError
from mexvoice.hearing import installed
from mexvoice.hearing.catalogue import Official
from mexvoice.hearing.connection import Patience
from mexvoice.hearing.download import Downloader
from mexvoice.hearing.installed import Record, find, read_record
from mexvoice.hearing.model import BUILTIN, SEAL, find_model, model_for, read_seal, seal_matches
from mexvoice.hearing.unpacking import unpack
from mexvoice.hearing.workshop import locked_site
from mexvoice.language import locale as locales
from mexvoice.table import models
from tests.models.official import README, make_official, packed, words_of, write_deaf_model
from tests.models.server import Answer, Site, cut, status, whole

NAME = "vosk-model-small-de-0.15"
PATH = f"/{NAME}.zip"
ROOT = Path(__file__).parents[2]


def listing(archive: bytes, name: str = NAME) -> bytes:
    """The publisher's list with this archive in it."""
    rows = [{"name": "another", "md5": "0" * 32, "size": 5}]
    rows.append({"name": name, "md5": hashlib.md5(archive).hexdigest(), "size": len(archive)})
    return json.dumps(rows).encode()


def publish(site: Site, archive: bytes, *answers: Answer) -> None:
    """Serve an archive (by other answers than a good one, if given) and the list it is in."""
    site.serve("/model-list.json", whole(listing(archive)))
    site.serve(PATH, *(answers or (whole(archive),)))


def install(site: Site, downloader: Downloader, official: Official | None = None) -> str:
    """Install the German model from a server; what is printed."""
    out = io.StringIO()
    assert models.install("de", out, base=site.url, official=official, downloader=downloader) == 0
    return out.getvalue()


def changed(archive: bytes, changes: dict[str, bytes | None]) -> bytes:
    """The archive with some files of the model replaced, added, or (None) left out."""
    memory = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(memory, "w") as new:
        for info in old.infolist():
            if info.filename.removeprefix(f"{NAME}/") not in changes:
                new.writestr(info, old.read(info))
        for name, content in changes.items():
            if content is not None:
                new.writestr(f"{NAME}/{name}", content)
    return memory.getvalue()


def left(data: Path) -> list[str]:
    """What lies in the models folder, locks aside."""
    return sorted(path.name for path in (data / "models").iterdir() if path.suffix != ".lock")


@pytest.fixture
def german(site: Site, hasty: Downloader, data: Path, official_archive: bytes) -> Iterator[Path]:
    """The German model, installed."""
    publish(site, official_archive)
    install(site, hasty)
    site.requests.clear()
    found = find("de")
    assert found == data / "models" / "de"
    yield found


def test_install(site: Site, hasty: Downloader, data: Path, official_archive: bytes) -> None:
    """From the publisher's list to a model that is found, complete, sealed and loaded unasked."""
    assert find("de") is None
    publish(site, official_archive)
    said = install(site, hasty)
    path = find("de")
    assert path is not None
    assert left(data) == ["de"]
    sums = read_seal(path)
    assert sums is not None and seal_matches(path, sums)
    md5 = hashlib.md5(official_archive).hexdigest()
    assert read_record(path) == Record(NAME, f"{site.url}{NAME}.zip", f"md5:{md5}", pinned=False)
    assert (path / "README").read_text(encoding="ascii") == README
    assert "shows that the download is whole, not who made it" in said
    assert f"The MD5 sum is right: {md5}" in said
    assert f"Installed in {path}" in said
    assert "mex: max or hex is heard instead" in said
    model = find_model("de")
    assert model.path == path and not model.whole_phrases and model.has("max") and not model.has("mex")
    assert model_for("de", None, ["nobody knows this"]).path == path


def test_pinned_sum(site: Site, hasty: Downloader, official_archive: bytes) -> None:
    """A pinned model needs no list; the sum this program knows decides."""
    site.serve(PATH, whole(official_archive))
    digest = hashlib.sha256(official_archive).hexdigest()
    official = Official("de", NAME, len(official_archive), digest, site.url, "model-list.json")
    said = install(site, hasty, official)
    path = find("de")
    assert path is not None and read_record(path) == Record(
        NAME, official.url, f"sha256:{digest}", pinned=True
    )
    assert f"The SHA256 sum is right: {digest}" in said and "MD5" not in said
    assert [asked.path for asked in site.requests] == [PATH]


def test_real_pins_refuse_our_model(
    site: Site, hasty: Downloader, data: Path, official_archive: bytes
) -> None:
    """The English sum that is pinned in the program lets nothing else pass, wherever it comes from."""
    site.serve("/vosk-model-small-en-us-0.15.zip", whole(official_archive))
    with pytest.raises(MexvoiceError, match=r"another file than expected .*41205931"):
        models.install("en", io.StringIO(), base=site.url, downloader=hasty)
    assert find("en") is None and left(data) == []


def test_builtin_goes_back(german: Path) -> None:
    """``--model builtin`` takes the shipped model, or says that there is none."""
    try:
        path = find_model("de", BUILTIN).path
    except MexvoiceError as error:
        assert "no model for the language 'de'" in str(error)
    else:
        assert path != german and path.name == "de"


def test_installed_already(site: Site, hasty: Downloader, german: Path) -> None:
    """Nothing is asked of the network for a model that is there."""
    said = install(site, hasty)
    assert said == f"{NAME} is installed already in {german}.\n"
    assert site.requests == []


def test_damaged_model_is_replaced(site: Site, hasty: Downloader, data: Path, german: Path) -> None:
    """A model whose files have changed is found out, and installed again."""
    network = german / "am" / "final.mdl"
    good = network.read_bytes()
    network.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    with pytest.raises(MexvoiceError, match="no longer what was installed: run 'mexvoice models install de'"):
        models.check("de", io.StringIO())
    out = io.StringIO()
    assert models.check(None, out) == 1 and "no longer what was installed" in out.getvalue()
    assert "is installed but damaged" in install(site, hasty)
    assert network.read_bytes() == good and left(data) == ["de"]


def test_newer_model_replaces_an_older_one(site: Site, hasty: Downloader, data: Path, german: Path) -> None:
    """A model of another name takes the place of the one that is there."""
    model = german.parent.parent / "newer"
    write_deaf_model(model, "de", words_of("de"))
    make_official(model)
    archive = packed(model, "vosk-model-small-de-0.99")
    shutil.rmtree(model)
    site.serve("/vosk-model-small-de-0.99.zip", whole(archive))
    digest = hashlib.sha256(archive).hexdigest()
    newer = Official("de", "vosk-model-small-de-0.99", len(archive), digest, site.url, "model-list.json")
    assert "it knows every word of the phrases" in install(site, hasty, newer)
    record = read_record(german)
    assert record is not None and record.name == newer.name
    assert find_model("de").has("mex") and left(data) == ["de"]


def test_cut_download_goes_on_next_time(
    site: Site, hasty: Downloader, data: Path, official_archive: bytes
) -> None:
    """A failed run leaves its download and no model; the next one asks for the rest."""
    publish(site, official_archive, cut(official_archive, 9_000), status(500))
    with pytest.raises(MexvoiceError, match="Run the same command again"):
        install(site, hasty)
    assert find("de") is None and left(data) == [".de.zip.part", ".de.zip.part.json"]
    out = io.StringIO()
    models.list_models(out)
    words = " ".join(out.getvalue().split())
    assert f"{NAME} 46.5 MB 0.0 MB downloaded; 'mexvoice models install de' goes on" in words
    site.serve(PATH, whole(official_archive))
    site.requests.clear()
    assert "are here already" in install(site, hasty)
    assert site.asked_from() == ["", "bytes=9000-"]
    assert find("de") is not None and left(data) == ["de"]


def test_interrupted_by_the_user(
    site: Site, hasty: Downloader, data: Path, official_archive: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the middle of it all: no model, no lock, nothing half unpacked."""
    publish(site, official_archive)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("mexvoice.table.models.try_out", interrupt)
        with pytest.raises(KeyboardInterrupt):
            install(site, hasty)
    assert find("de") is None and left(data) == [".de.zip.part", ".de.zip.part.json"]
    site.requests.clear()
    install(site, hasty)
    assert [asked.path for asked in site.requests] == ["/model-list.json"]  # the download was there


UNUSABLE: dict[str, dict[str, bytes | None]] = {
    "no network": {"am/final.mdl": None},
    "no graph": {"graph/HCLr.fst": None},
    "no grammar": {"graph/Gr.fst": None},
    "empty network": {"am/final.mdl": b""},
    "half a network": {"am/final.mdl": b"\0B<TransitionModel> " + bytes(50)},
    "half a graph": {"graph/HCLr.fst": bytes.fromhex("d6fdb27e") + bytes(50)},
    "a web page": {"graph/Gr.fst": b"<html></html>"},
    "settings that are none": {"conf/model.conf": b"--no-such-option=1\n"},
    "a fixed vocabulary": {"graph/HCLr.fst": None, "graph/HCLG.fst": b"\xd6\xfd\xb2\x7e"},
    "a link": {"../evil": b"x"},
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_unusable_model(
    site: Site, hasty: Downloader, data: Path, official_archive: bytes, name: str
) -> None:
    """An archive with the right sum and no good model in it is not installed, and leaves nothing."""
    publish(site, changed(official_archive, UNUSABLE[name]))
    with pytest.raises(MexvoiceError, match=r"(does not run here|is refused)") as raised:
        install(site, hasty)
    assert str(data) not in str(raised.value)
    assert find("de") is None and left(data) == []


def test_failed_installation_leaves_the_old_model(
    site: Site, hasty: Downloader, german: Path, official_archive: bytes
) -> None:
    """What is there stays in use when its successor is no good."""
    archive = changed(official_archive, {"graph/HCLr.fst": b""})
    site.serve(PATH, whole(archive))
    digest = hashlib.sha256(archive).hexdigest()
    successor = Official("de", NAME + "-1", len(archive), digest, site.url, "model-list.json")
    site.serve(f"/{NAME}-1.zip", whole(archive))
    with pytest.raises(MexvoiceError, match="does not run here"):
        install(site, hasty, successor)
    assert find_model("de").path == german and models.check("de", io.StringIO()) == 0


def test_archive_with_a_seal_of_its_own(
    site: Site, hasty: Downloader, data: Path, official_archive: bytes
) -> None:
    """Record and seal are ours to write: those in an archive count for nothing."""
    path = data / "forged"
    path.mkdir(parents=True)
    (data / "archive.zip").write_bytes(official_archive)
    unpack(data / "archive.zip", path)
    broken = changed(official_archive, {"graph/HCLr.fst": bytes.fromhex("d6fdb27e") + bytes(50)})
    sums = {"am/final.mdl": "0" * 64}
    forged = json.dumps({"whole_phrases": True, "sha256": sums}).encode()
    publish(site, changed(broken, {SEAL: forged, installed.RECORD: b"{}"}))
    with pytest.raises(MexvoiceError, match="does not run here"):
        install(site, hasty)
    publish(site, changed(official_archive, {SEAL: forged, installed.RECORD: b"{}"}))
    install(site, hasty)
    found = find("de")
    assert found is not None and read_record(found) is not None
    assert not find_model("de").whole_phrases


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (status(404), r"There is nothing at .*model-list\.json"),
        (whole(b"[]"), "has no vosk-model-small-de-0.15 any more"),
        (whole(b"<html>Please log in</html>"), "is not the publisher's list"),
        (whole(bytes(2_000_000)), "far more than expected"),
    ],
)
def test_no_list_no_model(site: Site, hasty: Downloader, answer: Answer, message: str) -> None:
    """Without a sum nothing is downloaded, let alone installed."""
    site.serve("/model-list.json", answer)
    with pytest.raises(MexvoiceError, match=message):
        install(site, hasty)
    assert PATH not in {asked.path for asked in site.requests}
    assert find("de") is None


def test_forged_archive(site: Site, hasty: Downloader, data: Path, official_archive: bytes) -> None:
    """Another archive of the same length than the list says is thrown away."""
    publish(site, official_archive, whole(official_archive[:-30] + bytes(30)))
    with pytest.raises(MexvoiceError, match="its MD5 sum is not"):
        install(site, hasty)
    assert find("de") is None and left(data) == []


def test_two_installations_at_once(site: Site, hasty: Downloader, official_archive: bytes) -> None:
    """The second one is told that the first is at work; a reader is not disturbed."""
    publish(site, official_archive)
    with locked_site("de"):
        with pytest.raises(MexvoiceError, match="Another mexvoice is at work on the model 'de'"):
            install(site, hasty)
        with pytest.raises(MexvoiceError, match="Another mexvoice is at work"):
            models.remove("de", io.StringIO())
        with locked_site("fr"):
            assert find("de") is None
    assert site.requests == []
    install(site, hasty)


def test_lock_dies_with_its_owner(site: Site, hasty: Downloader, official_archive: bytes) -> None:
    """A process that was killed does not lock the model for ever."""
    holder = (
        "import sys, time; from mexvoice.hearing.workshop import locked_site\n"
        "with locked_site('de'): print('locked', flush=True); time.sleep(600)"
    )
    publish(site, official_archive)
    with subprocess.Popen(
        [sys.executable, "-c", holder], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as child:
        try:
            assert child.stdout is not None and child.stdout.readline() == "locked\n"
            with pytest.raises(MexvoiceError, match="Another mexvoice is at work"):
                install(site, hasty)
        finally:
            child.kill()
    install(site, hasty)


def test_leftovers_of_killed_runs(site: Site, hasty: Downloader, german: Path, data: Path) -> None:
    """What ended runs have left goes away, that of other languages stays, a model set aside comes back."""
    folder = data / "models"
    (folder / ".de-new-abc" / "am").mkdir(parents=True)
    (folder / ".de-old-abc" / "model").mkdir(parents=True)
    (folder / ".fr-new-abc").mkdir()
    aside = folder / ".de-old-xyz"
    aside.mkdir()
    german.rename(aside / "model")
    assert find("de") is None
    assert "is installed already" in install(site, hasty)
    assert find("de") == german
    assert left(data) == [".fr-new-abc", "de"]


def test_model_half_removed_does_not_come_back(data: Path, german: Path) -> None:
    """Of a model that was being removed when the program died, nothing is taken for a model."""
    aside = data / "models" / ".de-old-xyz"
    aside.mkdir()
    german.rename(aside / "model")
    (aside / "model" / installed.RECORD).unlink()
    with locked_site("de"):
        pass
    assert find("de") is None and left(data) == []


def test_something_else_in_the_way(site: Site, hasty: Downloader, data: Path) -> None:
    """A folder of the user's own is neither used nor overwritten."""
    path = data / "models" / "de"
    path.mkdir(parents=True)
    (path / "mine").write_text("precious", encoding="ascii")
    assert find("de") is None
    with pytest.raises(MexvoiceError, match="is in the way and was not installed by mexvoice"):
        install(site, hasty)
    with pytest.raises(MexvoiceError, match="No model is installed for 'de'"):
        models.remove("de", io.StringIO())
    assert (path / "mine").read_text(encoding="ascii") == "precious"


@pytest.mark.usefixtures("german")
def test_remove(
    data: Path,
) -> None:
    """A removed model is gone with all that belongs to it; there is none to remove then."""
    (data / "models" / ".de.zip.part").write_bytes(b"x")
    out = io.StringIO()
    assert models.remove("de", out) == 0
    assert out.getvalue() == "Removed. The built-in model is used for 'de' from now on.\n"
    assert find("de") is None and left(data) == []
    with pytest.raises(MexvoiceError, match="No model is installed for 'de'"):
        models.remove("de", io.StringIO())


@pytest.mark.parametrize("code", ["", "..", "../de", "de/..", "DE", "deutsch", "d", "/", "de\n"])
def test_code_that_is_none(code: str) -> None:
    """Nothing but a code of a language leads to a folder."""
    assert find(code) is None
    for act in (models.install, models.remove):
        with pytest.raises(MexvoiceError):
            act(code, io.StringIO())
    with pytest.raises(MexvoiceError):
        models.check(code, io.StringIO())


@pytest.mark.usefixtures("german")
def test_list(
    data: Path,
) -> None:
    """Each model with its size, how it is checked, and whether it is there."""
    out = io.StringIO()
    assert models.list_models(out) == 0
    lines = out.getvalue().splitlines()
    assert lines[0] == f"Official models (kept in {data / 'models'}):"
    assert [line.split()[:3] for line in lines[1:]] == [
        ["de", "vosk-model-small-de-0.15", "46.5"],
        ["en", "vosk-model-small-en-us-0.15", "41.2"],
        ["fr", "vosk-model-small-fr-0.22", "42.2"],
        ["ru", "vosk-model-small-ru-0.22", "46.2"],
    ]
    assert "installed and used  [checked by: MD5 sum from the publisher's list]" in lines[1]
    assert "not installed  [checked by: pinned SHA-256 sum]" in lines[2]


def test_check_without_models() -> None:
    """With nothing installed there is nothing to check."""
    out = io.StringIO()
    assert models.check(None, out) == 0
    assert out.getvalue().startswith("No official model is installed")


@pytest.mark.parametrize("code", locales.available())
def test_check_of_the_built_in_model(code: str) -> None:
    """Where no model is installed the built-in one is checked, and it knows everything."""
    out = io.StringIO()
    assert models.check(code, out) == 0
    assert out.getvalue().startswith(f"{code}: the built-in model\n")
    assert "it knows every word of the phrases" in out.getvalue()


def test_command_line(site: Site, data: Path, official_archive: bytes) -> None:
    """As a user does it: every command, with its exit status, and one sentence when it fails."""
    publish(site, official_archive)

    def run(*words: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "mexvoice", "models", *words, "--data", str(data)]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT)
        return done.returncode, done.stdout, done.stderr

    assert run("install", "de", "--from", site.url)[::2] == (0, "")
    assert run("check")[0] == 0
    status_, said, _ = run("list")
    assert status_ == 0 and "installed and used" in said
    status_, _, said = run("install", "fr", "--from", site.url)
    assert status_ == 2 and said.startswith("mexvoice: There is nothing at http://127.0.0.1:")
    assert said.count("\n") == 1
    assert run("remove", "de")[::2] == (0, "")
    status_, _, said = run("remove", "de")
    assert status_ == 2 and said.startswith("mexvoice: No model is installed for 'de'")


def test_progress_on_a_terminal(site: Site, official_archive: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal there is a bar; elsewhere some lines, and no control characters."""
    monkeypatch.setenv("TERM", "xterm")
    publish(site, official_archive, cut(official_archive, 15_000), whole(official_archive))

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    downloader = Downloader(Patience(pause=0.0), sleep=lambda _: None)
    models.install("de", screen, base=site.url, downloader=downloader)
    assert "━" in screen.getvalue() and "kB" in screen.getvalue()
    models.remove("de", io.StringIO())
    said = install(site, downloader)
    assert "\x1b" not in said and "0.0 MB of 0.0 MB" in said
