"""`blog-server doctor`: everything that serving a blog needs, looked at and judged.

Each module of this package gathers facts at the edge (disk, network, packages) and judges
them in a pure function; what comes out are findings, each with the command that mends it.
"""
