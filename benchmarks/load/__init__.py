"""Many clients over HTTP for a while, and requests that must be refused meanwhile."""
