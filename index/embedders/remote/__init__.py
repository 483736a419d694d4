"""What every embedder behind a server needs: failures, retries, batches, checks of its vectors."""
