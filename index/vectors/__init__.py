"""The vectors of chunks on disk, and the search for the nearest ones."""
