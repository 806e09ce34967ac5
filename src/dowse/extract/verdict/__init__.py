"""Tells content from interstitials: challenge pages, refusals, error pages, soft 404s, walls and empty shells.

Marks of vendors are hard rules. All other evidence is weighed by a trained model: structure, agreement of title and
text, known phrases, and an n-gram classifier over the short texts of the page. Losing content is worse than delivering
a notice, so an uncertain page is content with a warning. No parser is imported here.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.core.reasons import FailureReason
from dowse.extract.verdict import model
from dowse.extract.verdict.error_pages import judge_failure, judge_refusal, judge_soft_404
from dowse.extract.verdict.evidence import Classifier, Context, measure, split_sentences
from dowse.extract.verdict.model import LABELS, Opinion
from dowse.extract.verdict.outline import (
    NOTICE_WORDS,
    PageOutline,
    make_verdict,
    outline_page,
    outline_text,
    says_much,
)
from dowse.extract.verdict.scripted import is_thin, judge_challenge, judge_shell, may_be_shell
from dowse.extract.verdict.walls import (
    is_declared_sold,
    is_offer,
    is_readable,
    judge_consent_wall,
    judge_login_wall,
    judge_paywall,
    may_be_consent_wall,
)

__all__ = ["Context", "Finding", "check_page", "judge_outline", "judge_text"]
LOGGER = logging.getLogger(__name__)
# Log odds of a notice. Below the first a page is content; between them it is content with a warning.
_DOUBT, _SURE = 0.5, 1.8
# With a known phrase for the same, less is enough; an address that says so, too, is that of a page about error pages.
_SURE_WITH_PHRASE, _SURE_OF_SOFT_404, _SURE_OF_ADDRESS = -4.0, -2.0, 0.5
# Probability of a line to be an offer to subscribe.
_OFFER = 0.3
_PLACES = ("heading", "sentence", "noscript")
_LIKELY = 0.5
# A shorter text is a name only. In bytes: scripts that say more with each character take more for it.
_NAME_BYTES = 24
# Lines at the end of a preview that may offer the rest of it, and the least probability that one does.
_LAST_LINES, _SURE_OFFER = 3, 0.6
# An error status of the server supports other signs.
_STATUS_ODDS = 4.0
_FIRST_ERROR_STATUS = 400
REST_IS_SOLD = "only the beginning of the page is free; the rest is for subscribers"
MAYBE_NOTICE = "this may be a notice in place of the page"
# The more specific its signs, the earlier a rule is asked.
_PHRASE_JUDGES = (
    judge_refusal,
    judge_failure,
    judge_soft_404,
    judge_consent_wall,
    judge_login_wall,
    judge_paywall,
)
_OUTCOMES = {
    "missing": (Status.NOT_FOUND, FailureReason.SOFT_404, Onward.NONE),
    "login": (Status.LOGIN_REQUIRED, FailureReason.LOGIN_WALL, Onward.NONE),
    "blocked": (Status.BLOCKED, FailureReason.ACCESS_DENIED, Onward.ANY_READER),
    "consent": (Status.BLOCKED, FailureReason.CONSENT_WALL, Onward.ANY_READER),
    "error": (Status.ERROR, FailureReason.ERROR_PAGE, Onward.SCRAPE_APIS),
    "pay": (Status.LOGIN_REQUIRED, FailureReason.PAY_WALL, Onward.NONE),
    "loading": (Status.ERROR, FailureReason.NO_READABLE_CONTENT, Onward.ANY_READER),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on a page that is content: little text, a part of an article, or in doubt; and its signs."""

    is_thin: bool = False
    is_part: bool = False
    is_doubtful: bool = False
    opinion: Opinion | None = None

    @property
    def signs(self) -> tuple[str, ...]:
        return self.opinion.signs if self.opinion else ()

    @property
    def warnings(self) -> tuple[str, ...]:
        part = (REST_IS_SOLD,) if self.is_part else ()
        doubt = (MAYBE_NOTICE,) if self.is_doubtful and not self.is_part else ()
        return part + doubt


def check_page(
    markup: str, url: str, markdown: str, context: Context | None = None, *, http_status: int = 200
) -> Finding:
    """Raise `PageUnreadable` unless a page of HTML is content; `markdown` is its text as it would be delivered."""
    if says_much(markdown):
        return Finding()
    text = outline_text(markdown)
    # Scanning all tags takes longer than anything else here.
    if text.words > NOTICE_WORDS and not may_be_consent_wall(text) and not may_be_shell(text):
        return Finding()
    return judge_outline(outline_page(text, markup, url), context or Context(), http_status=http_status)


def judge_outline(page: PageOutline, context: Context, *, http_status: int = 200) -> Finding:
    """Raise `PageUnreadable` unless a page is content, by hard rules first and then by all evidence together."""
    for judge in (judge_challenge, judge_shell):
        if (unreadable := judge(page)) is not None:
            raise unreadable
    return _weigh(page, context, http_status)


def judge_text(title: str, markdown: str) -> PageUnreadable | None:
    """The verdict on the text of a page without its markup: fewer signs, so only clear cases show."""
    if says_much(markdown):
        return None
    page = outline_text(markdown, title)
    judges = (judge_challenge, *_PHRASE_JUDGES, judge_shell)
    return next((verdict for judge in judges if (verdict := judge(page)) is not None), None)


def _find_phrase(page: PageOutline) -> PageUnreadable | None:
    return next((found for judge in _PHRASE_JUDGES if (found := judge(page)) is not None), None)


def _weigh(page: PageOutline, context: Context, http_status: int) -> Finding:
    """The verdict of the model, with known phrases as one sign among others."""
    phrase = _find_phrase(page)
    trained = model.load_shipped()
    measured = measure(page, context, trained.classifier)
    opinion = trained.judge(measured)
    odds = opinion.odds + (_STATUS_ODDS if http_status >= _FIRST_ERROR_STATUS else 0.0)
    _log(odds, opinion)
    if _is_preview(page, trained.classifier):
        return Finding(is_thin(page), is_part=True, opinion=opinion)
    is_part = measured["sentence: pay"] > _SURE_OFFER and _ends_with_offer(page, trained.classifier)
    if phrase is not None and _is_decisive(phrase, odds, is_part=is_part):
        raise phrase
    is_doubtful = odds > _DOUBT and _reads_like_notice(page, measured)
    if is_doubtful and odds > _SURE and _may_be(opinion.kind, page):
        raise _refuse(opinion)
    return Finding(is_thin(page), is_part=is_part, is_doubtful=is_doubtful, opinion=opinion)


def _log(odds: float, opinion: Opinion) -> None:
    if LOGGER.isEnabledFor(logging.DEBUG):
        LOGGER.debug("verdict.weighed odds=%.2f kind=%s signs=%s", odds, opinion.kind, "; ".join(opinion.signs))


def _is_decisive(phrase: PageUnreadable, odds: float, *, is_part: bool) -> bool:
    """Whether a known phrase decides, given all evidence together."""
    # Readable text before an offer is the beginning of an article, unless the other evidence speaks for a notice.
    is_beginning = is_part and phrase.reason is FailureReason.PAY_WALL and odds <= _DOUBT
    return odds > _least_odds(phrase) and not is_beginning


def _least_odds(phrase: PageUnreadable) -> float:
    """The odds that a known phrase needs."""
    if phrase.reason is not FailureReason.SOFT_404:
        return _SURE_WITH_PHRASE
    return _SURE_OF_ADDRESS if "address" in phrase.detail else _SURE_OF_SOFT_404


def _may_be(kind: str, page: PageOutline) -> bool:
    """Whether a page can be a notice of the kind: nothing loads without scripts."""
    return kind != "loading" or bool(page.markup.scripts) or bool(page.markup.noscript)


def _reads_like_notice(page: PageOutline, measured: Mapping[str, float]) -> bool:
    """Whether a text below the title is probably part of a notice: structure alone refuses nothing."""
    if not page.title or page.has_code or len(page.text.encode()) <= _NAME_BYTES:
        return False
    return max(measured[f"{place}: notice"] for place in _PLACES) > _LIKELY


def _is_preview(page: PageOutline, classifier: Classifier) -> bool:
    """Whether the page is the readable beginning of a sold article; offers to subscribe do not count as text."""
    if not is_declared_sold(page):
        return False
    offer = LABELS.index("pay")
    free = takewhile(lambda line: not is_offer(line) and classifier.probabilities(line)[offer] < _OFFER, page.lines)
    return is_readable(list(free))


def _ends_with_offer(page: PageOutline, classifier: Classifier) -> bool:
    """Whether readable text breaks off with an offer to read on for money."""
    offer = LABELS.index("pay")
    last = len(page.lines) - _LAST_LINES
    for number, line in enumerate(page.lines[max(last, 0) :], max(last, 0)):
        if any(classifier.probabilities(said)[offer] > _SURE_OFFER for said in split_sentences(line)):
            return is_readable(page.lines[:number])
    return False


def _refuse(opinion: Opinion) -> PageUnreadable:
    status, reason, onward = _OUTCOMES[opinion.kind]
    return make_verdict(status, reason, opinion.signs, onward)
