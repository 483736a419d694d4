"""Embedding by Ollama's `/api/embed`."""
