"""Set-up of a client: what an entry says, where it goes, and the edit that leaves all else."""
