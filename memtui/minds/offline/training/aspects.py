"""Training the aspect space: two linear maps that bring a question near the statements that answer it.

Sentence vectors say what a text sounds like; "Which city do I live in?" and "keys to the new flat, third floor" sound like
nothing in common. The maps are fitted by contrast (InfoNCE): a question against statements of its slot and of other slots, a
question against the one statement it was written for and those of other questions, a story's question against its evidence
and the rest of that story, and a statement against what replaces or repeats it.
Dropout on the input is what makes it hold for people never seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import optax

from memtui.memory.frame import Ints
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.heads import ASPECTS
from memtui.minds.offline.slots import SLOTS
from memtui.minds.offline.training.rows import Row
from memtui.minds.offline.training.statement_heads import Arrays

STEPS: Final = 1_500
RATE: Final = 2e-3
DROPOUT: Final = 0.5
SHARPNESS: Final = 10.0
"""Of the softmax over candidates, at the start; it is fitted too."""
_PAIR_SHARE: Final = 0.5
_PULL: Final = 1e-4
"""How strongly the maps are held to where they began, an orthogonal projection."""
_QUESTIONS, _STATEMENTS, _SLOTLESS, _WRITTEN, _ASKED, _OTHERS, _PAIRS = 128, 384, 96, 256, 96, 24, 128
"""Sizes of a batch: questions of slots, statements with and without one, questions each with its statement, story questions,
the rest of a story, pairs."""


@dataclass
class _Examples:
    """Texts by number, and what is near what."""

    texts: list[str] = field(default_factory=list)
    number: dict[str, int] = field(default_factory=dict)
    questions: list[tuple[int, int]] = field(default_factory=list)
    filling: list[tuple[int, int]] = field(default_factory=list)
    slotless: list[int] = field(default_factory=list)
    written: list[tuple[int, int, int]] = field(default_factory=list)
    asked: list[tuple[int, list[int], list[int]]] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)

    def of(self, text: str) -> int:
        """The number of a text."""
        if text not in self.number:
            self.number[text] = len(self.texts)
            self.texts.append(text)
        return self.number[text]


def train_aspects(
    stories: Sequence[Row], statements: Sequence[Row], questions: Sequence[Row], asked: Sequence[Row], pairs: Sequence[Row],
    embedder: LocalEmbedder, arrays: Arrays, seed: int = 0,
) -> None:  # fmt: skip
    """Fit both maps into `arrays` (`aspect_told_*`, `aspect_asked_*`)."""
    examples = _examples(stories, statements, questions, asked, pairs)
    x = jnp.asarray(embedder.embed_now(examples.texts))
    start = jnp.asarray(
        np.linalg.qr(np.random.default_rng(seed).normal(size=(x.shape[1],) * 2))[0][:, :ASPECTS], jnp.float32
    )
    zero = jnp.zeros(ASPECTS)
    weights = {"told": start, "told_b": zero, "asked": start, "asked_b": zero, "sharp": jnp.asarray(np.log(SHARPNESS))}
    optimiser = optax.adam(optax.cosine_decay_schedule(RATE, STEPS))
    state = optimiser.init(weights)

    def stepped(weights: Any, state: Any, batch: Any, key: Any) -> tuple[Any, Any]:
        gradient = jax.grad(_loss)(weights, x, start, batch, key)
        updates, state = optimiser.update(gradient, state, weights)
        return optax.apply_updates(weights, updates), state

    step: Any = jax.jit(stepped)  # called, not a decorator: without jax installed that would be an untyped one
    chance, key = np.random.default_rng(seed), jax.random.PRNGKey(seed)
    for _ in range(STEPS):
        key, now = jax.random.split(key)
        weights, state = step(weights, state, _batch(examples, chance), now)
    for side in ("told", "asked"):
        arrays[f"aspect_{side}_W"] = np.asarray(weights[side], np.float32)
        arrays[f"aspect_{side}_b"] = np.asarray(weights[f"{side}_b"], np.float32)


def _examples(
    stories: Sequence[Row], statements: Sequence[Row], questions: Sequence[Row], asked: Sequence[Row], pairs: Sequence[Row]
) -> _Examples:
    out = _Examples()
    out.questions = [(out.of(row["text"]), SLOTS.index(row["slot"])) for row in questions if row["slot"]]
    for row in asked:
        slot = SLOTS.index(row["slot"]) if row["slot"] else -1
        out.written.append((out.of(row["text"]), out.of(row["statement"]), slot))
    kept = [row for row in statements if row["keep"]]
    out.filling = [(out.of(row["text"]), SLOTS.index(row["slot"])) for row in kept if row["slot"]]
    out.slotless = [out.of(row["text"]) for row in kept if not row["slot"]]
    near = [pair for pair in pairs if pair["label"] in ("supersedes", "duplicate")]
    out.pairs = [(out.of(pair["older"]), out.of(pair["newer"])) for pair in near]
    for story in stories:
        by_id = {statement["id"]: statement for statement in story["statements"]}
        for question in story["questions"]:
            evidence = [name for name in question["evidence"] if by_id[name]["keep"]]
            taken = {*evidence, *question["stale"]}
            rest = [name for name, row in by_id.items() if row["keep"] and name not in taken]
            if evidence:
                numbers = [[out.of(by_id[name]["text"]) for name in names] for names in (evidence, rest)]
                out.asked.append((out.of(question["text"]), numbers[0], numbers[1]))
        linked = [*story["supersedes"], *story["duplicates"]]
        out.pairs.extend((out.of(by_id[older]["text"]), out.of(by_id[newer]["text"])) for older, newer in linked)
    return out


def _batch(examples: _Examples, chance: np.random.Generator) -> dict[str, Ints]:
    questions = [examples.questions[i] for i in chance.choice(len(examples.questions), _QUESTIONS)]
    filling = [examples.filling[i] for i in chance.choice(len(examples.filling), _STATEMENTS)]
    slotless = [examples.slotless[i] for i in chance.choice(len(examples.slotless), _SLOTLESS)]
    written = np.array([examples.written[i] for i in chance.choice(len(examples.written), _WRITTEN, replace=False)])
    candidates = np.zeros((_ASKED, _OTHERS + 1), np.int64)
    there = np.zeros((_ASKED, _OTHERS + 1), np.int64)
    asked = np.zeros(_ASKED, np.int64)
    for row, i in enumerate(chance.choice(len(examples.asked), _ASKED)):
        asked[row], evidence, rest = examples.asked[i]
        line = [evidence[chance.integers(len(evidence))], *chance.permutation(rest)[:_OTHERS].tolist()]
        candidates[row, : len(line)], there[row, : len(line)] = line, 1
    pairs = np.array([examples.pairs[i] for i in chance.choice(len(examples.pairs), _PAIRS, replace=False)])
    slot_of = np.array([*(slot for _, slot in filling), *[-1] * _SLOTLESS])
    return {
        "questions": np.array([text for text, _ in questions]),
        "statements": np.array([*(text for text, _ in filling), *slotless]),
        "fills": (np.array([slot for _, slot in questions])[:, None] == slot_of[None]).astype(np.int64),
        "written": written[:, 0],
        "written_for": written[:, 1],
        "apart": _apart(written),
        "asked": asked,
        "candidates": candidates,
        "there": there,
        "older": pairs[:, 0],
        "newer": pairs[:, 1],
    }


def _apart(written: Ints) -> Ints:
    """int64 (n, n): 1 where the row's question is not answered by the column's statement, and on the diagonal.

    What fills the same slot of another life, or was asked for twice, might answer it as well.
    """
    statement, slot = written[:, 1], written[:, 2]
    alike = (slot[:, None] == slot[None]) & (slot[:, None] >= 0)
    apart: Ints = (~(alike | (statement[:, None] == statement[None]))).astype(np.int64)
    np.fill_diagonal(apart, 1)
    return apart


def _loss(weights: Any, x: Any, start: Any, batch: Any, key: Any) -> Any:
    keys = jax.random.split(key, 8)
    sharp = jnp.exp(weights["sharp"])

    def seen(numbers: Any, key: Any, side: str) -> Any:
        given = x[numbers]
        given = given * jax.random.bernoulli(key, 1 - DROPOUT, given.shape) / (1 - DROPOUT)
        z = given @ weights[side] + weights[f"{side}_b"]
        return z / jnp.linalg.norm(z + 1e-8, axis=-1, keepdims=True)

    logs = jax.nn.log_softmax(
        sharp * seen(batch["questions"], keys[0], "asked") @ seen(batch["statements"], keys[1], "told").T
    )
    filled = batch["fills"].sum(axis=1)
    by_slot = -(batch["fills"] * logs).sum(axis=1) / jnp.maximum(1, filled)
    of_slots = by_slot.sum() / jnp.maximum(1, (filled > 0).sum())
    written = sharp * seen(batch["written"], keys[6], "asked") @ seen(batch["written_for"], keys[7], "told").T
    of_written = -jnp.diag(jax.nn.log_softmax(jnp.where(batch["apart"] > 0, written, -1e9))).mean()
    near = jnp.einsum("bd,bkd->bk", seen(batch["asked"], keys[2], "asked"), seen(batch["candidates"], keys[3], "told"))
    of_stories = -jax.nn.log_softmax(jnp.where(batch["there"] > 0, sharp * near, -1e9))[:, 0].mean()
    alike = sharp * seen(batch["older"], keys[4], "told") @ seen(batch["newer"], keys[5], "told").T
    of_pairs = -jnp.diag(jax.nn.log_softmax(alike)).mean()
    pull = _PULL * sum(jnp.sum((weights[side] - start) ** 2) for side in ("told", "asked"))
    return of_slots + of_written + of_stories + _PAIR_SHARE * of_pairs + pull
