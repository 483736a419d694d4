"""Judged questions, and how well any tool answers them."""
