"""The commands for those who write the blog, each a module."""

from typing import Final

AUDIT_KINDS: Final = {
    "broken-links": "links to the blog itself that lead nowhere",
    "broken-anchors": "links to a heading that the post has not",
    "orphans": "posts that no other post links to",
    "near-duplicates": "pairs of posts with mostly the same words",
    "descriptions": "descriptions missing, shared, or saying nothing of the post",
    "tags": "tags of one post, or in several spellings",
    "stale-drafts": "drafts left for half a year",
}
"""What is found, by `index.relations.audit.KINDS`, which takes NumPy to import."""
