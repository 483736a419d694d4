"""Faults made on purpose: damaged files, refusing disks, broken Ollamas, odd clients."""
