"""Putting jobs into the machine's scheduler, taking them out, and saying how they stand."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from memtui.errors import InputError, MemtuiError
from memtui.skills.schedule import contents
from memtui.skills.schedule.jobs import Job
from memtui.store.durability import write_atomically

KINDS: Final = ("launchd", "schtasks", "systemd", "cron")
_LIMIT_S: Final = 20.0


class ScheduleError(MemtuiError):
    """The machine's scheduler refused, or there is none."""

    title = "Schedule"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program of the system answered."""

    code: int
    out: str
    err: str


Run = Callable[[Sequence[str], str], Ran]
"""Runs a program with a text on its standard input. Tests put a recording one here."""


def run_program(words: Sequence[str], given: str = "") -> Ran:
    """Run a program of the system; one that is absent or hangs answers 127."""
    try:
        done = subprocess.run(
            list(words), input=given, capture_output=True, encoding="utf-8", errors="replace", timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Ran(127, "", str(error))
    return Ran(done.returncode, done.stdout, done.stderr)


class Scheduler(Protocol):
    """One kind of scheduler."""

    @property
    def kind(self) -> str:
        """Its name, one of `KINDS`."""
        ...

    def install(self, jobs: Sequence[Job]) -> None:
        """Put the jobs in, in the place of earlier ones of the same name."""

    def remove(self, jobs: Sequence[Job]) -> int:
        """Take the jobs out; returns how many were there."""

    def state(self, job: Job) -> str:
        """`absent`, `outdated` (other contents than `install` would write) or `installed`."""


def scheduler(kind: str | None = None, run: Run = run_program) -> Scheduler:
    """The scheduler of a kind, or the one this machine has.

    Raises:
        ScheduleError: it has none that we know.
    """
    kind = kind or _kind_here(run)
    if kind == "launchd":
        return Launchd(Path.home() / "Library" / "LaunchAgents", run)
    if kind == "schtasks":
        return Schtasks(run)
    if kind == "systemd":
        config = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
        return Systemd(Path(config) / "systemd" / "user", run)
    if kind == "cron":
        return Cron(run)
    raise InputError(f"'{kind}' is no scheduler we know.", todo=f"One of {', '.join(KINDS)}.")


def _kind_here(run: Run) -> str:
    if sys.platform == "darwin":
        return "launchd"
    if sys.platform == "win32":
        return "schtasks"
    if run(["systemctl", "--user", "show-environment"], "").code == 0:
        return "systemd"
    if shutil.which("crontab"):
        return "cron"
    raise ScheduleError(
        "This machine has no scheduler for users: neither a systemd user session nor crontab.",
        safe="Nothing was changed.",
        todo="Install cron, or run `memtui schedule run decay` and `memtui schedule run export` by other means.",
    )


def _checked(ran: Ran, doing: str) -> Ran:
    if ran.code != 0:
        said = " ".join((ran.err or ran.out).split())[:200]
        raise ScheduleError(
            f"{doing} did not work: {said or f'exit code {ran.code}'}.", todo="`memtui schedule status` says more."
        )
    return ran


@dataclass(frozen=True, slots=True)
class Launchd:
    """macOS: agents of the user's own session."""

    folder: Path
    run: Run
    kind: str = "launchd"

    def install(self, jobs: Sequence[Job]) -> None:
        """Write the property lists and load them; what was loaded before is unloaded first."""
        for job in jobs:
            path = self._path(job)
            _put(path, contents.launchd_plist(job))
            self.run(["launchctl", "bootout", f"{self._domain}/{contents.launchd_label(job)}"], "")
            _checked(self.run(["launchctl", "bootstrap", self._domain, str(path)], ""), "launchctl bootstrap")

    def remove(self, jobs: Sequence[Job]) -> int:
        """Unload and delete."""
        there = [job for job in jobs if self._path(job).exists()]
        for job in there:
            self.run(["launchctl", "bootout", f"{self._domain}/{contents.launchd_label(job)}"], "")
            self._path(job).unlink()
        return len(there)

    def state(self, job: Job) -> str:
        """By the file and what launchd says."""
        known = _file_state(self._path(job), contents.launchd_plist(job))
        if known == "absent":
            return known
        loaded = self.run(["launchctl", "print", f"{self._domain}/{contents.launchd_label(job)}"], "").code == 0
        return known if loaded else "outdated"

    @property
    def _domain(self) -> str:
        return f"gui/{os.getuid() if hasattr(os, 'getuid') else 0}"

    def _path(self, job: Job) -> Path:
        return self.folder / f"{contents.launchd_label(job)}.plist"


@dataclass(frozen=True, slots=True)
class Systemd:
    """Linux: timers of the user's own service manager."""

    folder: Path
    run: Run
    kind: str = "systemd"

    def install(self, jobs: Sequence[Job]) -> None:
        """Write the units, reload, enable and start the timers."""
        for job in jobs:
            _put(self._path(job, "service"), contents.systemd_service(job).encode())
            _put(self._path(job, "timer"), contents.systemd_timer(job).encode())
        _checked(self.run(["systemctl", "--user", "daemon-reload"], ""), "systemctl daemon-reload")
        timers = [f"{job.name}.timer" for job in jobs]
        _checked(self.run(["systemctl", "--user", "enable", "--now", *timers], ""), "systemctl enable")

    def remove(self, jobs: Sequence[Job]) -> int:
        """Disable, stop and delete."""
        there = [job for job in jobs if self._path(job, "timer").exists() or self._path(job, "service").exists()]
        if there:
            self.run(["systemctl", "--user", "disable", "--now", *(f"{job.name}.timer" for job in there)], "")
            for job in there:
                for ending in ("service", "timer"):
                    self._path(job, ending).unlink(missing_ok=True)
            self.run(["systemctl", "--user", "daemon-reload"], "")
        return len(there)

    def state(self, job: Job) -> str:
        """By both files and what systemd says of the timer."""
        service = _file_state(self._path(job, "service"), contents.systemd_service(job).encode())
        timer = _file_state(self._path(job, "timer"), contents.systemd_timer(job).encode())
        if service == timer == "absent":
            return "absent"
        if service != "installed" or timer != "installed":
            return "outdated"
        enabled = self.run(["systemctl", "--user", "is-enabled", f"{job.name}.timer"], "").code == 0
        return "installed" if enabled else "outdated"

    def _path(self, job: Job, ending: str) -> Path:
        return self.folder / f"{job.name}.{ending}"


@dataclass(frozen=True, slots=True)
class Cron:
    """Any Unix with crontab(1)."""

    run: Run
    kind: str = "cron"

    def install(self, jobs: Sequence[Job]) -> None:
        """Put our lines in; the other lines stay as they are."""
        before = self._table()
        after = contents.cron_table(before, jobs)
        if after != before:
            self._write(after)

    def remove(self, jobs: Sequence[Job]) -> int:
        """Take our lines out."""
        before = self._table()
        there = sum(bool(contents.cron_lines(before, job)) for job in jobs)
        if there:
            self._write(contents.without_cron_lines(before, jobs))
        return there

    def state(self, job: Job) -> str:
        """By what crontab lists."""
        lines = contents.cron_lines(self._table(), job)
        if not lines:
            return "absent"
        return "installed" if lines == [contents.cron_line(job)] else "outdated"

    def _table(self) -> str:
        ran = self.run(["crontab", "-l"], "")
        if ran.code != 0 and "no crontab" not in ran.err.lower():
            _checked(ran, "Reading the crontab")
        return ran.out if ran.code == 0 else ""

    def _write(self, table: str) -> None:
        _checked(self.run(["crontab", "-"], table), "Writing the crontab")


@dataclass(frozen=True, slots=True)
class Schtasks:
    """Windows: the Task Scheduler, by its command."""

    run: Run
    kind: str = "schtasks"

    def install(self, jobs: Sequence[Job]) -> None:
        """Create the tasks from their XML, in the place of earlier ones."""
        for job in jobs:
            handle, name = tempfile.mkstemp(suffix=".xml", prefix="memtui-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(contents.schtasks_xml(job))
                words = ["schtasks", "/Create", "/TN", contents.schtasks_name(job), "/XML", name, "/F"]
                _checked(self.run(words, ""), "schtasks /Create")
            finally:
                Path(name).unlink(missing_ok=True)

    def remove(self, jobs: Sequence[Job]) -> int:
        """Delete the tasks."""
        there = [job for job in jobs if self.state(job) != "absent"]
        for job in there:
            _checked(self.run(["schtasks", "/Delete", "/TN", contents.schtasks_name(job), "/F"], ""), "schtasks /Delete")
        return len(there)

    def state(self, job: Job) -> str:
        """By what the Task Scheduler says; it rewrites the XML, so only the command is compared."""
        ran = self.run(["schtasks", "/Query", "/TN", contents.schtasks_name(job), "/XML"], "")
        if ran.code != 0:
            return "absent"
        from xml.sax.saxutils import escape

        arguments = escape(subprocess.list2cmdline(job.command[1:]))
        return "installed" if arguments in ran.out and escape(job.command[0]) in ran.out else "outdated"


def _file_state(path: Path, wanted: bytes) -> str:
    try:
        return "installed" if path.read_bytes() == wanted else "outdated"
    except FileNotFoundError:
        return "absent"
    except OSError:
        return "outdated"


def _put(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data, durable=True)
    except OSError as error:
        raise ScheduleError(
            f"{path} can't be written: {error.strerror or error}.", safe="Nothing was scheduled by it."
        ) from error
