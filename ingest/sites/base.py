"""The seam for site generators: `Generator`, whose fields are settings that addresses depend on.

A place is a file's path below the site's folder, with `/`.
"""

import posixpath
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias

from pydantic import AliasPath, BaseModel, ConfigDict, Field, ValidationError

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.ingest.sites.config import Config
from blog_search_mcp.ingest.sites.engine import Rules, UrlFields, is_ignored

Off: TypeAlias = Literal[False, 0, "0", "false", "no", "off"]
"""A setting that leaves all addresses open unless it is off."""
On: TypeAlias = Literal[True, "true", "yes", "on"]


def at(*path: str, default: Any) -> Any:
    """Say where in the configuration a setting lies, and what it is where that is not set."""
    return Field(default, validation_alias=AliasPath(*path))


def are_usual(given: object, **usual: str) -> bool:
    """Whether settings of a mapping have these values, in lower case, where they are set."""
    known = given if isinstance(given, dict) else {}
    return all(str(known.get(name, value)).lower() == value for name, value in usual.items())


Default: TypeAlias = tuple[str, str | None, Mapping[str, object]]
"""Fields that a configuration gives to posts that have none of these names: what their places begin
with, `""` for all; the collection as in `Cascade`; the fields."""


class Generator(BaseModel):
    """One generator as a site uses it; without a configuration as it is by default."""

    model_config = ConfigDict(frozen=True)

    files: ClassVar[tuple[str, ...]] = ()
    """Names of its configuration in a site's folder, of which the first with settings counts."""
    has_addresses: ClassVar[bool] = True
    posts: ClassVar[str] = ""
    """Glob of the folders below that of the posts which hold dated ones."""
    endings: ClassVar[tuple[str, ...]] = ("",)
    """Of the files that pages are made of."""
    takes_patterns: ClassVar[bool] = False

    prefix: str = ""
    """Place of the content folder, with `/` at the end; `""` if it is the site's folder."""
    folder: str = ""
    """Place of the folder of the posts; `""` if it is the site's folder."""
    address: str = ""
    """Base URL of the configuration; empty if it names none."""
    doubt: str = ""
    """Why no page's address is sure; empty if it may be."""
    pattern: str = ""
    """That of `--permalink`, which every post has; `""` for those of the configuration."""
    is_assumed: bool = False
    """Whether nothing tells the generator but a pattern, which then has no rules of its own."""
    excluded: tuple[Rules, ...] = ()
    """Rules of paths below the folder of the posts, each of which leaves files out."""
    rendered: Rules = ()
    """Rules of the only files that pages are made of; empty for all that are not excluded."""
    bundles: frozenset[str] = Field(default=frozenset(), repr=False)
    """Places of folders that hold an `index`."""
    inherited: tuple[Default, ...] = Field(default=(), repr=False)
    """What the configuration gives to posts, the most specific first."""

    @classmethod
    def read(cls, config: Config, folder: Path) -> Self | None:  # noqa: ARG003 - a default
        """Read the configuration in a site's folder; `None` if it is none of this generator."""
        return cls.make(config) if config else None

    @classmethod
    def make(cls, config: Config, doubts: Iterable[str] = (), **update: Any) -> Self:
        """Make one by its settings; any of another type than it should have is in doubt."""
        own = Generator.model_fields
        given = {k: v for k, v in config.items() if v is not None and k not in own}
        found = [*doubts]
        while True:
            try:
                made = cls.model_validate(given)
            except ValidationError as error:
                path = [str(name) for name in error.errors()[0]["loc"]]
                found.append(f"what the configuration says of {'.'.join(path)} is not understood")
                del given[path[0]]
            else:
                return made.model_copy(update={"doubt": next(iter(found), ""), **update})

    def list_folders(self) -> Iterable[str]:
        """List the places of the folders of posts, the innermost first; `""` for the site's."""
        return (posixpath.normpath(self.folder).strip("./"),)

    def leaves_out(self, inner: str) -> bool:
        """Whether no page is made of a path below a folder of posts."""
        is_excluded = any(is_ignored(inner, rules) for rules in self.excluded)
        is_rendered = not self.rendered or is_ignored(inner, self.rendered)
        return is_excluded or not is_rendered or not inner.endswith(self.endings)

    def find_path(self, folder: str, inner: str, fields: UrlFields) -> str:  # noqa: ARG002
        """Make the percent-encoded path of a page, given its folder of posts and its path there.

        Raises NoLink where it is not sure, as it never is of a generator that is not known.
        """
        raise NoLink(self.doubt or "no generator is known")

    @property
    def letters_of_ids(self) -> tuple[str, ...]:
        """Unicode's categories of what ids of headings keep; none if they are not known."""
        return ()
