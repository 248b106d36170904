"""The loss against sums over every path, written out one by one."""

from __future__ import annotations

import itertools
import math

import pytest

pytest.importorskip("torch")

import torch

from scripts.training import lfmmi

PHONES = 3
FRAMES = 5


def outputs(batch: int, frames: int = FRAMES) -> torch.Tensor:
    generator = torch.Generator().manual_seed(3)
    return torch.randn(batch, frames, 2 * PHONES, generator=generator, dtype=torch.float64)


def bigram() -> lfmmi.PhoneBigram:
    utterances: dict[str, list[list[tuple[str, ...]]]] = {
        "a": [[("x", "y"), ("y",)], [("y", "x")]],
        "b": [[("x",)], [("x", "x", "y")]],
    }
    return lfmmi.PhoneBigram.count(["SIL", "x", "y"], ["a", "b"], utterances)


def path_score(values: torch.Tensor, states: tuple[int, ...], moves: tuple[bool, ...]) -> float:
    """Log-likelihood of one path: per frame its phone and whether the frame enters it anew."""
    return sum(
        float(values[time, 2 * phone + (0 if entered else 1)])
        for time, (phone, entered) in enumerate(zip(states, moves, strict=True))
    )


def all_paths(values: torch.Tensor, allowed: dict[tuple[int, ...], float]) -> float:
    """log of the sum over each allowed phone sequence and each division of the frames among its phones."""
    frames = values.shape[0]
    total = 0.0
    for sequence, weight in allowed.items():
        for cuts in itertools.combinations(range(1, frames), len(sequence) - 1):
            edges = (0, *cuts, frames)
            states, moves = [], []
            for phone, start, end in zip(sequence, edges[:-1], edges[1:], strict=True):
                states += [phone] * (end - start)
                moves += [True] + [False] * (end - start - 1)
            total += weight * math.exp(path_score(values, tuple(states), tuple(moves)))
    return math.log(total)


def test_numerator_is_the_sum_over_transcripts_with_optional_silence() -> None:
    values = outputs(1)
    words = [[1, 2], [2]]
    allowed = {
        (*start, 1, 2, *middle, 2, *end): 1.0
        for start in ((), (0,))
        for middle in ((), (0,))
        for end in ((), (0,))
    }
    found = lfmmi.numerator(values, torch.tensor([FRAMES]), lfmmi.Transcripts.of([words]))
    assert float(found) == pytest.approx(all_paths(values[0], allowed))


def test_numerator_of_no_words_is_silence() -> None:
    values = outputs(1)
    found = lfmmi.numerator(values, torch.tensor([FRAMES]), lfmmi.Transcripts.of([[]]))
    assert float(found) == pytest.approx(all_paths(values[0], {(0,): 1.0}))


@pytest.mark.parametrize("language", [0, 1])
def test_denominator_is_the_sum_over_all_sequences(language: int) -> None:
    values, table = outputs(1), bigram()
    allowed = {}
    for length in range(1, FRAMES + 1):
        for sequence in itertools.product(range(PHONES), repeat=length):
            weight = float(table.initial[language, sequence[0]] * table.final[language, sequence[-1]])
            for before, after in itertools.pairwise(sequence):
                weight *= float(table.follow[language, before, after])
            if weight > 0:
                allowed[sequence] = weight
    found = lfmmi.denominator(values, torch.tensor([FRAMES]), torch.tensor([language]), table)
    assert float(found) == pytest.approx(all_paths(values[0], allowed))


def test_gradient_is_that_of_finite_differences() -> None:
    lengths, languages = torch.tensor([FRAMES, 4]), torch.tensor([0, 1])
    transcripts = lfmmi.Transcripts.of([[[1, 2]], [[2], [1]]])
    table = bigram()

    def objective(values: torch.Tensor) -> torch.Tensor:
        return lfmmi.loss(values, lengths, transcripts, languages, table).sum()

    values = outputs(2).requires_grad_()
    torch.autograd.backward(objective(values))
    step = 1e-5
    assert values.grad is not None
    for at in itertools.product(range(2), range(FRAMES), range(2 * PHONES)):
        up, down = values.detach().clone(), values.detach().clone()
        up[at] += step
        down[at] -= step
        slope = float(objective(up) - objective(down)) / (2 * step)
        assert float(values.grad[at]) == pytest.approx(slope, abs=1e-6)


def test_frames_after_the_end_count_for_nothing() -> None:
    values = outputs(1, FRAMES + 3)
    transcripts, language, table = lfmmi.Transcripts.of([[[1]]]), torch.tensor([0]), bigram()
    long = lfmmi.loss(values, torch.tensor([FRAMES]), transcripts, language, table)
    short = lfmmi.loss(values[:, :FRAMES], torch.tensor([FRAMES]), transcripts, language, table)
    assert float(long) == pytest.approx(float(short))
