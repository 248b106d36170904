"""The whole way of an official model: packed, published, downloaded, installed, and used to hear people.

The words are English, the network is that of our own English model, the form is that of the official ones:
plain words, no "mex" among them.
"""

import io
import json
import shutil
from pathlib import Path

from mexvoice.data import shipped
from mexvoice.hearing.catalogue import Official
from mexvoice.hearing.download import Downloader
from mexvoice.hearing.graph import assemble_model
from mexvoice.hearing.pronunciation import Pronouncer
from mexvoice.language import locale as locales
from mexvoice.table import models
from mexvoice.table.hear import hear_files
from tests.hearing.clips import Clip, clips
from tests.models.official import make_official, packed, words_of
from tests.models.server import Site
from tests.models.test_install import NAME, publish

ENGLISH = [clip for clip in clips() if clip.language == "en"]


def heard(files: list[Clip]) -> dict[str, str]:
    """The command that is heard in each clip that holds one, as its phrase."""
    out, err = io.StringIO(), io.StringIO()
    assert hear_files([clip.path for clip in files], "en", None, True, None, out, err) == 0
    assert err.getvalue() == ""
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    return {Path(line["file"]).stem: line["text"] for line in lines if line["command"]}


def test_official_model_hears(site: Site, hasty: Downloader, tmp_path: Path) -> None:
    """Installed, it is used unasked; "mex" is heard by its sound-alikes; table talk is not obeyed."""
    path = tmp_path / "model"
    words = [*words_of("en", without=["mex"]), "necks", "max"]
    assemble_model(shipped("models") / "en", path, words, Pronouncer("en", locales.load("en").pronounce))
    make_official(path)
    archive = packed(path, NAME)
    shutil.rmtree(path)
    publish(site, archive)
    listed = Official("en", NAME, len(archive), None, site.url, "model-list.json")
    out = io.StringIO()
    assert models.install("en", out, official=listed, downloader=hasty) == 0
    assert "mex: necks or max is heard instead" in out.getvalue()

    texts = heard(ENGLISH)
    right = [clip.text for clip in ENGLISH if clip.text and texts.get(clip.path.stem) == clip.text]
    assert "mex counting" in right
    assert len(right) >= 8, texts
    assert not [clip.name for clip in ENGLISH if clip.is_talk and clip.path.stem in texts]
