"""The sleep pass, pure: what might be done (`candidates`), what will be done (`plan`), and the events it becomes."""
