"""Compare the index with its posts while serving, and ingest what changed if asked to."""
