"""Analyses for the author of a blog: similar and related posts, links, audit."""
