"""The argument that chooses one of several blogs; a server of one blog does not have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field, create_model

from blog_search_mcp.server.engine import Searcher
from blog_search_mcp.server.tools.base import FilterArguments, Tool, ToolReply


def with_blogs(tool: Tool[Any], blogs: Sequence[str]) -> Tool[Any]:
    """Return the tool with an argument for one of `blogs`, if it takes filters.

    A blog is the first folder of its sources, so that it narrows the section. A tool that takes a
    source needs no other word for the blog.
    """
    if not issubclass(tool.arguments, FilterArguments):
        return tool
    one_of: Any = Literal[tuple(blogs)]
    arguments = create_model(
        tool.arguments.__name__,
        __base__=tool.arguments,
        blog=(one_of | None, Field(None, description="This blog instead of all")),
    )

    def run(searcher: Searcher, given: Any) -> ToolReply:
        if given.blog is None:
            return tool.run(searcher, given)
        section = section_of(given.blog, given.section)
        return tool.run(searcher, given.model_copy(update={"section": section}))

    return replace(tool, arguments=arguments, run=run)


def section_of(blog: str, section: str | None) -> str:
    """Return the section within the blog, whether or not it begins with the blog's name."""
    if section is None:
        return blog
    return section if f"{section}/".startswith(f"{blog}/") else f"{blog}/{section}"
