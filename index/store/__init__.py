"""Generations on disk: catalog, manifest and checksums."""
