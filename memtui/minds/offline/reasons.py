"""Why a fact got its importance, in words: honest about what the heads saw (a slot and a level), in English and Russian."""

from __future__ import annotations

from typing import Final

_SLOT_REASONS: Final[dict[str, tuple[str, str]]] = {
    "residence": ("a change of home alters advice", "от места жизни зависят советы"),
    "employer": ("work decides much else", "работа определяет многое"),
    "role": ("what you do for a living matters", "важно, чем человек занимается"),
    "income": ("money limits what can be advised", "деньги ограничивают советы"),
    "work_schedule": ("plans must fit working hours", "планы зависят от графика"),
    "partner": ("who you share your life with matters", "важно, с кем вы вместе"),
    "age": ("age changes what fits", "возраст меняет советы"),
    "name": ("how to call you", "как к вам обращаться"),
    "diet": ("every meal advised must respect it", "любой совет о еде должен это учитывать"),
    "body_size": ("sizes are asked for again", "размеры ещё пригодятся"),
    "smoking_alcohol": ("habits of this sort change advice", "такие привычки меняют советы"),
    "coffee_tea": ("a small taste worth knowing", "маленькая привычка, которую стоит знать"),
    "phone_contact": ("contacts are asked for again", "контакты ещё спросят"),
    "code": ("a code is needed word for word", "код нужен точно"),
    "deadline": ("a missed deadline costs", "пропущенный срок дорого стоит"),
    "vehicle": ("what you drive decides advice on the way", "от транспорта зависят советы"),
    "commute": ("the way to work shapes the day", "дорога определяет день"),
    "insurance_bank": ("money and cover are asked for again", "деньги и страховка ещё пригодятся"),
    "legal_status": ("the law depends on it", "от этого зависит закон"),
    "time_zone": ("times must be told in it", "время надо называть по нему"),
    "main_tool": ("answers should fit the tools in use", "ответы должны подходить к инструментам"),
    "programming_language": ("code should be in this language", "код должен быть на этом языке"),
    "device": ("instructions depend on the device", "инструкции зависят от устройства"),
    "bedtime": ("the day's rhythm matters for plans", "режим важен для планов"),
    "answer_style": ("how you want to be answered", "как вам отвечать"),
    "origin": ("where you come from does not change", "происхождение не меняется"),
    "education": ("what you learnt matters for advice", "образование важно для советов"),
    "spoken_language": ("which languages can be used", "на каких языках можно говорить"),
    "children": ("children change every plan", "дети меняют все планы"),
    "family": ("family is worth remembering", "семью стоит помнить"),
    "pet": ("a pet is part of the household", "питомец часть семьи"),
    "friend": ("people close to you", "близкие люди"),
    "birthday": ("a date that comes again", "дата, которая повторится"),
    "allergy": ("forgetting an allergy is dangerous", "забыть об аллергии опасно"),
    "health_condition": ("health comes before any advice", "здоровье важнее любых советов"),
    "medication": ("medication must be known exactly", "лекарства надо знать точно"),
    "doctor": ("appointments and doctors matter", "врачи и приёмы важны"),
    "sport": ("a habit of moving", "спортивная привычка"),
    "favourite_food": ("a taste", "вкус"),
    "hobby": ("what you enjoy", "увлечение"),
    "music": ("a taste in music", "музыкальный вкус"),
    "books_films": ("a taste in books and films", "вкус в книгах и кино"),
    "project": ("work in progress comes up again", "к этой работе ещё вернутся"),
    "meeting": ("a date to keep", "встреча, которую нельзя пропустить"),
    "travel": ("plans hang on the trip", "от поездки зависят планы"),
    "home_detail": ("a detail of the home", "деталь о доме"),
    "where_things_are": ("where to find it", "где это лежит"),
    "goal": ("what you are working towards", "к чему вы идёте"),
    "belief": ("a conviction to respect", "убеждение, которое надо уважать"),
    "dislike_fear": ("something to avoid", "чего избегать"),
    "event_plan": ("an event in preparation", "готовится событие"),
}
_LEVEL_REASONS: Final[dict[str, tuple[str, str]]] = {
    "high": ("a turning point or a matter of safety", "поворотное событие или вопрос безопасности"),
    "medium": ("worth knowing for later", "пригодится позже"),
    "low": ("a passing detail of the day", "мелочь дня"),
}
_LEVEL_SHORT: Final[dict[str, tuple[str, str]]] = {
    "high": ("", ""),
    "medium": ("", ""),
    "low": ("a small thing: ", "мелочь: "),
}


def why(slot: str | None, level: str, language: str) -> str:
    """The reason for an importance of `level` ("low", "medium", "high"), in `language` ("en" or "ru")."""
    at = 1 if language == "ru" else 0
    if slot is None or slot not in _SLOT_REASONS:
        return _LEVEL_REASONS[level][at]
    return _LEVEL_SHORT[level][at] + _SLOT_REASONS[slot][at]
