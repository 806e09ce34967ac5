"""The network over the blocks of a page, trained with JAX and written down as plain arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from dowse.extract.html.content import features, model
from dowse.extract.html.content.dom_columns import Numbers
from tools.extractor.dataset import Example
from tools.extractor.weights import weights

Arrays = dict[str, Numbers]
Batch = dict[str, Numbers]

_WIDTH = 64
_EPOCHS = 12
_RATE, _DECAY = 2e-3, 1e-2
_MOST_STEP = 1.0
# Columns are dropped for whole pages, the numbers that a block becomes one by one.
_DROPPED_COLUMNS, _DROPPED = 0.1, 0.2
# Pages of like length go together, cut to the longest of these; a batch has so many blocks.
_LENGTHS = (64, 128, 256, 512)
_BLOCKS = 4096
# So many blocks of a page say what is usual.
_USUAL_BLOCKS = 200


def train_network(examples: Sequence[Example], seed: int) -> Arrays:
    """A network that tells which blocks are content."""
    random = np.random.default_rng(seed)
    sequences = [features.rows(example.blocks, example.page, example.kinds) for example in examples]
    usual, scale = _usual([model.squash(rows[:: max(1, len(rows) // _USUAL_BLOCKS)]) for rows in sequences])
    seen = [
        np.clip((model.squash(rows) - usual) * scale, -model.MOST, model.MOST).astype(np.float32) for rows in sequences
    ]
    values = _beginning(random, len(usual))
    first, second = ({name: np.zeros_like(value) for name, value in values.items()} for _ in range(2))
    steps = _EPOCHS * len(list(_batches(examples, np.random.default_rng(seed))))
    key = jax.random.PRNGKey(seed)
    step = 0
    for _ in range(_EPOCHS):
        for length, numbers in _batches(examples, random):
            step += 1
            some, rows = [examples[number] for number in numbers], [seen[number] for number in numbers]
            batch = _batch(some, rows, length, random)
            values, first, second = _jitted_step(
                values, first, second, batch, jax.random.fold_in(key, step), jnp.float32(step), _rate(step, steps)
            )
    return {
        "usual": usual,
        "scale": scale,
        **{name: np.asarray(value).astype(np.float16) for name, value in values.items()},
    }


def _usual(rows: list[Numbers]) -> tuple[Numbers, Numbers]:
    every = np.concatenate(rows)
    return every.mean(0), 1 / (every.std(0) + np.float32(1e-3))


def _beginning(random: np.random.Generator, columns: int) -> Arrays:
    def some(inputs: int, outputs: int, scale: float = 1.0) -> Numbers:
        return np.asarray(random.normal(size=(inputs, outputs)) * scale / np.sqrt(inputs), np.float32)

    values = {"first": some(columns, _WIDTH), "first_bias": np.zeros(_WIDTH, np.float32)}
    for number in range(len(model.REACHES)):
        values |= {
            f"near{number}": some(3 * _WIDTH, _WIDTH),
            f"page{number}": some(_WIDTH, _WIDTH, 0.35),
            f"alike{number}": some(_WIDTH, _WIDTH, 0.35),
            f"bias{number}": np.zeros(_WIDTH, np.float32),
        }
    return values | {"last": some(_WIDTH, 1)[:, 0], "last_bias": np.full(1, -1, np.float32)}


def _batches(examples: Sequence[Example], random: np.random.Generator) -> Iterator[tuple[int, list[int]]]:
    """The numbers of pages that are learnt from together, with the length that they are cut or filled to."""
    waiting: dict[int, list[int]] = {length: [] for length in _LENGTHS}
    found = []
    for number in random.permutation(len(examples)).tolist():
        length = next((some for some in _LENGTHS if len(examples[number].blocks) <= some), _LENGTHS[-1])
        waiting[length].append(number)
        if len(waiting[length]) == _BLOCKS // length:
            found.append((length, waiting[length]))
            waiting[length] = []
    # The last ones more than once, so that all batches of a length have the same shape.
    found += [(length, (some * (_BLOCKS // length))[: _BLOCKS // length]) for length, some in waiting.items() if some]
    random.shuffle(found)
    yield from found


def _batch(examples: list[Example], seen: list[Numbers], length: int, random: np.random.Generator) -> Batch:
    shape = (len(examples), length)
    batch = {name: np.zeros(shape, np.float32) for name in ("here", "weights", "lengths", "shares")}
    batch |= {"rows": np.zeros((*shape, seen[0].shape[1]), np.float32), "alike": np.zeros(shape, np.int32)}
    for place, (example, rows) in enumerate(zip(examples, seen, strict=True)):
        count = len(rows)
        begin = int(random.integers(0, count - length + 1)) if count > length else 0
        part, size = slice(begin, begin + length), min(count, length)
        batch["rows"][place, :size] = rows[part]
        batch["here"][place, :size] = 1
        batch["weights"][place, :size] = weights(example)[part] * (count / size)
        batch["lengths"][place, :size] = np.sqrt(example.words[part])
        batch["shares"][place, :size] = example.shares[part]
        batch["alike"][place, :size] = np.unique(example.alike[part], return_inverse=True)[1]
    return batch


def _scores(values: Any, batch: Any, key: Any) -> Any:
    """As `dowse.extract.html.content.model`, for several pages at once, with dropout."""
    pages, length = batch["here"].shape
    here, lengths = batch["here"][..., None], batch["lengths"][..., None]
    groups = (jnp.arange(pages)[:, None] * length + batch["alike"]).reshape(-1)
    sizes = jnp.maximum(jax.ops.segment_sum(batch["here"].reshape(-1), groups, pages * length), 1)[:, None]
    rows = _dropped(batch["rows"], _DROPPED_COLUMNS, jax.random.fold_in(key, 0), (pages, 1, batch["rows"].shape[2]))
    hidden = jax.nn.relu(rows @ values["first"] + values["first_bias"]) * here
    for number, reach in enumerate(model.REACHES):
        kept = _dropped(hidden, _DROPPED, jax.random.fold_in(key, number + 1), hidden.shape)
        wide = jnp.pad(kept, ((0, 0), (reach, reach), (0, 0)))
        near = jnp.concatenate((wide[:, :length], kept, wide[:, 2 * reach :]), -1)
        page = (kept * lengths).sum(1, keepdims=True) / (lengths.sum(1, keepdims=True) + 1e-6)
        sums = jax.ops.segment_sum((kept * here).reshape(pages * length, -1), groups, pages * length)
        alike = (sums / sizes)[groups].reshape(kept.shape)
        found = near @ values[f"near{number}"] + page @ values[f"page{number}"] + alike @ values[f"alike{number}"]
        hidden = (hidden + jax.nn.relu(found + values[f"bias{number}"])) * here
    return hidden @ values["last"] + values["last_bias"]


def _dropped(values: Any, share: float, key: Any, shape: tuple[int, ...]) -> Any:
    return values * jax.random.bernoulli(key, 1 - share, shape) / (1 - share)


def _loss(values: Any, batch: Any, key: Any) -> Any:
    scores = _scores(values, batch, key)
    losses = jnp.logaddexp(0, scores) - batch["shares"] * scores
    return (losses * batch["weights"]).sum() / batch["weights"].sum()


def _step(values: Any, first: Any, second: Any, batch: Any, key: Any, step: Any, rate: Any) -> Any:
    """One step of Adam with decay; a gradient that is too large is made smaller."""
    slopes = jax.grad(_loss)(values, batch, key)
    size = jnp.sqrt(sum((slope**2).sum() for slope in slopes.values()))
    slopes = {name: slope / jnp.maximum(size / _MOST_STEP, 1) for name, slope in slopes.items()}
    first = {name: 0.9 * first[name] + 0.1 * slope for name, slope in slopes.items()}
    second = {name: 0.999 * second[name] + 0.001 * slope**2 for name, slope in slopes.items()}
    moved = {
        name: value
        - rate * (first[name] / (1 - 0.9**step) / (jnp.sqrt(second[name] / (1 - 0.999**step)) + 1e-8) + _DECAY * value)
        for name, value in values.items()
    }
    return moved, first, second


_jitted_step = jax.jit(_step)


def _rate(step: int, steps: int) -> np.float32:
    """It rises at first, then falls to nothing along a cosine."""
    rising = steps // 20
    if step <= rising:
        return np.float32(_RATE * step / rising)
    return np.float32(_RATE * (1 + np.cos(np.pi * (step - rising) / (steps - rising))) / 2)
