"""Answers as clients, terminals and the search page show them."""
