"""Site generators: the URL of each post and the anchor of each heading on the published site."""
