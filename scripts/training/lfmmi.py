"""Lattice-free maximum mutual information (Povey et al., Interspeech 2016), from a flat start, over single
phones.

The loss of an utterance is ``log Z(denominator) - log Z(numerator)``. Both are HMMs whose states are phones:
a frame either enters a state (the phone's first output) or stays in it (its second). The numerator allows the
transcript with optional silence between words; the denominator allows any phones, by a bigram of the
language. The gradient of ``log Z`` is the probability of each output at each frame, which a forward and a
backward pass give directly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from mexvoice.hearing.phones import Pronunciation

Operator = Callable[[Tensor], Tensor]

_LEAST = 1e-290
"""The least probability, beside that of the best states, that double precision still holds."""
_START_SILENCE = 0.85
_INNER_SILENCE = 0.2


@dataclass(frozen=True)
class Occupancy:
    """What a forward-backward pass finds."""

    log_z: Tensor
    """[batch] log of the sum over all paths."""
    enter: Tensor
    """[batch, time, states] probability of entering a state at a frame."""
    stay: Tensor
    """[batch, time, states] probability of staying in a state at a frame."""


def forward_backward(
    enter: Tensor,
    stay: Tensor,
    lengths: Tensor,
    initial: Tensor,
    final: Tensor,
    advance: Operator,
    retreat: Operator,
) -> Occupancy:
    """Sum over all paths through an HMM, frame by frame for a whole batch.

    ``enter``, ``stay``: [batch, time, states] log-likelihoods; ``lengths``: frames of each utterance;
    ``initial``, ``final``: [batch, states] probabilities; ``advance`` carries probabilities [batch, states]
    along the transitions between states, ``retreat`` against them. Works in double precision with one scale a
    frame.
    """
    highest = torch.maximum(enter, stay).amax(2, keepdim=True)
    into, on = torch.exp(enter - highest).double(), torch.exp(stay - highest).double()
    frames = into.shape[1]
    live = torch.arange(frames)[None, :] < lengths[:, None]
    alphas = torch.empty_like(into)
    scales = torch.ones(into.shape[:2], dtype=torch.float64)
    state = initial * into[:, 0]
    for time in range(frames):
        if time:
            moved = state * on[:, time] + advance(state) * into[:, time]
            state = torch.where(live[:, time, None], moved, state)
        scale = torch.where(live[:, time], state.sum(1), 1.0).clamp_min(1e-300)
        state = state / scale[:, None]
        alphas[:, time], scales[:, time] = state, scale
    total = (state * final).sum(1)
    possible = total > _LEAST  # a transcript that has nothing to do with the sound: no gradient, a huge loss
    total = total.clamp_min(_LEAST)
    log_z = (torch.log(scales) + torch.where(live, highest[..., 0].double(), 0.0)).sum(1) + torch.log(total)

    entered, stayed = torch.zeros_like(into), torch.zeros_like(into)
    later = torch.where(possible[:, None], final / total[:, None], 0.0)
    for time in range(frames - 1, 0, -1):
        now = live[:, time, None]
        ahead = later / scales[:, time, None]
        via_stay, via_enter = on[:, time] * ahead, into[:, time] * ahead
        before = alphas[:, time - 1]
        stayed[:, time] = torch.where(now, before * via_stay, 0.0)
        entered[:, time] = torch.where(now, advance(before) * via_enter, 0.0)
        later = torch.where(now, via_stay + retreat(via_enter), later)
    entered[:, 0] = alphas[:, 0] * later
    return Occupancy(log_z, entered, stayed)


class _LogZ(torch.autograd.Function):
    """log Z as a function of the network's outputs; its gradient was found on the way."""

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx, outputs: Tensor, log_z: Tensor, gradient: Tensor
    ) -> Tensor:
        ctx.save_for_backward(gradient)
        return log_z.to(outputs.dtype)

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, upstream: Tensor) -> tuple[Tensor, None, None]:
        (gradient,) = ctx.saved_tensors  # type: ignore[attr-defined]
        return gradient * upstream[:, None, None], None, None


@dataclass(frozen=True)
class Transcripts:
    """The numerators of a batch: each a chain of phones, silence among them, that may skip the silences."""

    phones: Tensor
    """[batch, states] phone of every state; padded with silence (0)."""
    skip: Tensor
    """[batch, states] 1 where a state may be entered from the one before last (over a silence)."""
    initial: Tensor
    """[batch, states] 1 for the states a path may begin in."""
    final: Tensor
    """[batch, states] 1 for the states a path may end in."""

    @classmethod
    def of(cls, utterances: Sequence[Sequence[Sequence[int]]]) -> Transcripts:
        """From the words of each utterance as phone numbers (silence is 0); no words: silence alone."""
        chains = []
        for words in utterances:
            chain, skips = [0], [0.0]
            for word in words:
                for at, phone in enumerate(word):
                    chain.append(phone)
                    skips.append(1.0 if at == 0 else 0.0)
                chain.append(0)
                skips.append(0.0)
            chains.append((chain, skips))
        size = max(len(chain) for chain, _ in chains)
        phones = torch.zeros(len(chains), size, dtype=torch.long)
        skip, initial, final = (torch.zeros(len(chains), size, dtype=torch.float64) for _ in range(3))
        for row, (chain, skips) in enumerate(chains):
            phones[row, : len(chain)] = torch.tensor(chain)
            skip[row, : len(chain)] = torch.tensor(skips, dtype=torch.float64)
            initial[row, : 2 if len(chain) > 1 else 1] = 1.0
            final[row, max(0, len(chain) - 2) : len(chain)] = 1.0
        return cls(phones, skip, initial, final)


def numerator(outputs: Tensor, lengths: Tensor, transcripts: Transcripts) -> Tensor:
    """[batch] log Z of the transcripts; ``outputs``: [batch, time, 2 * phones]."""
    batch, frames, _ = outputs.shape
    index = (2 * transcripts.phones)[:, None, :].expand(batch, frames, -1)
    values = outputs.detach()
    skip = transcripts.skip

    def advance(state: Tensor) -> Tensor:
        moved = torch.zeros_like(state)
        moved[:, 1:] = state[:, :-1]
        moved[:, 2:] += state[:, :-2] * skip[:, 2:]
        return moved

    def retreat(state: Tensor) -> Tensor:
        moved = torch.zeros_like(state)
        moved[:, :-1] = state[:, 1:]
        moved[:, :-2] += (state * skip)[:, 2:]
        return moved

    found = forward_backward(
        values.gather(2, index),
        values.gather(2, index + 1),
        lengths,
        transcripts.initial,
        transcripts.final,
        advance,
        retreat,
    )
    gradient = torch.zeros_like(values)
    gradient.scatter_add_(2, index, found.enter.to(values.dtype))
    gradient.scatter_add_(2, index + 1, found.stay.to(values.dtype))
    return _LogZ.apply(outputs, found.log_z, gradient)  # type: ignore[no-any-return, no-untyped-call]


@dataclass(frozen=True)
class PhoneBigram:
    """The denominators: per language, which phone follows which."""

    initial: Tensor
    """[languages, phones] probability of the first phone."""
    follow: Tensor
    """[languages, phones, phones] probability of the next phone (column) after a phone (row)."""
    final: Tensor
    """[languages, phones] probability of the end after a phone."""

    @classmethod
    def count(
        cls,
        phones: Sequence[str],
        languages: Sequence[str],
        utterances: Mapping[str, Iterable[Sequence[Pronunciation]]],
        smoothing: float = 5.0,
    ) -> PhoneBigram:
        """Count the bigrams of each language's utterances, silence put in where it is likely."""
        index = {phone: at for at, phone in enumerate(phones)}
        edge = len(phones)
        rng = np.random.default_rng(0)
        tables = np.zeros((len(languages), edge + 1, edge + 1))
        for row, language in enumerate(languages):
            table = tables[row]
            for words in utterances.get(language, ()):
                before = edge
                for at, word in enumerate(words):
                    if rng.random() < (_INNER_SILENCE if at else _START_SILENCE):
                        table[before, 0] += 1
                        before = 0
                    for phone in word:
                        table[before, index[phone]] += 1
                        before = index[phone]
                if rng.random() < _START_SILENCE and before != 0:
                    table[before, 0] += 1
                    before = 0
                table[before, edge] += 1
            single = table.sum(0)
            table += smoothing * single[None, :] / max(1.0, single.sum())
            table[0, 0] = 0.0
            table[edge, edge] = 1e-3
            table /= table.sum(1, keepdims=True).clip(1e-9)
        made = torch.tensor(tables)
        return cls(made[:, edge, :edge], made[:, :edge, :edge].contiguous(), made[:, :edge, edge])


def denominator(outputs: Tensor, lengths: Tensor, languages: Tensor, bigram: PhoneBigram) -> Tensor:
    """[batch] log Z over all phone sequences; ``languages``: [batch] rows of the bigram."""
    values = outputs.detach()
    follow = bigram.follow[languages]
    found = forward_backward(
        values[:, :, 0::2],
        values[:, :, 1::2],
        lengths,
        bigram.initial[languages],
        bigram.final[languages],
        lambda state: torch.bmm(state[:, None], follow)[:, 0],
        lambda state: torch.bmm(follow, state[:, :, None])[:, :, 0],
    )
    gradient = torch.stack([found.enter, found.stay], 3).flatten(2).to(values.dtype)
    return _LogZ.apply(outputs, found.log_z, gradient)  # type: ignore[no-any-return, no-untyped-call]


def loss(
    outputs: Tensor, lengths: Tensor, transcripts: Transcripts, languages: Tensor, bigram: PhoneBigram
) -> Tensor:
    """[batch] negative objective of every utterance, not divided by its length."""
    return denominator(outputs, lengths, languages, bigram) - numerator(outputs, lengths, transcripts)
