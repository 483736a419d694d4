"""One file's bytes come in; its metadata, its body and what to say about it go out.

The one place where decoding, front matter and metadata meet: the chunker sees a body and the
line it begins on, never an encoding or a front matter block.
"""

import hashlib
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from blog_search_mcp.index.content.walk import SourceFile
from blog_search_mcp.index.types import Post
from blog_search_mcp.ingest.documents import metadata
from blog_search_mcp.ingest.documents.address import NO_ADDRESS, Address, read_address
from blog_search_mcp.ingest.documents.decode import Decoded, decode
from blog_search_mcp.ingest.documents.frontmatter import split
from blog_search_mcp.ingest.documents.visibility import LeftOut, due, expires, left_out
from blog_search_mcp.ingest.markdown.hashtags import hashtags
from blog_search_mcp.ingest.markdown.plain_text import plain
from blog_search_mcp.ingest.markdown.preprocess import block_tokens


@dataclass(frozen=True, slots=True)
class ParsedPost:
    """A post read from its file."""

    post: Post
    body: str
    """Text after the front matter, verbatim but for line endings, which are LF."""
    first_line: int
    """Line of the file on which `body` begins, from 1."""
    left_out: LeftOut | None
    """Why the post is not published today; `None` if it is."""
    expires: str | None
    """Last ISO day on which it is published, `None` if it does not expire."""
    digest: str
    """SHA-256 of the file's bytes, in hexadecimal."""
    problems: tuple[str, ...]
    """What the author should know, each a clause about the file."""
    address: Address = NO_ADDRESS
    """What the author says about where the post is to be found."""
    due: str | None = None
    """First ISO day after today on which it appears or goes by itself, `None` if never."""


def read_post(file: SourceFile, data: bytes, today: date) -> ParsedPost:
    """Read the bytes of `file`. Raises UnreadablePost if they are no text."""
    decoded = decode(data)
    front = split(decoded.text)
    heading = "" if metadata.title(front.fields) else first_heading(front.body)
    return ParsedPost(
        post=metadata.describe(front.fields, file.source, heading, hashtags(front.body)),
        body=front.body,
        first_line=front.first_line,
        left_out=left_out(front.fields, file.source, today),
        expires=expires(front.fields),
        due=due(front.fields, file.source, today),
        digest=hashlib.sha256(data).hexdigest(),
        problems=(*_decoding_problems(decoded), *filter(None, (front.problem,))),
        address=read_address(front.fields),
    )


def first_heading(body: str) -> str:
    """Give the words of the first level-1 heading with any, `""` if there is none."""
    tokens = block_tokens(body)
    headings = (
        plain(content.content)
        for opening, content in pairwise(tokens)
        if opening.type == "heading_open" and opening.tag == "h1"
    )
    return next(filter(None, headings), "")


def _decoding_problems(decoded: Decoded) -> tuple[str, ...]:
    problems = []
    if not decoded.encoding.startswith("utf"):
        problems.append(f"it is not UTF-8 and was read as {decoded.encoding}")
    if decoded.repaired:
        problems.append(f"{decoded.repaired} of its characters could not be read")
    return tuple(problems)
