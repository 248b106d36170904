"""Where the shipped locales and models are."""

from pathlib import Path

from mexvoice.errors import MexvoiceError

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
