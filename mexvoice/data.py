"""Where the shipped locales and models are, and where the program keeps what is the user's."""

import os
from pathlib import Path

import platformdirs

from mexvoice.errors import MexvoiceError

DATA_VARIABLE = "MEXVOICE_DATA"
"""Environment variable that names another folder for all the program keeps; ``--data`` sets it."""

_PACKAGE = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """The folder ``locales`` or ``models`` that came with the program.

    An installed package carries it inside; a checkout has it at its top level.

    Raises:
        MexvoiceError: if it is in neither place.
    """
    for folder in (_PACKAGE / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise MexvoiceError(f"The folder '{name}' of mexvoice is missing: install mexvoice again.")


def data_folder(chosen: Path | None = None) -> Path:
    """The folder of all the program keeps: ``chosen``, else that of ``MEXVOICE_DATA``, else the system's."""
    if chosen is not None:
        return chosen
    moved = os.environ.get(DATA_VARIABLE)
    return Path(moved) if moved else platformdirs.user_data_path("mexvoice", appauthor=False)
