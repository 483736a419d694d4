"""What the program answers over blogs, written to a file and compared with another version's."""
