"""Embedders: text in, unit vectors out; `registry` lists their kinds and opens the right one."""
