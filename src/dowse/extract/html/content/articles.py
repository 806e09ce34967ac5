"""The conservative rule for articles: what templates call the text of a page, from the surest name down."""

from __future__ import annotations

import re

TIERS = 5
_HOLDERS = frozenset({"article", "div", "main", "section", "td", "span"})
_LONGEST = 300
# What begins with certain letters is found much faster than what begins with a choice or a place, so every choice of a
# beginning is written out.
_WRITTEN = "|".join(
    rf"{what}[-_]{{0,2}}(?:text|body|content|entry|copy)\b"
    for what in ("article", "post", "entry", "story", "blog", "news")
)
_BODY = re.compile(
    rf"post(?<!\Spost)(?!\S)|entry(?<!\Sentry)(?!\S)|articlebody|{_WRITTEN}"
    r"|text[-_]?(?:content|text)\b|rich[-_]?(?:content|text)\b|page[-_]?(?:content|text)\b|body[-_]?(?:content|text)\b"
    r"|mw-parser-output|markdown-body|post[-_]?message|postbody|cooked"
)
_STORY = re.compile(
    r"story|single[-_](?:content|post)|main[-_]?(?:column|article)|blog[-_]?(?:post|content)|article(?<!\Sarticle)"
    r"|field[-_]{1,2}body|theme[-_]?content|section[-_]?content|art[-_]?content|inner[-_]?content|wpb_text_column"
    r"|prose(?<!\Sprose)|rte(?!\S)|product[-_]{0,2}(?:description|detail)|item[-_]{0,2}(?:description|detail)"
)
_CONTENT = re.compile(r"content(?:(?:[-_]?(?:main|body|area|wrapper|inner))?(?!\S)|(?<!\Scontent))")
_MAIN = re.compile(r"main(?<!\Smain)|primary(?<!\Sprimary)")
# Each of the patterns asks for one of these; most names have none of them.
_SIGN = re.compile(
    "content|post|text|main|body|article|entry|story|prose|rte|primary|copy|detail|description|cooked|parser"
)
_TIERS = {1: _BODY, 3: _STORY, 4: _CONTENT, 5: _MAIN}
_TIER_OF_TAG = {"article": 2, "main": 5}


def tier_of(tag: str, called: str) -> int:
    """How sure a name is, 1 being the surest; 0 for elements that are no holders of text by name."""
    if tag not in _HOLDERS:
        return 0
    best = _TIER_OF_TAG.get(tag, TIERS + 1)
    lower = called[:_LONGEST].lower()
    if _SIGN.search(lower):
        best = min(best, next((tier for tier, pattern in _TIERS.items() if pattern.search(lower)), best))
    return best if best <= TIERS else 0
