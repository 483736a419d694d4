"""The vectors of chunks on disk, and the search of the nearest."""
