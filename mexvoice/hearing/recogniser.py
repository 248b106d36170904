"""Sound in, utterances out: one at a time, whole, with where they began and ended.

An utterance is the sound between two silences. It counts when it is one phrase of the grammar and nothing
else; what has unknown speech around the phrase, is too long or too short for it, or follows other speech
without a pause, is table talk.
"""

import time
from collections.abc import Callable

import numpy as np

from mexvoice.errors import MexvoiceError
from mexvoice.hearing.decoder import Decoder, Decoding, Samples
from mexvoice.hearing.endpoint import RATE, Activity, levels
from mexvoice.hearing.foreground import loudest, nearest
from mexvoice.hearing.grammar import FittedGrammar, Grammar, Reading
from mexvoice.hearing.guards import STRICT, Guards
from mexvoice.hearing.judgement import Judgement
from mexvoice.hearing.model import UNKNOWN, Model
from mexvoice.hearing.rejection import Rejection
from mexvoice.hearing.utterance import Utterance

STEP = 800
"""Samples looked at at a time (50 ms)."""

EARLY_SECONDS = 0.2
"""So much quiet ends a phrase that cannot become a longer one ..."""

NOISY_EARLY_SECONDS = 0.35
"""... and so much in noise, in which weak sounds drown and look like quiet."""

SILENT_SECONDS = 0.15
"""And so long it must have been without even the weak sounds that a word may end in or go on with."""

EARLY_CERTAINTY = 1.0
"""And so certain the phrase must be; a doubtful one is given time to go on."""

EARLY_MARGIN = 3.5
"""The same with a model that has no weights for it: so much likelier than unknown speech."""

QUIET_SECONDS = 0.5
"""So much quiet ends anything."""

STEADY_SECONDS = 0.3
"""In noise without any quiet a whole phrase has ended when it stands unchanged for so long ..."""

STEADY_LETTER_SECONDS = 0.08
"""... and so much longer for each letter: it stands as soon as its first sounds are unmistakable."""

NOISY_DB = 28.0
"""The peak of an utterance in noise is no further than this above the floor."""

TALK_SECONDS = 4.0
"""What goes on for longer than this, and than any phrase, is not looked at as a whole any more."""

LEAD_SECONDS = 0.35
"""Sound before the first loud frame that still belongs to the utterance: weak first consonants are in it."""

SOFT_SECONDS = 0.15
"""And before the onset of one that stood out from other sound only after that had been heard for a while."""


class Recogniser:
    """Hears the phrases of a grammar in a stream of sound."""

    def __init__(
        self,
        model: Model,
        grammar: Grammar,
        rate: int = RATE,
        *,
        guards: Guards = STRICT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """A recogniser at the beginning of a stream.

        Args:
            model: what hears.
            grammar: what may be said.
            rate: samples a second of the stream; the sources of sound bring everything to 16000.
            guards: how table talk is told from commands.
            clock: gives `Utterance.heard_at`.

        Raises:
            MexvoiceError: for another rate, or a grammar the model knows no word of.
        """
        if rate != RATE:
            raise MexvoiceError(f"The recogniser takes {RATE} samples a second, not {rate}: resample first.")
        self._model = model
        self._guards = guards
        self._clock = clock
        self._activity = Activity()
        self._next: Grammar | None = None
        self._grammar: FittedGrammar
        self._decoder: Decoder
        self._rest = np.zeros(0, np.int16)
        self._lead = np.zeros(0, np.int16)
        self._rejection = Rejection(guards)
        self._take(grammar)
        self._clear()

    @property
    def dropped(self) -> tuple[str, ...]:
        """The phrases of the grammar that the model cannot hear."""
        return self._grammar.dropped

    @property
    def partial(self) -> str:
        """What it sounds like so far; "" between utterances."""
        return self._partial.spoken

    @property
    def speaking(self) -> bool:
        """Whether somebody is saying something, whatever it is."""
        return bool(self._speech)

    @property
    def seconds(self) -> float:
        """Length of the stream so far."""
        return self._activity.now

    def set_grammar(self, grammar: Grammar, *, at_once: bool = False) -> None:
        """Listen for something else from the next utterance on.

        Args:
            grammar: what may be said.
            at_once: give up what is being said now, instead of hearing it to its end in the old grammar.
        """
        if at_once:
            self.reset()
        if self._speech:
            self._next = grammar
        else:
            self._take(grammar)

    def accept(self, block: bytes) -> list[Utterance]:
        """Hear the next block (16 bit, mono, 16 kHz, any length); the utterances that ended in it."""
        samples = np.concatenate([self._rest, np.frombuffer(block[: len(block) // 2 * 2], "<i2")])
        whole = len(samples) // STEP * STEP
        self._rest = samples[whole:]
        found = (self._step(samples[at : at + STEP]) for at in range(0, whole, STEP))
        return [utterance for utterance in found if utterance is not None]

    def overhear(self, block: bytes) -> None:
        """Follow the loudness of sound that is not listened to, to know the noise of the room."""
        samples = np.frombuffer(block[: len(block) // 2 * 2], "<i2")
        self._activity.feed(samples)
        self.reset()

    def flush(self) -> list[Utterance]:
        """The stream has ended: the utterance that had not, if there is one."""
        rest = np.concatenate([self._rest, np.zeros(STEP - len(self._rest), np.int16)])
        self._rest = self._rest[:0]
        found = [self._step(rest)]
        if self._speech:
            found.append(self._conclude(self._look()))
        return [utterance for utterance in found if utterance is not None]

    def reset(self) -> None:
        """Forget what is being said now, and the sound before it."""
        self._activity.end()
        self._activity.previous = -1.0
        self._lead = self._lead[:0]
        self._rest = self._rest[:0]
        self._clear()

    def _take(self, grammar: Grammar) -> None:
        self._grammar = grammar.fit(self._model)
        self._decoder = Decoder(self._model, self._grammar)
        self._rejection.phrases = self._grammar.size
        self._next = None

    def _clear(self) -> None:
        """Between two utterances."""
        self._speech: list[Samples] = []
        self._partial = Reading("", False)
        self._partial_since = 0.0
        self._unknown = False
        self._looked_at = -1.0
        self._judged: Judgement | None = None
        self._extra = 0.0
        self._nearly = ""
        if self._next is not None:
            self._take(self._next)

    def _step(self, samples: Samples) -> Utterance | None:
        activity = self._activity
        activity.feed(samples)
        if not self._speech:
            self._lead = np.concatenate([self._lead, samples])[-round(LEAD_SECONDS * RATE) - STEP :]
            if not activity.speaking:
                return None
            samples, self._lead = self._lead, self._lead[:0]
            self._begun = activity.now - len(samples) / RATE
            self._onset = activity.onset
            self._decoder.begin()
            if self._model.certainty is not None:
                self._model.certainty.prepare()
        self._speech.append(samples)
        if activity.onset > self._onset:
            samples = self._leave_background()
        ended = self._decoder.accept(samples)
        self._follow()
        return self._decide(ended)

    def _leave_background(self) -> Samples:
        """Begin once more, where what is said now stood out from what was heard before: its sound so far."""
        self._onset = self._activity.onset
        speech = np.concatenate(self._speech)
        left = max(0, round((self._onset - SOFT_SECONDS - self._begun) * RATE))
        self._begun += left / RATE
        self._speech = [speech[left:]]
        self._decoder.begin()
        return self._speech[0]

    def _follow(self) -> None:
        tokens = self._decoder.partial()
        self._unknown = UNKNOWN in tokens
        partial = self._grammar.read(tokens)
        if partial != self._partial:
            self._partial, self._partial_since = partial, self._activity.now

    def _decide(self, ended: bool) -> Utterance | None:
        """End the utterance when it is time; `ended` is Vosk's own view of it."""
        quiet = self._activity.quiet_seconds
        if ended:
            # Vosk has seen half a second of silence in what may be noise: that is a pause.
            utterance = self._conclude(self._look())
            self._activity.previous = -1.0
            return utterance
        if quiet >= QUIET_SECONDS or self._seconds() > self._limit(self._guards):
            return self._conclude(self._look())
        if self._is_talk() or self._unknown:
            return None  # a look would cost more than it is likely to bring
        steady = self._steady()
        silent = self._activity.now - self._activity.end_of_sound
        needed = NOISY_EARLY_SECONDS if self._activity.excess < NOISY_DB else EARLY_SECONDS
        if (quiet >= needed and silent >= SILENT_SECONDS) or steady:
            return self._end_early(steady)
        return None

    def _steady(self) -> bool:
        """Whether, in noise, the partial result has stood long enough to be the whole of it."""
        if not self._partial.whole or self._activity.excess > NOISY_DB:
            return False
        needed = STEADY_SECONDS + STEADY_LETTER_SECONDS * len(self._partial.text)
        return self._activity.now - self._partial_since >= needed

    def _end_early(self, steady: bool) -> Utterance | None:
        """End a phrase that is complete and cannot grow; None when it is not."""
        if not self._model.whole_phrases:
            # A look costs too much on a large model; its partial result must do.
            early = self._partial.whole and not self._grammar.can_grow(self._partial.text)
            return self._conclude(self._look()) if early else None
        mark = self._partial_since if steady else self._activity.last_loud
        if mark == self._looked_at:
            return None
        self._looked_at = mark
        decoding = self._look()
        reading = self._grammar.read(decoding.tokens)
        if not reading.whole or self._grammar.can_grow(reading.text):
            return None
        judgement = self._judgement()
        if not judgement.is_weighed:
            sure = judgement.margin(decoding) >= EARLY_MARGIN
        else:
            sure = judgement.certainty(decoding) >= EARLY_CERTAINTY
        return self._conclude(decoding) if sure else None

    def _look(self) -> Decoding:
        """The utterance so far as a whole; a far too long one only if it may be a phrase."""
        if not self._model.whole_phrases:
            return self._decoder.finish()
        if self._is_talk():
            heard = self._decoder.finish()
            if not self._grammar.read(heard.tokens).whole:
                return heard
        return self._decoder.judge(np.concatenate(self._speech), self._activity.peak)

    def _is_talk(self) -> bool:
        """Whether it has gone on for longer than any phrase takes."""
        return self._seconds() > max(self._limit(STRICT), TALK_SECONDS)

    def _seconds(self) -> float:
        return self._activity.now - self._activity.onset

    def _limit(self, guards: Guards) -> float:
        """Seconds after which what is being said is no phrase."""
        return guards.extra + guards.longest * self._grammar.most_letters + QUIET_SECONDS

    def _conclude(self, decoding: Decoding) -> Utterance | None:
        activity = self._activity
        reading = self._grammar.read(decoding.tokens)
        if not reading.whole and not reading.decoy:
            decoding = self._nearest(decoding)
            reading = self._grammar.read(decoding.tokens)
        if not reading.whole:
            decoding = self._likeliest(decoding, reading)
            reading = self._grammar.read(decoding.tokens)
        judgement = self._judgement()
        reason = self._rejection.reason(reading, decoding, activity, judgement, self._extra)
        utterance = None
        if decoding.tokens:
            utterance = Utterance(
                start=activity.onset,
                end=activity.end_of_sound,
                text="" if reason else reading.text,
                heard_at=self._clock(),
                call="" if reason and not reading.text else reading.call,
                heard=reading.text or (reading.call if reason else ""),
                reason=reason,
                margin=judgement.known_margin(decoding),
                certainty=judgement.known_certainty(decoding),
            )
            doubted = reading.spoken if reason == "doubt" else self._nearly
            self._rejection.remember(activity, reason, doubted)
        activity.end()
        self._clear()
        return utterance

    def _nearest(self, decoding: Decoding) -> Decoding:
        """What is heard in the loudest stretch alone, when what is beside it comes from farther away."""
        if not self._model.whole_phrases:
            return decoding
        speech, farther = np.concatenate(self._speech), self._guards.farther
        frames = levels(speech)
        for stretch in (nearest(frames, decoding.words, farther), loudest(frames, farther)):
            if stretch is None:
                continue
            found = self._decoder.judge(speech[stretch], self._activity.peak)
            if self._grammar.read(found.tokens).whole:
                self._speech = [speech[stretch]]
                self._extra = self._guards.over_rest
                return found
        return decoding

    def _likeliest(self, decoding: Decoding, reading: Reading) -> Decoding:
        """The phrase that fits best, if that is certain enough, where Vosk has heard none.

        A decoy or unknown speech may be a little likelier than what was said.
        """
        if not decoding.tokens or self._is_talk() or reading.call:
            return decoding
        judgement = self._judgement()
        found = judgement.likeliest()
        if found is None:
            return decoding
        fitting = self._grammar.read(found.tokens)
        certainty, guards, onset = judgement.certainty(found), self._guards, self._activity.onset
        extra = guards.over_decoy if reading.decoy else guards.over_unknown
        if self._rejection.talk.is_again(fitting.spoken, onset):
            extra = 0.0
        if certainty >= self._rejection.least_certainty(fitting, onset) + self._extra + extra:
            return found
        if certainty >= guards.certainty:
            self._nearly = fitting.spoken
        return decoding

    def _judgement(self) -> Judgement:
        """What is to be thought of the utterance as far as it was heard."""
        known, heard = self._judged, sum(map(len, self._speech))
        if known is None or len(known.speech) != heard:
            activity, speech = self._activity, np.concatenate(self._speech)
            known = self._judged = Judgement(
                self._model, self._grammar, self._decoder, speech, activity.peak, activity.excess
            )
        return known
