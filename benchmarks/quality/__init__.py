"""How well a blog is searched: `content → queries → outcomes → rows of metrics → tables`."""
