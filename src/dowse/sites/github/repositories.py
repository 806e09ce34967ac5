"""A repository: what it is, how alive it is, and its README."""

from __future__ import annotations

from dowse.core import urls
from dowse.core.models import Text
from dowse.net.json_api import Json, string, strings
from dowse.sites.compose import Part, day, label, page
from dowse.sites.github.contents import readme_section
from dowse.sites.github.facts import count, required
from dowse.sites.github.remarks import Limits
from dowse.sites.github.session import Session
from dowse.sites.github.urls import Repository
from dowse.sites.packages import sentence
from dowse.sites.together import together


async def read(session: Session, target: Repository, limits: Limits) -> Text:
    found, readme = await together(
        session.get(target.api_path), session.try_get(f"{target.api_path}/readme", "the README")
    )
    branch = required(found, "default_branch")
    description = string(found, "description")
    return page(
        target.link,
        f"{target}: {description}" if description else str(target),
        [
            Part(f"# {target}", _facts(found, target), sentence(description)),
            *(readme_section(readme, target, branch, string(readme, "path"), limits) if readme else ()),
        ],
        max_chars=limits.chars,
        variable="GITHUB_MAX_CHARS",
        warnings=session.warnings,
    )


def _facts(found: Json, target: Repository) -> list[str]:
    licence, parent, homepage = found.get("license"), found.get("parent"), urls.parse(string(found, "homepage"))
    spdx = string(licence, "spdx_id") if isinstance(licence, dict) else ""
    topics = ", ".join(label(topic) for topic in strings(found.get("topics"))[:20])
    return [
        "Repository",
        f"Link: {target.link}",
        "Archived: yes" if found.get("archived") is True else "",
        f"Fork of: {label(string(parent, 'full_name'))}" if isinstance(parent, dict) else "",
        f"Stars: {count(found, 'stargazers_count'):,}",
        f"Forks: {count(found, 'forks_count'):,}",
        f"Open issues and pull requests: {count(found, 'open_issues_count'):,}",
        f"Language: {label(string(found, 'language'))}" if string(found, "language") else "",
        f"Licence: {label(spdx)}" if spdx not in ("", "NOASSERTION") else "",
        f"Default branch: {label(string(found, 'default_branch'))}",
        f"Created: {day(found.get('created_at'))}" if day(found.get("created_at")) else "",
        f"Last push: {day(found.get('pushed_at'))}" if day(found.get("pushed_at")) else "",
        f"Homepage: {homepage.href}" if homepage and homepage.scheme in ("http", "https") else "",
        f"Topics: {topics}" if topics else "",
    ]
