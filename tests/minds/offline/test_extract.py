from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.memory.model import Kind
from memtui.memory.texts import same_key
from memtui.minds.offline.extract import extract
from memtui.minds.offline.heads import Heads
from memtui.minds.offline.mind import OfflineMind
from memtui.minds.offline.slots import SLOTS
from tests.minds.offline.conftest import NOW


def found(mind: OfflineMind, text: str) -> list[str]:
    return [candidate.text for candidate in extract(text, NOW, mind._embedder, Heads.load())]


@pytest.mark.parametrize(
    "text",
    [
        "I live in Berlin",
        "I'm allergic to shellfish, it's serious",
        "у меня аллергия на арахис",
        "my sister works as a nurse in Oslo",
        "PIN от домофона 4471",
        "меня зовут Аня",
        "I switched from Python to Rust three weeks ago",
    ],
)
def test_plain_facts_are_kept(mind: OfflineMind, text: str) -> None:
    assert len(found(mind, text)) == 1


@pytest.mark.parametrize(
    "text",
    ["hello", "thanks a lot!", "what's my dog's name?", "спасибо", "Как меня зовут?", "ok", "", "   ", "?!", "lol",
     "translate this into French", "напиши мне стихотворение"],
)  # fmt: skip
def test_what_is_no_fact_is_not_kept(mind: OfflineMind, text: str) -> None:
    assert found(mind, text) == []


def test_a_fact_before_a_question_is_kept_alone(mind: OfflineMind) -> None:
    texts = found(mind, "I moved to Lisbon three weeks ago, where should I eat tonight?")
    assert texts == ["I moved to Lisbon three weeks ago"]


def test_two_facts_in_one_breath_are_two(mind: OfflineMind) -> None:
    assert len(found(mind, "I work at a bank in Porto, and my sister is a nurse in Oslo")) == 2


def test_russian_verbs_after_a_comma_are_facts_of_their_own(mind: OfflineMind) -> None:
    texts = found(mind, "Меня зовут Олег, живу в Казани, работаю сварщиком")
    assert texts == ["Меня зовут Олег", "живу в Казани", "работаю сварщиком"]


def test_a_scrap_stays_with_what_it_tells_about(mind: OfflineMind) -> None:
    assert found(mind, "We moved to Lisbon last week! Third floor, no lift.") == [
        "We moved to Lisbon last week! Third floor, no lift."
    ]


def test_a_sentence_that_leans_on_the_one_before_stays_with_it(mind: OfflineMind) -> None:
    texts = found(mind, "My sister is a nurse in Oslo. She works nights at the hospital.")
    assert texts == ["My sister is a nurse in Oslo. She works nights at the hospital."]


def test_code_and_quoted_lines_are_no_facts(mind: OfflineMind) -> None:
    assert found(mind, "```\nI live in Berlin\n```") == []
    assert found(mind, "> I live in Berlin") == []


def test_valid_time_subject_slot_and_value(mind: OfflineMind) -> None:
    (candidate,) = extract("I have lived in Lisbon since March", NOW, mind._embedder, Heads.load())
    assert candidate.valid_from == datetime(2026, 3, 1, tzinfo=UTC)
    assert (candidate.subject, candidate.slot, candidate.value) == ("user", "residence", "Lisbon")
    (other,) = extract("my sister lives in Oslo", NOW, mind._embedder, Heads.load())
    assert other.subject == "sister"


def test_a_critical_fact_outlives_an_episodic_half_life(mind: OfflineMind) -> None:
    (candidate,) = extract("I'm allergic to penicillin, it nearly killed me", NOW, mind._embedder, Heads.load())
    assert candidate.kind is Kind.SEMANTIC
    assert candidate.importance > 0.7
    (lunch,) = extract("had ramen for lunch today", NOW, mind._embedder, Heads.load())
    assert lunch.kind is Kind.EPISODIC
    assert lunch.importance < candidate.importance - 0.2


def test_the_reason_is_in_the_language_of_the_turn(mind: OfflineMind) -> None:
    (candidate,) = extract("у меня аллергия на арахис", NOW, mind._embedder, Heads.load())
    assert any("а" <= c <= "я" for c in candidate.why)


@settings(max_examples=40)
@given(st.text(max_size=400))
def test_every_candidate_rests_on_its_turn(mind: OfflineMind, turn: str) -> None:
    for candidate in extract(turn, NOW, mind._embedder, Heads.load()):
        assert 0 < candidate.importance <= 1
        assert candidate.slot is None or candidate.slot in SLOTS
        assert len(candidate.text) <= 300
        assert candidate.valid_from <= NOW
        assert set(same_key(candidate.support).split()) <= set(same_key(turn).split())


@pytest.mark.parametrize(
    "turn", ["[red]I live in Porto[/]", "I live in \u202ePorto", "\x00I live in Porto", "\ud800 I live in Porto"]
)
def test_hostile_text_does_no_harm(mind: OfflineMind, turn: str) -> None:
    assert isinstance(found(mind, turn), list)


def test_a_pasted_megabyte_gives_few_pieces(mind: OfflineMind) -> None:
    assert len(found(mind, "I live in Paris. " * 60_000)) <= 40


_ONE = (
    "Keys to the new flat! Third floor, Bishophill.",
    "First wasp of the year. One of those stings puts me in hospital.",
    "PASSED. Four minors. Examiner nearly smiled and I nearly kissed him",
    "signed with the clinic on friday. My last day at the old place is the 12th",
    "Split with Marek in March. He kept the sofa. I kept the plants.",
    "bike was stolen from outside the library, lock in half. I bus now, number 2",
    "oh also: bees. One sting and I'm a balloon, the pen is in the left jacket pocket",
    "The thesis is due on 31 July, and I've written four pages",
    "Одна почка. Вторую отдал брату в 2019. Поэтому ибупрофен мне нельзя.",
    "Витя умер. Инфаркт. На кладбище нас было двадцать.",
    "Ключи от новой квартиры! Третий этаж, Сабуртало.",
    "кровь пришла плохая, гемоглобин 82. мама плакала. теперь ем рыбу и яйца",
    "вейп утопил в море, это знак. пятые сутки держусь",
    "Уволили в пятницу. С понедельника выхожу в депо, смотритель.",
)
"""Turns of one matter in several sentences."""


def test_pieces_of_one_matter_stay_in_one_memory(mind: OfflineMind) -> None:
    whole = [[same_key(text) for text in found(mind, turn)] == [same_key(turn)] for turn in _ONE]
    assert sum(whole) >= len(_ONE) - 2


_SEVERAL = {
    "I work at a bank in Porto, and my sister is a nurse in Oslo": 2,
    "I'm vegetarian and I moved to Lisbon last year": 2,
    "I'm allergic to peanuts. My daughter Mia starts school in September.": 2,
    "My name is Tom, I live in Leeds and I work as an electrician": 3,
    "We moved to Porto in March! Third floor, no lift. Also, I'm off gluten now, doctor's orders.": 2,
    "My brother got married on Saturday. The report for the ministry is due on 14 May.": 2,
    "I take 20 mg of citalopram every morning. My cat is called Olive.": 2,
    "I play tennis on Tuesdays, and my husband is a pilot with Lufthansa": 2,
    "- vegetarian for ten years\n- I live in Ghent\n- my dog is called Biscuit": 3,
    "Can you help me plan? I'm diabetic. My budget is 400 euros a month.": 2,
    "I drive an old Volvo. By the way, my birthday is 9 June.": 2,
    "The door code is 4471. I'm getting divorced.": 2,
    "I speak Portuguese at home; my deadline for the thesis is 30 June": 2,
    "I quit smoking in January, and my son broke his arm yesterday": 2,
    "I'm 34 and my partner is called Nils": 2,
    "Меня зовут Олег, живу в Казани, работаю сварщиком": 3,
    "У меня аллергия на арахис, а сестра живёт в Осло": 2,
    "Я вегетарианка. Моего кота зовут Барсик.": 2,
    "Переехали в Тбилиси в марте. Кстати, я бросила курить.": 2,
    "Код от домофона 4471. Мама в пятницу ложится на операцию.": 2,
    "Работаю в Яндексе, а муж преподаёт физику в школе": 2,
    "Пью эутирокс каждое утро. Дедлайн по диплому 15 июня.": 2,
    "У меня двое детей, Лиза и Миша. Езжу на старой «Ладе».": 2,
    "Я левша и у меня диабет первого типа": 2,
    "- я живу в Самаре\n- у меня две кошки\n- пишу на Go": 3,
    "По средам хожу на йогу. Брат женился на немке.": 2,
    "Мне 41 год, работаю медсестрой в роддоме": 2,
    "Не ем мясо с прошлого года, а ещё у меня день рождения 9 мая": 2,
    "Учусь на третьем курсе, мой парень служит в армии": 2,
    "Сняла квартиру на Петроградке. Кстати, кодовое слово в банке — «ромашка».": 2,
}
"""Turns of several matters and how many, written before the rules; which of them split depends a little on the weights."""


def test_several_matters_of_one_turn_become_several_memories(mind: OfflineMind) -> None:
    counts = {turn: len(found(mind, turn)) for turn in _SEVERAL}
    assert all(0 < counts[turn] <= wanted for turn, wanted in _SEVERAL.items())
    assert sum(counts[turn] == wanted for turn, wanted in _SEVERAL.items()) >= 22


@pytest.mark.parametrize("turn", [*_ONE, *(turn for turn in _SEVERAL if "?" not in turn)])
def test_cutting_a_turn_loses_no_word_of_weight(mind: OfflineMind, turn: str) -> None:
    told = " ".join(found(mind, turn))
    joints = {"and", "а", "и", "ещё", "еще"}
    assert set(same_key(turn).split()) - set(same_key(told).split()) <= joints


def test_what_is_asked_or_wished_beside_a_fact_is_left_out(mind: OfflineMind) -> None:
    assert found(mind, "Please write a limerick about soup. I'm severely allergic to shellfish.") == [
        "I'm severely allergic to shellfish."
    ]
    assert found(mind, "У меня тяжёлая аллергия на арахис. Напиши стишок про суп.") == ["У меня тяжёлая аллергия на арахис."]


@pytest.mark.parametrize(
    "turn",
    [
        "Hi! How are you? Tell me a joke.",
        "Привет! Как дела? Расскажи анекдот.",
        "if I were a cat, would you feed me?",
        "Good night. See you tomorrow!",
        "Спасибо! До завтра.",
        '"I live in a castle with nine dogs and a dragon," she said',
    ],
)
def test_small_talk_questions_and_quotes_give_nothing(mind: OfflineMind, turn: str) -> None:
    assert found(mind, turn) == []


def test_the_support_is_a_stretch_of_the_turn(mind: OfflineMind) -> None:
    for turn in (*_SEVERAL, "We moved to Lisbon last week!\n- third floor\n- no lift, and I love it"):
        for candidate in extract(turn, NOW, mind._embedder, Heads.load()):
            assert candidate.support in turn
            assert same_key(candidate.text) in same_key(turn)
