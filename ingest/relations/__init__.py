"""How the posts of one blog, and a draft, relate: what is alike, what leads where, what is next."""
