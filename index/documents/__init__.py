"""What a file of Markdown says besides its text: encoding, front matter, metadata."""
