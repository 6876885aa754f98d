"""Skills on the chat screen: the form that keeps one, and what the panel's keys do to the selected one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui.errors import InputError
from memtui.memory.skill import Draft
from memtui.skills.from_talk import draft_of_talk

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.skills.view import Skill
    from memtui.ui.screens.chat_screen import ChatScreen

ACTIONS: Final = frozenset({"worked", "failed", "approve"})
"""What can be asked of skills alone."""


class ChatSkills:
    """Does what `/learn` and the keys of the skills tab ask."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen

    async def learn(self, argument: str) -> str | None:
        """`/learn`: the form, filled from the last turns if asked (`last`); or at once when it is all in the line."""
        companion = self._screen.companion
        if companion is None:
            raise InputError("Memory is still being opened.", todo="Try again in a moment.")
        if argument.strip().lower() not in ("", "last"):
            from memtui.chat.commands import run_command

            result = await run_command(companion, f"/learn {argument}")
            self._show(companion, result.report)
            return result.text
        talk = draft_of_talk(companion.history)
        if argument and talk is None:
            raise InputError("Nothing was said yet to learn from.", todo="/learn opens an empty form.")
        self._open(companion, talk if argument else None, talk)
        return None

    def _open(self, companion: Companion, draft: Draft | None, talk: Draft | None) -> None:
        from memtui.ui.screens.learn_screen import LearnScreen

        def closed(kept: Draft | None) -> None:
            if kept is not None:
                self._screen.work(self._learn(companion, kept, talk), "skills")

        self._screen.app.push_screen(LearnScreen(draft, talk=talk), closed)

    async def _learn(self, companion: Companion, draft: Draft, talk: Draft | None) -> None:
        try:
            learnt = await companion.skills.learn(draft)
        except InputError:
            self._open(companion, draft, talk)  # what was typed is not lost
            raise
        if learnt.skill is None:
            self._open(companion, draft, talk)
            near = learnt.similar[0]
            raise InputError(
                f"'{near.slug}' says nearly the same.",
                safe="Nothing was kept; the form is open again.",
                todo=f"Say what differs, or leave it and press + on '{near.slug}'.",
            )
        self._show(companion, learnt.skill.id)
        self._screen.chats.leave_welcome()
        self._screen.transcript.notice(f"Learned '{learnt.skill.slug}': {learnt.skill.title}. f9 takes it back.")

    def edit(self, companion: Companion, memory: str) -> None:
        """The form for a skill that is there."""
        from memtui.ui.screens.learn_screen import LearnScreen

        skill = companion.skills.get(memory)

        def closed(kept: Draft | None) -> None:
            if kept is not None and kept != skill.draft:
                self._screen.work(self._update(companion, skill, kept), "skills")

        self._screen.app.push_screen(LearnScreen(skill.draft, title=f"Change {skill.slug}"), closed)

    async def _update(self, companion: Companion, skill: Skill, draft: Draft) -> None:
        changed = await companion.skills.update(
            skill.id,
            title=draft.title,
            trigger=draft.trigger,
            steps=draft.steps,
            lessons=draft.lessons,
            outcome=draft.outcome,
        )
        self._show(companion, changed.id)
        self._screen.memtui.say(f"Changed '{changed.slug}'. f9 takes it back.", timeout=4)

    async def change(self, companion: Companion, action: str, memory: str) -> str:
        """Do what a key asks of a skill; returns what to say."""
        skills = companion.skills
        if action in ("worked", "failed"):
            skill = await skills.reinforce(memory, worked=action == "worked")
            return f"'{skill.slug}' {action}: strength {skill.strength:.2f}."
        if action == "approve":
            return f"You stand behind '{(await skills.approve(memory)).slug}' now."
        if action == "forget":
            return f"Archived '{(await skills.archive(memory)).slug}'; r brings it back, and archive.jsonl has it in full."
        if action == "restore":
            return f"Restored '{(await skills.restore(memory)).slug}'."
        skill = await skills.pin(memory, not skills.get(memory).pinned)
        return f"Pinned '{skill.slug}': it is never archived." if skill.pinned else f"Unpinned '{skill.slug}'."

    def _show(self, companion: Companion, memory: object) -> None:
        self._screen.memories.changed(companion)
        if isinstance(memory, str) and memory in companion.store.frame:
            self._screen.panel.select(memory)
