"""Relations between the posts of one blog: link targets, translations and series."""
