"""Chores at fixed hours: what stands in the schedulers' files, and what is done with the schedulers."""

from __future__ import annotations

import plistlib
import shlex
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import pytest

from memtui.errors import InputError
from memtui.locations import Home
from memtui.skills.schedule import contents
from memtui.skills.schedule.jobs import CHORES, Job, jobs
from memtui.skills.schedule.schedulers import Cron, Launchd, Ran, ScheduleError, Schtasks, Systemd, run_program, scheduler

WEIRD = 'C:/Мой дом/100% "a b" $HOME\\x'


def job(chore: int = 0, path: str = WEIRD) -> Job:
    return Job(
        f"memtui-{CHORES[chore].name}", CHORES[chore], ("/usr/bin/python3", "-P", "-m", "memtui", "--home", path, "x")
    )


class Machine:
    """Runs nothing; answers what a scheduler would."""

    def __init__(self, crontab: str | None = None) -> None:
        self.crontab = crontab
        self.ran: list[list[str]] = []
        self.refuses = ""
        self.tasks: dict[str, str] = {}

    def __call__(self, words: Sequence[str], given: str = "") -> Ran:
        self.ran.append(list(words))
        if self.refuses and self.refuses in words:
            return Ran(1, "", "no such\nthing")
        if words[:2] == ["crontab", "-l"]:
            return Ran(1, "", "no crontab for me") if self.crontab is None else Ran(0, self.crontab, "")
        if words[:2] == ["crontab", "-"]:
            self.crontab = given
        if words[:2] == ["schtasks", "/Create"]:
            self.tasks[words[3]] = Path(words[5]).read_bytes().decode("utf-16")
        if words[:2] == ["schtasks", "/Query"]:
            return Ran(0, self.tasks[words[3]], "") if words[3] in self.tasks else Ran(1, "", "ERROR")
        if words[:2] == ["schtasks", "/Delete"]:
            self.tasks.pop(words[3])
        return Ran(0, "", "")


def test_jobs_are_the_two_chores_and_name_the_home(tmp_path: Path) -> None:
    decay, export = jobs(Home(tmp_path, tmp_path, tmp_path / "logs"))
    assert (decay.chore.hour, decay.chore.minute, decay.chore.weekday) == (4, 15, None)
    assert (export.chore.hour, export.chore.minute, export.chore.weekday) == (4, 30, 0)
    assert decay.command[-5:] == ("--home", str(tmp_path), "schedule", "run", "decay")
    assert "-P" in decay.command  # nothing of the folder it runs in is imported
    other = jobs(Home(tmp_path / "b", tmp_path / "b", tmp_path / "logs"))
    assert decay.name != other[0].name


def test_launchd_plist() -> None:
    data = plistlib.loads(contents.launchd_plist(job(1)))
    assert data["ProgramArguments"] == list(job(1).command)
    assert data["StartCalendarInterval"] == {"Hour": 4, "Minute": 30, "Weekday": 0}
    assert "Weekday" not in plistlib.loads(contents.launchd_plist(job(0)))["StartCalendarInterval"]
    assert data["Label"] == "dev.memtui.export"


def test_systemd_units() -> None:
    assert "OnCalendar=*-*-* 04:15:00\n" in contents.systemd_timer(job(0))
    assert "OnCalendar=Sun *-*-* 04:30:00\nPersistent=true\n" in contents.systemd_timer(job(1))
    line = next(line for line in contents.systemd_service(job()).splitlines() if line.startswith("ExecStart="))
    assert '"C:/Мой дом/100%% \\"a b\\" $$HOME\\\\x"' in line


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze")
def test_systemd_itself_takes_the_units(tmp_path: Path) -> None:
    for one in (job(0, "/tmp/my home"), job(1, "/tmp/100%")):
        (tmp_path / f"{one.name}.service").write_text(contents.systemd_service(one))
        timer = tmp_path / f"{one.name}.timer"
        timer.write_text(contents.systemd_timer(one))
        done = subprocess.run(
            ["systemd-analyze", "verify", "--user", str(timer)], capture_output=True, text=True, timeout=60, check=False
        )
        assert timer.name not in done.stderr and f"{one.name}.service" not in done.stderr, done.stderr
        when = contents.systemd_timer(one).split("OnCalendar=")[1].splitlines()[0]
        assert (
            subprocess.run(["systemd-analyze", "calendar", when], capture_output=True, timeout=60, check=False).returncode
            == 0
        )


def test_cron_lines_survive_the_shell() -> None:
    line = contents.cron_line(job(1))
    minute, hour, day, month, weekday, command = line.split(" ", 5)
    assert (minute, hour, day, month, weekday) == ("30", "4", "*", "*", "0")
    assert "%" not in command.replace("\\%", "")  # a bare one ends the command for cron
    assert shlex.split(command.replace("\\%", "%"))[:-2] == list(job(1).command)


def test_cron_table_keeps_what_others_wrote() -> None:
    before = "MAILTO=me\n# mine\n0 1 * * * backup\n"
    both = [job(0), job(1)]
    once = contents.cron_table(before, both)
    assert once.startswith(before) and contents.cron_table(once, both) == once
    assert contents.without_cron_lines(once, both) == before
    assert contents.cron_table("no newline at the end", both).startswith("no newline at the end\n#")


def test_schtasks_xml() -> None:
    space = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}
    for one, by in ((job(0), "ScheduleByDay"), (job(1), "ScheduleByWeek")):
        raw = contents.schtasks_xml(one)
        assert raw.startswith(b"\xff\xfe")
        tree = ET.fromstring(raw.decode("utf-16"))
        assert tree.find(f".//t:{by}", space) is not None
        start = tree.find(".//t:StartBoundary", space)
        assert start is not None and start.text == f"2026-01-01T04:{one.chore.minute}:00"
        command, arguments = tree.find(".//t:Command", space), tree.find(".//t:Arguments", space)
        assert command is not None and command.text == one.command[0]
        assert arguments is not None and arguments.text == subprocess.list2cmdline(one.command[1:])
    assert tree.find(".//t:Sunday", space) is not None


def test_a_line_break_in_a_path_is_refused() -> None:
    for write in (contents.launchd_plist, contents.systemd_service, contents.cron_line, contents.schtasks_xml):
        with pytest.raises(InputError):
            write(job(path="/tmp/a\n* * * * * evil"))


def test_cron_installs_once_and_removes_all_of_it() -> None:
    machine = Machine()
    cron, both = Cron(machine), [job(0), job(1)]
    assert cron.state(both[0]) == "absent"
    cron.install(both)
    writes = machine.ran.count(["crontab", "-"])
    cron.install(both)
    assert machine.ran.count(["crontab", "-"]) == writes  # nothing to write
    assert [cron.state(one) for one in both] == ["installed", "installed"]
    moved = Job(both[0].name, both[0].chore, ("/other/python", "x"))
    assert cron.state(moved) == "outdated"
    assert cron.remove(both) == 2 and machine.crontab == "" and cron.remove(both) == 0


def test_systemd_writes_enables_and_removes(tmp_path: Path) -> None:
    machine = Machine()
    systemd, both = Systemd(tmp_path / "user", machine), [job(0), job(1)]
    systemd.install(both)
    assert machine.ran[-1] == ["systemctl", "--user", "enable", "--now", "memtui-decay.timer", "memtui-export.timer"]
    assert {systemd.state(one) for one in both} == {"installed"}
    (tmp_path / "user" / "memtui-decay.timer").write_text("[Timer]\n")
    assert systemd.state(both[0]) == "outdated"
    assert systemd.remove(both) == 2 and not list((tmp_path / "user").iterdir()) and systemd.state(both[0]) == "absent"


def test_launchd_loads_and_unloads(tmp_path: Path) -> None:
    machine = Machine()
    launchd = Launchd(tmp_path, machine)
    launchd.install([job()])
    assert [words[1] for words in machine.ran] == ["bootout", "bootstrap"]
    assert launchd.state(job()) == "installed"
    assert launchd.remove([job()]) == 1 and launchd.state(job()) == "absent"


def test_schtasks_creates_and_deletes() -> None:
    machine = Machine()
    schtasks = Schtasks(machine)
    schtasks.install([job(0), job(1)])
    assert set(machine.tasks) == {"\\memtui\\memtui-decay", "\\memtui\\memtui-export"}
    assert schtasks.state(job()) == "installed"
    assert schtasks.state(Job(job().name, job().chore, ("/other", "x"))) == "outdated"
    assert schtasks.remove([job(0), job(1)]) == 2 and not machine.tasks


def test_a_scheduler_that_refuses_is_told_plainly(tmp_path: Path) -> None:
    machine = Machine()
    machine.refuses = "enable"
    with pytest.raises(ScheduleError, match="no such thing"):
        Systemd(tmp_path, machine).install([job()])
    with pytest.raises(InputError):
        scheduler("at")
    assert run_program(["/there/is/no/such/program"]).code == 127
