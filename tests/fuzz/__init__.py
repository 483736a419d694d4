"""Properties of each step that hold for any input."""
