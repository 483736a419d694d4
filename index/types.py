"""The project's frozen data types: parts of an index and of its answers."""

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
"""Start of the path of an old Docusaurus page: folder, plugin's name if any, and version."""
MAX_ADDRESS = 2048
"""Maximum characters of an address or a part of one (https://www.sitemaps.org/protocol.html).
Longer ones are dropped, so that they cannot fill an answer."""
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
    """BCP 47 tag in lower case (`zh-tw`, `en`), from the author or the text."""
    url: str | None = None
    """URL of the post on the site, without an anchor; `None` if it is not sure."""
    translation_key: str = ""
    """Key that the author gave the post and its translations."""
    series: str = ""
    """The author's name for the series that it belongs to."""
    part: int | None = None
    """Its number in the series, if the author gives one."""
    aliases: tuple[str, ...] = ()
    """Its other names and addresses: notes' `aliases`, paths of the front matter, redirects."""
    authors: tuple[str, ...] = ()
    """Authors, by name if the site knows one."""
    words: str = ""
    """Names and values of the other fields of the front matter, ` · ` between the fields."""
    outdated: str = ""
    """The author's word (`deprecated`), or the ISO day on which it becomes outdated; else `""`."""

    @property
    def section(self) -> str:
        """Folder of the post, `""` for the content folder itself."""
        return self.source.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Posts:
    """A page of posts, of `total` on all pages."""

    page: tuple[Post, ...]
    total: int
    offset: int

    @property
    def next_offset(self) -> int | None:
        """Offset of the next page, `None` after the last one."""
        end = self.offset + len(self.page)
        return end if self.page and end < self.total else None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage of a post: a contiguous piece of its file."""

    source: str
    index: int
    """Index in the post, from 0, without gaps."""
    text: str
    """The author's text, verbatim except for comments."""
    plain: str
    """`text` without markup: it is embedded, analyzed and previewed. Headings have none either."""
    headings: tuple[str, ...]
    """Headings above the passage, the outermost first."""
    first_line: int
    """Line of the file, from 1."""
    last_line: int
    """Last line of the file, inclusive."""
    anchors: tuple[str, ...] = ()
    """Fragment (`#…`) of each of `all_headings`; `""` if it is not sure."""
    inner_headings: tuple[str, ...] = ()
    """Headings inside the passage, in order."""
    coverage: float = 1.0
    """Share of it that the embedder's vocabulary covers, in [0, 1]."""
    lead: str = ""
    """Earlier lines that its Markdown needs, such as the head of a table."""

    @property
    def all_headings(self) -> tuple[str, ...]:
        """Headings above the passage and in it, in the order of the post."""
        return (*self.headings, *self.inner_headings)

    @property
    def anchor(self) -> str:
        """Nearest sure anchor of the headings above its first words, `""` if there is none."""
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
    """`newer` for the address of a post that replaces this one, `older` for one it replaces."""


class SeriesPart(NamedTuple):
    """One post of a series; `part` is the author's number, else its place from 1."""

    post: int
    source: str
    part: int


@dataclass(frozen=True, slots=True)
class Series:
    """Two or more posts that are parts of one text, in reading order."""

    name: str
    parts: tuple[SeriesPart, ...]

    def place_of(self, post: int) -> PlaceInSeries:
        """Return the place of one of its posts."""
        at = next(at for at, each in enumerate(self.parts) if each.post == post)
        after = self.parts[at + 1 : at + 2]
        return PlaceInSeries(self.name, self.parts[at].part, after[0].source if after else None)


@dataclass(frozen=True, slots=True)
class PlaceInSeries:
    """Place of a post in its series, and the source of the next part."""

    name: str
    part: int
    next: str | None


class Replacement(NamedTuple):
    """A post that is replaced, or that its author calls outdated."""

    source: str
    current: int | None
    """ID of the post that replaces it, `None` if the index has none."""
    notice: str
    """Text for readers of the post: `replaced by SOURCE`, `deprecated`, `since DAY`."""


class Translation(NamedTuple):
    """One post of a group of translations."""

    post: int
    source: str
    language: str
    """BCP 47 tag in lower case, unique in the group."""


Translations: TypeAlias = Mapping[int, tuple[Translation, ...]]
"""Group of translations of each post that has any; the post itself is included."""


@dataclass(frozen=True, slots=True)
class PostTerms:
    """All terms of a post that keyword search finds, separated by spaces."""

    whole: str = ""
    """Terms of title, file name, tags, description, every heading and the text."""
    chunks: tuple[str, ...] = ()
    """Terms of each chunk, with title, file name, tags and the headings above and in it."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions for hits; `None` sets none. Days are inclusive; posts without a date fail them."""

    section: str | None = None
    """A folder below the content folder: posts in and below it pass; for `/` all pass."""
    tag: str | None = None
    """One or several tags, compared by letters and digits; `sea` also passes `sea/fish`."""
    after: str | None = None
    before: str | None = None
    author: str | None = None
    """Words of an author's name, ignoring case."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search: a chunk and its post."""

    post: Post
    chunk: Chunk
    score: float
    """Score in [0, 1], higher is better, comparable between queries."""
    preview: str
    """A line of `chunk.plain` around the matches (`index.search.previews.WIDTHS`)."""
    translations: Translated = ()
    """Translations of the post; none of them is a hit itself."""
    series: PlaceInSeries | None = None
    replacement: Replacement | None = None

    @property
    def url(self) -> str | None:
        """URL of the post with the chunk's anchor, `None` if it is not known."""
        anchor = f"#{self.chunk.anchor}" if self.chunk.anchor else ""
        return f"{self.post.url}{anchor}" if self.post.url else None


KEYWORDS_ONLY = "Keyword matches only, without search by meaning:"
"""Beginning of the notice of an answer for a query without a vector; the reason follows."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A page of hits."""

    query: Query
    """The query as searched: spelling corrected, excluded words removed."""
    hits: tuple[Hit, ...]
    total: int
    """Number of hits on all pages."""
    offset: int
    confidence: str = "normal"
    """`normal`, or `low` if the blog seems to have nothing on the subject."""
    certainty: float = 0.0
    """Estimated probability that the blog holds an answer, in [0, 1]; decides `confidence`."""
    notice: str | None = None
    """Sentences that the reader must see, such as that search by meaning failed."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Answer of `read_chunk`: a chunk with its neighbors, and where they are."""

    post: Post
    chunks: tuple[Chunk, ...]
    """The requested chunk with its neighbors, in the order of the post."""
    asked: int
    """Index of the requested chunk."""
    count: int
    """Number of chunks in the post."""
    headings: tuple[tuple[int, str], ...] = ()
    """The post's headings in order, each with the index of its chunk."""
    translations: Translated = ()
    replacement: Replacement | None = None
    linked_from: Posts = Posts((), 0, 0)
    """The newest three posts that link to it, and their total number."""
    notice: str | None = None
    """A sentence that the reader must see, such as that the post may have changed."""


ANALYSIS = 8
"""Version of `index.text.tokenizer`; raise it when terms change, to rewrite the lexical index."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """An embedding server's vectors of known texts at ingest, to compare with after an update.

    `vectors` has those of `index.embedders.fingerprint.TEXTS`, encoded by `pack_vectors`; `version`
    is the server's, empty if it reports none.
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
    """Hash of the weights: the manifest digest that Ollama lists, or the file's SHA-256."""
    dimension: int
    document_prefix: str = ""
    query_prefix: str = ""
    fingerprint: Fingerprint | None = None
    """`None` for a model that only changes with this package."""

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
