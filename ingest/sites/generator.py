"""The row of a site generator: `Generator`, whose fields are settings that addresses depend on.

A place is a file's path below the site's folder, with `/`. `Fields` are a post's front matter by
names in lower case.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias
from urllib.parse import quote
from zoneinfo import ZoneInfo

from pydantic import AliasPath, BaseModel, ConfigDict, Field, ValidationError

from blog_search_mcp.index.errors import ContentError, NoLink
from blog_search_mcp.index.types import MAX_ADDRESS
from blog_search_mcp.ingest.posts.ignore_rules import Rules, compile_rules, leaves_out
from blog_search_mcp.ingest.posts.metadata import Fields, first_date
from blog_search_mcp.ingest.posts.visibility import ZONE
from blog_search_mcp.ingest.sites.configuration import Config, find_setting, get_text

Off: TypeAlias = Literal[False, 0, "0", "false", "no", "off"]
"""A setting that leaves all addresses open unless it is off."""

Default: TypeAlias = tuple[str, str | None, Mapping[str, object]]
"""Fields that a configuration gives to posts that have none of these names: what their places begin
with, `""` for all; the collection as in `Cascade`; the fields."""


def setting_at(*path: str, default: Any = "") -> Any:
    """Say where in the configuration a setting lies, and what it is where that is not set."""
    return Field(default, validation_alias=AliasPath(*path))


class Generator(BaseModel):
    """One generator as a site uses it; without a configuration as it is by default."""

    model_config = ConfigDict(frozen=True)

    files: ClassVar[tuple[str, ...]] = ()
    """Names of its configuration in a site's folder, of which the first with settings counts."""
    marks: ClassVar[Set[str]] = frozenset()
    """Settings, one of which a configuration must have to be of this generator; none if any is."""
    dated: ClassVar[str] = ""
    """A folder below that of the posts which holds dated ones, and tells likewise."""
    endings: ClassVar[tuple[str, ...]] = ("",)
    """Of the files that pages are made of."""
    never: ClassVar[tuple[str, ...]] = ()
    """Lines of a `.gitignore`: what below the folder of the posts is never one of them."""
    token: ClassVar[re.Pattern[str] | None] = None
    """What its patterns have in place of a value, with the name as first group; `None` without."""
    safe: ClassVar[str] = "/"
    """Signs of an address that are not percent-encoded."""
    templates: ClassVar[str] = ""
    """Pattern of the plugins that run templates over posts; `""` if they are always run."""
    ids: ClassVar[tuple[str, ...]] = ()
    """Unicode's categories of what ids of headings keep, if these settings are as usual."""
    settings_of_ids: ClassVar[Mapping[str, str]] = {}

    timezone: str = ""
    """Of times without one; `""` for the building machine's."""
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
    includes: frozenset[str] = frozenset()
    """Forms in which posts include other files, as in `ingest.posts.document`."""
    is_assumed: bool = False
    """Whether nothing tells the generator but a pattern, which then has no rules of its own."""
    bundles: frozenset[str] = Field(default=frozenset(), repr=False)
    """Places of folders that hold an `index`."""

    @classmethod
    def read(cls, config: Config, folder: Path, fault: str) -> Self | None:
        """Read the configuration in a site's folder; `None` if it is none of this generator.

        One that cannot be read, for a `fault`, is where the folder of the posts has its usual name.
        """
        home = folder / cls.model_fields["folder"].default
        is_marked = not cls.marks or cls.marks & config.keys()
        is_its = config and (is_marked or (cls.dated and (home / cls.dated).is_dir()))
        return cls.make(config, fault) if is_its or (fault and home.is_dir()) else None

    @classmethod
    def make(cls, config: Config, doubt: str = "") -> Self:
        """Make one by its settings; any of another type than it should have is in doubt."""
        ours = Generator.model_fields.keys() - {"timezone"}
        settings = {k: v for k, v in config.items() if v is not None and k not in ours}
        while True:
            try:
                made = cls.model_validate(settings).model_copy(update={"config": config})
            except ValidationError as error:
                path = [str(name) for name in error.errors()[0]["loc"]]
                doubt = f"what the configuration says of {'.'.join(path)} is not understood"
                del settings[path[0]]
            else:
                doubts = filter(None, (doubt, *made.find_doubts()))
                return made.model_copy(update={"doubt": next(doubts, "")})

    @property
    def base_url(self) -> str:
        """The base URL of the configuration; empty if it names none."""
        return self.address.strip().rstrip("/") if isinstance(self.address, str) else ""

    def prints_braces(self) -> bool:
        """Whether `{{ x }}` stands on a page as it is, since no template runs over posts."""
        return not re.search(self.templates, str(self.config.get("plugins")))

    def find_doubts(self) -> Iterator[str]:
        """Yield what else of the settings makes every address unsure."""
        return iter(())

    def list_defaults(self) -> Iterator[Default]:
        """Yield what the configuration gives to posts, the most specific first."""
        yield "", None, {ZONE: self.timezone}

    def list_rules(self) -> Iterable[str]:
        """List lines of a `.gitignore` that say what below the folder of the posts is left out."""
        return self.never

    def list_folders(self) -> Iterable[str]:
        """List the places of the folders of posts, the innermost first; `""` for the site's."""
        return (clean_folder(self.folder),)

    def list_languages(self) -> Mapping[str, str]:
        """Return the language of each folder that holds posts of one alone, longest first."""
        return {}

    def leaves_out(self, inner: str) -> bool:
        """Whether no page is made of a path below a folder of posts."""
        return not inner.endswith(self.endings) or leaves_out(self._rules, inner)

    @cached_property
    def _rules(self) -> Rules:
        """Those of `list_rules` but lines that name nothing. Raises ContentError."""
        try:
            return compile_rules(line for line in self.list_rules() if line.strip("!/ "))
        except ValueError as error:
            raise ContentError(f"What the site's configuration leaves out: {error}.") from error

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:  # noqa: ARG002
        """Make the percent-encoded path of a page, given its folder of posts and its path there.

        Raises NoLink where it is not sure.
        """
        return quote(f"/{inner.rpartition('.')[0]}.html")

    def fill(self, pattern: str, values: Mapping[str, str | None], day: date | None) -> str:
        """Replace each token of a pattern by its value or the part of a date that it names.

        Raises NoLink if one has none, or for what fills more than an address.
        """
        dates = {name: form.format(day) if day else None for name, form in _DATES.items()}

        def find_value(name: re.Match[str]) -> str:
            value = {**values, **dates}.get(name[1])
            if value is None:
                raise NoLink(f"the pattern's {name[0]} is not known or not sure")
            return check_length(value)

        checked = check_length(pattern)
        return self.token.sub(find_value, checked) if self.token else checked

    def encode(self, path: str) -> str:
        """Encode all but unreserved characters and safe signs; what is encoded already stays."""
        return quote(path, self.safe + "%" if re.search("%[0-9A-Fa-f]{2}", path) else self.safe)

    def find_day(self, fields: Fields, *, naive_is_utc: bool = False) -> date | None:
        """Return a post's date if its day is as written in the site's time zone, too, else `None`.

        Without a zone the site is built in its machine's own: then the day in UTC counts.
        `naive_is_utc` doubts times without an offset, which YAML calls UTC.
        """
        day, text = first_date(fields, DATES), _ZONE_SPACE.sub("", get_text(fields, "date"))
        try:
            time = datetime.fromisoformat(text)
            if time.tzinfo or (naive_is_utc and self.timezone and ":" in text):
                zone = ZoneInfo(self.timezone or "UTC")
                time = time.replace(tzinfo=time.tzinfo or UTC).astimezone(zone)
            return day if time.date() == day else None
        except ValueError:
            return day
        except (KeyError, OSError, OverflowError):  # no such zone, or a day beyond the calendar
            return None

    @property
    def letters_of_ids(self) -> tuple[str, ...]:
        """Unicode's categories of what ids of headings keep; none if they are not known."""
        settings = self.settings_of_ids.items()
        values = ((find_setting(self.config, path), usual) for path, usual in settings)
        is_usual = all(value is None or str(value).lower() == usual for value, usual in values)
        return self.ids if is_usual else ()


_DATES = {
    "year": "{0.year:04}",
    "short_year": "{0:%y}",
    "month": "{0:%m}",
    "i_month": "{0.month}",
    "day": "{0:%d}",
    "i_day": "{0.day}",
    "short_day": "{0:%a}",
    "y_day": "{0:%j}",
    "week": "{0:%V}",
}
"""Parts of a date, by the names that patterns have for them."""
DATES = ("date", "publishdate", "pubdate", "published")
"""Fields that hold the date of an address, by their names in lower case."""
_ZONE_SPACE = re.compile(r"(?<!\s)\s+(?=[+-]\d\d:?\d\d$|Z$)")


def check_length(address: str) -> str:
    """Return an address or a part of one. Raises NoLink if it is too long."""
    if len(address) > MAX_ADDRESS:
        raise NoLink(f"an address of more than {MAX_ADDRESS:,} characters")
    return address


def clean_folder(path: str) -> str:
    """Return a folder of a configuration as places are written, `""` for the site's."""
    folder = posixpath.normpath(path.strip("/"))
    return "" if folder == "." else folder
