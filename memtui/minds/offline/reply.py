"""The offline mind's replies: quotes of what is remembered with how old it is, and short honest acknowledgements.

It never pretends to be a language model: what it can't do (write, translate, explain) it says it can't.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from memtui.memory.model import Candidate, Label
from memtui.memory.texts import same_key
from memtui.minds.base import Prompt, Remembered
from memtui.minds.offline.cues import cues
from memtui.minds.offline.embedder import LocalEmbedder
from memtui.minds.offline.extract import Reading, extract, read
from memtui.minds.offline.heads import LABELS, Heads
from memtui.minds.offline.judge import label_probabilities
from memtui.minds.offline.phrases import pick, quoted, said

_MOST_QUOTED: Final = 3
_MOST_NEAREST: Final = 2
_LIKELY_REPLACED: Final = 0.5
"""Probability from which an answer gives the newer of two memories first, and the older as what was before."""
_SURELY_CHANGED: Final = 0.75
"""Probability from which a reply says that a fact changes an older one; saying retires nothing."""
_NEAREST: Final = 2
"""Memories that are shown as nearest where none is an answer."""
_READ: Final = 2_000
_THANKS = re.compile(r"^\W*(?:thanks|thank you|thx|cheers|ta\b|much appreciated|спасибо|спс|благодарю)", re.IGNORECASE)
_HELLO = re.compile(
    r"^\W*(?:hi|hello|hey|hiya|yo|good (?:morning|evening|afternoon)|привет|здравствуй\w*|доброе утро|добрый (?:день|"
    r"вечер)|хай|ку)\b[\s\w,!.]{0,20}$",
    re.IGNORECASE,
)
_BYE = re.compile(
    r"^\W*(?:bye|goodbye|good night|see you|cya|пока|до свидания|спокойной ночи|до завтра)\b[\s\w,!.]{0,20}$", re.IGNORECASE
)
_WHO_ARE_YOU = re.compile(
    r"\b(?:who|what) are you\b|\bare you (?:an? )?(?:ai|bot|human|gpt|chatgpt|llm|language model|real)\b|"
    r"\bwhat can you do\b|"
    r"\b(?:кто|что) ты\b|\bты (?:кто|бот|робот|человек|нейросеть|ии)\b|\bчто ты (?:умеешь|можешь)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"\S+\s*")
_ASKS = re.compile(
    r"^\W*(?:(?:so|and|ok|а|и|ну|так)\W+)?(?:(?:in|at|on|from|for|with|to|by|since|на|в|во|с|со|у|к|от|до|из|о|об|по|"
    r"за|для)\s+)?"
    r"(?:what|whats|what's|who|whom|whose|which|where|when|why|how|is|are|am|do|does|did|have|has|"
    r"что|чего|чем|чему|кто|кого|кому|кем|чей|чья|чьё|чьи|как\w{2,4}|как|где|куда|откуда|когда|почему|зачем|сколько|"
    r"скольки|во сколько|ли)\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"^\W*(?:(?:please|can you|could you|would you|пожалуйста|можешь|а|ну)\W+)*"
    r"(?:tell me|remind me|show me|say|list|name|напомни|скажи|подскажи|расскажи|покажи|назови|перечисли|"
    r"do you (?:remember|know)|ты помнишь|помнишь)"
    r"(?:те|ка|-ка)?\b",
    re.IGNORECASE,
)
_CAN_YOU = re.compile(r"^\W*(?:(?:can|could|would|will) you|ты можешь|можешь|не мог\w* бы)\b", re.IGNORECASE)
_EXPECTS: Final = (
    (re.compile(r"\b(?:when|what time|what day|which day|how long|since when|когда|во сколько|какого числа|"
    r"в какой день|сколько времени)\b", re.I),
     re.compile(r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:понед|вторн|сред|четв|пятн|субб|воскр)|"
     r"\b(?:янв|фев|мар|апр|ма[йя]|июн|июл|авг|сен|окт|ноя|дек)|"
                r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.I)),
    (re.compile(r"\b(?:how many|how much|how old|what number|code|pin|password|"
                r"сколько|какой (?:код|номер|пин|пароль))\b", re.I),
     re.compile(r"\d")),
    (re.compile(r"\b(?:who|whose|name|кто|кого|кому|чей|чья|зовут)\b", re.I), re.compile(r"(?<=\s)[A-ZА-ЯЁ][a-zа-яё]+")),
    (re.compile(r"\b(?:where|which city|which country|где|куда|откуда|в каком городе)\b", re.I),
     re.compile(r"\b(?:in|at|near|under|behind|on|to|from)\s+\w+|\b(?:в|на|у|под|за|из|около|возле)\s+\w+", re.I)),
)  # fmt: skip


def words_of(text: str) -> Iterator[str]:
    """`text` in pieces of one word with the space after it; joined they are `text` again."""
    yield from _WORDS.findall(text)


def compose(prompt: Prompt, embedder: LocalEmbedder, heads: Heads) -> str:
    """The whole reply to the last user message of `prompt`, as Markdown that quoted text can't break."""
    asked = next((message.text for message in reversed(prompt.messages) if message.role == "user"), "").strip()
    language = "ru" if prompt.language == "ru" else "en"
    if not asked:
        return _SAY["empty"][language]
    for pattern, key in ((_WHO_ARE_YOU, "who"), (_THANKS, "thanks"), (_BYE, "bye"), (_HELLO, "hello")):
        if pattern.search(asked[:200]) and len(asked) < 80:
            return pick(_SAYS[key][language], asked)
    shown = cues(asked[-300:]) | cues(asked[:300])
    if _is_question(asked, shown):
        return _answer(asked, prompt, language, embedder, heads)
    noted = extract(asked[:_READ], prompt.now, embedder, heads)
    if noted:
        return _acknowledge(asked, noted, prompt, language, embedder, heads)
    if "request" in shown:
        return _cannot(asked, prompt, language)
    reading = read([asked[:_READ]], embedder, heads)[0]
    return _nothing_kept(asked, reading, shown, language)


def _is_question(asked: str, shown: frozenset[str]) -> bool:
    """Whether the memory is asked something, by a question or a request to tell; "can you write …?" asks for work."""
    if _TELLS.search(asked):
        return True
    if "request" in shown and (_CAN_YOU.search(asked) or "question_mark" not in shown):
        return False
    return "question_mark" in shown or _ASKS.search(asked) is not None


def _answer(asked: str, prompt: Prompt, language: str, embedder: LocalEmbedder, heads: Heads) -> str:
    sure = _sure(prompt)
    if not sure:
        return _nearest(asked, prompt, language)
    first, *rest = _by_question(asked, sure)
    if first.against:
        tied = [memory for memory in prompt.memories if memory.id == first.id or memory.id in first.against]
        lead = _SAY["open"][language].format(count=len(tied)) if len(tied) > 2 else _SAY["open_two"][language]
        return f"{lead}\n\n{_lines(tied, prompt, language)}\n\n{_SAY['settle'][language]}"
    newer = _replaced_by(first, rest, embedder, heads)
    if newer is not None:
        lead = pick(_SAYS["told"][language], asked).format(**_told(newer, prompt, language))
        return f"{lead}\n\n{_SAY['before'][language].format(**_told(first, prompt, language))}"
    lead = pick(_SAYS["told"][language], asked).format(**_told(first, prompt, language))
    if not rest:
        return lead
    return f"{lead}\n\n{_SAY['also'][language]}\n\n{_lines(rest[: _MOST_QUOTED - 1], prompt, language)}"


def _sure(prompt: Prompt) -> list[Remembered]:
    """What passed the gate, with what it may contradict: that was brought along to be told beside it."""
    tied = {other for memory in prompt.memories if memory.passed for other in memory.against}
    return [memory for memory in prompt.memories if memory.passed or memory.id in tied]


def _replaced_by(
    first: Remembered, others: Sequence[Remembered], embedder: LocalEmbedder, heads: Heads
) -> Remembered | None:
    """The newest of the others that surely enough replaces `first`."""
    later = [other for other in others if (other.valid_from, other.said_at) > (first.valid_from, first.said_at)]
    if not later:
        return None
    rows = label_probabilities([first.text] * len(later), [other.text for other in later], embedder, heads)
    at = LABELS.index(Label.SUPERSEDES)
    found = [other for other, row in zip(later, rows, strict=True) if float(row[at]) >= _LIKELY_REPLACED]
    return max(found, key=lambda other: (other.valid_from, other.said_at), default=None)


def _nearest(asked: str, prompt: Prompt, language: str) -> str:
    """Nothing passed the gate: say so, and show the nearest there is as no more than that."""
    lead = pick(_SAYS["unknown"][language], asked)
    if not prompt.memories:
        return lead
    near = _by_question(asked, prompt.memories)[:_MOST_NEAREST]
    return f"{_SAY['not_sure'][language]}\n\n{_lines(near, prompt, language)}"


def _told(memory: Remembered, prompt: Prompt, language: str) -> dict[str, str]:
    return {"when": said(memory.said_at, prompt.now, language), "what": quoted(memory.text, language)}


def _lines(memories: Sequence[Remembered], prompt: Prompt, language: str) -> str:
    told = [_told(memory, prompt, language) for memory in memories]
    return "\n".join(f"- {one['what']}, {one['when']}" for one in told)


def _by_question(asked: str, memories: Sequence[Remembered]) -> list[Remembered]:
    """Recall's order, but among the first three one that holds what is asked for (a date, a number, a name) comes first."""
    ordered = list(memories)
    for question, answer in _EXPECTS:
        if question.search(asked):
            for i, memory in enumerate(ordered[:3]):
                if answer.search(memory.text):
                    return [memory, *ordered[:i], *ordered[i + 1 :]]
            break
    return ordered


def _acknowledge(
    asked: str, noted: Sequence[Candidate], prompt: Prompt, language: str, embedder: LocalEmbedder, heads: Heads
) -> str:
    main = max(noted, key=lambda candidate: candidate.importance)
    known = _known(main.text, prompt.memories, embedder, heads)
    if known is not None:
        memory, label = known
        key = "changed" if label is Label.SUPERSEDES else "again"
        return pick(_SAYS[key][language], asked).format(**_told(memory, prompt, language))
    level = "high" if main.importance >= 0.72 else "low" if main.importance < 0.45 else "medium"
    said_now = pick(_SAYS[f"noted_{level}"][language], asked).format(what=quoted(main.text, language), why=main.why)
    more = len(noted) - 1
    if more == 0:
        return said_now
    return (
        said_now
        + " "
        + (_more_ru(more) if language == "ru" else f"And {more} more thing{'s' if more > 1 else ''} from the same message.")
    )


def _more_ru(more: int) -> str:
    return "И ещё одно из того же сообщения." if more == 1 else f"И ещё {more} из того же сообщения."


def _known(
    text: str, memories: Sequence[Remembered], embedder: LocalEmbedder, heads: Heads
) -> tuple[Remembered, Label] | None:
    """The memory that `text` surely replaces or repeats, if any."""
    others = memories[:8]
    if not others:
        return None
    for memory in others:
        if same_key(memory.text) == same_key(text):
            return memory, Label.DUPLICATE
    rows = label_probabilities([memory.text for memory in others], [text] * len(others), embedder, heads)
    best: tuple[float, Remembered, Label] | None = None
    for memory, row in zip(others, rows, strict=True):
        for label, cut in ((Label.SUPERSEDES, _SURELY_CHANGED), (Label.DUPLICATE, heads.threshold("duplicate"))):
            sure = float(row[LABELS.index(label)])
            if sure >= cut and (best is None or sure > best[0]):
                best = (sure, memory, label)
    return None if best is None else (best[1], best[2])


def _cannot(asked: str, prompt: Prompt, language: str) -> str:
    lead = pick(_SAYS["cannot"][language], asked)
    sure = _sure(prompt)
    if not sure:
        return lead
    return f"{lead}\n\n{_SAY['what_i_remember'][language]}\n\n{_lines(sure[:_MOST_QUOTED], prompt, language)}"


def _nothing_kept(asked: str, reading: Reading, shown: frozenset[str], language: str) -> str:
    del reading
    if "hypothetical" in shown:
        return pick(_SAYS["hypothetical"][language], asked)
    return pick(_SAYS["small_talk"][language], asked)


_SAY: Final[dict[str, dict[str, str]]] = {
    "empty": {"en": "I got an empty message.", "ru": "Сообщение пустое."},
    "nearest": {"en": "The nearest I have:", "ru": "Ближе всего к этому:"},
    "not_sure": {
        "en": "I don't remember that for sure. The nearest I have:",
        "ru": "Точно не помню. Ближе всего вот это:",
    },
    "open_two": {
        "en": "You told me two things that may not both hold, the newer first:",
        "ru": "Вы говорили две вещи, которые могут не сходиться; сначала новее:",
    },
    "open": {
        "en": "You told me {count} things that may not all hold, the newest first:",
        "ru": "Вы говорили об этом по-разному (записей: {count}), сначала новее:",
    },
    "settle": {
        "en": "Which is true now? /conflicts lets you settle it.",
        "ru": "Что верно теперь? Решить можно через /conflicts.",
    },
    "before": {"en": "Before that, {when}: {what}", "ru": "А до этого, {when}: {what}"},
    "also": {"en": "I also remember:", "ru": "Ещё помню:"},
    "what_i_remember": {"en": "What I remember about it:", "ru": "Что я об этом помню:"},
}
_SAYS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "hello": {
        "en": (
            "Hello! I am the offline mind: I keep what you tell me and quote it back when you ask. Tell me something "
            "about yourself.",
            "Hi there. Tell me a few things about you, then ask me about them later, and watch what fades.",
        ),
        "ru": (
            "Привет! Я офлайн-разум: храню то, что вы рассказываете, и цитирую, когда спросите. Расскажите что-нибудь "
            "о себе.",
            "Здравствуйте. Расскажите о себе, потом спросите и посмотрите, что забудется.",
        ),
    },
    "bye": {
        "en": ("Until next time. What matters will still be here.", "See you. I sleep at three and sort what I heard."),
        "ru": ("До встречи. Важное останется.", "До скорого. Ночью я сплю и разбираю услышанное."),
    },
    "thanks": {
        "en": ("Any time.", "You're welcome.", "Glad it helped."),
        "ru": ("Пожалуйста.", "Обращайтесь.", "Не за что."),
    },
    "who": {
        "en": (
            "I am memtui's offline mind: no network and no language model, just small trained heads that decide what "
            "to keep, and a "
            "memory I quote from. For conversation, configure a model (see /help).",
        ),
        "ru": (
            "Я офлайн-разум memtui: без сети и без языковой модели. Небольшие обученные веса решают, что запомнить, а "
            "отвечаю я цитатами "
            "из памяти. Для беседы подключите модель (см. /help).",
        ),
    },
    "told": {
        "en": ("You told me {when}: {what}", "From what you told me {when}: {what}"),
        "ru": ("Вы говорили {when}: {what}", "Вот что вы сказали {when}: {what}"),
    },
    "unknown": {
        "en": (
            "I don't remember anything about that. Tell me, and I will keep it.",
            "Nothing I remember answers that, or it has faded. Tell me and I'll know next time.",
            "I have no memory of that.",
        ),
        "ru": (
            "Об этом я ничего не помню. Расскажите, и я запомню.",
            "В памяти такого нет, или оно уже стёрлось. Скажите, и в следующий раз отвечу.",
            "Такого я не помню.",
        ),
    },
    "noted_high": {
        "en": ("Noted, and this one I'll hold on to: {what} ({why}).", "I'll remember that for a long time: {what} "
        "({why})."),
        "ru": ("Запомнил надолго: {what} ({why}).", "Это важно, сохраню: {what} ({why})."),
    },
    "noted_medium": {
        "en": ("Noted: {what}", "Got it: {what}", "I'll remember that: {what}"),
        "ru": ("Запомнил: {what}", "Принято: {what}", "Буду помнить: {what}"),
    },
    "noted_low": {
        "en": ("Noted for now; it will fade in some days unless it comes up again.", "A small thing, kept lightly: {what}"),
        "ru": ("Записал, но через несколько дней сотрётся, если не вспоминать.", "Мелочь, храню недолго: {what}"),
    },
    "changed": {
        "en": ("Noted. That changes what you told me {when}: {what} I'll go by the new one.",
               "Updated. Before, you told me {when}: {what}"),
        "ru": ("Запомнил. Это меняет то, что вы говорили {when}: {what} Дальше считаю верным новое.",
               "Обновил. Раньше, {when}, вы говорили: {what}"),
    },
    "again": {
        "en": ("You told me that {when}; I still have it: {what}", "Yes, I remember: {what}, {when}."),
        "ru": ("Вы говорили об этом {when}, я помню: {what}", "Да, помню: {what}, {when}."),
    },
    "cannot": {
        "en": (
            "I am the offline mind: I remember and quote, but I can't write, translate or explain. A configured model "
            "can (see /help).",
            "That takes a language model, and none is configured. I only keep and quote what you tell me.",
        ),
        "ru": (
            "Я офлайн-разум: помню и цитирую, но писать, переводить и объяснять не умею. Это может подключённая "
            "модель (см. /help).",
            "Для этого нужна языковая модель, а она не подключена. Я только храню и цитирую сказанное вами.",
        ),
    },
    "hypothetical": {
        "en": ("An \"if\" is no fact, so I keep nothing of it.", "I keep facts, not what-ifs; nothing noted."),
        "ru": ("«Если бы» ещё не факт, поэтому не записываю.", "Храню факты, а не предположения; ничего не записал."),
    },
    "small_talk": {
        "en": ("I hear you. Nothing in that to keep.", "All right. I kept nothing of that.",
               "Heard; nothing to remember there."),
        "ru": ("Слышу. Запоминать тут нечего.", "Хорошо. Ничего не записал.", "Понял; сохранять нечего."),
    },
}  # fmt: skip
"""What the offline mind says, by occasion and language; a choice of several is made by the message itself."""
