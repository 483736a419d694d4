"""Frozen data types: parts of an index and of its answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from blog_search_mcp.index.text.query import Query

Ids: TypeAlias = "npt.NDArray[np.int64]"
Vectors: TypeAlias = "npt.NDArray[np.float32]"
VERSIONED = re.compile(r"((?:.*/)?)([\w-]+_)?versioned_docs/version-([^/]+)/")
"""Start of the path of an earlier version's Docusaurus page. Groups: folder, plugin_, version."""
MAX_ADDRESS = 2048
"""Maximum characters of an address or a part of one (https://www.sitemaps.org/protocol.html). An
ingest drops longer addresses, so that they cannot fill an answer."""
Order = Literal["newest", "oldest", "title"]
Translated: TypeAlias = tuple[tuple[str, str], ...]
"""Language and source of each translation of a post."""


@dataclass(frozen=True, slots=True)
class Post:
    """Metadata of a post, from the author or derived from its file."""

    source: str
    """Unique path below the content folder, with `/` on every system."""
    title: str
    date: str | None = None
    """ISO day, `YYYY-MM-DD`."""
    tags: tuple[str, ...] = ()
    description: str = ""
    slug: str = ""
    language: str = ""
    """BCP 47 tag in lower case (`zh-tw`); `und` if no known language fits, `""` if several may."""
    url: str | None = None
    """URL of the post on the site, without an anchor; `None` if the URL is not sure."""
    translation_key: str = ""
    """Key that the author gave the post and its translations."""
    series: str = ""
    """The author's name for the series of the post."""
    part: int | None = None
    """Number of the post in the series, if the author gives one."""
    aliases: tuple[str, ...] = ()
    """Other names and addresses: notes' `aliases`, paths of the front matter, redirects."""
    authors: tuple[str, ...] = ()
    """Authors, by name if the site knows their names."""
    words: str = ""
    """Names and values of the other fields of the front matter, ` · ` between the fields."""
    outdated: str = ""
    """The author's word (`deprecated`), the ISO day on which the post becomes outdated, or `""`."""

    @property
    def section(self) -> str:
        """Folder of the post, `""` for the content folder itself."""
        return self.source.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Posts:
    """A page of posts; `total` is the number on all pages."""

    page: tuple[Post, ...]
    total: int
    offset: int

    @property
    def next_offset(self) -> int | None:
        """Offset of the next page; `None` for the last page and for an empty one."""
        end = self.offset + len(self.page)
        return end if self.page and end < self.total else None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage of a post: a contiguous piece of its file."""

    source: str
    index: int
    """Index in the post, from 0, without gaps."""
    text: str
    """The author's text, verbatim but without comments."""
    plain: str
    """`text` without markup, for embedding, indexing and previews."""
    headings: tuple[str, ...]
    """Headings above the passage, without markup, the outermost first."""
    first_line: int
    """First line in the file, from 1."""
    last_line: int
    """Last line in the file, inclusive."""
    anchors: tuple[str, ...] = ()
    """Fragment, without `#`, of each of `all_headings`, or `""` if not sure; `()` without a URL."""
    inner_headings: tuple[str, ...] = ()
    """Headings inside the passage, without markup, in order."""
    coverage: float = 1.0
    """Share of the passage that the embedder's vocabulary covers, in [0, 1]."""
    lead: str = ""
    """Earlier lines that the passage's Markdown needs, such as the head of a table."""

    @property
    def all_headings(self) -> tuple[str, ...]:
        """Headings above the passage and in it, in the order of the post."""
        return (*self.headings, *self.inner_headings)

    @property
    def anchor(self) -> str:
        """Last sure anchor of `headings` or of an inner heading at the start; `""` if none is."""
        count = len(self.headings) + self.plain.startswith(self.inner_headings[:1])
        return next(filter(None, reversed(self.anchors[:count])), "")


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a post."""

    href: str
    """The target as written; special forms of generators as `posts.markdown.inline` writes them."""
    words: str
    """Text of the link without markup; `""` for an element of HTML."""
    line: int
    """Line of the file, from 1."""
    kind: str = ""
    """`newer` for a link to the post's replacement, `older` for one to a replaced post, or `""`."""


class SeriesPart(NamedTuple):
    """A post of a series; `part` is the author's number if all differ, else its place from 1."""

    post: int
    source: str
    part: int


@dataclass(frozen=True, slots=True)
class Series:
    """Two or more posts that are parts of one text, in reading order."""

    name: str
    parts: tuple[SeriesPart, ...]

    def place_of(self, post: int) -> PlaceInSeries:
        """Return the place of a post that is a part of the series."""
        at = next(at for at, each in enumerate(self.parts) if each.post == post)
        after = self.parts[at + 1 : at + 2]
        return PlaceInSeries(self.name, self.parts[at].part, after[0].source if after else None)


@dataclass(frozen=True, slots=True)
class PlaceInSeries:
    """Place of a post in its series; `next` is the next part's source, `None` for the last part."""

    name: str
    part: int
    next: str | None


class Replacement(NamedTuple):
    """A post that is replaced, or that its author calls outdated."""

    source: str
    current: int | None
    """ID of the post that replaces it, `None` if the index has none."""
    notice: str
    """Text for readers: `replaced by SOURCE`, the author's word (`deprecated`), or `since DAY`."""


class Translation(NamedTuple):
    """One post of a group of translations."""

    post: int
    source: str
    language: str
    """BCP 47 tag in lower case, unique in the group."""


Translations: TypeAlias = Mapping[int, tuple[Translation, ...]]
"""Group of translations by the id of each post that has any; the group includes the post."""


@dataclass(frozen=True, slots=True)
class PostTerms:
    """All terms of a post that keyword search finds, separated by spaces."""

    whole: str = ""
    """Terms of title, names, tags, authors, day, description, front matter, headings and text."""
    chunks: tuple[str, ...] = ()
    """Terms of each chunk: title, names, tags, headings, text. The first also has the rest."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions for posts, if not `None`. ISO days are inclusive; undated posts fail them."""

    section: str | None = None
    """One or several folders below the content folder, as in `find_folders`; `/` finds no post."""
    tag: str | None = None
    """One or several tags, compared by `name_key`; `sea` also passes `sea/fish`."""
    after: str | None = None
    before: str | None = None
    author: str | None = None
    """Words of one author's name, or of several names with `;` between, in any case."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search: a chunk and its post."""

    post: Post
    chunk: Chunk
    score: float
    """Score in [0, 1], higher is better, comparable between queries."""
    preview: str
    """A line cut from `chunk.plain` around the matches (`index.search.previews.WIDTHS`)."""
    translations: Translated = ()
    """Translations of the post; none of them is a hit itself."""
    series: PlaceInSeries | None = None
    replacement: Replacement | None = None

    @property
    def url(self) -> str | None:
        """URL of the post with the chunk's anchor, if any; `None` if the post's URL is not sure."""
        anchor = f"#{self.chunk.anchor}" if self.chunk.anchor else ""
        return f"{self.post.url}{anchor}" if self.post.url else None


KEYWORDS_ONLY = "Keyword matches only, without search by meaning:"
"""Beginning of an answer's notice if the embedder failed; the reason follows."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A page of hits."""

    query: Query
    """The query as searched: spelling corrected, exclusions and understood filters removed."""
    hits: tuple[Hit, ...]
    total: int
    """Number of hits on all pages."""
    offset: int
    confidence: str = "normal"
    """`normal`, or `low` if the blog seems to have nothing on the subject."""
    certainty: float = 0.0
    """Estimated probability, in [0, 1], that the blog holds an answer (`search.confidence`)."""
    notice: str | None = None
    """Sentences that the reader must see, such as that semantic search failed."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a post: the answer of `read_chunk`, or all chunks for an outline."""

    post: Post
    chunks: tuple[Chunk, ...]
    """The requested chunk and chunks around it, in the order of the post."""
    asked: int
    """Index of the requested chunk."""
    count: int
    """Number of chunks in the post."""
    headings: tuple[tuple[int, str], ...] = ()
    """The post's headings in order, each with the index of its chunk."""
    translations: Translated = ()
    replacement: Replacement | None = None
    linked_from: Posts = Posts((), 0, 0)
    """The newest three posts that link to the post, and the number of all that do."""
    notice: str | None = None
    """A sentence that the reader must see, such as that the newest index cannot be used."""


ANALYSIS = 9
"""Version of `index.text.tokenizer`; raise it when terms change, to rewrite the lexical index."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """An embedding server's vectors of known texts at ingest, to compare with after an update.

    `vectors` has the rows of `index.embedders.fingerprint.TEXTS`, encoded by `pack_vectors`.
    `version` is the server's, empty if it reports none.
    """

    version: str
    vectors: str


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Everything that determines the vector of a text; equal identities give comparable vectors."""

    kind: str
    """`ollama`, `openai` for any other server, or `embedded` for a model of the package."""
    model: str
    """Name of the model, as users write it: `nomic-embed-text`, `all-MiniLM-L6-v2`."""
    digest: str
    """Hash of the weights: Ollama's manifest digest or the file's SHA-256; `""` for `openai`."""
    dimension: int
    document_prefix: str = ""
    query_prefix: str = ""
    fingerprint: Fingerprint | None = None
    """Vectors of known texts at ingest; `None` for a model of the package."""

    @property
    def name(self) -> str:
        """Name in tables and options: `ollama nomic-embed-text`."""
        return f"{self.kind} {self.model}"

    @property
    def title(self) -> str:
        """Name in sentences: `Ollama's nomic-embed-text`."""
        return name_embedder(self.kind, self.model)


def name_embedder(kind: str, model: str) -> str:
    """Return the name of an embedder in a sentence."""
    servers = {"ollama": "Ollama's", "openai": "the embedding server's"}
    return f"{servers.get(kind, 'the packaged model')} {model}"
