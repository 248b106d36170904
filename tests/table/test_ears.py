"""The listener and its models."""

import gc

from mexvoice.hearing.model import BUILTIN, Model
from mexvoice.language.command import Command, CommandId
from mexvoice.rules import Options
from mexvoice.table.assistant import Assistant
from mexvoice.table.cup import Cup
from mexvoice.table.ears import Listener


def models_in_memory() -> list[str]:
    gc.collect()
    return [found.path.name for found in gc.get_objects() if isinstance(found, Model)]


def test_one_model_is_in_memory_whatever_language_is_spoken() -> None:
    others = models_in_memory()
    assistant = Assistant(["Anna", "Ben"], Options(), "fr", Cup(1))
    listener = Listener(assistant, BUILTIN, lambda _: None)
    once = models_in_memory()
    assert len(once) == len(others) + 1
    for code in ("de", "ru", "fr"):
        wish = assistant.understanding.book.example(Command(CommandId.LANGUAGE, language=code))
        assistant.obey(assistant.understanding.hear(wish, assistant.open_commands()), 0.0, typed=True)
        listener.use()
        assert assistant.locale.code == code
        assert len(models_in_memory()) == len(once)
