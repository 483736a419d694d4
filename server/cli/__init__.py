"""The commands, and what they print on a terminal."""
