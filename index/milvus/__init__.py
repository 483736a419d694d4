"""An index on a Milvus server, which any number of machines can serve.

The server searches vectors; the other files of a generation are kept in rows and copied to each
machine. Nothing here is imported unless an index is named by an address.
"""
