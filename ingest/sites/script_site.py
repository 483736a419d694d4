"""Books, and sites whose configuration is not evaluated; only its literal settings are read."""

import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Self
from urllib.parse import unquote

from blog_search_mcp.ingest.posts.ignore_rules import write_rules
from blog_search_mcp.ingest.sites.configuration import Config, read_config, read_settings
from blog_search_mcp.ingest.sites.generator import Default, Generator, clean_folder

_PARTS = Path(__file__).with_name("programs.txt").read_text("utf-8").split("\n\n")
_PROGRAMS, _SETTINGS = ([row.split("\t") for row in part.splitlines()] for part in _PARTS)
"""Rows of program, syntax of includes, rules for built and copied files, and configuration files;
and rows of program, setting of the posts' folder, its default, setting of files not to build, and
form of rules; `(?!)` is no setting. Form `=` lists the only folders that are built, `+` adds some,
one with `!` is for globs that begin with `!`, and any other is as in `write_rules`.

From https://docusaurus.io/docs/api/plugins, https://docs.getpelican.com, https://mystmd.org/guide,
https://quartz.jzhao.xyz/features/private-pages, https://www.11ty.dev/docs/ignores and the like."""
_TELLING = re.compile(r"exclude_patterns|extensions\s*=|BLOG_TITLE|activate :")
"""Settings that show a `conf.py` or `config.rb` to be Sphinx's, Nikola's or Middleman's."""
_STRING = r"\"[^\"\n]*+\"|'[^'\n]*+'|`[^`]*+`"
_LIST = (
    r"[\"']?(?:\.(?:add|append|extend|push)|\s*+\+?[:=])?\s*+"
    rf"(?:[\[(]((?:{_STRING}|[^\])\"'`])*+)|((?:(?:{_STRING})(?:, ?)?)++))"
)
_REMARK = re.compile(rf"({_STRING})|(?:(?<!:)//|#)[^\n]*+|/\*(?:[^*]|\*(?!/))*+")
_METADATA = re.compile(r"^DEFAULT_METADATA *= *(\{[^{}]*\})", re.MULTILINE)


class ScriptSite(Generator):
    """Site without known URLs: a book, or one whose configuration is only searched for settings."""

    files: ClassVar = tuple(name for row in _PROGRAMS for name in row[3].split())
    never: ClassVar = ("_data/", "_includes/", "_partials/")

    @classmethod
    def read(cls, config: Config, folder: Path, fault: str) -> Self | None:  # noqa: ARG003
        """Make it from literal settings or a book's SUMMARY.md; `None` if its program is unsure."""
        from blog_search_mcp.ingest.posts.front_matter import salvage_fields

        names = [name for name in cls.files if (folder / name).exists()]
        read = [*names, "_config.yml"] if "_toc.yml" in names else names
        text = "\n".join(_read_code(folder, name) for name in read if (folder / name).is_file())
        if {*names} <= {"conf.py", "config.rb"} and not _TELLING.search(text):
            return None
        code = _REMARK.sub(lambda part: part[1] or "", text)
        used = [row for row in _PROGRAMS if not {*names}.isdisjoint(row[3].split())]
        program = " ".join(row[0] for row in used)
        fields = salvage_fields("".join(_METADATA.findall(code)))
        fields |= {"publish": "no"} if "ExplicitPublish" in code else {}  # a filter of Quartz
        _, setting, home, *_ = next(row for row in _SETTINGS if row[0] in program)
        value = re.search(rf"\b{setting}[\"']?\s*+[:=]\s*+({_STRING}|[\w./-]++)", code)
        homes = (clean_folder(value[1].strip("\"'`")) if value else home, home)
        home = next((home for home in homes if (folder / home).is_dir()), "")
        forms = ["of a plugin"] * bool(re.search("liquid_tags|jinja2content", code))
        includes = frozenset((*forms, *(row[1] for row in used)))
        rules, listed = (*_list_ignored(folder, home, code, used),), frozenset[str]()
        if "book" in program:
            named = re.search(r"\bsummary[\"']?\s*:\s*[\"']?([\w./-]+)", code)
            file = named[1] if named else "SUMMARY.md"
            summary = read_settings(folder, posixpath.join(home, file))
            paths = re.findall(r"\]\(<?([^()<>#\n]+?)(?=[)>#]|[ \t][\"'])", summary)
            paths += ["README.md"] if paths and "mdbook" not in program else []
            places = (posixpath.join(home, unquote(path.strip())) for path in paths)
            listed = frozenset(map(posixpath.normpath, places))
        known = {"folder": home, "includes": includes, "rules": rules, "listed": listed}
        doubt = "this program does not know how its generator makes links"
        reads_hashes = program == "pelican" or "BLOG_TITLE" in code
        return cls.make(fields, doubt).model_copy(update={**known, "reads_hashes": reads_hashes})

    def prints_braces(self) -> bool:
        """Whether pages show `{{ x }}`, since no template, Vue or MDX reads it."""
        return not self.includes - {"", "hash", "myst"}

    def list_defaults(self) -> Iterator[Default]:
        """Yield the fields that the configuration gives to all posts."""
        yield "", None, self.config


def _read_code(folder: Path, name: str) -> str:
    """Return a configuration file's text, valid YAML as JSON. Raises ContentError if unreadable."""
    config = read_config(folder, name)[0] if name.endswith((".yml", ".yaml")) else {}
    written = json.dumps(config, ensure_ascii=False, default=str)
    return written if config else read_settings(folder, name)


def _list_ignored(folder: Path, home: str, code: str, used: list[list[str]]) -> Iterator[str]:
    """Yield the rules of the used programs, of their lists, and of Eleventy's ignore files."""
    programs = [row[0] for row in used]
    yield from " ".join(row[2] for row in used).split()
    for name, _, _, setting, form in _SETTINGS:
        lists = re.findall(rf"\b{setting}\b{_LIST}", code) if name in programs else ()
        for globs in ([s[1:-1] for s in re.findall(_STRING, "".join(items))] for items in lists):
            if form == "=" and all(globs):
                yield from ("*", "!/pages/")
            if form in ("=", "+"):
                yield from (f"!/{glob.strip('/')}" for glob in globs if glob)
            else:
                negated = [glob[1:] for glob in globs if glob[:1] == form[:1]]
                yield from write_rules(negated if form[:1] == "!" else globs, form.strip("!"), home)
    for file in (".eleventyignore", ".gitignore", f"{home}/.eleventyignore"):
        is_off = "eleventy" not in programs or (file == ".gitignore" and "GitIgnore(false" in code)
        text = "" if is_off else read_settings(folder, file.lstrip("/"))
        for line in (line for line in text.splitlines() if line[:1] != "#"):
            is_name = file == ".gitignore" and "/" not in line.rstrip("/ ")
            yield from write_rules([line], "**/" if is_name else "/", home)
