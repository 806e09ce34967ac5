"""Tells content from interstitials: challenge pages, refusals, error pages, soft 404s, walls and empty shells.

A single word never decides: several signs have to agree, and a page that speaks of something else is content.
Losing content is worse than delivering a notice. No parser is imported here.
"""

from __future__ import annotations

from dowse.core.errors import PageUnreadable
from dowse.extract.verdict.error_pages import judge_failure, judge_refusal, judge_soft_404
from dowse.extract.verdict.outline import NOTICE_WORDS, PageOutline, outline_page, outline_text, says_much
from dowse.extract.verdict.scripted import is_thin, judge_challenge, judge_shell, may_be_shell
from dowse.extract.verdict.walls import judge_consent_wall, judge_login_wall, judge_paywall, may_be_consent_wall

# The more specific its signs, the earlier a judge is asked: a challenge page may also ask for JavaScript.
_JUDGES = (
    judge_challenge,
    judge_refusal,
    judge_failure,
    judge_soft_404,
    judge_consent_wall,
    judge_login_wall,
    judge_paywall,
    judge_shell,
)


def check_page(markup: str, url: str, markdown: str) -> bool:
    """Raise `PageUnreadable` unless a page of HTML is content; `markdown` is its text as it would be delivered.

    Returns whether the text is so short that the page's scripts may have more to show.
    """
    if says_much(markdown):
        return False
    text = outline_text(markdown)
    # Scanning all tags takes longer than anything else here.
    if text.words > NOTICE_WORDS and not may_be_consent_wall(text) and not may_be_shell(text):
        return False
    page = outline_page(text, markup, url)
    unreadable = _judge(page)
    if unreadable is not None:
        raise unreadable
    return is_thin(page)


def judge_text(title: str, markdown: str) -> PageUnreadable | None:
    """The verdict on the text of a page without its markup: fewer signs, so only clear cases show."""
    if says_much(markdown):
        return None
    return _judge(outline_text(markdown, title))


def _judge(page: PageOutline) -> PageUnreadable | None:
    return next((verdict for judge in _JUDGES if (verdict := judge(page)) is not None), None)
