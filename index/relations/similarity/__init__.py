"""Which posts cover the same ground as a text, by meaning and by words."""
