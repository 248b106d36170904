"""The network: a time-delay network with narrow layers and shortcuts, as Kaldi's TDNN-F, in PyTorch.

Two layers bring 10 ms frames to one vector every 30 ms; a stack of blocks follows, each a narrow linear map,
a wide rectified one and a shortcut around both. Batch-norm stands before every rectifier, so that it folds
into the affine map for export.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from scripts.training.kaldi import Affine, Matrix

STRIDE = 3
"""Input frames an output frame."""

_QUIET = 0.1
"""Scale of the rectifiers of a new block."""


@dataclass(frozen=True)
class Shape:
    """Sizes of the network."""

    outputs: int
    """Network outputs: two a phone."""
    features: int = 40
    """Size of an input frame."""
    first: int = 128
    """Width of the layer at 10 ms."""
    width: int = 288
    """Width of the blocks."""
    narrow: int = 88
    """Width of the linear map inside a block."""
    blocks: tuple[tuple[int, int], ...] = ((-1, 1), (-1, 1), (-1, 0), (-1, 1), (-1, 0), (-1, 1), (-1, 0))
    """Per block how many output frames (30 ms) it looks back (negative) and ahead."""
    shortcut: float = 0.7
    """Share of a block's input that is added to its output."""
    dropout: float = 0.05
    """Share of the channels left out in training."""


class Block(nn.Module):
    """``shortcut * x + dropout(relu(norm(wide(narrow(x)))))``."""

    def __init__(self, shape: Shape, back: int, ahead: int) -> None:
        super().__init__()
        self.back, self.ahead, self.shortcut = back, ahead, shape.shortcut
        self.narrow = nn.Conv1d(shape.width, shape.narrow, 1 - back, bias=False)
        self.wide = nn.Conv1d(shape.narrow, shape.width, 1 + ahead, bias=False)
        self.norm = nn.BatchNorm1d(shape.width)
        self.dropout = nn.Dropout1d(shape.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """[batch, width, time] -> [batch, width, time - ahead + back]."""
        y = self.dropout(torch.relu(self.norm(self.wide(self.narrow(x)))))
        end = x.shape[2] - self.ahead
        kept: Tensor = self.shortcut * x[:, :, -self.back : end]
        whole: Tensor = kept + y
        return whole


class Network(nn.Module):
    """MFCC frames to log-likelihoods (up to a constant) of every output, every 30 ms."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.input_norm = nn.BatchNorm1d(shape.features, affine=False)
        self.first = nn.Conv1d(shape.features, shape.first, 5, bias=False)
        self.first_norm = nn.BatchNorm1d(shape.first)
        self.second = nn.Conv1d(shape.first, shape.width, 3, stride=STRIDE, bias=False)
        self.second_norm = nn.BatchNorm1d(shape.width)
        self.blocks = nn.ModuleList(Block(shape, back, ahead) for back, ahead in shape.blocks)
        self.output = nn.Conv1d(shape.width, shape.outputs, 1)
        nn.init.zeros_(self.output.weight)
        if self.output.bias is not None:
            nn.init.zeros_(self.output.bias)
        self.left = 3 + STRIDE * sum(-back for back, _ in shape.blocks)
        """Input frames needed before an output's own."""
        self.right = 3 + STRIDE * sum(ahead for _, ahead in shape.blocks)
        """Input frames needed after an output's own."""

    def forward(self, x: Tensor) -> Tensor:
        """[batch, frames, features] -> [batch, ceil(frames / 3), outputs]; the edges are repeated."""
        frames = x.shape[1]
        extra = -frames % STRIDE
        x = nn.functional.pad(x.transpose(1, 2), (self.left, self.right + extra), mode="replicate")
        x = torch.relu(self.first_norm(self.first(self.input_norm(x))))
        x = torch.relu(self.second_norm(self.second(x)))
        for block in self.blocks:
            x = block(x)
        wanted = (frames + STRIDE - 1) // STRIDE
        outputs: Tensor = self.output(x)
        return outputs.transpose(1, 2)[:, :wanted]

    def layers(self) -> list[Affine]:
        """The network for Kaldi: batch-norms folded into the affine maps."""
        scale, shift = _fold(self.input_norm)
        weights = _numpy(self.first.weight)
        made = [_layer("first", "input", (-2, -1, 0, 1, 2), weights, self.first_norm, scale, shift)]
        made.append(
            _layer("second", made[0].output, (-1, 0, 1), _numpy(self.second.weight), self.second_norm)
        )
        state = made[-1].output
        for number, block in enumerate(self.blocks, start=1):
            assert isinstance(block, Block)
            back = tuple(STRIDE * offset for offset in range(block.back, 1))
            ahead = tuple(STRIDE * offset for offset in range(block.ahead + 1))
            narrow = Affine(
                f"narrow{number}", state, back, _flat(_numpy(block.narrow.weight)),
                np.zeros(self.shape.narrow, np.float32), False,
            )  # fmt: skip
            wide = _layer(f"wide{number}", narrow.output, ahead, _numpy(block.wide.weight), block.norm)
            made += [narrow, wide]
            state = f"Sum(Scale({block.shortcut}, {state}), {wide.output})"
        output = Affine(
            "output", state, (0,), _flat(_numpy(self.output.weight)), _numpy(self.output.bias), False
        )  # fmt: skip
        return [*made, output]


def deepen(network: Network, blocks: Sequence[tuple[int, int]]) -> Network:
    """A network with further blocks before its output, which at first change next to nothing.

    ``blocks``: how far each looks back and ahead, as in :class:`Shape`. The new rectifiers start nearly
    silent (not quite, or no gradient would pass), and the output makes up for the shortcuts' factors.
    """
    shape = replace(network.shape, blocks=(*network.shape.blocks, *blocks))
    deeper = Network(shape)
    state = deeper.state_dict() | network.state_dict()
    state["output.weight"] = state["output.weight"] / shape.shortcut ** len(blocks)
    for number in range(len(network.blocks), len(shape.blocks)):
        state[f"blocks.{number}.norm.weight"] = torch.full((shape.width,), _QUIET)
    deeper.load_state_dict(state)
    return deeper


def _numpy(tensor: Tensor | None) -> Matrix:
    assert tensor is not None
    return tensor.detach().numpy().astype(np.float32)


def _flat(weights: Matrix) -> Matrix:
    """[outputs, inputs, offsets] -> [outputs, offsets x inputs], as Kaldi's Append orders them."""
    return np.ascontiguousarray(weights.transpose(0, 2, 1).reshape(weights.shape[0], -1))


def _fold(norm: nn.BatchNorm1d) -> tuple[Matrix, Matrix]:
    """A batch-norm as factor and addend of every channel."""
    variance, mean = _numpy(norm.running_var), _numpy(norm.running_mean)
    scale = 1.0 / np.sqrt(variance + norm.eps)
    if norm.affine:
        scale = scale * _numpy(norm.weight)
        return scale, _numpy(norm.bias) - mean * scale
    return scale, -mean * scale


def _layer(
    name: str,
    source: str,
    offsets: tuple[int, ...],
    weights: Matrix,
    after: nn.BatchNorm1d,
    scale: Matrix | None = None,
    shift: Matrix | None = None,
) -> Affine:
    """A rectified layer with the norms after it and before it (``scale``, ``shift``) folded in."""
    factor, addend = _fold(after)
    bias = addend
    if scale is not None and shift is not None:
        bias = bias + factor * (weights * shift[None, :, None]).sum((1, 2))
        weights = weights * scale[None, :, None]
    return Affine(
        name, source, offsets, _flat(weights * factor[:, None, None]), bias.astype(np.float32), True
    )


def save(path: Any, network: Network, phones: Sequence[str], **more: Any) -> None:
    """Write a checkpoint: sizes, weights in half precision, phones and what else is given."""
    arrays = {
        f"weights/{name}": value.numpy().astype(
            np.float16 if value.is_floating_point() else value.numpy().dtype
        )
        for name, value in network.state_dict().items()
    }
    shape = asdict(network.shape)
    np.savez_compressed(path, phones=np.array(phones), shape=np.array(repr(shape)), **arrays, **more)


def load(path: Any) -> tuple[Network, list[str]]:
    """Read a checkpoint: the network and its phones."""
    import ast

    with np.load(path) as stored:
        shape = Shape(**ast.literal_eval(str(stored["shape"])))
        network = Network(shape)
        state = network.state_dict()
        for name, value in state.items():
            state[name] = torch.as_tensor(stored[f"weights/{name}"]).to(value.dtype)
        network.load_state_dict(state)
        return network, [str(phone) for phone in stored["phones"]]
