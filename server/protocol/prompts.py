"""Prompts: instructions for common tasks, filled in with a person's arguments.

A person picks these in a client. They hold no text of the blog: the model reads what it needs
through the tools, so the message costs the same for every blog.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from mcp.server import ServerRequestContext
from mcp.types import (
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from blog_search_mcp.server.format.results import replace_surrogates
from blog_search_mcp.server.protocol.errors import check_only_page, invalid_params
from blog_search_mcp.server.tools.base import TEXT_LENGTH, Tool
from blog_search_mcp.server.tools.find_similar import FIND_SIMILAR

ANSWER = Prompt(
    name="answer_from_blog",
    title="Answer from the blog",
    description="Answer a question with what the blog says, and cite it.",
    arguments=[PromptArgument(name="question", description="In plain words", required=True)],
)
COMPARE = Prompt(
    name="compare_posts",
    title="Compare two posts",
    description="Say where two posts agree, differ and contradict each other.",
    arguments=[
        PromptArgument(name="a", description="A post's source or title", required=True),
        PromptArgument(name="b", description="Another post's source or title", required=True),
    ],
)
CHANGED = Prompt(
    name="what_changed",
    title="What changed over time",
    description="Say how the blog's view of a topic developed, post by post.",
    arguments=[PromptArgument(name="topic", description="A tag, section or words", required=True)],
)
BEFORE = Prompt(
    name="before_i_publish",
    title="Before I publish",
    description="Check a draft against the blog: what is said already, what to link, what is next.",
    arguments=[
        PromptArgument(name="draft", description="Its file, or a post's source", required=True)
    ],
)
NEXT = Prompt(
    name="what_to_write_next",
    title="What should I write next?",
    description="Find what the blog lacks or has outdated on a topic, as posts to write.",
    arguments=[PromptArgument(name="topic", description="A tag, section or words", required=True)],
)
Prompts: TypeAlias = Mapping[str, Prompt]
READERS: Prompts = {prompt.name: prompt for prompt in (ANSWER, COMPARE, CHANGED)}
PROMPTS: Prompts = {**READERS, BEFORE.name: BEFORE, NEXT.name: NEXT}
"""By name; those that are no reader's need the author's tools."""

_TEXTS = {
    ANSWER.name: (
        "Answer this from the blog alone: {question}\n\n"
        "1. Call search_blog with the question; if confidence is low, once more in other words.\n"
        "2. Call read_chunk for each hit you rely on.\n"
        "3. Answer briefly. After each claim name the post's title with its url, or its source "
        "if it has none.\n"
        "If the blog does not say, say so and name the nearest posts; add nothing from elsewhere."
    ),
    COMPARE.name: (
        "Compare two posts of the blog: {a} and {b}.\n\n"
        "1. Find both: call read_chunk with chunk_index 0 if a name is a path, else search_blog "
        "for the title.\n"
        "2. Read them to the end with read_chunk.\n"
        "3. Say what each is about and when it was written, where they agree, where they differ "
        "and whether the later one takes something back. Quote the sentences that show it, each "
        "with its post's title and url."
    ),
    CHANGED.name: (
        "Say how the blog's view of this developed: {topic}\n\n"
        "1. Call search_blog with it and page on with next_offset while hits fit; if it is a tag "
        "or a section, search with that filter too.\n"
        "2. Order the posts by date and call read_chunk for what each says.\n"
        "3. Write one entry a post, oldest first: date, title with url, what was new or was "
        "taken back. End with what the newest one holds. Leave out posts without a date, or name "
        "them apart."
    ),
    BEFORE.name: (
        "I am about to publish this: {draft}\n\n"
        "1. Get its text: from this conversation, from its file if you can read files, or give "
        "the tools its source if it is in the blog; else ask me for it.\n"
        "2. Call find_similar and read_chunk where it meets a post. Say what I have written "
        "before, where I now say otherwise, and what is new.\n"
        "3. Call suggest_links, and again with reverse. List each link with the words it stands "
        "on, and the posts that should link here with theirs.\n"
        "4. Call timeline on its subject. Is it the next part of a series, does it take an older "
        "post back?\n"
        "End with what to change before publishing, most important first. Change no file."
    ),
    NEXT.name: (
        "What should I write next about this: {topic}\n\n"
        "1. Call timeline: what the blog has said on it, when it last did, which series has no "
        "end.\n"
        "2. Call search_blog with five questions a reader would ask about it. Low confidence is "
        "a gap. Ask me for the output of `blog-search-mcp author usage` too, which lists what "
        "readers missed; you cannot read it yourself.\n"
        "3. Call find_similar with two sentences on each idea; drop what is written already.\n"
        "Name at most five posts to write, best first: a title, why now, and the nearest post "
        "with its url to link or to update instead."
    ),
}


def offered_prompts(tools: Iterable[Tool[Any]]) -> Prompts:
    """Return the prompts for a client that is offered these tools."""
    return PROMPTS if any(tool.name == FIND_SIMILAR.name for tool in tools) else READERS


def find_prompt(prompts: Prompts, name: str) -> Prompt:
    """Return the prompt. Raises MCPError."""
    prompt = prompts.get(name)
    if prompt is None:
        raise invalid_params(f"Unknown prompt {name[:80]!r}; there is {', '.join(prompts)}.")
    return prompt


def argument_names(prompt: Prompt) -> tuple[str, ...]:
    """Return the names of a prompt's arguments, all of which it needs."""
    return tuple(argument.name for argument in prompt.arguments or ())


def list_prompts(
    offered: Prompts,
    _context: ServerRequestContext[Any],
    params: PaginatedRequestParams | None,
) -> ListPromptsResult:
    """List the prompts, all on one page. Raises MCPError for a cursor."""
    check_only_page(params)
    return ListPromptsResult(prompts=list(offered.values()))


def get_prompt(
    offered: Prompts,
    _context: ServerRequestContext[Any],
    params: GetPromptRequestParams,
) -> GetPromptResult:
    """Fill in a prompt. Raises MCPError for an unknown one, and for wrong arguments."""
    prompt, given = find_prompt(offered, params.name), params.arguments or {}
    names = argument_names(prompt)
    for argument in given:
        if argument not in names:
            known = ", ".join(names)
            raise invalid_params(
                f"{prompt.name} has no argument {argument[:80]!r}; it takes {known}."
            )
    filled = {argument: _value(prompt.name, argument, given) for argument in names}
    text = TextContent(text=_TEXTS[prompt.name].format_map(filled))
    return GetPromptResult(
        description=prompt.description, messages=[PromptMessage(role="user", content=text)]
    )


def _value(prompt: str, argument: str, given: Mapping[str, str]) -> str:
    value = replace_surrogates(given.get(argument, "").strip())
    if not value:
        raise invalid_params(f"{prompt} needs {argument}, which is missing or blank.")
    if len(value) > TEXT_LENGTH:
        raise invalid_params(f"{argument} must be at most {TEXT_LENGTH:,} characters.")
    return value
