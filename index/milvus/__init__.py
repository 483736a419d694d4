"""An index in Milvus: one server or cluster for many readers, the same answers.

`client` alone speaks to the server, `schema` names what lies there; `terms` and `lexical` are the
words, `vectors` the vectors, `cache` the embeddings already paid for. Nothing here is imported
unless an index is named by a URI.
"""
