"""Posts whose words tests put into Milvus and into tantivy."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from blog_search_mcp.index.lexical.documents import PostTerms, terms_of
from blog_search_mcp.index.milvus.lexical import GenerationTerms, MilvusSearcher
from blog_search_mcp.index.milvus.schema import (
    ABOUT,
    CHUNKS_FIELDS,
    PARTS,
    POSTS_FIELDS,
    TERMS,
    WHOLE,
    CollectionNames,
)
from blog_search_mcp.index.milvus.terms import TermSpool, count_post
from blog_search_mcp.index.types import Chunk, Post

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blog_search_mcp.index.milvus.client import Milvus
    from blog_search_mcp.index.milvus.schema import Row
    from blog_search_mcp.index.milvus.terms import TermStatistics, WeighedPost

ENGLISH = """
cache caches caching memory index indexes indexing vector vectors search searching server servers
deploy deployed deployment run running runs query queries token tokens model models batch latency
faiss.IndexFlatIP kv-cache os.path.join C++ node.js HTTP/2 snake_case camelCase gRPC the of and to
is how why what throughput shard replica commit rebase merge branch
"""
CHINESE = (
    "快取記憶體部署順序很重要的是向量搜尋索引資料庫模型推論延遲批次分片與複製提交合併测试内存缓存"
)
JAPANESE = ("サーバー", "キャッシュ", "メモリ", "検索する", "時間", "使用")


def made_posts(count: int, seed: int, first: int = 1) -> Iterator[PostTerms]:
    """Posts in English, Chinese and Japanese with one to six chunks; some have no description."""
    chance = random.Random(seed)
    for number in range(first, first + count):
        language = chance.choice(("en", "en", "zh-tw", "ja"))
        chunks = {
            number * 10 + place: Chunk(
                f"{number}.md",
                place,
                "",
                text(chance, language, 200),
                (text(chance, language, 3),),
                1,
                1,
            )
            for place in range(chance.randint(1, 6))
        }
        description = text(chance, language, 20) if chance.random() < 0.6 else ""
        title = text(chance, language, 5)
        post = Post(f"{number}.md", title, description=description, language=language)
        yield terms_of(number, post, chunks)


def text(chance: random.Random, language: str, most: int) -> str:
    """Up to so many words; single characters now and then."""
    words = []
    for _ in range(int(chance.triangular(0, most, 1)) + 1):
        start = chance.randrange(len(CHINESE) - 4)
        chinese = CHINESE[start : start + chance.randint(1, 4)]
        own = {"en": chance.choice(ENGLISH.split()), "ja": chance.choice(JAPANESE)}.get(
            language, chinese
        )
        words.append(own if chance.random() < 0.9 else chance.choice((*ENGLISH.split(), chinese)))
    return " ".join(words)


def write_words(
    milvus: Milvus,
    generation: int,
    posts: Sequence[PostTerms],
    base: Mapping[str, TermStatistics] | None = None,
    removed: Sequence[Mapping[str, list[Row]]] = (),
) -> dict[str, TermStatistics]:
    """Write posts' words as a generation's own rows; return what it counts or changes."""
    names = CollectionNames("blog")
    spool = TermSpool({name: each.means for name, each in base.items()} if base else None)
    for post in posts:
        if (counted := count_post(post)) is not None:
            spool.add(counted)
    for rows in removed:
        for field, found in rows.items():
            for row in found:
                spool.remove(field, row[field])
    milvus.create(names.posts(generation), POSTS_FIELDS)
    milvus.create(names.chunks(generation), CHUNKS_FIELDS)
    weighed = list(spool.rows())
    milvus.insert(names.posts(generation), POSTS_FIELDS, map(post_row, weighed))
    chunks = [row for post in weighed for row in chunk_rows(post)]
    milvus.insert(names.chunks(generation), CHUNKS_FIELDS, chunks)
    milvus.complete(names.posts(generation), len(weighed))
    milvus.complete(names.chunks(generation), len(chunks))
    statistics = spool.statistics()
    spool.close()
    return statistics


def post_row(post: WeighedPost) -> Row:
    row = {"row": post.post_id * PARTS, "kind": "post", "post": post.post_id, "part": 0}
    return row | {"text": "", "whole": post.whole, "about": post.about}


def chunk_rows(post: WeighedPost) -> Iterator[Row]:
    for number, terms in post.chunks.items():
        row = {"chunk": number, "post": post.post_id, "text": "", "plain": ""}
        yield row | {"terms": terms}


def read_rows(milvus: Milvus, generation: int, posts: Sequence[int]) -> Mapping[str, list[Row]]:
    """Read the rows of posts that go, by field."""
    names = CollectionNames("blog")
    wholes = milvus.get(names.posts(generation), POSTS_FIELDS[2], posts, [WHOLE, ABOUT])
    chunks = milvus.get(names.chunks(generation), CHUNKS_FIELDS[1], posts, [TERMS])
    return {WHOLE: wholes, ABOUT: wholes, TERMS: chunks}


def searcher(
    milvus: Milvus,
    generations: Sequence[int],
    statistics: Mapping[str, TermStatistics],
    dead: Sequence[int] = (),
) -> MilvusSearcher:
    names = CollectionNames("blog")
    return MilvusSearcher(
        milvus,
        GenerationTerms(
            tuple(map(names.posts, generations)),
            tuple(map(names.chunks, generations)),
            tuple(dead),
            statistics,
        ),
    )
