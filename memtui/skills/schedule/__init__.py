"""Chores at fixed hours, by whatever the machine has for it: launchd, schtasks, systemd user timers or cron."""
