"""Compare the index with its posts while serving, and optionally ingest what changed."""
