"""Analyses for the author of a blog: similar posts, links, audit, usage."""
