"""Examples of what can be built on the index and the server; the wheel leaves them out."""
