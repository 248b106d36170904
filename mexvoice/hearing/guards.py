"""What keeps table talk out beyond the words themselves, and how strictly."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Guards:
    """What keeps table talk out beyond the words themselves."""

    pause: float = 0.25
    """Quiet before an utterance, in seconds, when other speech came before."""

    knock: float = 0.16
    """Seconds of sound; what is loud for less is a knock ..."""

    shortest: float = 0.02
    """... and so many a letter takes at least."""

    longest: float = 0.16
    """Seconds of sound a letter takes at most ..."""

    extra: float = 0.9
    """... beside this many seconds."""

    excess: float = 6.0
    """dB of the peak above the noise floor."""

    farther: float = 8.0
    """dB by which what is heard beside a phrase must be less loud; else the phrase is a part of something."""

    certainty: float = -1.0
    """Log-odds that it was said, by the weights of the model (`mexvoice.hearing.certainty`); several phrases
    in a row are as certain as the least certain of them ..."""

    certainty_in_talk: float = 2.0
    """... and while people talk, with `usual` phrases that may be said ..."""

    usual: int = 250
    """(so many when the machine throws; of more phrases talk hits one sooner, in proportion: their logarithm
    counts) ..."""

    by_number: float = 1.0
    """(but by no more than this) ..."""

    certainty_again: float = -2.0
    """... and when it was doubted just before: who says it again has meant it."""

    certainty_if_odd: float = 1.0
    """... and that lets a phrase be shorter or longer than those limits."""

    over_decoy: float = 1.5
    """So much more certain it must be where Vosk has heard a decoy ..."""

    over_unknown: float = 1.5
    """... or something else that is no phrase, and it is the likeliest phrase all the same."""

    over_rest: float = 1.0
    """So much more certain a phrase must be that was heard only when what is farther away was left out."""

    talk_memory: float = 20.0
    """Seconds for which people are taken to go on talking after something that was no phrase."""

    margin: float = 1.5
    """With a model that has no such weights: log-likelihood, a word, by which it must be likelier than
    unknown speech."""

    sequence: float = 1.5
    """The same for several phrases in a row: together they come near anything."""

    call: float = 4.5
    """The same for a call word alone, after which a phrase of table talk would count; clear ones have 6."""


STRICT = Guards()
"""For a table with people who talk."""

TOLERANT = Guards(
    pause=0.0,
    knock=0.0,
    shortest=0.0,
    longest=10.0,
    extra=60.0,
    excess=0.0,
    farther=float("inf"),
    certainty=-1.5,
    certainty_in_talk=-1.5,
    by_number=0.0,
    certainty_again=-1.5,
    margin=1.5,
    sequence=3.0,
)
"""For recordings of single words, cut as somebody liked to cut them."""
