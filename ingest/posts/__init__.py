"""What a post's file says: which files are posts, what is public, words, links and chunks."""
