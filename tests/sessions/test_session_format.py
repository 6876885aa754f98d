"""The session format: what is read, what is refused and how it is said."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import InputError, SessionFormatError
from memtui.sessions.format import parse_session, read_session, to_json_line
from memtui.sessions.lines import (
    AssistantTurn,
    CommandLine,
    Line,
    MindCall,
    Probe,
    Session,
    SessionHeader,
    UserTurn,
)

HEADER = '{"type":"session","format":"memtui-session","version":1,"title":"A chat"}'
AT = "2026-04-25T21:14:00Z"


def line(**keys: Any) -> str:
    return json.dumps(keys)


def user(**keys: Any) -> str:
    return line(**{"type": "user", "id": "t1", "at": AT, "text": "hello", **keys})


def test_every_line_type_is_read() -> None:
    session = parse_session(
        [
            '{"type":"session","format":"memtui-session","version":1,"title":"A","language":"en","mind":"m","note":"n"}',
            user(),
            line(type="assistant", at=AT, text="hi", reply_to="t1"),
            line(type="mind", at=AT, call="extract", **{"for": "t1"}, response={"facts": []}, model="x"),
            line(
                type="mind",
                at=AT,
                call="judge",
                **{"for": ["a" * 64, "b" * 64]},
                response={"label": "additive", "reason": ""},
            ),
            line(type="command", at=AT, text="/warp 3d"),
            line(type="probe", id="p1", at=AT, question="?", answers=["a"], evidence=["t1"], stale=["t0"], category="fact"),
            line(type="probe", id="p2", at=AT, question="?", answers=[], evidence=[], category="nothing"),
        ],
        "a.jsonl",
    )
    at = datetime(2026, 4, 25, 21, 14, tzinfo=UTC)
    assert session.header == SessionHeader("A", "en", "m", "n")
    assert session.lines == (
        UserTurn("t1", at, "hello"),
        AssistantTurn(at, "hi", "t1"),
        MindCall(at, "extract", "t1", {"facts": []}, "x"),
        MindCall(at, "judge", ("a" * 64, "b" * 64), {"label": "additive", "reason": ""}),
        CommandLine(at, "/warp 3d"),
        Probe("p1", at, "?", ("a",), ("t1",), "fact", ("t0",)),
        Probe("p2", at, "?", (), (), "nothing"),
    )
    assert session.path == Path("a.jsonl")
    assert [turn.id for turn in session.user_turns] == ["t1"]
    assert len(session.mind_calls) == 2


def test_unknown_keys_are_ignored_and_kept_out_of_writing() -> None:
    session = parse_session([HEADER[:-1] + ',"colour":"red"}', user(mood="good")])
    assert "colour" not in to_json_line(session.header)
    assert json.loads(to_json_line(session.lines[0])) == {"type": "user", "id": "t1", "at": AT, "text": "hello"}


def test_offsets_are_read_as_utc() -> None:
    session = parse_session([HEADER, user(at="2026-04-25T23:14:00+02:00")])
    assert session.lines[0].at == datetime(2026, 4, 25, 21, 14, tzinfo=UTC)
    assert session.lines[0].at.tzinfo is UTC


@pytest.mark.parametrize(
    ("rows", "number", "key"),
    [
        ([], 1, ""),
        (["", "  "], 2, ""),
        ([user()], 1, "type"),
        (['{"format":"memtui-session"}'], 1, "type"),
        ([HEADER.replace("memtui-session", "other")], 1, "format"),
        ([HEADER.replace(":1,", ":2,")], 1, "version"),
        ([HEADER.replace(":1,", ":true,")], 1, "version"),
        ([HEADER.replace(':"A chat"', ":7")], 1, "title"),
        (['{"type":"session","format":"memtui-session","version":1}'], 1, "title"),
        ([HEADER, HEADER], 2, "type"),
        ([HEADER, line(type="dream", at=AT)], 2, "type"),
        ([HEADER, line(at=AT)], 2, "type"),
        ([HEADER, line(type="user", at=AT, text="x")], 2, "id"),
        ([HEADER, user(id=" ")], 2, "id"),
        ([HEADER, user(text=None)], 2, "text"),
        ([HEADER, user(text=["x"])], 2, "text"),
        ([HEADER, user(at="2026-04-25T21:14:00")], 2, "at"),
        ([HEADER, user(at="yesterday")], 2, "at"),
        ([HEADER, user(at=5)], 2, "at"),
        ([HEADER, user(at="0001-01-01T00:00:00+14:00")], 2, "at"),
        ([HEADER, user(), "", user(id="t2", at="2026-04-25T21:13:59Z")], 4, "at"),
        ([HEADER, user(), user()], 3, "id"),
        ([HEADER, line(type="assistant", at=AT, text="x", reply_to=4)], 2, "reply_to"),
        ([HEADER, line(type="assistant", at=AT, text="x", interrupted="yes")], 2, "interrupted"),
        ([HEADER, line(type="mind", at=AT, call="dream", **{"for": "t1"}, response={})], 2, "call"),
        ([HEADER, line(type="mind", at=AT, call="judge", **{"for": 3}, response={})], 2, "for"),
        ([HEADER, line(type="mind", at=AT, call="judge", **{"for": "t1"})], 2, "response"),
        ([HEADER, line(type="mind", at=AT, call="judge", **{"for": "t1"}, response=[])], 2, "response"),
        ([HEADER, line(type="mind", at=AT, call="judge", **{"for": "t1"}, response={"label": "perhaps"})], 2, "response"),
        ([HEADER, line(type="mind", at=AT, call="extract", **{"for": "t1"}, response={"facts": [{}]})], 2, "response"),
        ([HEADER, line(type="command", at=AT, text="sleep")], 2, "text"),
        ([HEADER, line(type="probe", id="p", at=AT, question="?", answers="a", evidence=[], category="fact")], 2, "answers"),
        (
            [HEADER, line(type="probe", id="p", at=AT, question="?", answers=["a"], evidence=[1], category="fact")],
            2,
            "evidence",
        ),
        ([HEADER, line(type="probe", id="p", at=AT, question="?", answers=["a"], evidence=[])], 2, "category"),
        ([HEADER, user()[:-5]], 2, ""),
        ([HEADER, "[]"], 2, ""),
        ([HEADER, "null"], 2, ""),
        ([HEADER, '{"type":NaN}'], 2, ""),
        ([HEADER, "[" * 100_000], 2, ""),
        ([HEADER, '{"type":"user","id":"t1","at":"' + AT + '","text":"\\ud83d"}'], 2, "text"),
        ([HEADER, '{"type":"mind","at":"' + AT + '","call":"judge","for":"t","response":{"a":["\\udc00"]}}'], 2, "response"),
        (["\ufeff" + HEADER], 1, ""),
    ],
)
def test_what_is_wrong_is_named(rows: list[str], number: int, key: str) -> None:
    with pytest.raises(SessionFormatError) as caught:
        parse_session(rows, "chat.jsonl")
    error = caught.value
    assert (error.line, error.key) == (number, key)
    assert f"chat.jsonl:{number}" in error.what
    assert "\n" not in str(error)
    str(error).encode()  # printable anywhere
    assert error.exit_code == 2


def test_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(HEADER.encode() + b"\n" + user().encode().replace(b"hello", b"\xff\xfe") + b"\n")
    with pytest.raises(SessionFormatError, match=r"a\.jsonl:2: is not UTF-8"):
        read_session(path)
    path.write_bytes(b"\xef\xbb\xbf" + HEADER.encode() + b"\n")
    with pytest.raises(SessionFormatError, match="byte order mark"):
        read_session(path)
    path.write_bytes(b"")
    with pytest.raises(SessionFormatError, match="empty"):
        read_session(path)
    path.write_bytes(b"\x00" * 100)
    with pytest.raises(SessionFormatError):
        read_session(path, tolerate_torn_end=True)
    for missing in (tmp_path / "none.jsonl", tmp_path, Path("a\x00b")):
        with pytest.raises(InputError, match="can't be read"):
            read_session(missing)


def test_line_ends_of_other_systems_and_separators_inside_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    text = "one\u2028two\u2029three\r\nfour"
    row = to_json_line(UserTurn("t1", datetime(2026, 1, 1, tzinfo=UTC), text))
    assert len(row.splitlines()) == 1
    path.write_bytes(f"{HEADER}\r\n{row}\r\n".encode())
    assert read_session(path).user_turns[0].text == text


def test_a_torn_end_is_dropped_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    whole = f"{HEADER}\n{user()}\n".encode()
    second = user(id="t2", text="привет").encode()
    for cut in range(1, len(second)):
        path.write_bytes(whole + second[:cut])
        session = read_session(path, tolerate_torn_end=True)
        assert [turn.id for turn in session.user_turns] == ["t1"]
        assert len(session.notices) == 1
        assert "broke off" in session.notices[0]
        with pytest.raises(SessionFormatError):
            read_session(path)
    path.write_bytes(whole + second)  # whole, only its newline is missing
    session = read_session(path, tolerate_torn_end=True)
    assert [turn.id for turn in session.user_turns] == ["t1", "t2"]
    assert session.notices == ()
    path.write_bytes(HEADER.encode() + b"\n" + second[:9] + b"\n" + user().encode() + b"\n")  # broken in the middle
    with pytest.raises(SessionFormatError):
        read_session(path, tolerate_torn_end=True)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
names = texts.filter(lambda text: bool(text.strip()))
moments = st.datetimes(timezones=st.just(UTC), min_value=datetime(1970, 1, 1), max_value=datetime(9000, 1, 1))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
text_tuples = st.lists(texts, max_size=3).map(tuple)
lines: st.SearchStrategy[Line] = st.one_of(
    st.builds(UserTurn, names, moments, texts),
    st.builds(AssistantTurn, moments, texts, st.none() | texts, st.booleans()),
    st.builds(
        MindCall,
        moments,
        st.just("score"),
        names | text_tuples,
        st.dictionaries(texts, json_values, max_size=3),
        st.none() | texts,
    ),
    st.builds(CommandLine, moments, texts.map(lambda text: f"/{text}")),
    st.builds(Probe, names, moments, texts, text_tuples, text_tuples, names, text_tuples),
)
headers = st.builds(SessionHeader, texts, st.none() | texts, st.none() | texts, st.none() | texts)


@given(headers, lines)
def test_writing_then_reading_gives_the_same(header: SessionHeader, item: Line) -> None:
    rows = [to_json_line(header), to_json_line(item)]
    assert all(len(row.splitlines()) == 1 for row in rows)
    session = parse_session(rows)
    assert session == Session(Path("session"), header, (item,))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_session_or_a_format_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(HEADER.encode() + b"\n" + data)
    for tolerant in (False, True):
        try:
            read_session(path, tolerate_torn_end=tolerant)
        except SessionFormatError as error:
            assert error.line >= 1
