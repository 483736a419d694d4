"""The commands of `blog-server`."""
