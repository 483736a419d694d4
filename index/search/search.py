"""Search one opened generation: retrieve, rank, estimate confidence, and cut to a page of hits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple

import numpy as np

from blog_search_mcp.index.embedders.packaged import is_english_word
from blog_search_mcp.index.invocation import join_sentences
from blog_search_mcp.index.search.confidence import EVERY_WORD, Confidence, estimate_confidence
from blog_search_mcp.index.search.diversity import (
    RankedPassage,
    collapse_copies,
    collapse_translations,
    diversify_passages,
    prefer_current,
)
from blog_search_mcp.index.search.operators import QUOTED, find_phrase, read_demands, read_passages
from blog_search_mcp.index.search.previews import WIDTHS, make_snippet, write_text
from blog_search_mcp.index.search.ranking import (
    choose_weights,
    compute_post_features,
    promote_named_posts,
    reward_posts,
    score_chunks,
    score_posts,
)
from blog_search_mcp.index.search.requests import Request, read_request
from blog_search_mcp.index.search.retrieval import Retrieval, analyze, retrieve
from blog_search_mcp.index.search.snapshot import Snapshot
from blog_search_mcp.index.text.query import (
    Query,
    correct_spelling,
    find_named_posts,
    is_slip,
    name_keys,
)
from blog_search_mcp.index.text.tokenizer import fold, spell_words
from blog_search_mcp.index.types import Answer, Filters, Hit, Post

NO_WORDS = "The query has no word or number that could be looked for."
VERBATIM_POSTS = 10
"""Number of top posts whose best passage is searched for the query as a phrase."""
COMPARED_PASSAGES = 10
"""Number of top passages that are compared to find copies."""
MIN_DATED_SHARE = 0.7
"""Minimum share of the best score that a post needs in an order by date. At .7, .96 of 262
questions on two English blogs keep the post that answers them, and half keep at most two posts."""
MAX_NAMED = 3
"""Maximum number of copies that a notice names, and of words that no post has."""
_POST_ADDRESS = re.compile(
    r"https?://[^\s，。）]+|(?<!\S)(?:[\w-]+\.[a-z][\w.-]*/\S+|\S+\.mdx?\b"
    r"|(?:/|\A(?=\S+\Z))[\w-]+(?:/[\w.-]+)++)"
)
"""A URL, even without scheme, a Markdown file's name, a path from `/`, or a text that is a path."""


class Understanding(NamedTuple):
    """A query as the search reads it."""

    query: Query
    as_asked: Query | None
    """The query before spelling correction, if the correction is not sure."""
    post_ids: Sequence[int] | None
    """IDs of the posts to search; `None` for all."""
    chunks: frozenset[int]
    """IDs of the chunks that have a phrase in quotes; empty without one."""
    notice: str
    """Sentences that say how the query was understood."""
    order: str


def search(
    snapshot: Snapshot, text: str, filters: Filters, limit: int, offset: int, order: str = ""
) -> Answer:
    """Return an answer with up to `limit` hits from `offset` on, best first.

    With `order` (`newest`, `oldest`, else the text's) each good post has one hit, sorted by date.
    Quotes and exclusions in the text filter posts; so do times and authors in a query for posts. If
    such a query names no subject, all its posts are listed by date.
    """
    # 1. Understand the query.
    understood = understand(snapshot, text, filters)
    query, order = understood.query, order or understood.order
    if not query.text:  # the text asks for posts and names no subject
        return _list_posts(snapshot, understood._replace(order=order), text, limit, offset)
    # 2. Retrieve candidates and rank their posts.
    retrieved = retrieve(snapshot, query, understood.post_ids)
    scores, confidence = _rank_posts(snapshot, retrieved)
    # 3. Limit the confidence to that of the query as it was asked.
    if understood.as_asked:
        as_asked = retrieve(snapshot, understood.as_asked, understood.post_ids)
        confidence = min(confidence, _rank_posts(snapshot, as_asked)[1])
    # 4. Rank the passages of the posts, without translations and copies.
    chunk_scores = score_chunks(retrieved)
    if understood.chunks:
        chunk_scores[~np.isin(retrieved.posts.chunks, [*understood.chunks])] = 0.0
    post_scores = collapse_translations(scores, snapshot.translations, query.text)
    passages = diversify_passages(post_scores, retrieved.posts, chunk_scores)
    compared = snapshot.catalog.chunks(passage.chunk for passage in passages[:COMPARED_PASSAGES])
    texts = {number: chunk.plain for number, chunk in compared.items()}
    passages, copies = collapse_copies(passages, texts)
    if order:
        good = (each for each in passages if each.score >= MIN_DATED_SHARE * passages[0].score)
        best = {each.post: each for each in reversed([*good])}
        passages = [best[post] for post in _sort_posts(snapshot.catalog.posts(best), order)]
    # 5. Cut to a page, and say what the reader must know.
    page = passages[offset : offset + limit]
    notice = join_sentences(
        retrieved.notice,
        understood.notice,
        _describe_missing(retrieved, MAX_NAMED),
        _describe_copies(snapshot, page, copies),
        confidence.notice if passages or confidence.level == "normal" else "",
        "" if query.words else NO_WORDS,
        _describe_more(snapshot, understood, page) if confidence.level != "low" else "",
    )
    stems = {stem: retrieved.idf[word] for word in query.content for stem in word.stems}
    return Answer(
        query=query,
        hits=_make_hits(snapshot, page, offset, stems),
        total=len(passages),
        offset=offset,
        confidence=confidence.level,
        certainty=confidence.certainty,
        notice=notice or None,
    )


def understand(snapshot: Snapshot, text: str, filters: Filters) -> Understanding:
    """Read a query's filters and operators, correct its spelling, and analyze what is left."""
    for word in _POST_ADDRESS.findall(text):  # an address stands for its post's title
        if len(sources := snapshot.catalog.find_sources(word.rstrip(".,;:!?"))) == 1:
            text = snapshot.catalog.require_post(sources[0])[1].title
    request = Request(text, filters, "")
    if not find_named_posts(snapshot.posts_by_name, text):  # a title is never read as a request
        find = partial(find_phrase, snapshot)
        request = read_request(text, filters, snapshot.catalog.authors, find, date.today())
    among = snapshot.catalog.matching_posts(request.filters)
    demands = read_demands(snapshot, request.subject, among)
    meant, spelling_notice, is_sure = _correct_spelling(snapshot, demands.text)
    notice = " ".join(filter(None, (request.notice, demands.notice, spelling_notice)))
    query = analyze(snapshot, meant)
    as_asked = None if is_sure else analyze(snapshot, demands.text)
    return Understanding(query, as_asked, demands.post_ids, demands.chunks, notice, request.order)


def _describe_copies(
    snapshot: Snapshot, page: Sequence[RankedPassage], copies: Mapping[int, list[int]]
) -> str:
    """Return a notice that names posts with copies of the shown passages, else `""`."""
    copied = {post for passage in page for post in copies.get(passage.chunk, ())}
    sources = [post.source for post in snapshot.catalog.posts(sorted(copied)).values()]
    more = f" and {len(sources) - MAX_NAMED} more" if len(sources) > MAX_NAMED else ""
    return f"Nearly the same text is in {', '.join(sources[:MAX_NAMED])}{more}." if sources else ""


def _correct_spelling(snapshot: Snapshot, text: str) -> tuple[str, str, bool]:
    """Return the query as meant, a notice of corrected words, and whether the correction is sure.

    Words split in two are not in the notice and do not count here. One correction is sure if
    `is_slip`, several always: a blog seldom has similar words for all of them by chance.
    """
    languages, frequency_of = snapshot.languages, snapshot.lexical.posts.document_frequency
    find, corrected = partial(_find_spelling, snapshot), list[tuple[str, str]]()
    meanings = correct_spelling(text, languages, frequency_of, is_english_word, find)
    for word, meant in meanings.items():
        text = re.sub(rf"\b{word}\b", meant, text)
        corrected += [(word, meant)] * (" " not in meant)
    notice = [f'No post has "{word}"; searched for "{meant}" instead.' for word, meant in corrected]
    return text, " ".join(notice), len(corrected) != 1 or is_slip(*corrected[0])


def _find_spelling(snapshot: Snapshot, words: str) -> str:
    """Return the commonest spelling of folded `words` in posts, plural or not, else `""`."""
    passages = dict(read_passages(snapshot, words))
    posts = snapshot.table.posts_of_chunks(np.array([*passages], np.int64)).tolist()
    titles = (post.title for post in snapshot.catalog.posts(posts).values())
    text = "\n".join((*titles, *passages.values()))
    runs = re.findall(rf"\b{words}\b" if " " in words else r"[^\W\d_]+", text, re.IGNORECASE)
    wanted = words.replace(" ", "").removesuffix("s")
    forms = [run for run in runs if fold(run).removesuffix("s") == wanted]
    return max(dict.fromkeys(forms), key=forms.count, default="")


def _describe_more(
    snapshot: Snapshot, understood: Understanding, page: Sequence[RankedPassage]
) -> str:
    """Return a notice of how many posts have all content words, if some but fewer are shown."""
    shown = len({passage.post for passage in page})
    count = snapshot.lexical.posts.count_with_all(understood.query, understood.post_ids)
    return f"{count:,} posts have every word; {shown} shown." if count > shown > 0 else ""


def _describe_missing(retrieved: Retrieval, most: int) -> str:
    """Return a notice of unquoted words that no post has (`read_demands` names quoted ones)."""
    quoted = " ".join(map("".join, QUOTED.findall(retrieved.query.text)))
    words = [f'"{word}"' for word in retrieved.missing if word not in quoted][:most]
    return f"No post has {' or '.join(words)}." if words else ""


def _rank_posts(snapshot: Snapshot, retrieved: Retrieval) -> tuple[dict[int, float], Confidence]:
    """Score the candidates by features, then by the query as a heading, a phrase or a name.

    Return the scores, in [0, 1] by post id, and the confidence.
    """
    # 1. Score by features; replaced posts stand below the current ones.
    text = retrieved.query.text
    weights = choose_weights(retrieved.query, by_meaning=retrieved.nearness is not None)
    scores = score_posts(compute_post_features(retrieved), retrieved.posts, weights)
    scores = prefer_current(scores, snapshot.replaced, text)
    best = max(scores.values(), default=0.0)
    confidence = estimate_confidence(retrieved, best, snapshot.languages[0])
    # 2. Raise posts that have the query as a heading, or word for word.
    with_heading = snapshot.catalog.posts_with_heading(name_keys(text))
    scores = reward_posts(scores, with_heading)
    verbatim = _find_verbatim(snapshot, retrieved, scores)
    scores = reward_posts(scores, verbatim)
    # 3. Put posts first that the query names by title, alias or author, and their newer versions.
    named = [post for post in find_named_posts(snapshot.posts_by_name, text) if post in scores]
    newer = (snapshot.replaced[post].current for post in named if post in snapshot.replaced)
    named += [post for post in newer if post in scores]
    if named:
        scores = promote_named_posts(scores, named)
        confidence = Confidence("normal", 1.0, "")
    # 4. Scale by the certainty, so that scores of different queries are comparable.
    scale = confidence.certainty or 1.0
    return {post: score * scale for post, score in scores.items()}, confidence


def _find_verbatim(
    snapshot: Snapshot, retrieved: Retrieval, scores: Mapping[int, float]
) -> list[int]:
    """Return the top posts whose best passage has the query as a phrase.

    Commands, identifiers and error messages may be copied from a post; questions are not, so they
    find none. Only passages that have all the words are read.
    """
    words, posts = spell_words(retrieved.query.text), retrieved.posts
    if retrieved.query.is_question or not words.strip() or retrieved.coverage < EVERY_WORD:
        return []
    best = sorted(scores, key=lambda post: (-scores[post], post))[:VERBATIM_POSTS]
    with_every_word = {*posts.chunks[posts.coverage >= EVERY_WORD].tolist()}
    post_of = {posts.best_chunk(post): post for post in best}
    chunks = snapshot.catalog.chunks([chunk for chunk in post_of if chunk in with_every_word])
    return [post_of[number] for number in chunks if words in spell_words(chunks[number].plain)]


def _sort_posts(posts: Mapping[int, Post], order: str) -> list[int]:
    """Return post ids by date, newest first unless `order` is `oldest`; undated ones last."""
    by_source, last = sorted(posts, key=lambda n: posts[n].source), "~" * (order == "oldest")
    return sorted(by_source, key=lambda n: posts[n].date or last, reverse=order != "oldest")


def _list_posts(
    snapshot: Snapshot, understood: Understanding, text: str, limit: int, offset: int
) -> Answer:
    """List by date the posts asked for; of translations only the one in the language of `text`."""
    catalog, among = snapshot.catalog, understood.post_ids
    posts = catalog.every_post() if among is None else catalog.posts(among)
    readable = dict.fromkeys(posts.keys() & snapshot.table.posts.tolist(), 1.0)
    collapsed = collapse_translations(readable, snapshot.translations, text)
    shown = [post for post in _sort_posts(posts, understood.order) if post in collapsed]
    page = [
        RankedPassage(post, next(iter(catalog.chunks_of(post))), 1.0)
        for post in shown[offset : offset + limit]
    ]
    return Answer(
        query=understood.query,
        hits=_make_hits(snapshot, page, offset, {}),
        total=len(shown),
        offset=offset,
        confidence="normal" if shown else "low",
        certainty=1.0 if shown else 0.0,
        notice=f"{understood.notice} {len(shown):,} in all.",
    )


def _make_hits(
    snapshot: Snapshot, page: Sequence[RankedPassage], offset: int, stems: Mapping[str, float]
) -> tuple[Hit, ...]:
    chunks = snapshot.catalog.chunks([passage.chunk for passage in page])
    posts = snapshot.catalog.posts(passage.post for passage in page)
    return tuple(
        Hit(
            post=posts[post],
            chunk=chunks[chunk],
            score=score,
            preview=make_snippet(
                write_text(chunks[chunk]),
                stems,
                posts[post].language,
                WIDTHS[min(rank, len(WIDTHS) - 1)],
            ),
            translations=snapshot.translations_of(post),
            series=snapshot.series[post].place_of(post) if post in snapshot.series else None,
            replacement=snapshot.replaced.get(post),
        )
        for rank, (post, chunk, score) in enumerate(page, offset)
    )
