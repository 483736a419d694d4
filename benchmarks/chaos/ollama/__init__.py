"""Faults of an Ollama as data, and the stage they are made on."""
