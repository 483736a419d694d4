"""From a folder of posts to an index: walk, decode, split, describe, chunk, embed, write.

Knows Markdown and the file system; never ranks. Imports `index`, never `server`.
"""
