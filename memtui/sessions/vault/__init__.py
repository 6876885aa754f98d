"""The vault: one Markdown file a record, for Obsidian, git and people; and back."""
