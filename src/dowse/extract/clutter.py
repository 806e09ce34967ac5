"""What surrounds a page's content: first what nobody can see, then what nobody came for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

from dowse.extract.hidden import STYLE, is_camouflaged

_INVISIBLE = (
    "script, style, template, svg, canvas, iframe, object, embed, video, audio, map, link, meta, base, title,"
    " button, input, select, textarea, datalist, progress, meter, dialog,"
    # React streams late parts of a page as <div hidden id="S:1"> and moves them into place.
    ' body [hidden]:not([hidden="until-found" i]):not([id^="S:"]), body [aria-hidden="true" i],'
    " .sr-only, .visually-hidden, .visuallyhidden, .screen-reader-text, .skip-link"
)
_AROUND = (
    "nav, aside, [role=navigation], [role=banner], [role=contentinfo], [role=search], [role=dialog],"
    " [role=alertdialog], [role=complementary], [role=menu], [role=menubar], [role=toolbar]"
)
_PAGE_EDGES = "header, footer"
_KEEPS_EDGES = frozenset({"article", "main", "section", "blockquote"})
_NAMED = "div, section, ul, ol, p, span, table, details, header, footer, h2, h3, h4, a"
_CLUTTER = re.compile(
    r"""(?:^|[\s_-])(?:
      cookies?(?:[_-]?(?:banner|bar|consent|notice|popup|law|message|policy))? | consent | gdpr | onetrust
    | shar(?:e|ing)(?:[_-]?(?:bar|box|buttons?|icons?|links?|tools?|this|post))?
    | social(?:[_-]?(?:share|links?|icons?|media|bar))? | sharedaddy | addtoany | addthis
    | related(?:[_-]?(?:posts?|articles?|content|links?|stories|topics))?
    | breadcrumbs? | menu | nav | navbar | navigation | pagination | pager | sidebar | footer
    | newsletter | subscribe | popup | modal | ads? | adsbygoogle | advert(?:isement|s)? | sponsored | promo
    | mw-editsection | mw-jump-link | navbox | catlinks | printfooter | noprint
    )(?=[\s_-]|$)""",
    re.I | re.X,
)
# Documentation sites write their notes and warnings as <aside>.
_CALLOUT = re.compile(
    r"admonition|callout|caution|danger|hint|important|(?:^|[\s_-])(?:aside|info|note|notice|tip|warning)", re.I
)
_MOST_OF_A_PAGE = 0.4
# Pages fade in: a script takes `opacity` or `visibility` off the wrapper around everything.
_ALL_OF_A_PAGE = 0.9


def remove_invisible(tree: LexborHTMLParser) -> None:
    """Take out what no reader of the page sees, `noscript` apart."""
    remove(tree.css(_INVISIBLE))
    whole = weight(tree.body) if tree.body is not None else 0
    for node in tree.css("body [style]"):
        style = node.attributes.get("style") or ""
        found = STYLE.search(style)
        is_sure = found is not None and found[0][0] not in "oOvV"
        if is_sure or ((found or is_camouflaged(style)) and weight(node) < _ALL_OF_A_PAGE * whole):
            node.decompose(recursive=False)


def remove_clutter(body: LexborNode) -> None:
    """Take out navigation, page header and footer, asides, banners and share bars."""
    remove(node for node in body.css(_AROUND) if not _is_callout(node))
    remove(node for node in body.css(_PAGE_EDGES) if not _is_inside_content(node))
    limit = _MOST_OF_A_PAGE * weight(body)
    for node in body.css(_NAMED):
        if _is_named_clutter(node) and weight(node) < limit and node.css_first("main, article, h1") is None:
            node.decompose(recursive=False)


def remove(nodes: Iterable[LexborNode]) -> None:
    """Unlink nodes; one that is inside another of them, or named twice, does no harm."""
    for node in list(nodes):
        node.decompose(recursive=False)


def weight(node: LexborNode) -> int:
    """How much text a node holds: characters that are not white space, so that it works for Chinese too."""
    text = node.text()
    return len(text) - sum(map(text.count, " \n\t\r\f\xa0"))


def _is_named_clutter(node: LexborNode) -> bool:
    attributes = node.attributes
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    return len(names) > 1 and _names_clutter(names)


@lru_cache(maxsize=4096)
def _names_clutter(names: str) -> bool:
    return len(names) < 500 and _CLUTTER.search(names) is not None


def _is_callout(node: LexborNode) -> bool:
    return node.tag == "aside" and _CALLOUT.search(node.attributes.get("class") or "") is not None


def _is_inside_content(node: LexborNode) -> bool:
    above = node.parent
    while above is not None:
        if above.tag in _KEEPS_EDGES:
            return True
        above = above.parent
    return False
