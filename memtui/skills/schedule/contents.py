"""What stands in the schedulers' files. Pure: a job in, a text out."""

from __future__ import annotations

import plistlib
import shlex
from collections.abc import Sequence
from itertools import pairwise
from typing import Final
from xml.sax.saxutils import escape

from memtui.errors import InputError
from memtui.skills.schedule.jobs import Job

_DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_CRON_NAME: Final = "memtui"


def _plain(job: Job) -> None:
    """Refuse what no scheduler's file can hold."""
    if any(ord(character) < 32 for word in job.command for character in word):
        raise InputError(
            "A path with a line break or a control character can't be scheduled.", todo="Move the home elsewhere."
        )


# -- launchd (macOS): one property list a job in ~/Library/LaunchAgents --------------------------------------------------


def launchd_label(job: Job) -> str:
    """The label launchd knows a job by; its file is named after it."""
    return f"dev.memtui.{job.name.removeprefix('memtui-')}"


def launchd_plist(job: Job) -> bytes:
    """The agent's property list (launchd.plist(5)): a run that fell into sleep is made up for at waking."""
    _plain(job)
    when = {"Hour": job.chore.hour, "Minute": job.chore.minute}
    if job.chore.weekday is not None:
        when["Weekday"] = job.chore.weekday
    agent = {
        "Label": launchd_label(job),
        "ProgramArguments": list(job.command),
        "StartCalendarInterval": when,
        "ProcessType": "Background",
        "StandardOutPath": "/dev/null",
        "StandardErrorPath": "/dev/null",
    }
    return plistlib.dumps(agent)


# -- systemd user timers: a service and a timer a job in ~/.config/systemd/user -------------------------------------------


def systemd_service(job: Job) -> str:
    """The unit that does the work (systemd.service(5))."""
    _plain(job)
    command = " ".join(_systemd_word(word) for word in job.command)
    return f"[Unit]\nDescription={job.title}\n\n[Service]\nType=oneshot\nNice=10\nExecStart={command}\n"


def systemd_timer(job: Job) -> str:
    """The unit that says when (systemd.timer(5)); a run missed while the machine was off is made up for."""
    day = "" if job.chore.weekday is None else f"{_DAYS[job.chore.weekday][:3]} "
    when = f"{day}*-*-* {job.chore.hour:02d}:{job.chore.minute:02d}:00"
    timer = f"[Timer]\nOnCalendar={when}\nPersistent=true\n"
    return f"[Unit]\nDescription={job.title}\n\n{timer}\n[Install]\nWantedBy=timers.target\n"


def _systemd_word(word: str) -> str:
    """One argument as ExecStart reads it: quotes and backslashes escaped, specifiers and variables not expanded."""
    for special, plain in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("$", "$$")):
        word = word.replace(special, plain)
    return f'"{word}"'


# -- cron: a block of lines in the user's crontab -------------------------------------------------------------------------


def cron_line(job: Job) -> str:
    """The line of crontab(5); a percent sign would end the command there, so it is escaped."""
    _plain(job)
    day = "*" if job.chore.weekday is None else str(job.chore.weekday)
    command = shlex.join(job.command).replace("%", "\\%")
    return f"{job.chore.minute} {job.chore.hour} * * {day} {command} >/dev/null 2>&1"


def cron_table(before: str, jobs: Sequence[Job]) -> str:
    """The crontab with our lines for these jobs, and no other lines of ours for them; all else stays as it is."""
    lines = without_cron_lines(before, jobs).splitlines()
    for job in jobs:
        lines += [_cron_mark(job), cron_line(job)]
    return "".join(f"{line}\n" for line in lines)


def without_cron_lines(table: str, jobs: Sequence[Job]) -> str:
    """The crontab without our lines for these jobs."""
    marks = {_cron_mark(job) for job in jobs}
    out: list[str] = []
    ours = False
    for line in table.splitlines():
        if ours:
            ours = False
            continue
        ours = line in marks
        if not ours:
            out.append(line)
    return "".join(f"{line}\n" for line in out)


def cron_lines(table: str, job: Job) -> list[str]:
    """Our lines for a job in a crontab, without their marks."""
    lines = table.splitlines()
    return [after for line, after in pairwise(lines) if line == _cron_mark(job)]


def _cron_mark(job: Job) -> str:
    return f"# {_CRON_NAME}: {job.name} (written by `memtui schedule install`; the next line is ours)"


# -- schtasks (Windows): one XML file a job -------------------------------------------------------------------------------


def schtasks_name(job: Job) -> str:
    """The task's name, in a folder of its own."""
    return f"\\memtui\\{job.name}"


def schtasks_xml(job: Job) -> bytes:
    """The task for `schtasks /Create /XML` (Task Scheduler schema 1.2), UTF-16 as it wants; a missed run is made up for."""
    _plain(job)
    if job.chore.weekday is None:
        calendar = "<ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>"
    else:
        day = f"<{_DAYS[job.chore.weekday]} />"
        calendar = f"<ScheduleByWeek><WeeksInterval>1</WeeksInterval><DaysOfWeek>{day}</DaysOfWeek></ScheduleByWeek>"
    start = f"2026-01-01T{job.chore.hour:02d}:{job.chore.minute:02d}:00"
    text = f"""<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>{escape(job.title)}</Description></RegistrationInfo>
  <Triggers>
    <CalendarTrigger><StartBoundary>{start}</StartBoundary><Enabled>true</Enabled>{calendar}</CalendarTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT1H</ExecutionTimeLimit>
  </Settings>
  <Actions>
    <Exec>
      <Command>{escape(job.command[0])}</Command>
      <Arguments>{escape(_windows_arguments(job.command[1:]))}</Arguments>
    </Exec>
  </Actions>
</Task>
"""
    return text.replace("\n", "\r\n").encode("utf-16")


def _windows_arguments(words: Sequence[str]) -> str:
    """Arguments as one command line, by the rules of the C runtime."""
    import subprocess

    return subprocess.list2cmdline(words)
