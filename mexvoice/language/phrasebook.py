"""Every phrase that can be said at one table in one language, and the commands it stands for."""

from collections.abc import Collection, Mapping, Sequence

from mexvoice.language.alike import sound_alikes
from mexvoice.language.command import Command, CommandId
from mexvoice.language.locale import Locale, unlisted
from mexvoice.language.phrase import normalise, phrases, plain, written

_EXAMPLE_DICE = Command(CommandId.DICE, dice=(6, 3))


class PhraseBook:
    """The phrases of a locale with the players' names, seats, dice and languages filled in.

    Args:
        locale: the language spoken.
        players: names in seat order.
        others: further words for languages by code; if None, what languages that the locale does not know of
            call themselves.
    """

    def __init__(
        self, locale: Locale, players: Sequence[str], others: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self._fold = locale.fold
        self._spoken: dict[CommandId, dict[str, None]] = {command_id: {} for command_id in CommandId}
        self._examples: dict[Command, str] = {}
        commands: dict[str, dict[Command, None]] = {}
        unaccented: dict[str, dict[Command, None]] = {}
        for phrase in phrases(locale, players, unlisted(locale) if others is None else others):
            commands.setdefault(self.normalise(phrase.text), {})[phrase.command] = None
            # With "ü" folded to "ue", an "u" alone is a letter without its accent still.
            for text in (self.normalise(phrase.text), normalise(phrase.text)):
                unaccented.setdefault(plain(text), {})[phrase.command] = None
            if phrase.spoken:
                self._spoken[phrase.command.id][written(phrase.text)] = None
                self._examples.setdefault(phrase.command, phrase.text)
        self.commands: Mapping[str, tuple[Command, ...]] = {
            text: tuple(found) for text, found in commands.items()
        }
        """The commands of every phrase, in the form `normalise` gives: mostly one."""
        self.fillers: tuple[str, ...] = tuple(dict.fromkeys(written(text) for text in locale.fillers))
        """Words to drop at both ends, as `phrase.written`."""
        self.decoys: tuple[str, ...] = tuple(dict.fromkeys(written(text) for text in locale.decoys))
        """Table talk to listen for and never obey, as `phrase.written`."""
        self.calls: tuple[str, ...] = tuple(dict.fromkeys(written(text) for text in locale.call))
        """What calls the assistant, as `phrase.written`."""
        self.hushes: tuple[str, ...] = tuple(
            dict.fromkeys([*self.phrases([CommandId.SKIP]), *(written(text) for text in locale.hush)])
        )
        """What silences the assistant when it is said while it speaks, as `phrase.written`."""
        self.alikes: Mapping[str, tuple[str, ...]] = sound_alikes(locale, [*self.phrases(), *self.calls])
        """Per word what may be heard in its stead, where a model lacks it, as `phrase.written`."""
        self.unaccented: Mapping[str, tuple[Command, ...]] = {
            text: tuple(found) for text, found in unaccented.items()
        }
        """The same without accents."""
        # The language one would change to is another one.
        own = Command(CommandId.LANGUAGE, language=locale.code)
        self._example_order = [command for command in self._examples if command != own]

    def normalise(self, text: str) -> str:
        """The form in which a text is compared with the phrases."""
        return normalise(text, self._fold)

    def without_call(self, text: str) -> str:
        """A text without the call word at its beginning, if it has one and more after it."""
        words = self.normalise(text).split()
        for call in self.calls:
            parts = self.normalise(call).split()
            if words[: len(parts)] == parts and len(words) > len(parts):
                return " ".join(words[len(parts) :])
        return text

    def phrases(self, commands: Collection[CommandId] | None = None) -> tuple[str, ...]:
        """What to listen for: every phrase of these commands (of all, if None) as `phrase.written`."""
        wanted = CommandId if commands is None else [command for command in CommandId if command in commands]
        return tuple(dict.fromkeys(text for command in wanted for text in self._spoken[command]))

    def example(self, command: Command | CommandId) -> str:
        """The first phrase of a command, for people to read or hear; slots are filled.

        Args:
            command: a command as a whole, or one of any player, dice or language.

        Raises:
            KeyError: if nobody can say it, as for a player who is not at the table.
        """
        if command is CommandId.DICE:
            command = _EXAMPLE_DICE
        if isinstance(command, CommandId):
            wanted = command
            found = next((known for known in self._example_order if known.id is wanted), None)
            if found is None:
                raise KeyError(wanted)
            command = found
        return self._examples[command]
