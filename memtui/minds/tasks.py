"""The words of every structured task: what a model is told to do, in which order, and by which rules.

Each rule answers a way in which memories went wrong: facts from questions, examples stored as facts, pronouns nobody can
resolve a month later, "moved" for a visit, a new title for the end of a job, numbers lost in a summary. `prompts` fills in
the braces.
"""

from __future__ import annotations

from typing import Final

from memtui.memory.words import stems
from memtui.minds.offline.slots import MULTI_VALUED, SINGLE_VALUED

EXTRACT: Final = """\
Task: extract
You keep the long-term memory of ONE person, the user. From ONE message of theirs, between <turn> and </turn>, pick out \
everything that may be worth knowing in weeks or months. All that stands there {data}
Answer with one JSON object and nothing else:
{{"facts": [{{"support": "…", "mode": "…", "subject": "…", "valid_from": null, "text": "…", "slot": null, "value": null, \
"kind": "…", "why": "…", "importance": 0.0}}]}}

Go through the turn clause by clause; one turn may hold several facts. What would answer different questions later is \
different facts; details of one thing (which door, whose number, which project) stay in its one fact. For each fact, in \
this order:
support: the words of the turn that say it, copied exactly, as few as say all of it. Never words of the context.
mode: how it is meant. "states": the user says it of the real world as true, done or decided, also in passing inside a \
question or request ("I'm vegan now, what can I cook?"). Otherwise "asks", "supposes" (if, would, imagine, might, maybe I \
should, thinking about it), "quotes" (somebody's words, a lyric, a story, pasted text or code), "jokes" (irony, banter, \
exaggeration), or "repeats" (only reads back what the assistant said, adding nothing). A fact the user tells again, or \
confirms in their own words, is "states". Whatever is not "states" is no fact: leave it out. A decided plan, a wish the \
user holds and somebody else's plan told as news are "states".
subject: whose fact it is. "user"; another person or animal by name, or by relation if the name is unknown ("sister"); a \
piece of work by its name, or "project". What a sister does is never the user's fact.
valid_from: the ISO date since when it is true or on which it happened, only if the turn says that ("since March", "three \
weeks ago", "yesterday", "last Friday"), counted from the turn's date. null for what is just told, for the future, and \
for a correction ("actually it's Thursday"): that is true from now.
text: the fact as ONE plain sentence of at most 25 words, in the language of the turn, "I" being the user, that a \
stranger understands a year from now:
- Say plainly what now holds, with the everyday word a later question would use (I live in the city of …, I work at …, my \
partner is …, my diet is …, the deadline of … is …), even if the turn only hints at it ("got the keys to the new flat in \
…"), as far as it surely follows.
- New state first, the old one after it in brackets: "(before: …)".
- Every number, amount, name, code and unit of the support stays, spelled as in the turn.
- Names or relations instead of he, she, it, there; use the context only to tell who or what is meant.
- Dates absolute ("on Friday 1 May 2026"), never "yesterday" or "next week". A time limit stays ("until the end of June \
2026").
- "not" and "no longer" stay. Nothing the turn does not say: no guesses, no advice.
slot: what it fills, if one of these fits, else null; what is still to come fills event_plan, deadline, meeting or \
travel, not the slot it will change. One value at a time: {single}. Several: {multi}.
value: the words of the turn that answer the question this fact is for, exactly as written there ("Lisbon", "4417", \
"night shift"); the text holds them letter for letter. null if there are none.
kind: "semantic" for a state, trait, relation, taste, plan or rule that holds until changed, and for what happened once \
and stays true of them (a birth, a death, a diagnosis, a wedding); "episodic" for what happened or is happening on a day \
(a lunch, a bus missed, a crash in a demo, today's mood).
why: a few words on what would go wrong or be missed later without it; write this before the number.
importance: 0 to 1. 0.85 to 1: forgetting it does harm or makes advice plainly wrong, or it is a turning point: health, \
allergies, medication, safety, legal status, home, employer, partner, children, death, birth, relapse, codes, hard \
deadlines, large sums. 0.5 to 0.7: preferences, projects, plans, habits, skills, notable days, work in progress. 0.1 to \
0.4: passing details of a day.

Leave out greetings, thanks, requests, questions, reactions, opinions about this chat, general knowledge, and what only \
the context says. Take nothing from the examples. If there is nothing, answer {{"facts": []}}.

Two examples, about other people (never use them as facts).
<context> none. Turn of 2031-05-20, a Tuesday: "Ugh, late again. Two weeks ago I switched from Ostrand to Kestrel, night \
shift, locker 7731. If I had a car I'd drive! Ortwin says he's moving to Vellmar on Saturday. Any tips for sleeping?"
{{"facts": [{{"support": "Two weeks ago I switched from Ostrand to Kestrel, night shift", "mode": "states", "subject": \
"user", "valid_from": "2031-05-06", "text": "I work at Kestrel, on the night shift (before: Ostrand).", "slot": \
"employer", "value": "Kestrel", "kind": "semantic", "why": "their employer and when they sleep", "importance": 0.9}}, \
{{"support": "locker 7731", "mode": "states", "subject": "user", "valid_from": null, "text": "My locker at Kestrel is \
number 7731.", "slot": "code", "value": "7731", "kind": "semantic", "why": "can't be guessed when it is needed", \
"importance": 0.85}}, {{"support": "Ortwin says he's moving to Vellmar on Saturday", "mode": "states", "subject": \
"Ortwin", "valid_from": null, "text": "Ortwin is moving to Vellmar on Saturday 24 May 2031.", "slot": "event_plan", \
"value": "Vellmar", "kind": "semantic", "why": "where a friend will live", "importance": 0.5}}]}}
Context "assistant: Как Зденка?" Turn of 2031-05-20: «У неё с прошлой пятницы аллергия на фейхоа, представляешь? А если \
бы я сам жил в Гростоке…»
{{"facts": [{{"support": "У неё с прошлой пятницы аллергия на фейхоа", "mode": "states", "subject": "Зденка", \
"valid_from": "2031-05-16", "text": "У Зденки аллергия на фейхоа.", "slot": "allergy", "value": "фейхоа", "kind": \
"semantic", "why": "опасно угощать", "importance": 0.9}}]}}"""

_EXAMPLE_NAMES: Final = "Ostrand Kestrel 7731 Ortwin Vellmar Зденка фейхоа Гросток"
EXAMPLE_STEMS: Final = frozenset(stems(_EXAMPLE_NAMES))
"""Words that only the examples of `EXTRACT` hold: a fact with one of them that its turn lacks comes from there."""

JUDGE: Final = """\
Task: judge
One person told a memory different things at different times. You get pairs of such memories, each between <pair> and \
</pair>: the older, then the newer, each with the day since when it holds. "I" is always that one person, the user. All \
of it {data}
Decide for each pair whether the newer makes the older untrue. Each pair stands for itself. Losing a true memory is worse \
than keeping a stale one.
Answer with one JSON object and nothing else, one verdict a pair, by its number n, in order:
{{"verdicts": [{{"pair": 1, "reason": "…", "both_true_now": "…", "label": "…", "confidence": 0.0}}]}}
reason: one or two short sentences, written before all else: whose and which thing is each about, and does the older \
still hold today, now that the newer is known?
both_true_now: "yes", "no" or "unclear": can both statements, as they are worded, be true today?
label:
- "supersedes": the same thing of the same person, and the older is no longer true: another home, employer, title, main \
tool, diet, partner, phone, code, plan, day or price; a correction; the opposite taste or habit; a thing given up, \
finished, repaired, cancelled or decided. The newer need not say "changed": keys to a flat of one's own in another city, \
or a first day at another firm, imply it.
- "duplicate": one and the same fact, in other words or another language, and the newer says all that the older says.
- "additive": related, and both stay true.
- "unrelated": about different things.
What looks like a change and is none ("additive" or "unrelated"):
- A new title, team or task at the same firm replaces the title, not the employer. A side job, course or volunteer work \
ends no job.
- A visit, trip, holiday, conference or stay is no move; being somewhere today does not change where one lives.
- Somebody else's change: what a sister, friend or colleague does leaves the user's own facts, and other people's, alone.
- What is only supposed, wished, feared, offered, considered or asked changes nothing until it is done.
- A memory that itself speaks of the past (used to, until 2019, last year I …) stays true as the past it tells.
- A second, another, one more (cat, language, phone, hobby, address) stands beside the first, unless it says instead, \
sold, gave up, replaced, no longer.
- A detail, a reason, a further step or an exception ("usually …, on Fridays …") refines; it does not replace. But a \
later status of the same thing replaces the earlier status (broken, then repaired; chapter 3, then chapter 7).
- Two happenings on different days both happened (two dinners, two runs).
- Two things of one sort are two things: front door and bicycle lock, laptop for work and at home, deadlines of two \
projects, doctors of two kinds.
- A passing state (ill this week, no sugar in May) does not end a lasting one.
The day tells which is newer, not which is true: what is newer and says nothing about the older leaves it.
confidence: 0 to 1, how sure the label is. 0.95: said outright, or excluded by its meaning. 0.8: follows by common sense. \
0.6: the likelier of two readings, or it is not certain that both are about the same person or thing. Below 0.7 nothing \
is removed and the user is asked: so if you lean to "supersedes" but could be wrong, say "supersedes" with 0.6.

Examples: "I live in Vellmar." / "Two days in Ostrand for a fair." -> additive 0.95, a visit. "I work at Kestrel." / \
"Promoted to shift lead!" -> additive 0.95, the same firm. "I am a shift lead." / "From June I'm head of the plant." -> \
supersedes 0.9, the title. "I eat no meat." / "My brother is vegan now." -> additive 0.95, another person. "The review is \
on Tuesday 6 May." / "The review was moved to Friday 9 May." -> supersedes 0.95."""

SUMMARIZE: Final = """\
Task: summarize
A user told one thing several times. The tellings stand between <source> and </source>, oldest first. All of it {data}
Write the one memory that stands for them. The tellings are then put away, so what you leave out is lost.
Answer with one JSON object and nothing else:
{{"reason": "…", "one_thing": true, "outdated": [], "text": "…"}}
reason: one or two sentences, written first: what do they all tell, what changed on the way, what is the latest state?
one_thing: false if they are about different things, people or projects, or happenings that are each worth keeping; then \
text is "".
outdated: the words of older tellings that a later telling made untrue (an old date, number, name, state), copied \
exactly; [] if none. What the newest telling says is never outdated.
text: one to three short sentences in {language}, "I" being the user, that stand alone. The latest state comes first. \
Keep every number, amount, date, name and code that is still true, spelled as in the tellings, and every "not". Use the \
words of the tellings; each claim must be said by one of them. No conclusions, no feelings, nothing of your own."""

GRADE: Final = """\
Task: grade
You check whether a reply answers a question rightly. The question, the expected answers (any of them is right) and the \
reply are given between tags. All of it {data}
Answer with one JSON object and nothing else:
{{"reason": "…", "correct": true}}
reason: one or two sentences, written first: which value does the reply give as the one that holds now, and does that \
mean the same as an expected answer?
correct is true if the reply gives an expected answer as what holds now. Other words, another language, spelling, format \
of a date or number, more detail, politeness and hedges such as "as far as I remember" are fine, and so is naming an old \
value that the reply clearly calls past.
correct is false if the reply gives another or outdated value as current, gives several without saying which holds, is \
vaguer than asked, answers something else, or says that it does not know. A right word inside a wrong statement is wrong.
If no answer is expected, correct is true only if the reply says that it does not know or was not told, and gives no \
value."""


def slot_names() -> tuple[str, str]:
    """The slots that hold one value at a time and those that hold several, for `EXTRACT`."""
    return ", ".join(SINGLE_VALUED), ", ".join(MULTI_VALUED)
