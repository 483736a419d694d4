"""An index on a Milvus server, which any number of machines serve.

Vectors are searched there; everything else of a generation is a folder's files, kept in rows and
copied to each machine. Nothing here is imported unless an index is named by an address.
"""
