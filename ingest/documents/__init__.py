"""A file read into a document."""
