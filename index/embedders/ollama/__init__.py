"""Embedding by Ollama."""
