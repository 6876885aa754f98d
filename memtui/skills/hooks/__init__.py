"""What Claude Code runs at fixed points of its sessions. Best effort: whatever goes wrong prints nothing and is counted."""
