"""Hits and passages as clients, terminals and the page show them."""
