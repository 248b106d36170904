"""The official small Vosk models: which there are, where they come from, and what their files must be.

The table is ``catalogue.yaml`` beside this module. It was written without a network: the sums of the English
and the French model are pinned, the other two are checked against the publisher's list at the time of
installing.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from mexvoice.errors import MexvoiceError

LARGEST = 200_000_000
"""No archive of a small model is larger (bytes); whatever claims to be is refused."""

LARGEST_LIST = 1_000_000
"""The publisher's list is no longer than this (bytes)."""

_Name = Annotated[str, StringConstraints(strict=True, pattern=r"^[a-z0-9][a-z0-9.-]*$")]
_Sha256 = Annotated[str, StringConstraints(strict=True, pattern=r"^[0-9a-f]{64}$")]
_Code = Annotated[str, StringConstraints(strict=True, pattern=r"^[a-z]{2,3}$")]


class _Part(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)


class _Entry(_Part):
    name: _Name
    bytes: Annotated[int, Field(strict=True, gt=0, le=LARGEST)]
    sha256: _Sha256 | None = None


class _Table(_Part):
    publisher: Annotated[str, StringConstraints(strict=True, pattern=r"^https?://[^\s?#]+/$")]
    list: _Name
    models: Mapping[_Code, _Entry]


@dataclass(frozen=True, slots=True)
class Sum:
    """What a file must be."""

    algorithm: str
    """A name of hashlib: ``sha256``, or ``md5`` where the publisher gives no better."""
    digest: str
    """Hexadecimal, small letters."""
    size: int
    """Bytes of the file."""


@dataclass(frozen=True, slots=True)
class Official:
    """One official model."""

    code: str
    """The language it hears."""
    name: str
    """The publisher's name for it, also that of the folder inside its archive."""
    size: int
    """Bytes of its archive."""
    sha256: str | None
    """Pinned sum of its archive, where there is one."""
    base: str
    """Address of the folder it is published in, with a slash at the end."""
    listing: str
    """Name of the publisher's list in that folder."""

    @property
    def url(self) -> str:
        """Address of its archive."""
        return f"{self.base}{self.name}.zip"

    @property
    def list_url(self) -> str:
        """Address of the publisher's list."""
        return f"{self.base}{self.listing}"

    @property
    def pinned(self) -> Sum | None:
        """What its archive must be, where this program knows."""
        return None if self.sha256 is None else Sum("sha256", self.sha256, self.size)

    def listed(self, text: bytes) -> Sum:
        """What its archive must be according to the publisher's list.

        Args:
            text: the list: a JSON array of objects with, among others, ``name``, ``size`` (bytes) and
                ``md5``.

        Raises:
            MexvoiceError: when that is no such list, or the model is not in it.
        """
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError):
            rows = None
        if not isinstance(rows, list):
            raise MexvoiceError(
                f"What came from {self.list_url} is not the publisher's list of models: try again later."
            )
        row = next((row for row in rows if isinstance(row, dict) and row.get("name") == self.name), None)
        if row is None:
            raise MexvoiceError(
                f"The publisher's list {self.list_url} has no {self.name} any more: get a newer mexvoice."
            )
        digest, size = row.get("md5"), row.get("size")
        if not (isinstance(digest, str) and re.fullmatch(r"[0-9a-fA-F]{32}", digest)):
            raise MexvoiceError(
                f"The publisher's list {self.list_url} has no sum for {self.name}, so it cannot be checked"
                " and is not installed."
            )
        if not (isinstance(size, int) and 0 < size <= LARGEST):
            raise MexvoiceError(
                f"The publisher's list {self.list_url} gives no likely size for {self.name}, so it is not"
                " installed."
            )
        return Sum("md5", digest.lower(), size)


def read_catalogue(path: Path, base: str | None = None) -> dict[str, Official]:
    """The models in a file like ``catalogue.yaml``, by language.

    Args:
        path: the file.
        base: another place to get them from than the publisher's, an address.

    Raises:
        MexvoiceError: when the file is not such a table.
    """
    try:
        table = _Table.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise MexvoiceError(f"The list of models {path} is damaged: install mexvoice again.") from error
    where = table.publisher if base is None else base.rstrip("/") + "/"
    return {
        code: Official(code, entry.name, entry.bytes, entry.sha256, where, table.list)
        for code, entry in sorted(table.models.items())
    }


@cache
def _own(base: str | None) -> Mapping[str, Official]:
    return read_catalogue(Path(__file__).with_name("catalogue.yaml"), base)


def official_models(base: str | None = None) -> Mapping[str, Official]:
    """Every official model this program knows, by language; `base` is another place to get them from."""
    return _own(base)


def official_model(code: str, base: str | None = None) -> Official:
    """The official model of a language; `base` is another place to get it from.

    Raises:
        MexvoiceError: when there is none.
    """
    models = official_models(base)
    if code not in models:
        raise MexvoiceError(f"No official model is known for '{code}': there are {', '.join(models)}.")
    return models[code]
