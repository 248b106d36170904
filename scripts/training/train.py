"""The training itself: resumable, seeded, one thread for the network and one process for its batches."""

from __future__ import annotations

import collections
import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from mexvoice.hearing.phones import INVENTORY, Pronunciation
from scripts.training import lfmmi, network
from scripts.training.batches import LANGUAGE_ROWS, Batch, Loader, corpora, row_of
from scripts.training.corpus import read_clips

_OUTPUT_PENALTY = 1e-3
_WARM_UP = 150
_AVERAGING = 0.998


@dataclass(frozen=True)
class Plan:
    """How to train."""

    minutes: float
    """Wall-clock time of the whole schedule."""
    peak: float = 2.5e-3
    """Highest learning rate."""
    end: float = 2e-5
    """Learning rate at the end."""
    seed: int = 1
    """Seed of weights and batches."""
    focus: str = ""
    """Code of the language the network is for; empty for all."""
    deeper: tuple[tuple[int, int], ...] = ()
    """Blocks to add to the weights started from, each as in :class:`scripts.training.network.Shape`."""


def count_bigram(data: Path) -> lfmmi.PhoneBigram:
    """The denominators, from the transcripts of all training clips."""
    utterances: dict[str, list[tuple[Pronunciation, ...]]] = {}
    for stem in corpora(data, "train"):
        for clip in read_clips(stem):
            known = all(phone in INVENTORY for word in clip.words for phone in word)
            if known:
                utterances.setdefault(LANGUAGE_ROWS[row_of(clip.language)], []).append(clip.words)
    return lfmmi.PhoneBigram.count(INVENTORY, LANGUAGE_ROWS, utterances)


def folder_of(data: Path, focus: str) -> Path:
    """Where the training for one language, or for all, keeps its state."""
    return data / (f"train-{focus}" if focus else "train")


class Trainer:
    """A network in training, with everything needed to go on after an interruption."""

    def __init__(self, data: Path, plan: Plan, say: Callable[[str], None] = print) -> None:
        """Start, or go on from ``state.pt`` in the plan's folder, or else from a checkpoint given there as
        ``start.npz`` (the weights only).
        """
        torch.set_num_threads(1)
        torch.manual_seed(plan.seed)
        self._data, self._plan, self._say = data, plan, say
        self._folder = folder_of(data, plan.focus)
        self._folder.mkdir(parents=True, exist_ok=True)
        self.network = network.Network(network.Shape(2 * len(INVENTORY)))
        start = self._folder / "start.npz"
        if start.exists():
            self.network = network.deepen(network.load(start)[0], plan.deeper)
            say(f"starting from the weights of {start}")
        self.average = copy.deepcopy(self.network).eval()
        self._optimiser = torch.optim.AdamW(self.network.parameters(), lr=plan.peak, weight_decay=1e-3)
        # Half the digits are enough for the maps, and take half the time where the processor can do it.
        self._short = bool(torch.cpu._is_avx512_bf16_supported())
        self.step, self.spent = 0, 0.0
        if self._state.exists():
            self._restore()

    @property
    def _state(self) -> Path:
        return self._folder / "state.pt"

    @property
    def checkpoint(self) -> Path:
        """The averaged network, as export reads it."""
        return self._folder / "checkpoint.npz"

    def _restore(self) -> None:
        stored: dict[str, Any] = torch.load(self._state, weights_only=True)
        self.network.load_state_dict(stored["network"])
        self.average.load_state_dict(stored["average"])
        self._optimiser.load_state_dict(stored["optimiser"])
        self.step, self.spent = stored["step"], stored["spent"]
        self._say(f"going on from step {self.step}, {self.spent / 60:.1f} minutes in")

    def save(self) -> None:
        """Write the state, and the averaged network for export."""
        state = {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "step": self.step,
            "spent": self.spent,
        }
        temporary = self._state.with_suffix(".tmp")
        torch.save(state, temporary)
        temporary.replace(self._state)
        partial = self._folder / "partial.npz"
        network.save(partial, self.average, INVENTORY)
        partial.replace(self.checkpoint)

    def _rate(self) -> float:
        """Learning rate: rises, stays, then falls smoothly to the end of the plan."""
        done = min(1.0, self.spent / (60 * self._plan.minutes))
        falling = 0.5 * (1 + np.cos(np.pi * max(0.0, done - 0.25) / 0.75))
        rate = self._plan.end + (self._plan.peak - self._plan.end) * falling
        return float(rate * min(1.0, (self.step + 1) / _WARM_UP))

    def _learn(self, batch: Batch, bigram: lfmmi.PhoneBigram) -> np.ndarray[Any, Any]:
        """One step; returns the loss of every utterance, a frame."""
        lengths = torch.as_tensor(batch.lengths)
        with torch.autocast("cpu", torch.bfloat16, enabled=self._short):
            outputs = self.network(torch.as_tensor(batch.features))
        outputs = outputs.float()
        transcripts = lfmmi.Transcripts.of(batch.words)
        losses = lfmmi.loss(outputs, lengths, transcripts, torch.as_tensor(batch.languages), bigram)
        live = torch.arange(outputs.shape[1])[None, :] < lengths[:, None]
        size = (outputs.pow(2).mean(2) * live).sum() / lengths.sum()
        total = losses.clamp_max(6.0 * lengths).sum() / lengths.sum() + _OUTPUT_PENALTY * size
        self._optimiser.zero_grad()
        total.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), 2.0)
        if not torch.isfinite(norm):
            self._say(f"step {self.step}: a batch without a finite gradient is left out")
            return np.zeros(0)
        for group in self._optimiser.param_groups:
            group["lr"] = self._rate()
        self._optimiser.step()
        self.step += 1
        keep = min(_AVERAGING, self.step / (self.step + 20))
        with torch.no_grad():
            for old, new in zip(
                self.average.state_dict().values(), self.network.state_dict().values(), strict=True
            ):
                if old.is_floating_point():
                    old.lerp_(new, 1 - keep)
                else:
                    old.copy_(new)
        return np.asarray((losses.detach() / lengths).numpy())

    def run(self, save_every: float = 120.0) -> None:
        """Train until the plan's minutes are spent; says every 50 steps how each source fares."""
        bigram = count_bigram(self._data)
        loader = Loader(self._data, INVENTORY, self._plan.seed * 1000 + self.step, self._plan.focus)
        sources: dict[str, collections.deque[float]] = {}
        saved = last = time.monotonic()
        try:
            for batch in loader:
                losses = self._learn(batch, bigram)
                now = time.monotonic()
                self.spent += min(now - last, 30.0)
                last = now
                for source, value in zip(batch.sources, losses, strict=False):
                    sources.setdefault(source, collections.deque(maxlen=200)).append(float(value))
                if self.step % 50 == 0:
                    parts = " ".join(
                        f"{key} {np.mean(values):.3f}" for key, values in sorted(sources.items())
                    )
                    mean = np.mean([np.mean(values) for values in sources.values()])
                    where = f"step {self.step} {self.spent / 60:.1f} min"
                    self._say(f"{where} mean {mean:.4f} rate {self._rate():.5f}: {parts}")
                done = self.spent >= 60 * self._plan.minutes
                if done or now - saved > save_every:
                    self.save()
                    saved = now
                if done:
                    return
        finally:
            loader.close()
