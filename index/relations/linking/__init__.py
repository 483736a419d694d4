"""Where in a text to link to a post: names, prose, evidence, the words to put the link on."""
