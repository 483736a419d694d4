"""The commands for those who write the blog, each a module."""
