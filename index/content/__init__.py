"""The folder of posts: which files are posts, their bytes, and what changed since an ingest."""
