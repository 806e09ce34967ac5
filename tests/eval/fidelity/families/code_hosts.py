"""Where code lives: README files, issues and single files as GitHub, GitLab and others show them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.eval.fidelity import codeblocks
from tests.eval.fidelity.generator import Generator
from tests.eval.fidelity.highlight import CHROMA, GITHUB, spans
from tests.eval.fidelity.page import Page, Part, Site, text
from tests.eval.fidelity.structure import Code, Structure, verbatim


class GitHub(Generator):
    alignment = "align"

    def code(self, text: str, language: str) -> str:
        return codeblocks.github(text, language)

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<div class="markdown-heading" dir="auto"><h{level} tabindex="-1" class="heading-element" dir="auto">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return (
            f'</h{level}><a id="user-content-{slug}" class="anchor" aria-label="Permalink: {text}" href="#{slug}">'
            '<svg class="octicon octicon-link" aria-hidden="true"></svg></a></div>\n'
        )

    def table_open(self, *_: object) -> str:
        return "<markdown-accessiblity-table><table>\n"

    def table_close(self, *_: object) -> str:
        return "</table></markdown-accessiblity-table>\n"

    def link_start(self, target: str) -> str:
        return f'<a href="{target}" rel="nofollow">'


class GitLab(Generator):
    def code(self, text: str, language: str) -> str:
        rows = "\n".join(
            f'<span id="LC{number}" class="line" lang="{language}">{spans(line, CHROMA)}</span>'
            for number, line in enumerate(codeblocks.lines_of(text), 1)
        )
        return (
            '<div class="gl-relative markdown-code-block js-markdown-code">'
            f'<pre data-canonical-lang="{language}" class="code highlight js-syntax-highlight'
            f' language-{language}" v-pre="true">'
            f"<code>{rows}</code></pre><copy-code></copy-code></div>"
        )

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return (
            f'<h{level} data-sourcepos="1:1-1:9" dir="auto"><a id="user-content-{slug}" class="anchor" href="#{slug}"'
            ' aria-hidden="true"></a>'
        )


class Gitea(Generator):
    def code(self, text: str, language: str) -> str:
        return (
            f'<div class="code-block-container"><pre class="code-block"><code class="chroma language-{language}'
            ' display">'
            f'{spans(text, CHROMA)}</code></pre><button class="ui tiny circular button code-copy">Copy</button></div>'
        )


class SourceHut(Generator):
    names_languages = False

    def code(self, text: str, language: str) -> str:
        return f'<div class="highlight"><pre>{spans(text, CHROMA)}</pre></div>'

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<h{level} id="{slug}"><a href="#{slug}" rel="nofollow" aria-hidden="true">#</a>'


def _github_blob(code: str, language: str) -> str:
    """A file as a table: a row for each line."""
    rows = "".join(
        f'<tr><td id="L{number}" class="blob-num js-line-number" data-line-number="{number}"></td>'
        f'<td id="LC{number}" class="blob-code blob-code-inner js-file-line">{spans(line, GITHUB) or chr(10)}'
        "</td></tr>\n"
        for number, line in enumerate(codeblocks.lines_of(code), 1)
    )
    return (
        f'<div itemprop="text" class="Box-body p-0 blob-wrapper data type-{language}"><table class="highlight tab-size'
        f' js-file-line-container" data-tab-size="8" data-paste-markdown-skip>{rows}</table></div>'
    )


def _gitlab_blob(code: str, language: str) -> str:
    count = len(codeblocks.lines_of(code))
    numbers = "\n".join(
        f'<a class="file-line-num diff-line-num" href="#L{n}" id="L{n}">{n}</a>' for n in range(1, count + 1)
    )
    rows = "\n".join(
        f'<span id="LC{number}" class="line" lang="{language}">{spans(line, CHROMA)}</span>'
        for number, line in enumerate(codeblocks.lines_of(code), 1)
    )
    return (
        f'<div class="file-content code js-syntax-highlight"><div class="line-numbers">{numbers}</div>'
        f'<div class="blob-content"><pre class="code highlight"><code>{rows}</code></pre></div></div>'
    )


def _gitea_blob(code: str, language: str) -> str:
    rows = "".join(
        f'<tr><td id="L{number}" class="lines-num"><span id="L{number}" data-line-number="{number}"></span></td>'
        f'<td rel="L{number}" class="lines-code chroma"><code class="code-inner">{spans(line, CHROMA)}\n</code>'
        "</td></tr>"
        for number, line in enumerate(codeblocks.lines_of(code), 1)
    )
    return f'<div class="file-view code-view"><table><tbody>{rows}</tbody></table></div>'


def _gist(code: str, language: str) -> str:
    return f'<div class="js-gist-file-update-container file">{_github_blob(code, language)}</div>'


def _file(site: Site, write: Callable[[str, str], str], heading: str, code: str, language: str) -> Page:
    """A page that shows one file, with its name above it."""
    name = heading.replace("/", "-")
    shown = Part(write(code, language), Structure(code=[Code(verbatim(code), "")]))
    return site.page(name, site.part(f"## {heading}\n"), shown, title=heading)


_PROGRAM = text("c-ring").split("```c\n")[1].split("```")[0]
_MODULE = text("retry").split("```python\n")[1].split("```")[0]
_MAKEFILE = text("makefile").split("```makefile\n")[1].split("```")[0]


def pages() -> Iterator[Page]:
    """README files, files and issues."""
    github = Site("github", "https://github.com/example/sift", GitHub)
    yield from github.pages("cli", "js-events", "diff-notes", "typing-tips", "nginx-zh")
    issue = Site("github-issue", "https://github.com/example/mixer/issues/17", GitHub, "github")
    yield issue.thread("thread-segfault", "Crash after 4096 samples")
    blob = Site("github-blob", "https://github.com/example/ring/blob/main/ring.c", GitHub, "github")
    yield _file(blob, _github_blob, "ring.c", _PROGRAM, "c")
    yield _file(blob, _github_blob, "Makefile", _MAKEFILE, "makefile")
    gitlab = Site("gitlab", "https://gitlab.example.com/nimble/conf", GitLab)
    yield from gitlab.pages("rust-parser", "git-ru")
    yield _file(gitlab, _gitlab_blob, "src/retry.py", _MODULE, "python")
    gitea = Site("gitea", "https://code.example.org/tools/queue", Gitea)
    yield from gitea.pages("queue", "changelog")
    yield _file(gitea, _gitea_blob, "src/ring.c", _PROGRAM, "c")
    hut = Site("sourcehut", "https://git.sr.example/~otter42/mixer", SourceHut)
    yield from hut.pages("makefile")
    yield _file(hut, codeblocks.sourcehut, "tests/retry.py", _MODULE, "python")
    gist = Site("gist", "https://gist.github.com/otter42/77aa0c", GitHub)
    yield _file(gist, _gist, "merge.py", _MODULE, "python")
