"""Text into terms, for documents and queries alike."""
