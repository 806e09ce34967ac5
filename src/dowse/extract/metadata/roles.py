"""What the class of an element and the words beside a date say about it."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache


class Role(Enum):
    """What an element holds: something of another page, the author, or a date of some kind."""

    NONE = 0
    ASIDE = 1
    AUTHOR = 2
    AUTHOR_NAME = 3
    PUBLISHED = 4
    MODIFIED = 5
    DATE = 6


_LONGEST_CLASS = 200
# `PostUser-name` and `post_user__name` are both made of `post`, `user` and `name`.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ASIDE = frozenset(
    "comment comments commentlist related recommend recommended recommendations sidebar footer popular trending latest"
    " newsletter promo advert advertisement ad ads cookie cookies breadcrumb breadcrumbs upcoming teaser teasers"
    " carousel card cards review reviews suggested readmore".split()
)
_AUTHOR = frozenset(
    "author authors byline bylines byauthor writer writers contributor contributors vcard creator attribution"
    " postauthor entryauthor articleauthor".split()
)
_NAMES = frozenset({"name", "link", "title"})
_WHOSE = frozenset({"author", "creator", "user"})
_MODIFIED = frozenset({"updated", "update", "modified", "revised", "lastmod", "lastupdate"})
_PUBLISHED = frozenset({"published", "publish", "publishdate", "pubdate", "posted", "publication", "postdate"})
_WRITINGS = frozenset({"entry", "post", "article", "created", "story", "blog"})
_DATE = frozenset({"date", "dates", "datetime", "time", "timestamp", "dateline"})
# Without one of these a class says nothing; most have none.
_TELLING = _ASIDE | _AUTHOR | _WHOSE | _MODIFIED | _PUBLISHED | _DATE | {"username", "fn", "by"}

_SAYS_MODIFIED = re.compile(
    r"updat|modif|revis|last (?:edit|review|chang)|reviewed|aktualisiert|geändert|stand:|mise? à jour|actualizad"
    r"|aggiorna|atualizad|bijgewerkt|gewijzigd|zaktualiz|обновлен|更新|수정",
    re.I,
)
_SAYS_PUBLISHED = re.compile(
    r"publish|posted|written|asked|created|started|veröffentlicht|erschienen|publié|publicad|pubblicat|geplaatst"
    r"|gepubliceerd|opublikowan|опубликован|发布|發布|公開|投稿|발행|등록",
    re.I,
)
_SAYS_OTHER = re.compile(
    r"©|copyright|\(c\)|expire|until|deadline|joined|since|registered|born|event|valid|founded|starts|ends|comment"
    r"|repl(?:y|ied)",
    re.I,
)


def role_of_class(names: str | None) -> Role:
    """What the class of an element says that it holds."""
    return _role(names[:_LONGEST_CLASS]) if names else Role.NONE


def role_of_label(label: str) -> Role | None:
    """What the words beside a date say; `None` if it is the date of something else."""
    if _SAYS_OTHER.search(label):
        return None
    if _SAYS_MODIFIED.search(label):
        return Role.MODIFIED
    return Role.PUBLISHED if _SAYS_PUBLISHED.search(label) else Role.NONE


def labelled_parts(line: str) -> list[str]:
    """`Published 5 March, updated 1 April` in its two parts; any other line as it is."""
    modified = _SAYS_MODIFIED.search(line)
    published = _SAYS_PUBLISHED.search(line) if modified else None
    if modified is None or published is None:
        return [line]
    second = max(modified.start(), published.start())
    return [line[:second], line[second:]]


# Pages repeat their classes, and sites repeat them from page to page.
@lru_cache(maxsize=4096)
def _role(names: str) -> Role:
    words = set(map(str.lower, _WORD.findall(names)))
    if words.isdisjoint(_TELLING):
        return Role.NONE
    if not words.isdisjoint(_ASIDE):
        return Role.ASIDE
    if "username" in words or "fn" in words or (words & _NAMES and words & _WHOSE):
        return Role.AUTHOR_NAME
    if not words.isdisjoint(_AUTHOR) or ("by" in words and words & {"posted", "written", "line"}):
        return Role.AUTHOR
    return _kind_of_date(words)


def _kind_of_date(words: set[str]) -> Role:
    if not words.isdisjoint(_MODIFIED):
        return Role.MODIFIED
    is_date = not words.isdisjoint(_DATE)
    if not words.isdisjoint(_PUBLISHED) or (is_date and words & _WRITINGS):
        return Role.PUBLISHED
    return Role.DATE if is_date else Role.NONE
