"""Several indexes, served as one."""
