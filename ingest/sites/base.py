"""The row of a site generator: `Generator`, whose fields are settings that addresses depend on.

A place is a file's path below the site's folder, with `/`.
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias
from urllib.parse import quote

from pydantic import AliasPath, BaseModel, ConfigDict, Field, ValidationError

from blog_search_mcp.index.posts.ignores import leaves_out
from blog_search_mcp.index.posts.visibility import ZONE
from blog_search_mcp.ingest.sites.config import Config
from blog_search_mcp.ingest.sites.engine import Rules, UrlFields

Off: TypeAlias = Literal[False, 0, "0", "false", "no", "off"]
"""A setting that leaves all addresses open unless it is off."""
On: TypeAlias = Literal[True, "true", "yes", "on"]


def at(*path: str, default: Any = "") -> Any:
    """Say where in the configuration a setting lies, and what it is where that is not set."""
    return Field(default, validation_alias=AliasPath(*path))


def are_usual(given: object, **usual: str) -> bool:
    """Whether settings of a mapping have these values, in lower case, where they are set."""
    settings = given if isinstance(given, dict) else {}
    return all(str(settings.get(name, value)).lower() == value for name, value in usual.items())


Default: TypeAlias = tuple[str, str | None, Mapping[str, object]]
"""Fields that a configuration gives to posts that have none of these names: what their places begin
with, `""` for all; the collection as in `Cascade`; the fields."""


class Generator(BaseModel):
    """One generator as a site uses it; without a configuration as it is by default."""

    model_config = ConfigDict(frozen=True)

    files: ClassVar[tuple[str, ...]] = ()
    """Names of its configuration in a site's folder, of which the first with settings counts."""
    marks: ClassVar[Set[str]] = frozenset()
    """Settings, one of which a configuration must have to be of this generator; none if any is."""
    posts: ClassVar[str] = ""
    """Glob of the folders below that of the posts which hold dated ones."""
    endings: ClassVar[tuple[str, ...]] = ("",)
    """Of the files that pages are made of."""
    takes_patterns: ClassVar[bool] = False
    usual_zone: ClassVar[str] = ""
    """Of times without one, where `timezone` is not set; `""` for the building machine's."""

    timezone: str = ""
    config: Config = Field(default={}, repr=False)
    """The whole configuration."""
    prefix: str = ""
    """Place of the content folder, with `/` at the end; `""` if it is the site's folder."""
    folder: str = ""
    """Place of the folder of the posts; `""` if it is the site's folder."""
    address: object = ""
    doubt: str = ""
    """Why no page's address is sure; empty if it may be."""
    pattern: str = ""
    """That of `--permalink`, which every post has; `""` for those of the configuration."""
    is_assumed: bool = False
    """Whether nothing tells the generator but a pattern, which then has no rules of its own."""
    bundles: frozenset[str] = Field(default=frozenset(), repr=False)
    """Places of folders that hold an `index`."""

    @classmethod
    def read(cls, config: Config, folder: Path) -> Self | None:  # noqa: ARG003 - a default
        """Read the configuration in a site's folder; `None` if it is none of this generator."""
        is_its = config and (not cls.marks or cls.marks & config.keys())
        return cls.make(config) if is_its else None

    @classmethod
    def make(cls, config: Config, doubt: str = "") -> Self:
        """Make one by its settings; any of another type than it should have is in doubt."""
        ours = Generator.model_fields.keys() - {"timezone"}
        given = {k: v for k, v in config.items() if v is not None and k not in ours}
        while True:
            try:
                made = cls.model_validate(given).model_copy(update={"config": config})
            except ValidationError as error:
                path = [str(name) for name in error.errors()[0]["loc"]]
                doubt = f"what the configuration says of {'.'.join(path)} is not understood"
                del given[path[0]]
            else:
                doubts = filter(None, (doubt, *made.find_doubts()))
                return made.model_copy(update={"doubt": next(doubts, "")})

    @property
    def base_url(self) -> str:
        """The base URL of the configuration; empty if it names none."""
        return self.address.strip().rstrip("/") if isinstance(self.address, str) else ""

    def find_doubts(self) -> Iterator[str]:
        """Yield what else of the settings makes every address unsure."""
        return iter(())

    def list_defaults(self) -> Iterator[Default]:
        """Yield what the configuration gives to posts, the most specific first."""
        yield "", None, {ZONE: self.timezone or self.usual_zone}

    def list_rules(self) -> Iterator[Rules]:
        """Yield rules of paths below the folder of the posts, each of which leaves files out."""
        return iter(())

    def list_folders(self) -> Iterable[str]:
        """List the places of the folders of posts, the innermost first; `""` for the site's."""
        return (clean_folder(self.folder),)

    def leaves_out(self, inner: str) -> bool:
        """Whether no page is made of a path below a folder of posts."""
        is_page = inner.endswith(self.endings)
        return not is_page or any(leaves_out(rules, inner) for rules in self.list_rules())

    def find_path(self, folder: str, inner: str, fields: UrlFields) -> str:  # noqa: ARG002
        """Make the percent-encoded path of a page, given its folder of posts and its path there.

        Raises NoLink where it is not sure.
        """
        return quote(f"/{inner.rpartition('.')[0]}.html")

    @property
    def letters_of_ids(self) -> tuple[str, ...]:
        """Unicode's categories of what ids of headings keep; none if they are not known."""
        return ()


def clean_folder(path: str) -> str:
    """Return a folder of a configuration as places are written, `""` for the site's."""
    folder = posixpath.normpath(path.strip("/"))
    return "" if folder == "." else folder
