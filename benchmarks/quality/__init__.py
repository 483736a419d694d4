"""How well blogs are searched: queries with known answers in, shares of those answered out."""
