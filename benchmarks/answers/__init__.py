"""Answers of the program over blogs, written to a file and compared with another version's."""
