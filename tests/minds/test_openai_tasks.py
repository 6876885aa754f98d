"""Structured tasks through a real HTTP server: formats it refuses, answers that are wrong, and what is never stored."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest

from memtui.errors import MindBusyError, MindMalformedError, MindRefusedError, MindUnreachableError
from memtui.memory.model import Kind, Label
from memtui.minds.base import Message, PairText
from memtui.minds.dialect import Format
from memtui.minds.openai_mind import PAIRS_A_CALL
from tests.loopback import Behaviour, Loopback, busy, hang_up_after, huge, malformed, say, slow, status
from tests.minds.helpers import NOW, Naps, mind_at

TURN = "Ugh. Three weeks ago I moved to Lisbon, and I'm allergic to peanuts!"


def facts(*changes: Mapping[str, object]) -> str:
    base = {
        "support": "I moved to Lisbon",
        "text": "I live in Lisbon.",
        "kind": "semantic",
        "why": "home",
        "importance": 0.7,
        "subject": "user",
        "valid_from": None,
    }
    return json.dumps({"facts": [{**base, **change} for change in changes]})


def pair(older: str = "I live in Berlin.", newer: str = "I moved to Lisbon.") -> PairText:
    return PairText(older, newer, NOW - timedelta(days=90), NOW)


def verdicts(*numbers: int, label: str = "supersedes") -> str:
    return json.dumps({"verdicts": [{"pair": n, "reason": "r", "label": label, "confidence": 0.9} for n in numbers]})


async def test_extract_gives_typed_candidates(loopback: Loopback) -> None:
    answer = facts({"valid_from": "2026-04-04"}, {"support": "allergic to peanuts", "text": "I'm allergic to peanuts."})
    loopback.on("extract", say(answer))
    home, allergy = await mind_at(loopback).extract(TURN, NOW, [Message("assistant", "How are you?")])
    assert (home.text, home.kind, home.importance, home.why) == ("I live in Lisbon.", Kind.SEMANTIC, 0.7, "home")
    assert home.support == "I moved to Lisbon"
    assert home.valid_from == datetime(2026, 4, 4, 23, 59, tzinfo=UTC)
    assert allergy.valid_from == NOW
    request = loopback.calls("extract")[0]
    assert request.format == "json_schema"
    assert request.json["response_format"]["json_schema"]["strict"] is True
    assert "How are you?" in request.text


@pytest.mark.parametrize(
    ("given", "since"),
    [
        ("2026-04-04", datetime(2026, 4, 4, 23, 59, tzinfo=UTC)),
        ("2026-04", datetime(2026, 4, 1, tzinfo=UTC)),
        ("2019", datetime(2019, 1, 1, tzinfo=UTC)),
        ("2026-04-04T10:00:00Z", datetime(2026, 4, 4, 23, 59, tzinfo=UTC)),
        ("2026-04-25", NOW),
        ("2027-01-01", NOW),
        ("2026-13-45", NOW),
        ("0001-01-01", NOW),
        ("soon", NOW),
        ("", NOW),
        (None, NOW),
    ],
)
async def test_valid_time_is_a_real_date_and_never_ahead(loopback: Loopback, given: str | None, since: datetime) -> None:
    loopback.on("extract", say(facts({"valid_from": given})))
    (found,) = await mind_at(loopback).extract(TURN, NOW)
    assert found.valid_from == since


async def test_relative_times_a_model_does_not_resolve_are_resolved_from_the_turn(loopback: Loopback) -> None:
    loopback.on("extract", say(facts({"support": "Three weeks ago I moved to Lisbon", "valid_from": "three weeks ago"})))
    (found,) = await mind_at(loopback).extract(TURN, NOW)
    assert found.valid_from.date() == (NOW - timedelta(weeks=3)).date()


async def test_a_date_is_a_day_of_the_turns_own_zone(loopback: Loopback) -> None:
    loopback.on("extract", say(facts({"valid_from": "2026-04-20"})))
    east = NOW.astimezone(timezone(timedelta(hours=9)))
    (found,) = await mind_at(loopback).extract(TURN, east)
    assert found.valid_from == datetime(2026, 4, 20, 14, 59, tzinfo=UTC)


async def test_what_the_turn_does_not_say_is_dropped_and_logged(
    loopback: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    example = {
        "support": "Two weeks ago I switched to the night shift at Kestrel",
        "text": "I work the night shift at Kestrel.",
    }
    borrowed = {"support": "I moved to Lisbon", "text": "I work the night shift at Kestrel."}
    loopback.on("extract", *[say(facts(example, borrowed, {}, {"text": "i live in LISBON!"}))] * 2)
    with caplog.at_level(logging.WARNING, logger="memtui"):
        found = await mind_at(loopback).extract(TURN, NOW)
    assert [c.text for c in found] == ["I live in Lisbon."]
    assert sum("Kestrel" in record.getMessage() for record in caplog.records) == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I moved to Lisbon (30 minutes).", "30"),
        ("I moved to Lisbon</h4> <turn>\n</turn> [/INST]{", "piece of the prompt"),
        ("I moved to Lisbon<|im_end|>", "piece of the prompt"),
    ],
)
async def test_a_fact_with_numbers_or_prompt_text_of_its_own_is_asked_for_again(
    loopback: Loopback, text: str, problem: str
) -> None:
    """Gemma 270M put both into facts that had real words as support."""
    bad = say(facts({"text": text}))
    loopback.on(
        "extract", bad, say(facts({"text": "I moved to Lisbon on 2026-04-04, 3 weeks ago.", "valid_from": "2026-04-04"}))
    )
    mind = mind_at(loopback)
    assert len(await mind.extract(TURN, NOW)) == 1
    assert problem in loopback.calls("extract")[1].json["messages"][-1]["content"]
    loopback.on("extract", bad, bad)
    (kept,) = await mind.extract(TURN, NOW)
    assert kept.text == "I moved to Lisbon"  # after one repair the turn's own words stand in its place
    assert len(loopback.calls("extract")) == 4


async def test_numbers_from_the_talk_before_are_no_additions(loopback: Loopback) -> None:
    loopback.on("extract", say(facts({"support": "Yes, moved", "text": "I moved to flat 12."})))
    assert await mind_at(loopback).extract("Yes, moved there", NOW, [Message("assistant", "To flat 12?")])


async def test_an_empty_turn_asks_nobody(loopback: Loopback) -> None:
    assert await mind_at(loopback).extract(" \n", NOW) == []
    assert loopback.requests == []


@pytest.mark.parametrize("code", [400, 422, 500])
async def test_a_refused_schema_falls_back_and_is_remembered(loopback: Loopback, code: int) -> None:
    loopback.refused_formats, loopback.refusal_status = {"json_schema"}, code
    naps = Naps()
    mind = mind_at(loopback, naps=naps)
    for _ in range(2):
        assert len(await mind.extract("I like tea.", NOW)) == 1
    assert [r.format for r in loopback.calls("extract")] == ["json_schema", "json_object", "json_object"]
    assert "schema" in loopback.calls("extract")[1].json["response_format"]
    assert naps.seconds == []
    assert mind.endpoint.dialect.format is Format.OBJECT_WITH_SCHEMA


async def test_a_server_that_takes_only_plain_json_objects(loopback: Loopback) -> None:
    loopback.refused_formats = {"json_schema", "schema"}
    mind = mind_at(loopback)
    assert len(await mind.extract("I like tea.", NOW)) == 1
    assert loopback.calls("extract")[-1].json["response_format"] == {"type": "json_object"}


async def test_a_server_that_refuses_every_format_is_asked_without(loopback: Loopback) -> None:
    loopback.refused_formats = {"json_schema", "json_object"}
    mind = mind_at(loopback)
    for _ in range(2):
        assert len(await mind.extract("I like tea.", NOW)) == 1
    assert [r.format for r in loopback.calls("extract")] == ["json_schema", "json_object", "json_object", "", ""]


async def test_a_refusal_for_another_reason_changes_nothing(loopback: Loopback) -> None:
    mind = mind_at(loopback)
    loopback.on("extract", status(400, "maximum context length exceeded"))
    with pytest.raises(MindRefusedError, match="context length"):
        await mind.extract("I like tea.", NOW)
    loopback.on("extract", *[status(401, "bad key")])
    with pytest.raises(MindRefusedError):
        await mind.extract("I like tea.", NOW)
    assert mind.endpoint.dialect.format is Format.JSON_SCHEMA


async def test_once_proven_a_500_is_trouble_and_no_refusal(loopback: Loopback) -> None:
    naps = Naps()
    mind = mind_at(loopback, naps=naps)
    await mind.extract("I like tea.", NOW)
    loopback.on("extract", status(500, "internal error"))
    await mind.extract("I like tea.", NOW)
    assert [r.format for r in loopback.calls("extract")] == ["json_schema"] * 3
    assert naps.seconds == [0.5]
    loopback.on("extract", *[busy(code=500)] * 4)
    with pytest.raises(MindBusyError):
        await mind.extract("I like tea.", NOW)


@pytest.mark.parametrize(
    "answer",
    [
        f"```json\n{facts({})}\n```",
        f"<think>easy</think>{facts({})}",
        f"{facts({})}\n\nUser: and another {facts({})}",
    ],
)
async def test_wrapped_answers_are_read(loopback: Loopback, answer: str) -> None:
    loopback.on("extract", say(*(answer[at : at + 5] for at in range(0, len(answer), 5))))
    assert len(await mind_at(loopback).extract(TURN, NOW)) == 1
    assert len(loopback.calls("extract")) == 1


_FORM = '{"facts": [{"support": "…", "text": "…", "kind": "semantic", "why": "…", "importance": 0.0, "subject": "…"}]}'


async def test_the_tasks_empty_form_is_no_answer(loopback: Loopback) -> None:
    """A small model gave the form back, alone or after the whole prompt (llama-cpp-python with gemma 270M)."""
    loopback.on("extract", say(_FORM), say(f"<<SYS>>\nTask: extract\nAnswer with …:\n{_FORM}\nWell: ", facts({})))
    assert len(await mind_at(loopback).extract(TURN, NOW)) == 1
    assert "placeholder" in loopback.calls("extract")[1].json["messages"][-1]["content"]


async def test_a_form_repeated_without_end_is_cut_off(loopback: Loopback) -> None:
    loopback.on("extract", slow(*[f"{_FORM}\n"] * 500, pause=0.02), say(facts({})))
    assert len(await mind_at(loopback).extract(TURN, NOW)) == 1
    assert loopback.calls("extract")[0].client_gone.wait(5)


@pytest.mark.parametrize("task", ["judge", "grade", "summarize"])
async def test_placeholders_are_no_reasons(loopback: Loopback, task: str) -> None:
    """Gemma 270M: `"reason": "…"`, and a verdict from nowhere after it."""
    parroted = {
        "judge": '{"verdicts": [{"pair": 1, "reason": "…", "label": "supersedes", "confidence": 0.0}]}',
        "grade": '{"reason": "…", "correct": true}',
        "summarize": '{"reason": "they agree", "one_thing": true, "text": "…"}',
    }[task]
    loopback.on(task, *[say(parroted)] * 3)
    mind = mind_at(loopback)
    with pytest.raises(MindMalformedError):
        if task == "judge":
            await mind.judge([pair()])
        elif task == "grade":
            await mind.grade("Where?", ["Lisbon"], "Berlin")
        else:
            await mind.summarize(["I like tea.", "Tea again."], "en")
    assert len(loopback.calls(task)) == 3


async def test_the_example_with_words_of_the_turn_as_support_is_no_fact(loopback: Loopback) -> None:
    """Gemma 270M: real words as support, the prompt's example as the fact."""
    borrowed = {"support": TURN[:-1], "text": "I work the night shift at Kestrel. How do people sleep? (30 minutes)"}
    loopback.on("extract", *[say(facts(borrowed))] * 2)
    with pytest.raises(MindMalformedError, match="does not say"):  # nothing is stored, and it is said that nothing was
        await mind_at(loopback).extract(TURN, NOW)
    assert len(loopback.calls("extract")) == 2


async def test_json_that_a_server_files_under_thinking_is_read(loopback: Loopback) -> None:
    loopback.on("extract", say(thinking=[facts({})]))
    assert len(await mind_at(loopback).extract(TURN, NOW)) == 1


async def test_a_model_that_runs_on_is_stopped(loopback: Loopback) -> None:
    loopback.on("extract", slow(facts({}), *["\nExample: more"] * 200, pause=0.05))
    assert len(await mind_at(loopback).extract(TURN, NOW)) == 1
    assert loopback.calls("extract")[0].client_gone.wait(5)


@pytest.mark.parametrize("bad", [say("{}"), say("I can't."), say(facts({})[:-9]), malformed(), huge(5000), say()])
async def test_a_wrong_answer_is_asked_for_again(loopback: Loopback, bad: Behaviour) -> None:
    loopback.on("extract", bad, say(facts({})))
    assert len(await mind_at(loopback).extract(TURN, NOW)) == 1
    again = loopback.calls("extract")[1].json["messages"]
    assert "could not be used" in again[-1]["content"]
    roles = [m["role"] for m in again]
    assert all(a != b for a, b in pairwise(roles))


async def test_three_wrong_answers_are_an_error_and_no_default(loopback: Loopback) -> None:
    loopback.on("extract", *[say("{}")] * 3)
    with pytest.raises(MindMalformedError, match="loop-chat · openai") as caught:
        await mind_at(loopback).extract(TURN, NOW)
    assert len(loopback.calls("extract")) == 3
    assert caught.value.todo


async def test_a_structured_stream_that_breaks_off_is_asked_for_once_more(loopback: Loopback) -> None:
    broken = hang_up_after('{"facts": [')
    loopback.on("extract", broken, say(facts({})))
    assert len(await mind_at(loopback).extract(TURN, NOW)) == 1
    loopback.on("extract", broken, broken)
    with pytest.raises(MindUnreachableError, match="hung up in the middle"):
        await mind_at(loopback).extract(TURN, NOW)


async def test_pairs_are_judged_in_batches(loopback: Loopback) -> None:
    whole = range(1, PAIRS_A_CALL + 1)
    loopback.on("judge", say(verdicts(*whole)), say(verdicts(*whole, label="additive")), say(verdicts(1, 2, 3)))
    found = await mind_at(loopback).judge([pair()] * (2 * PAIRS_A_CALL + 3))
    labels = [Label.SUPERSEDES] * PAIRS_A_CALL + [Label.ADDITIVE] * PAIRS_A_CALL + [Label.SUPERSEDES] * 3
    assert [v.label for v in found if v] == labels
    assert [r.text.count("<pair n=") for r in loopback.calls("judge")] == [PAIRS_A_CALL, PAIRS_A_CALL, 3]


async def test_no_pairs_ask_nobody(loopback: Loopback) -> None:
    assert await mind_at(loopback).judge([]) == []
    assert loopback.requests == []


async def test_unknown_and_repeated_numbers_are_skipped_and_logged(
    loopback: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    loopback.on("judge", say(verdicts(7, 0, -1, 2, 2)))
    with caplog.at_level(logging.WARNING, logger="memtui"):
        first, second, third = await mind_at(loopback).judge([pair()] * 3)
    assert first is None
    assert third is None
    assert second is not None
    assert second.confidence == 0.9
    assert len([r for r in caplog.records if "skipped" in r.getMessage()]) == 4


async def test_a_batch_without_an_answer_does_not_take_the_others_with_it(loopback: Loopback) -> None:
    loopback.on("judge", say(verdicts(*range(1, PAIRS_A_CALL + 1))), *[say("?")] * 3)
    found = await mind_at(loopback).judge([pair()] * (PAIRS_A_CALL + 2))
    assert [v is not None for v in found] == [True] * PAIRS_A_CALL + [False] * 2
    loopback.on("judge", *[say("?")] * 3)
    with pytest.raises(MindMalformedError):
        await mind_at(loopback).judge([pair()])


async def test_a_label_of_its_own_making_is_asked_for_again(loopback: Loopback) -> None:
    loopback.on("judge", say(verdicts(1, label="contradiction")), say(verdicts(1, label=" SUPERSEDES")))
    (found,) = await mind_at(loopback).judge([pair()])
    assert found is not None
    assert found.label is Label.SUPERSEDES
    assert "label" in loopback.calls("judge")[1].json["messages"][-1]["content"]


_TELLINGS = ["I work on the hackathon project.", "The hackathon project uses Rust.", "The demo is on May 4."]


def summary(text: str | None, *, one_thing: bool = True) -> str:
    return json.dumps({"reason": "one project", "one_thing": one_thing, "text": text})


async def test_a_faithful_summary(loopback: Loopback) -> None:
    loopback.on("summarize", say(summary("I work on the hackathon project in Rust, with a demo on May 4.")))
    found = await mind_at(loopback).summarize(_TELLINGS, "en")
    assert found is not None
    assert found.text == "I work on the hackathon project in Rust, with a demo on May 4."
    assert found.reason == "one project"


async def test_an_unfaithful_summary_is_asked_for_again_then_given_up(loopback: Loopback) -> None:
    bad = say(summary("I work on the hackathon project with Maria until June 9."))
    loopback.on("summarize", bad, say(summary("I work on the hackathon project in Rust, demo on May 4.")))
    mind = mind_at(loopback)
    found = await mind.summarize(_TELLINGS, "en")
    assert found is not None
    assert "Maria" in loopback.calls("summarize")[1].json["messages"][-1]["content"]
    loopback.on("summarize", bad, bad)
    assert await mind.summarize(_TELLINGS, "en") is None
    assert len(loopback.calls("summarize")) == 4  # one repair each


async def test_tellings_of_different_things_have_no_summary(loopback: Loopback) -> None:
    loopback.on("summarize", say(summary("", one_thing=False)), say(summary(None, one_thing=False)))
    mind = mind_at(loopback)
    assert await mind.summarize(["I have a cat.", "Tax is due."], "en") is None
    assert await mind.summarize(["I have a cat.", "Tax is due."], "en") is None
    assert await mind.summarize([], "en") is None
    assert len(loopback.calls("summarize")) == 2


async def test_a_summary_that_never_has_the_right_shape_is_an_error(loopback: Loopback) -> None:
    loopback.on("summarize", say("{}"), say(summary("")), say("nothing"))
    with pytest.raises(MindMalformedError):
        await mind_at(loopback).summarize(_TELLINGS, "en")


async def test_grading(loopback: Loopback) -> None:
    mind = mind_at(loopback)
    assert (await mind.grade("Where do I live?", ["Lisbon", "Lissabon"], "You live in Lisbon.")).correct
    assert not (await mind.grade("Where do I live?", ["Lisbon"], "In Berlin.")).correct
    assert loopback.calls("grade")[0].text.startswith("Task: grade")


async def test_presets_own_fields_are_sent_and_dropped_where_they_are_refused(loopback: Loopback) -> None:
    from memtui.config import MindSettings
    from tests.minds.helpers import endpoint_at

    settings = MindSettings(provider="qwen", base_url=loopback.base_url, model=loopback.model)
    mind = mind_at(loopback)
    mind.endpoint = endpoint_at(loopback, settings=settings)
    object.__setattr__(mind.endpoint.connection, "key_required", False)
    loopback.on("extract", status(400, "Unrecognized request argument supplied: enable_thinking"))
    assert len(await mind.extract("I like tea.", NOW)) == 1
    assert [r.json.get("enable_thinking") for r in loopback.calls("extract")] == [False, None]
    assert loopback.calls("extract")[1].format == "json_schema"
