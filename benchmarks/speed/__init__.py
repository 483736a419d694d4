"""Time and memory of every step, beside a floor: the minimum that its parts need."""
