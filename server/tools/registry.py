"""Which tools are offered: two for every client, more for those who browse a blog or write it.

Two tools answer questions, and a model pays for each definition in every session, so the
others are asked for at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from pydantic import Field, create_model

from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.settings import ToolsetName
from blog_search_mcp.server.tools.base import FilterArguments, Tool
from blog_search_mcp.server.tools.find_similar import FIND_SIMILAR
from blog_search_mcp.server.tools.get_outline import GET_OUTLINE
from blog_search_mcp.server.tools.list_posts import LIST_POSTS
from blog_search_mcp.server.tools.read_chunk import READ_CHUNK
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG
from blog_search_mcp.server.tools.suggest_links import SUGGEST_LINKS
from blog_search_mcp.server.tools.timeline import TIMELINE

Tools: TypeAlias = tuple[Tool[Any], ...]

CORE: Tools = (SEARCH_BLOG, READ_CHUNK)
EXTENDED: Tools = (*CORE, LIST_POSTS, GET_OUTLINE)
AUTHOR: Tools = (*CORE, FIND_SIMILAR, SUGGEST_LINKS, TIMELINE)

TOOLSETS: dict[ToolsetName, Tools] = {"core": CORE, "extended": EXTENDED, "author": AUTHOR}


def tools_for(name: ToolsetName, blogs: Sequence[str] = ()) -> Tools:
    """Return the tools of this set, for `blogs` if they are several."""
    return tuple(with_blogs(tool, blogs) if blogs else tool for tool in TOOLSETS[name])


class BlogArguments(FilterArguments):
    """The filters over several blogs: one is the first folder of its sources, as of a section."""

    blog: str | None = None

    @property
    def filters(self) -> Filters:
        """What a post must satisfy."""
        found = super().filters
        return replace(found, section=section_of(self.blog, self.section)) if self.blog else found

    @property
    def given(self) -> dict[str, str]:
        """The filters that were given, by the names of their arguments."""
        return {**({"blog": self.blog} if self.blog else {}), **super().given}


def with_blogs(tool: Tool[Any], blogs: Sequence[str]) -> Tool[Any]:
    """Return the tool with an argument for one of several `blogs`, if it takes filters.

    A tool that takes a source needs no other word for the blog.
    """
    if not issubclass(tool.arguments, FilterArguments):
        return tool
    one_of: Any = Literal[tuple(blogs)]
    arguments = create_model(
        tool.arguments.__name__,
        __base__=(BlogArguments, tool.arguments),
        blog=(one_of | None, Field(None, description="This blog instead of all")),
    )
    return replace(tool, arguments=arguments)


def section_of(blog: str, section: str | None) -> str:
    """Return the section within the blog, whether or not it begins with the blog's name."""
    if section is None:
        return blog
    return section if f"{section}/".startswith(f"{blog}/") else f"{blog}/{section}"
