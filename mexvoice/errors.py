"""The one kind of failure a user sees."""


class MexvoiceError(Exception):
    """A failure the user can act on.

    ``str(error)`` is one sentence that says what happened and what to do; the command line prints it
    and ends with status 2.
    """
