"""Define `Generator`, the base class of site generators; its fields are the settings of a site.

A place is the POSIX path of a file below the site's folder. `Fields` are a post's front matter by
lower-case names.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias
from urllib.parse import quote
from zoneinfo import ZoneInfo

from pydantic import AliasPath, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import SchemaError

from blog_search_mcp.index.errors import ContentError, NoLink
from blog_search_mcp.index.text.display import shorten
from blog_search_mcp.index.types import MAX_ADDRESS
from blog_search_mcp.ingest.posts import ignore_rules
from blog_search_mcp.ingest.posts.metadata import Fields, first_date
from blog_search_mcp.ingest.posts.visibility import ZONE
from blog_search_mcp.ingest.sites.configuration import Config, find_setting, get_text, list_texts

Off: TypeAlias = Literal[False, 0, "0", "false", "no", "off"]
"""Type of a setting that makes every URL unsure if it is on."""
Default: TypeAlias = tuple[str, str | None, Mapping[str, object]]
"""(start of places, `""` for all; collection as in `Cascade`; default fields of posts there)."""


def setting_at(*path: str, default: Any = "") -> Any:
    """Declare a setting by its path in the configuration, with its default."""
    return Field(default, validation_alias=AliasPath(*path))


class Generator(BaseModel):
    """Generator with the settings of a site, or with defaults if there is no configuration."""

    model_config = ConfigDict(frozen=True)

    files: ClassVar[tuple[str, ...]] = ()
    """Names of configuration files in a site's folder; the first with settings counts."""
    bases: ClassVar[str] = ""
    """Setting that names files whose settings the configuration overrides; `""` for none."""
    marks: ClassVar[Set[str]] = frozenset()
    """Settings, any of which marks a configuration as this generator's; empty if none is needed."""
    dated: ClassVar[str] = ""
    """Folder of dated posts below the folder of posts; it also marks a site as this generator's."""
    endings: ClassVar[tuple[str, ...]] = ("",)
    """Suffixes of the files that become pages."""
    never: ClassVar[tuple[str, ...]] = ()
    """Rules in the form of a `.gitignore` for files that are never posts."""
    ignored: ClassVar[Mapping[str, str]] = {}
    """Form (as in `write_rules`) of each setting that lists files not to build, by its path."""
    expressions: ClassVar[str] = ""
    """Path of a setting with RE2 expressions for paths in the site that are not built."""
    token: ClassVar[re.Pattern[str] | None] = None
    """Pattern of a token in a permalink, with its name in group 1; `None` without permalinks."""
    safe: ClassVar[str] = "/"
    """Characters of a URL's path that are not percent-encoded."""
    templates: ClassVar[str] = ""
    """Regular expression for plugins that run templates over posts; `""` if one always does."""
    id_categories: ClassVar[tuple[str, ...]] = ()
    """Unicode categories of characters in heading IDs, if the site has all of `settings_of_ids`."""
    settings_of_ids: ClassVar[Mapping[str, str]] = {}

    timezone: str = ""
    """Zone of times without a zone; `""` for the zone of the machine that builds the site."""
    config: Config = Field(default={}, repr=False)
    """The whole configuration."""
    prefix: str = ""
    """Place of the content folder with a final `/`; `""` if it is the site's folder."""
    folder: str = ""
    """Place of the folder of posts; `""` if it is the site's folder."""
    address: object = ""
    doubt: str = ""
    """Reason why no URL of the site is sure; empty if URLs may be sure."""
    pattern: str = ""
    """Permalink of all posts from `--permalink`; `""` for the configuration's."""
    includes: frozenset[str] = frozenset()
    """Forms in which posts include other files, as named in `ingest.posts.document`."""
    rules: tuple[str, ...] = ()
    """Rules like `never`, from the configuration."""
    listed: frozenset[str] = frozenset()
    """Places of all pages of a book; empty for other sites."""
    reads_hashes: bool = False
    """Whether `#word` is a heading, as Python-Markdown reads it."""
    is_assumed: bool = False
    """Whether the generator is assumed, since `--permalink` is a pattern and names none."""
    bundles: frozenset[str] = Field(default=frozenset(), repr=False)
    """Places of folders that hold an `index`."""

    @classmethod
    def read(cls, config: Config, folder: Path, fault: str) -> Self | None:
        """Return the generator for a site's configuration, `None` if it is another generator's.

        An unreadable configuration (`fault`) counts if the usual folder of posts exists.
        """
        home = folder / cls.model_fields["folder"].default
        is_marked = not cls.marks or cls.marks & config.keys()
        is_its = config and (is_marked or (cls.dated and (home / cls.dated).is_dir()))
        return cls.make(config, fault) if is_its or (fault and home.is_dir()) else None

    @classmethod
    def make(cls, config: Config, doubt: str = "") -> Self:
        """Make the generator from settings; a setting of a wrong type is left out, with a doubt."""
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
        """Base URL in the configuration, without a final slash; empty if it has none."""
        return self.address.strip().rstrip("/") if isinstance(self.address, str) else ""

    def prints_braces(self) -> bool:
        """Whether pages show `{{ x }}` literally, since no template runs over posts."""
        return not re.search(self.templates, str(self.config.get("plugins")))

    def find_doubts(self) -> Iterator[str]:
        """Yield reasons why no URL is sure, to be added to `doubt`."""
        return iter(())

    def list_defaults(self) -> Iterator[Default]:
        """Yield the configuration's defaults for the fields of posts, the most specific first."""
        yield "", None, {ZONE: self.timezone}

    def list_rules(self) -> Iterable[str]:
        """List rules in the form of a `.gitignore` for files that are no posts."""
        settings = ((find_setting(self.config, path), form) for path, form in self.ignored.items())
        home = self.folder.strip("./")
        lists = (ignore_rules.write_rules(list_texts(each), form, home) for each, form in settings)
        return *self.never, *self.rules, *chain(*lists)

    def list_folders(self) -> Iterable[str]:
        """List the places of the folders of posts, innermost first; `""` is the site's folder."""
        return (clean_folder(self.folder),)

    def list_languages(self) -> Mapping[str, str]:
        """Return the language of each folder whose posts have one; the longest place first."""
        return {}

    def leaves_out(self, folder: str, inner: str) -> bool:
        """Whether a setting excludes the path `inner` below `folder`, a folder of posts."""
        rules, is_met = self._rules
        return ignore_rules.leaves_out(rules, inner) or is_met(f"/{folder}/{inner}")

    @cached_property
    def _rules(self) -> tuple[ignore_rules.Rules, Callable[[str], bool]]:
        """Compiled rules, and a linear-time search for `expressions`. Raises ContentError."""
        texts = list_texts(find_setting(self.config, self.expressions))
        lines = (line for line in self.list_rules() if line.strip("!/ "))
        try:
            return ignore_rules.compile_rules(lines), ignore_rules.compile_expressions(texts)
        except (ValueError, SchemaError) as error:
            fault = shorten(" ".join(str(error).split()), 300, len)
            raise ContentError(f"What the site's configuration leaves out: {fault}.") from error

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:  # noqa: ARG002
        """Return the encoded URL path of a file's page. Raises NoLink if it is not sure."""
        return quote(f"/{inner.rpartition('.')[0]}.html")

    def fill(self, pattern: str, values: Mapping[str, str | None], day: date | None) -> str:
        """Replace each token of a pattern by its value or its part of the date.

        Raises NoLink for a token without a value or a value longer than a URL may be.
        """
        dates = {name: form.format(day) if day else None for name, form in _DATE_FORMATS.items()}

        def find_value(name: re.Match[str]) -> str:
            value = {**values, **dates}.get(name[1])
            if value is None:
                raise NoLink(f"the pattern's {name[0]} is not known or not sure")
            return check_length(value)

        checked = check_length(pattern)
        return self.token.sub(find_value, checked) if self.token else checked

    def encode(self, path: str) -> str:
        """Percent-encode a path, except `safe` characters and characters already encoded."""
        return quote(path, self.safe + "%" if re.search("%[0-9A-Fa-f]{2}", path) else self.safe)

    def find_day(self, fields: Fields, *, naive_is_utc: bool = False) -> date | None:
        """Return the day of a post; `None` if its time falls on another day in the site's zone.

        Without a zone of the site this is UTC; an unknown zone gives `None`. A `date` without a
        time, or not in ISO 8601, is the same day in every zone. With `naive_is_utc` and a zone of
        the site, a time without an offset is UTC, as in YAML.
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
    def sure_id_categories(self) -> tuple[str, ...]:
        """Unicode categories of the characters in headings' IDs; none if IDs are not sure."""
        settings = self.settings_of_ids.items()
        values = ((find_setting(self.config, path), usual) for path, usual in settings)
        is_usual = all(value is None or str(value).lower() == usual for value, usual in values)
        return self.id_categories if is_usual else ()


_DATE_FORMATS = {
    "year": "{0.year:04}", "short_year": "{0:%y}", "month": "{0:%m}", "i_month": "{0.month}",
    "day": "{0:%d}", "i_day": "{0.day}", "short_day": "{0:%a}", "y_day": "{0:%j}", "week": "{0:%V}",
}  # fmt: skip
"""Format of each part of a date by the name of its token."""
DATES = ("date", "publishdate", "pubdate", "published")
"""Fields that hold the date of a URL, in order of precedence, in lower case."""
_ZONE_SPACE = re.compile(r"(?<!\s)\s+(?=[+-]\d\d:?\d\d$|Z$)")


def check_length(address: str) -> str:
    """Return a URL or a part of it. Raises NoLink if it is longer than MAX_ADDRESS."""
    if len(address) > MAX_ADDRESS:
        raise NoLink(f"an address of more than {MAX_ADDRESS:,} characters")
    return address


def clean_folder(path: str) -> str:
    """Return the place of a folder that a configuration names; `""` is the site's folder."""
    folder = posixpath.normpath(path.strip("/"))
    return "" if folder == "." else folder
