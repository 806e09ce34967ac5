"""Releases: their notes, and what can be downloaded."""

from __future__ import annotations

from dowse.core.errors import PageUnreadable
from dowse.core.models import Status, Text
from dowse.net.json_api import Json, objects, string
from dowse.sites.compose import Listed, Part, day, label, link, page, title
from dowse.sites.github.facts import count, login_of, person, reactions_of, required
from dowse.sites.github.remarks import Limits
from dowse.sites.github.session import Session
from dowse.sites.github.urls import Releases, Repository, escaped
from dowse.sites.markup import quoted

_LISTED = 10
_MOST_ASSETS = 50
# Of the length of the page, so that one release leaves room for the others.
_SHARE = 0.4


async def read(session: Session, target: Releases, limits: Limits) -> Text:
    base = f"{target.repository.api_path}/releases"
    if target.tag or target.is_latest:
        where = f"/tags/{escaped(target.tag, safe='')}" if target.tag else "/latest"
        return _one(await session.get(base + where), target, limits, session)
    found = await session.get_list(base, per_page=str(_LISTED))
    if not found:
        raise PageUnreadable(Status.NOT_FOUND, "GitHub's API has no releases; the page may show tags instead")
    return page(
        f"{target.repository.link}/releases",
        f"Releases of {target.repository}",
        [Part(f"# Releases of {target.repository}", [f"Link: {target.repository.link}/releases"])],
        listed=Listed("releases", [_part(item, target.repository, 2, limits) for item in found], len(found)),
        max_chars=limits.chars,
        variable="GITHUB_MAX_CHARS",
        rest=f"…(older releases are at {target.repository.link}/releases?page=2)" if len(found) >= _LISTED else "",
        warnings=session.warnings,
    )


def _one(found: Json, target: Releases, limits: Limits, session: Session) -> Text:
    return page(
        _link(found, target.repository),
        f"{_title(found)} · {target.repository}",
        [_part(found, target.repository, 1, limits), _assets(found, target.repository)],
        max_chars=limits.chars,
        variable="GITHUB_MAX_CHARS",
        warnings=session.warnings,
    )


def _part(release: Json, repository: Repository, level: int, limits: Limits) -> Part:
    reactions, assets = release.get("reactions"), objects(release.get("assets"))
    counts = reactions if isinstance(reactions, dict) else {}
    shown = reactions_of({name: count(counts, name) for name in counts})
    facts = [
        f"Release of {repository}" if level == 1 else "",
        f"Link: {_link(release, repository)}",
        f"Tag: {label(string(release, 'tag_name'))}",
        f"Date: {day(string(release, 'published_at', 'created_at'))}",
        f"Author: {person(login_of(release.get('author')))}",
        "Pre-release" if release.get("prerelease") is True else "",
        f"Reactions: {shown}" if shown else "",
        f"Files: {len(assets)}" if assets else "",
    ]
    limit = limits.chars if level == 1 else int(limits.chars * _SHARE)
    notes = quoted(string(release, "body"), 3, limit)
    return Part(f"{'#' * level} {title(_title(release))}", facts, notes)


def _title(release: Json) -> str:
    return string(release, "name", "tag_name")


def _link(release: Json, repository: Repository) -> str:
    return f"{repository.link}/releases/tag/{escaped(required(release, 'tag_name'), safe='')}"


def _assets(release: Json, repository: Repository) -> Part | str:
    files = objects(release.get("assets"))
    if not files:
        return ""
    base = f"{repository.link}/releases/download/{escaped(string(release, 'tag_name'), safe='')}"
    lines = [
        f"- {link(name := string(asset, 'name'), f'{base}/{escaped(name)}')} "
        f"({count(asset, 'size'):,} bytes, {count(asset, 'download_count'):,} downloads)"
        for asset in files[:_MOST_ASSETS]
    ]
    more = len(files) - _MOST_ASSETS
    return Part("## Files", (), "\n".join([*lines, *([f"- …and {more} more"] if more > 0 else [])]))
