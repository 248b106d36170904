"""Learning how certain a phrase is: the weights of :mod:`mexvoice.hearing.certainty`.

A network of one hidden layer learns from the cases of all languages (`scripts.training.cases`) which were
said. It is the mean of a few that began differently: one alone is moody where there are few cases.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from mexvoice.hearing.alignment import SILENCE
from mexvoice.hearing.certainty import Weights, normal
from mexvoice.hearing.evidence import EVIDENCE, Numbers, Typical, phone_scores
from mexvoice.hearing.phones import INVENTORY
from scripts.training.cases import Case

_UNITS = 12
"""Of the hidden layer of each network ..."""
_NETWORKS = 3
"""... and how many there are."""
_STEPS = 6000
_BATCH = 512
_RATE = 3e-3
_DECAY = 0.1
_LEAST = 5
"""A phone met less often than this is taken for an average one."""


def typical(cases: Sequence[Case]) -> Typical:
    """What is typical of each phone of true phrases."""
    seen: list[list[float]] = [[] for _ in INVENTORY]
    length: list[list[float]] = [[] for _ in INVENTORY]
    for case in cases:
        if case.true:
            scores = phone_scores(case.outputs.astype(np.float32))
            for segment in case.fit.segments:
                if segment.phone != SILENCE:
                    part = scores[segment.start : segment.end, segment.phone]
                    seen[segment.phone].append(float(part.mean()))
                    length[segment.phone].append(float(np.log(segment.end - segment.start)))
    return Typical(*_moments(seen), *_moments(length))


def _moments(values: Sequence[Sequence[float]]) -> tuple[Numbers, Numbers]:
    """Mean and standard deviation of each group of values; small groups lean towards all."""
    everything = np.concatenate([np.array(group) for group in values if group])
    mean = np.full(len(values), everything.mean())
    spread = np.full(len(values), everything.std())
    for at, group in enumerate(values):
        if len(group) >= _LEAST:
            share = len(group) / (len(group) + _LEAST)
            mean[at] = share * np.mean(group) + (1 - share) * everything.mean()
            spread[at] = share * np.std(group) + (1 - share) * everything.std()
    return mean, spread


def learn(cases: Sequence[Case], seed: int = 1) -> Weights:
    """The weights that tell true cases from false ones, both kinds counting the same in all."""
    usual = typical(cases)
    evidence = np.array([case.evidence(usual) for case in cases])
    true = np.array([case.true for case in cases], np.float32)
    centre, scale = evidence.mean(axis=0), evidence.std(axis=0) + 1e-3
    given = torch.tensor(normal(evidence, centre, scale), dtype=torch.float32)
    wanted = torch.tensor(true)
    share = np.where(true > 0, 0.5 / true.sum(), 0.5 / (1 - true).sum()) * len(true)
    count = torch.tensor(share, dtype=torch.float32)
    networks = [_train(given, wanted, count, seed + number) for number in range(_NETWORKS)]
    hidden, bias, out, offset = ([network[at].double().numpy() for network in networks] for at in range(4))
    return Weights(
        centre,
        scale,
        np.concatenate(hidden),
        np.concatenate(bias),
        np.concatenate(out) / _NETWORKS,
        float(np.mean(offset)),
        usual,
    )


def _train(
    given: torch.Tensor, wanted: torch.Tensor, count: torch.Tensor, seed: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """One network: its hidden weights and biases, its outer weights, its offset."""
    chance = torch.Generator().manual_seed(seed)
    hidden = (torch.randn(_UNITS, len(EVIDENCE), generator=chance) / len(EVIDENCE) ** 0.5).requires_grad_()
    out = (torch.randn(_UNITS, generator=chance) / _UNITS**0.5).requires_grad_()
    bias, offset = torch.zeros(_UNITS, requires_grad=True), torch.zeros((), requires_grad=True)
    parts = [hidden, bias, out, offset]
    optimiser = torch.optim.AdamW(parts, _RATE, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, _STEPS)
    for _ in range(_STEPS):
        some = torch.randint(len(given), (_BATCH,), generator=chance)
        odds = torch.tanh(given[some] @ hidden.T + bias) @ out + offset
        loss = (count[some] * binary_cross_entropy_with_logits(odds, wanted[some], reduction="none")).mean()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
    made = [part.detach() for part in parts]
    return made[0], made[1], made[2], made[3]


def count(cases: Sequence[Case]) -> str:
    """How many cases of each kind there are, in words."""
    true = sum(case.true for case in cases)
    return f"{true} phrases that were said, {len(cases) - true} that were not"


def curve(cases: Sequence[Case], weights: Weights) -> str:
    """A table: at each certainty asked for, which share of the true and of the false cases passes."""
    odds = weights.log_odds(np.array([case.evidence(weights.typical) for case in cases]))
    true = np.array([case.true for case in cases])
    lines = ["certainty  true kept  false kept"]
    for least in np.arange(-3.0, 3.1, 0.5):
        kept = 100 * np.mean(odds[true] >= least), 100 * np.mean(odds[~true] >= least)
        lines.append(f"{least:9.1f}  {kept[0]:8.1f}%  {kept[1]:9.1f}%")
    return "\n".join(lines)
