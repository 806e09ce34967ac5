"""Forums, questions with answers, and lists of mail: threads of posts with what each software puts around them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from tests.eval.fidelity import codeblocks
from tests.eval.fidelity.generator import Generator
from tests.eval.fidelity.highlight import HLJS, spans
from tests.eval.fidelity.page import Page, Site, posts
from tests.eval.fidelity.structure import Code


class Discourse(Generator):
    def code(self, text: str, language: str) -> str:
        return (
            '<pre class="codeblock-buttons"><div class="codeblock-button-wrapper"><button class="btn copy-cmd">'
            "</button></div>"
            f'<code class="hljs language-{language}">{spans(text, HLJS)}</code></pre>'
        )

    def blockquote_open(self, *_: object) -> str:
        return (
            '<aside class="quote no-group" data-username="otter42" data-post="1" data-topic="88"><div class="title">'
            '<div class="quote-controls"></div><img alt="" width="24" height="24" src="/a.png" class="avatar">'
            " otter42:</div>"
            "<blockquote>\n"
        )

    def blockquote_close(self, *_: object) -> str:
        return "</blockquote></aside>\n"

    def table_open(self, *_: object) -> str:
        return '<div class="md-table"><table>\n'

    def table_close(self, *_: object) -> str:
        return "</table></div>\n"


class PhpBb(Generator):
    """Paragraphs are two breaks, and code comes in a box of its own."""

    names_languages = False

    def paragraph_open(self, *_: object) -> str:
        return ""

    def paragraph_close(self, *_: object) -> str:
        return "<br>\n<br>\n"

    def code(self, text: str, language: str) -> str:
        return (
            '<div class="codebox"><p>Code: <a href="#" onclick="selectCode(this); return false;">Select all</a></p>'
            f"<pre><code>{codeblocks.escaped(text)}</code></pre></div>"
        )

    def blockquote_open(self, *_: object) -> str:
        return '<blockquote><div><cite><a href="./memberlist.php?u=7">otter42</a> wrote: <a href="#p1">↑</a></cite>'

    def blockquote_close(self, *_: object) -> str:
        return "</div></blockquote>\n"

    def link_start(self, target: str) -> str:
        return f'<a href="{target}" class="postlink">'


class VBulletin(PhpBb):
    def code(self, text: str, language: str) -> str:
        return (
            '<div class="bbcode_container"><div class="bbcode_description">Code:</div><pre class="bbcode_code"'
            f' style="height:96px;">{codeblocks.escaped(text)}</pre></div>'
        )

    def blockquote_open(self, *_: object) -> str:
        return (
            '<div class="bbcode_container"><div class="bbcode_quote"><div class="quote_container"><div'
            ' class="bbcode_quote'
            '_container"></div><div class="bbcode_postedby">Originally Posted by <strong>otter42</strong></div>'
            '<div class="message">'
        )

    def blockquote_close(self, *_: object) -> str:
        return "</div></div></div></div>\n"


class XenForo(PhpBb):
    names_languages = True

    def code(self, text: str, language: str) -> str:
        return (
            '<div class="bbCodeBlock bbCodeBlock--screenLimited bbCodeBlock--code"><div class="bbCodeBlock-title">'
            f'{language.upper()}:</div><div class="bbCodeBlock-content" dir="ltr"><pre class="bbCodeCode" dir="ltr"'
            f' data-xf-init="code-block" data-lang="{language}"><code>{codeblocks.escaped(text)}</code></pre>'
            "</div></div>"
        )

    def blockquote_open(self, *_: object) -> str:
        return (
            '<blockquote class="bbCodeBlock bbCodeBlock--expandable bbCodeBlock--quote js-expandWatch"><div class='
            '"bbCodeBlock-title"><a href="/goto/post?id=1" class="bbCodeBlock-sourceJump">otter42 said:</a></div>'
            '<div class="bbCodeBlock-content"><div class="bbCodeBlock-expandContent js-expandContent ">'
        )

    def blockquote_close(self, *_: object) -> str:
        return '</div><div class="bbCodeBlock-expandLink"><a>Click to expand...</a></div></div></blockquote>\n'


class StackExchange(Generator):
    def code(self, text: str, language: str) -> str:
        shown = spans(text, HLJS)
        return f'<pre class="lang-{language} s-code-block"><code class="hljs language-{language}">{shown}</code></pre>'

    def link_start(self, target: str) -> str:
        return f'<a href="{target}" rel="nofollow noreferrer">'


class HackerNews(Generator):
    """Comments know paragraphs, links and code; the first paragraph has no tag."""

    names_languages = False

    def paragraph_open(self, *_: object) -> str:
        return "<p>"

    def paragraph_close(self, *_: object) -> str:
        return ""

    def code(self, text: str, language: str) -> str:
        return f"<pre><code>{codeblocks.escaped(textwrap.indent(text, '  '))}</code></pre>"

    def shown(self, block: Code) -> Code:
        return Code(textwrap.indent(block.text, "  "), "")


def _question(site: Site, name: str) -> Page:
    """A question with its answers, of which the first post brings the heading."""
    asked, *answers = posts(name)
    heading, _, question = asked.partition("\n")
    return site.page(name, site.part(heading), site.post(question, "question"), *map(site.post, answers))


def pages() -> Iterator[Page]:
    """Threads in each software."""
    discourse = Site("discourse", "https://forum.boards.example.org/t/crash-after-4096-samples/1204", Discourse)
    yield discourse.thread("thread-segfault", "Crash after 4096 samples")
    yield discourse.thread("thread-bread", "Why is my bread so flat?")
    phpbb = Site("phpbb", "https://bikes.example.org/forum/viewtopic.php?t=771", PhpBb)
    yield phpbb.thread("thread-bike", "Spokes keep breaking")
    yield phpbb.thread("thread-segfault", "Off by one, but where?")
    vbulletin = Site("vbulletin", "https://board.example.com/showthread.php?123-Bread", VBulletin)
    yield vbulletin.thread("thread-bread", "Flat loaves, please help")
    yield vbulletin.thread("thread-bike", "Rear wheel of a tourer")
    xenforo = Site("xenforo", "https://xen.example.com/threads/crash.1204/", XenForo)
    yield xenforo.thread("thread-segfault", "Crash in the mixer")
    yield xenforo.thread("thread-bike", "Broken spokes again")
    stack = Site("stackexchange", "https://answers.example.com/questions/4711/merge-order", StackExchange)
    yield _question(stack, "thread-question")
    reddit = Site("reddit", "https://old.reddit.example/r/baking/comments/a1/flat_loaves/", Generator)
    yield reddit.thread("thread-bread", "Flat loaves every single time")
    yield reddit.thread("thread-segfault", "Cannot find this crash")
    news = Site("hackernews", "https://news.example.com/item?id=4711", HackerNews)
    yield news.thread("thread-news", "Show: a search engine in one file")
    lemmy = Site("lemmy", "https://lemmy.example.social/post/88", Generator)
    yield lemmy.thread("thread-bread", "Bread without height")
    yield lemmy.thread("thread-bike", "Wheels for touring")
    hyperkitty = Site("mailing-list", "https://lists.example.org/archives/list/dev/message/A1/", Generator)
    yield from hyperkitty.pages("thread-mail")
    pipermail = Site(
        "pipermail", "https://lists.example.org/pipermail/dev/2024-May/000042.html", Generator, "mailing-list"
    )
    yield pipermail.page("message", pipermail.raw("pipermail-message"))
