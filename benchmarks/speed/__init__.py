"""Speed of every step, beside the least time that it could take."""
