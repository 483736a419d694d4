"""Quality of search: queries with known answers come in, shares of answered ones go out."""
