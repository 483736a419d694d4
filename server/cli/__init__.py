"""The commands over an index, as they print on a terminal."""
