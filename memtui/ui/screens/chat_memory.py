"""Single memories on the chat screen: pin, edit, forget, restore, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.errors import InputError
from memtui.memory.texts import clean, one_line

if TYPE_CHECKING:
    from memtui.chat.companion import Companion
    from memtui.ui.screens.chat_screen import ChatScreen
    from memtui.ui.screens.edit_memory_screen import MemoryChanges

_WIDTH = 48


class ChatMemory:
    """Does what the panel, the card or a command asks about one memory."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen

    def asked(self, action: str, memory: str) -> None:
        """`pin` (or unpin), `edit`, `forget`, `restore`, `history`, `why`; of a skill also `worked`, `failed`, `approve`."""
        companion = self._screen.companion
        if companion is None:
            return
        if action in ("history", "why"):
            self._screen.open_card(memory, action)
        elif self._screen.past.refused(f"{action} has to wait") or memory not in companion.store.frame:
            return
        elif action == "edit":
            self.edit(memory)
        else:
            if self._screen.busy:
                self._screen.memtui.say("This waits for the reply to end; escape stops it.", timeout=3)
            self._screen.work(self._change(companion, action, memory), "memory")

    async def _change(self, companion: Companion, action: str, memory: str) -> None:
        if companion.store.state.memories[memory].skill is not None:
            said = await self._screen.skills.change(companion, action, memory)
            self.changed(companion)
            self._screen.memtui.say(said, timeout=5)
            return
        name = f"{companion.handle(memory)} '{self.words(companion, memory)}'"
        if action == "pin":
            pinned = not companion.store.frame.memories[companion.store.frame.row(memory)].pinned
            await companion.pin(memory, pinned)
            said = f"Pinned {name}: it does not fade." if pinned else f"Unpinned {name}."
        elif action == "forget":
            await companion.forget(memory)
            said = f"Forgot {name}. f9 takes it back; it also waits under Retired."
        elif action == "restore":
            await companion.restore(memory)
            said = f"Restored {name}."
        else:
            raise InputError(f"There is no '{action}' for a memory.")
        self.changed(companion)
        self._screen.memtui.say(said, timeout=5)

    def edit(self, memory: str) -> None:
        """Open the form."""
        from memtui.ui.screens.edit_memory_screen import EditMemoryScreen

        companion = self._screen.companion
        if companion is None:
            return
        frame = companion.store.frame
        found = frame.memories[frame.row(memory)]
        if found.skill is not None:
            self._screen.skills.edit(companion, memory)
            return
        form = EditMemoryScreen(
            frame.texts[frame.row(memory)], found.kind, found.importance, handle=companion.handle(memory)
        )

        def closed(changes: MemoryChanges | None) -> None:
            if changes is not None:
                self._screen.work(self._edit(companion, memory, changes), "memory")

        self._screen.app.push_screen(form, closed)

    async def _edit(self, companion: Companion, memory: str, changes: MemoryChanges) -> None:
        await companion.edit(memory, text=changes.text, kind=changes.kind, importance=changes.importance)
        self.changed(companion)
        self._screen.memtui.say(f"Changed {companion.handle(memory)}. f9 takes it back.", timeout=4)

    def changed(self, companion: Companion) -> None:
        """Memory changed by the person's hand: show it; the order stays while a reply is being written."""
        self._screen.time.take_in(companion)
        if not self._screen.busy:
            self._screen.panel.resort()

    @staticmethod
    def words(companion: Companion, memory: str) -> str:
        """The first words of a memory."""
        frame = companion.store.frame
        return one_line(clean(frame.texts[frame.row(memory)]), _WIDTH)
