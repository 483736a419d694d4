"""Turn files into posts: which files are posts and public, their words, links and chunks."""
