"""The generators, a module each: the URL of each post and the anchor of each heading."""
