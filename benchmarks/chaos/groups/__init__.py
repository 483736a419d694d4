"""One module a group of faults, each with `faults(options, say)`; found by their names."""
