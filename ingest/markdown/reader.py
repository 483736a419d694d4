"""Markdown and MDX posts with front matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blog_search_mcp.ingest.documents.base import Document

if TYPE_CHECKING:
    from blog_search_mcp.ingest.documents.decode import Decoded


class MarkdownReader:
    """Reads `.md`, `.markdown` and `.mdx`."""

    suffixes = (".md", ".markdown", ".mdx")

    def read(self, data: bytes, source: str) -> Document:
        """Decode, split off the front matter and describe the post. Raises UnreadablePost."""
        # The parsers are imported here: an ingest that finds nothing changed needs none of them.
        from blog_search_mcp.ingest.documents.decode import decode
        from blog_search_mcp.ingest.documents.frontmatter import split_front_matter
        from blog_search_mcp.ingest.documents.metadata import describe_post, read_title
        from blog_search_mcp.ingest.markdown.body import MarkdownBody

        decoded = decode(data)
        front = split_front_matter(decoded.text)
        body = MarkdownBody(front.body)
        heading = "" if read_title(front.fields) else body.title
        return Document(
            post=describe_post(front.fields, source, heading, body.hashtags),
            fields=front.fields,
            body=body,
            first_line=front.first_line,
            problems=(*_list_problems(decoded), *filter(None, (front.problem,))),
        )


def _list_problems(decoded: Decoded) -> tuple[str, ...]:
    problems = []
    if not decoded.encoding.startswith("utf"):
        problems.append(f"it is not UTF-8 and was read as {decoded.encoding}")
    if decoded.repaired:
        problems.append(f"{decoded.repaired} of its characters could not be read")
    return tuple(problems)
