"""Weights between those before and after further training: ``mixture.py BEFORE AFTER SHARE OUT``.

Where training has fitted the voices it hears too closely, a mixture of the weights before and after (Wortsman
et al., Robust fine-tuning of zero-shot models, 2022) may hear strangers better. The batch-norms are measured
anew. The German model is such a mixture, 0.7 of the weights after.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
if str(TOP) not in sys.path:
    sys.path.insert(0, str(TOP))

import torch  # noqa: E402

from mexvoice.hearing.phones import INVENTORY  # noqa: E402
from scripts.training import network  # noqa: E402
from scripts.training.batches import Batcher  # noqa: E402

_BATCHES = 60


def mix(before: network.Network, after: network.Network, share: float) -> network.Network:
    """``share`` of the weights of ``after``, the rest of ``before``.

    Blocks that only ``after`` has are kept, their rectifiers scaled by ``share``.
    """
    mixed = network.Network(after.shape)
    added = len(after.blocks) - len(before.blocks)
    old = network.deepen(before, after.shape.blocks[len(before.blocks) :]).state_dict()
    state = after.state_dict()
    for name, value in state.items():
        parts = name.split(".")
        if added and parts[0] == "blocks" and int(parts[1]) >= len(before.blocks):
            if parts[2] == "norm" and parts[3] in ("weight", "bias"):
                state[name] = share * value
        elif value.is_floating_point():
            state[name] = share * value + (1 - share) * old[name]
    mixed.load_state_dict(state)
    return mixed


def measure_norms(mixed: network.Network, data: Path, seed: int) -> None:
    """Give the batch-norms the means and variances of some batches."""
    mixed.train()
    for module in mixed.modules():
        if isinstance(module, torch.nn.Dropout1d):
            module.eval()
        elif isinstance(module, torch.nn.BatchNorm1d):
            module.reset_running_stats()
            module.momentum = None
    with torch.no_grad():
        for batch in itertools.islice(Batcher(data, INVENTORY, seed), _BATCHES):
            mixed(torch.as_tensor(batch.features))
    mixed.eval()


def main() -> None:
    """Mix, measure, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("share", type=float)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="folder of run.py with the voices")
    parser.add_argument("--seed", type=int, default=77)
    options = parser.parse_args()
    torch.set_num_threads(1)
    before, phones = network.load(options.before)
    mixed = mix(before, network.load(options.after)[0], options.share)
    measure_norms(mixed, options.data, options.seed)
    network.save(options.out, mixed, phones)


if __name__ == "__main__":
    main()
