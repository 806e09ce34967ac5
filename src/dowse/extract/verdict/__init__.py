"""Tells pages from what servers send instead of them: checks, refusals, errors, walls and empty shells.

A lone word never decides: several signs have to agree, and whatever speaks of something else is content.
Content that is lost is worse than a notice that is delivered. No parser is imported here.
"""

from __future__ import annotations

from dowse.core.errors import PageUnreadable
from dowse.extract.verdict.challenge import judge as judge_challenge
from dowse.extract.verdict.consent import is_conceivable as may_be_consent
from dowse.extract.verdict.consent import judge as judge_consent
from dowse.extract.verdict.failure import judge as judge_failure
from dowse.extract.verdict.login import judge as judge_login
from dowse.extract.verdict.missing import judge as judge_missing
from dowse.extract.verdict.outline import NOTICE_WORDS, Outline, outline_of_text, says_much, with_markup
from dowse.extract.verdict.paywall import judge as judge_paywall
from dowse.extract.verdict.refusal import judge as judge_refusal
from dowse.extract.verdict.shell import is_conceivable as may_be_shell
from dowse.extract.verdict.shell import judge as judge_shell
from dowse.extract.verdict.thin import judge as judge_thin

# The more specific a page's signs, the earlier they are looked for: a check may also ask for JavaScript.
_JUDGES = (
    judge_challenge,
    judge_refusal,
    judge_failure,
    judge_missing,
    judge_consent,
    judge_login,
    judge_paywall,
    judge_shell,
)


def check_page(markup: str, url: str, markdown: str) -> bool:
    """Raise what a page of HTML is instead of content; `markdown` is what would be delivered of it.

    Returns whether that is so little that the page's scripts may have more to show.
    """
    if says_much(markdown):
        return False
    said = outline_of_text(markdown)
    # To look at all tags takes longer than anything else here.
    if said.words > NOTICE_WORDS and not may_be_consent(said) and not may_be_shell(said):
        return False
    page = with_markup(said, markup, url)
    unreadable = _judged(page)
    if unreadable is not None:
        raise unreadable
    return judge_thin(page)


def of_text(title: str, markdown: str) -> PageUnreadable | None:
    """The same for a page of which somebody else sent the text alone: fewer signs, so only clear cases show."""
    if says_much(markdown):
        return None
    return _judged(outline_of_text(markdown, title))


def _judged(page: Outline) -> PageUnreadable | None:
    return next((verdict for judge in _JUDGES if (verdict := judge(page)) is not None), None)
