"""Search one opened generation: retrieve, rank, estimate confidence, and cut to a page of hits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from blog_search_mcp.index.embedders.packaged import is_english_word
from blog_search_mcp.index.invocation import join_sentences
from blog_search_mcp.index.search.confidence import EVERY_WORD, Confidence, estimate_confidence
from blog_search_mcp.index.search.diversity import (
    RankedPassage,
    collapse_copies,
    collapse_translations,
    diversify_passages,
)
from blog_search_mcp.index.search.doc_versions import prefer_current
from blog_search_mcp.index.search.operators import QUOTED, find_phrase, read_demands, read_passages
from blog_search_mcp.index.search.previews import WIDTHS, make_snippet
from blog_search_mcp.index.search.ranking import (
    Rewards,
    choose_weights,
    compute_post_features,
    explain_score,
    promote_named_posts,
    reward_posts,
    score_chunks,
    score_posts,
)
from blog_search_mcp.index.search.requests import LISTED_NOTICE, read_request
from blog_search_mcp.index.search.retrieval import Retrieval, analyze, retrieve
from blog_search_mcp.index.search.snapshot import Snapshot
from blog_search_mcp.index.text.query import (
    Query,
    correct_spelling,
    find_named_posts,
    name_keys,
)
from blog_search_mcp.index.text.tokenizer import fold, spell_words
from blog_search_mcp.index.types import Answer, Filters, Hit, Reason

NO_WORDS = "The query has no word or number that could be looked for."

LOOKED_AT = 10
"""Of the best posts, those whose passage is read for the query word for word (a place lower hardly
any is first by it); of the best passages, those that are compared with each other."""

MAX_NAMED = 3
"""Copies, and words that no post has, that a notice names at most; other copies are counted."""


def search(snapshot: Snapshot, text: str, filters: Filters, *, limit: int, offset: int) -> Answer:
    """The hits from `offset` on, `limit` at most, best first; of what a misspelled query means."""
    query, asked, among, quoting, understood = understand(snapshot, text, filters)
    if understood == LISTED_NOTICE:
        return _list_newest(snapshot, query, text, among, limit, offset)
    retrieved = retrieve(snapshot, query, among)
    ranked, sureness, explain = _rank_posts(snapshot, retrieved)
    if asked is not query:  # "low" comes before "normal"
        as_asked = retrieve(snapshot, asked, among)
        sureness = min(sureness, estimate_confidence(as_asked, snapshot.languages[0]))
    confidence, certainty, unsure = sureness
    scores = score_chunks(retrieved)
    if quoting:
        scores[~np.isin(retrieved.posts.chunks, [*quoting])] = 0.0
    shown = collapse_translations(ranked, snapshot.translations, query.text)
    passages = diversify_passages(shown, retrieved.posts, scores)
    first = snapshot.catalog.chunks(passage.chunk for passage in passages[:LOOKED_AT])
    passages, copies = collapse_copies(passages, {n: chunk.plain for n, chunk in first.items()})
    page = passages[offset : offset + limit]
    low = unsure if passages else "" if retrieved.query.words else NO_WORDS
    missing = _name_missing(retrieved, MAX_NAMED - (asked is not query))
    copied = _name_copies(snapshot, page, copies)
    notice = join_sentences(retrieved.notice, understood, missing, copied, low)
    stems = {stem: retrieved.idf[word] for word in retrieved.query.content for stem in word.stems}
    return Answer(
        query=query,
        hits=_make_hits(snapshot, page, offset, stems, explain),
        total=len(passages),
        offset=offset,
        confidence=confidence,
        certainty=certainty,
        notice=notice or None,
    )


def understand(
    snapshot: Snapshot, text: str, filters: Filters
) -> tuple[Query, Query, Sequence[int] | None, frozenset[int], str]:
    """Analyse a query: what to search for, among which posts and passages, and a notice.

    The second is the query as it was asked where the notice says that its spelling is corrected.
    """
    requested = ""
    if not find_named_posts(snapshot.titles, text):
        find = partial(find_phrase, snapshot)
        text, filters, requested = read_request(text, filters, snapshot.authors, find)
    matching = snapshot.catalog.matching_posts(filters)
    text, among, quoting, demanded = read_demands(snapshot, text, matching)
    meant, corrected = _correct_spelling(snapshot, text)
    notice = " ".join(filter(None, (requested, demanded, corrected)))
    query = analyze(snapshot, meant)
    asked = analyze(snapshot, text) if corrected else query
    return query, asked, among, quoting, notice


def _name_copies(
    snapshot: Snapshot, page: Sequence[RankedPassage], copies: Mapping[int, list[int]]
) -> str:
    """What the reader is told of the copies of what is shown."""
    copied = {post for passage in page for post in copies.get(passage.chunk, ())}
    sources = [post.source for post in snapshot.catalog.posts(sorted(copied)).values()]
    more = f" and {len(sources) - MAX_NAMED} more" if len(sources) > MAX_NAMED else ""
    return f"Nearly the same text is in {', '.join(sources[:MAX_NAMED])}{more}." if sources else ""


def _correct_spelling(snapshot: Snapshot, text: str) -> tuple[str, str]:
    """The query as it is meant, and what the reader is told of it; nothing of a word in two."""
    languages, frequency_of = snapshot.languages, snapshot.lexical.posts.document_frequency
    find = partial(_find_spelling, snapshot)
    word, meant = correct_spelling(text, languages, frequency_of, is_english_word, find) or ("", "")
    if not word:
        return text, ""
    told = "" if " " in meant else f'No post has "{word}"; searched for "{meant}" instead.'
    return re.sub(rf"\b{word}\b", meant, text), told


def _find_spelling(snapshot: Snapshot, words: str) -> str:
    """A folded word as posts write it most often, or several as they are; `""` if none does."""
    passages = dict(read_passages(snapshot, words))
    posts = snapshot.table.posts_of_chunks(np.array([*passages], np.int64)).tolist()
    titles = (post.title for post in snapshot.catalog.posts(posts).values())
    text = "\n".join((*titles, *passages.values()))
    runs = re.findall(rf"\b{words}\b" if " " in words else r"[^\W\d_]+", text, re.IGNORECASE)
    forms = [run for run in runs if fold(run) == words.replace(" ", "")]
    return max(dict.fromkeys(forms), key=forms.count, default="")


def _name_missing(retrieved: Retrieval, most: int) -> str:
    """What the reader is told of words that no post has; `read_demands` tells of quotes."""
    quoted = " ".join(map("".join, QUOTED.findall(retrieved.query.text)))
    words = [f'"{word}"' for word in retrieved.missing if word not in quoted][:most]
    return f"No post has {' or '.join(words)}." if words else ""


def _rank_posts(
    snapshot: Snapshot, retrieved: Retrieval
) -> tuple[dict[int, float], Confidence, Callable[[int], tuple[Reason, ...]]]:
    """Score the candidates by their features, then by what has or names the query itself.

    The answer's certainty makes scores comparable between queries. Returned last is what tells why
    a post has its score.
    """
    text = retrieved.query.text
    features = compute_post_features(retrieved)
    weights = choose_weights(retrieved.query, by_meaning=retrieved.nearness is not None)
    scores = score_posts(features, retrieved.posts, weights)
    scores = prefer_current(scores, snapshot.versions, text)
    confidence = estimate_confidence(retrieved, snapshot.languages[0])
    headed = snapshot.catalog.posts_with_heading(name_keys(text))
    scores = reward_posts(scores, headed)
    verbatim = _find_verbatim(snapshot, retrieved, scores)
    scores = reward_posts(scores, verbatim)
    named = [post for post in find_named_posts(snapshot.titles, text) if post in scores]
    if named:
        scores, confidence = promote_named_posts(scores, named), ("normal", 1.0, "")
    rewards: Rewards = {"heading": headed, "verbatim": verbatim}
    scale = confidence[1] or 1.0
    explain = partial(explain_score, scale, features, weights, rewards, retrieved.posts)
    return {post: score * scale for post, score in scores.items()}, confidence, explain


def _find_verbatim(
    snapshot: Snapshot, retrieved: Retrieval, scores: Mapping[int, float]
) -> list[int]:
    """Of the best posts, those whose best passage has the query word for word.

    Such is a command, an identifier or an error message that was copied; a question is never. Only
    passages that have all the words are read.
    """
    words, posts = spell_words(retrieved.query.text), retrieved.posts
    if retrieved.query.is_question or not words.strip() or retrieved.coverage < EVERY_WORD:
        return []
    best = sorted(scores, key=lambda post: (-scores[post], post))[:LOOKED_AT]
    full = {*posts.chunks[posts.coverage >= EVERY_WORD].tolist()}
    passages = {chunk: post for post in best if (chunk := posts.best_chunk(post)) in full}
    chunks = snapshot.catalog.chunks(passages)
    return [passages[number] for number in chunks if words in spell_words(chunks[number].plain)]


def _list_newest(
    snapshot: Snapshot,
    query: Query,
    text: str,
    among: Sequence[int] | None,
    limit: int,
    offset: int,
) -> Answer:
    """List the posts that pass, of translations one in the language of the text, newest first."""
    catalog = snapshot.catalog
    posts = catalog.every_post() if among is None else catalog.posts(among)
    readable = dict.fromkeys(posts.keys() & snapshot.table.posts.tolist(), 1.0)
    collapsed = collapse_translations(readable, snapshot.translations, text)
    shown = sorted(collapsed, key=lambda n: posts[n].source)
    shown.sort(key=lambda n: posts[n].date or "", reverse=True)
    page = [
        RankedPassage(post, next(iter(catalog.chunks_of(post))), 1.0)
        for post in shown[offset : offset + limit]
    ]
    hits = _make_hits(snapshot, page, offset, {}, lambda _: ())
    confidence = ("normal", 1.0) if shown else ("low", 0.0)
    return Answer(query, hits, len(shown), offset, *confidence, LISTED_NOTICE if shown else None)


def _make_hits(
    snapshot: Snapshot,
    page: Sequence[RankedPassage],
    offset: int,
    stems: Mapping[str, float],
    explain: Callable[[int], tuple[Reason, ...]],
) -> tuple[Hit, ...]:
    chunks = snapshot.catalog.chunks([passage.chunk for passage in page])
    posts = snapshot.catalog.posts(passage.post for passage in page)
    return tuple(
        Hit(
            post=posts[post],
            chunk=chunks[chunk],
            score=score,
            preview=make_snippet(
                chunks[chunk].plain or chunks[chunk].text,
                stems,
                posts[post].language,
                WIDTHS[min(rank, len(WIDTHS) - 1)],
            ),
            translations=snapshot.translations_of(post),
            series=snapshot.series[post].place_of(post) if post in snapshot.series else None,
            reasons=explain(post),
        )
        for rank, (post, chunk, score) in enumerate(page, offset)
    )
