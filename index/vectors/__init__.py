"""The vectors of chunks on disk, and the search of the nearest: one seam, one implementation.

`base` has the two protocols, `registry` the one line that chooses what implements them.
"""
