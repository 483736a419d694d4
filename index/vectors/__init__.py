"""Vectors on disk and their search."""
