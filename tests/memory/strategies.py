"""Hypothesis strategies for bodies, memories and whole lives of a store."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from memtui.memory import events as ev
from memtui.memory.ids import make_id
from memtui.memory.model import Kind, Label, RetireReason
from memtui.memory.texts import content_hash

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
_SPAN_US = 400 * 24 * 3600 * 1_000_000

moments = st.integers(0, _SPAN_US).map(lambda us: START + timedelta(microseconds=us))
words = st.text(st.characters(codec="utf-8"), max_size=12).map(lambda text: unicodedata.normalize("NFC", text))
ids = st.integers(0, 20).map(lambda number: make_id(START, "memory", number))
hashes = st.integers(0, 20).map(lambda number: content_hash(f"text {number}"))
shares = st.floats(0, 1, allow_nan=False)
numbers = st.floats(-1e9, 1e9, allow_nan=False)
turns = st.integers(0, 20).map(lambda number: f"t{number}")
counts = st.integers(0, 1000)
maybe_hash = st.none() | hashes


def tuples(of: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(of, max_size=4).map(tuple)


created = st.builds(
    ev.Created,
    memory=ids,
    kind=st.sampled_from(Kind),
    content=hashes,
    note=maybe_hash,
    importance=shares,
    created_at=moments,
    valid_from=moments,
    last_recall=moments,
    recalls=counts,
    pinned=st.booleans(),
    sources=tuples(turns),
    merged_from=tuples(ids),
    subject=words,
    slot=st.none() | words,
)
bodies: st.SearchStrategy[ev.Body] = st.one_of(
    created,
    st.builds(ev.Recalled, memories=tuples(ids), turn=turns),
    st.builds(ev.Reinforced, memory=ids, turn=turns),
    st.builds(ev.Absorbed, memory=ids, sources=tuples(turns), recalls=counts, last_recall=moments),
    st.builds(ev.Retired, memory=ids, reason=st.sampled_from(RetireReason), by=st.none() | ids, note=maybe_hash),
    st.builds(ev.Restored, memory=ids),
    st.builds(ev.Pinned, memory=ids, pinned=st.booleans()),
    st.builds(
        ev.Edited, memory=ids, content=maybe_hash, kind=st.none() | st.sampled_from(Kind), importance=st.none() | shares
    ),
    st.builds(ev.Turned, turn=turns, session=words),
    st.builds(
        ev.Judged, older=hashes, newer=hashes, label=st.sampled_from(Label), confidence=shares, judge=words, note=maybe_hash
    ),
    st.builds(ev.SetAside, older=hashes, newer=hashes),
    st.builds(
        ev.Slept, trigger=words, merged=counts, retired=counts, pruned=counts, active=counts, calls=counts, left=tuples(ids)
    ),
    st.builds(ev.Warped, offset_s=numbers, rate=numbers),
    st.builds(ev.Undone, block=words),
)
