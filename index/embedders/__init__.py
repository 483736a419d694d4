"""Embedders: text in, unit vectors out, behind one small protocol (`base`).

`ollama` asks a local Ollama server, `embedded` runs the model in this package,
`choose` decides which of them an ingest or a server uses.
"""
