"""Keeping the index and the posts in step while serving."""
