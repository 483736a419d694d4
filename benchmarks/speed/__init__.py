"""How fast every step is, beside the least that it could take."""
