"""Search a folder of Markdown posts by meaning and by words."""
