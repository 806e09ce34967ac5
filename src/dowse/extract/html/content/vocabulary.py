"""Word groups of class names, ids, headings and URL paths; each group is one bit of a mask."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

CLASS_GROUPS: Mapping[str, str] = {
    "content": (
        "content contents entry body bodytext richtext rte prose markdown wysiwyg text texto copy story main"
        " maincontent"
    ),
    "article": "article articles post posts blog blogpost hentry news single permalink",
    "comment": "comment comments commentlist disqus respond reply replies discussion livefyre comentarios kommentare",
    "forum": (
        "thread threads topic topics forum message messages msg question answer answers votecell cooked"
        " postbody bbcode messagelist postmessage"
    ),
    "nav": (
        "nav navbar navigation navi menu menus submenu megamenu dropdown topbar toolbar tabs tab drawer"
        " hamburger offcanvas"
    ),
    "crumb": "breadcrumb breadcrumbs crumb crumbs path toc jump skip skiplink anchor",
    "side": "sidebar side aside rail secondary widget widgets complementary right left sticky column col",
    "footer": "footer foot colophon bottom legal copyright footnote footnotes postfooter credits copyrights",
    "header": "header head masthead top banner logo branding site sitename hero jumbotron",
    "related": (
        "related recommend recommended recommendation recommendations similar more popular trending latest"
        " recent next previous prev also suggested suggestions readmore upnext teaser teasers"
    ),
    "share": (
        "share shares sharing sharedaddy social socials facebook twitter pinterest whatsapp linkedin addtoany"
        " addthis follow tweet print email bookmark"
    ),
    "ad": (
        "ad ads advert adverts advertisement advertising sponsor sponsored promo promos promotion promotions"
        " adsbygoogle dfp outbrain taboola affiliate commercial cta upsell"
    ),
    "consent": (
        "cookie cookies consent gdpr onetrust privacy ccpa notice alert notification notifications toast announcement"
    ),
    "sign": (
        "newsletter subscribe subscription signup signin login register account paywall optin form forms"
        " field input search searchform captcha"
    ),
    "meta": (
        "meta metadata byline author authors date time timestamp published updated posted entrymeta postmeta"
        " info details vcard reading dateline"
    ),
    "tags": (
        "tag tags category categories cat label labels badge badges topics keywords filed taxonomy chip chips"
        " pill pills"
    ),
    "bio": "bio biography aboutauthor avatar profile user username member people person contributor team staff",
    "media": (
        "caption captions figure figcaption image images img photo photos gallery carousel slider slide"
        " slideshow video player thumb thumbnail media credit swiper slick"
    ),
    "list": (
        "list lists listing listings item items grid row card cards tile tiles results result feed loop"
        " archive collection collections"
    ),
    "product": (
        "product products pdp price prices pricing cart buy basket sku variant variants swatch shop add"
        " wishlist quantity stock shipping delivery checkout bag"
    ),
    "spec": (
        "spec specs specification specifications feature features attribute attributes description desc"
        " overview detail summary highlights table ingredients accordion faq faqs instructions directions"
    ),
    "review": "review reviews rating ratings stars testimonial testimonials feedback score votes vote",
    "page": (
        "pagination pager paging pagenav pages loadmore infinite pagenumbers filter filters facet facets sort"
        " sorting refine"
    ),
    "modal": (
        "modal popup overlay lightbox dialog tooltip popover hidden hide collapsed print noprint mobile desktop flyout"
    ),
    "code": (
        "code highlight hljs prettyprint snippet sourcecode codehilite pre syntax terminal console gist listingblock"
    ),
    "doc": (
        "doc docs document documentation section api reference rst sphinx mw parser output wiki readme method"
        " function param admonition guide manual help"
    ),
    "action": (
        "button buttons btn btns action actions controls control icon icons link links toggle copy edit"
        " report flag like likes download"
    ),
    "title": ("title headline heading subtitle subhead standfirst lead lede intro excerpt dek abstract kicker summary"),
    "signature": (
        "signature signatures sig usersig blockquote quote quotes quoted bbcodequote spoiler lastedited edited"
    ),
    "poster": (
        "postprofile userinfo userdetails postauthor usertitle reputation karma joined messageuser posthead"
        " postinfo attribution tagline"
    ),
    "service": (
        "service services about mission client clients partner partners benefits why contact cta hours"
        " location locations address map event events job jobs careers"
    ),
}
"""Words of class names and ids."""
TEXT_GROUPS: Mapping[str, str] = {
    "related": (
        r"related|you (?:may|might) also|recommended"
        r"|more (?:from|in|on|stories|articles|posts|like|news|about|to)|read (?:more|next|also|the)"
        r"|see (?:also|more|all)|also (?:read|like)|similar|popular|trending|latest|recent|most read"
        r"|view (?:all|more)|learn more|keep reading|continue reading|next|previous|up next|don't miss"
        r"|what to read|customers? also|frequently bought|people also|mehr|weitere|auch interessant|à lire"
        r"|lire aussi|ver más|leer más|leggi anche"
    ),
    "comments": (
        r"comments?|leave a (?:reply|comment)|repl(?:y|ies)|responses?|join the (?:discussion|conversation)"
        r"|post a comment|add (?:a|your) comment|kommentare?|commentaires?|comentarios?|commenti"
    ),
    "share": (
        r"share(?: this)?|tweet|facebook|twitter|linkedin|pinterest|whats ?app|e-?mail|print|copy link"
        r"|follow(?: us)?|instagram|youtube|tiktok|telegram|reddit|teilen|partager|compartir|like|bookmark"
        r"|save"
    ),
    "sign": (
        r"subscribe|newsletter|sign (?:up|in)|log ?in|register|create (?:an )?account|my account|your email"
        r"|get (?:the|our|your) .{0,20}(?:inbox|newsletter|updates)|join (?:us|now|free)"
        r"|start (?:your )?free trial|get started|enter your|password|forgot"
    ),
    "legal": (
        r"©|copyright|all rights reserved|privacy(?: policy)?|terms(?: of (?:use|service)"
        r"| (?:and|&) conditions)?|cookies?|disclaimer|accessibility|sitemap|imprint|impressum|datenschutz"
        r"|do not sell|powered by|trademarks?"
    ),
    "nav": (
        r"home|menu|about(?: us)?|contact(?: us)?|search|skip to|back to|blog|news|faqs?|help|support|shop"
        r"|cart|checkout|careers|services|products|categories|close|open|toggle|language|english|all"
        r"|show (?:more|less|all)|load more|expand|collapse"
    ),
    "byline": (
        r"by|written by|posted (?:by|on|in)|published|updated|last (?:updated|modified|edited)|author"
        r"|edited by|reviewed by|photo(?:graph)?(?: by|:| credit)|credit|image|source|min(?:ute)?s? read"
        r"|\d{1,2} (?:min|hours?|days?|weeks?|months?|years?)(?:utes)? ago|ago|von|par|por|views?|tags?"
        r"|filed under|category|topics?"
    ),
    "buy": (
        r"add to (?:cart|bag|basket|wish ?list|list)|buy(?: now)?|in stock|out of stock|sold out|quantity|qty"
        r"|size|colou?r|free (?:shipping|delivery|returns)|price|sale|save|sku|select|choose|shipping|delivery"
        r"|returns?|warranty|pick ?up|compare|notify me|notify"
    ),
    "spec": (
        r"description|specifications?|features?|details|overview|ingredients|instructions|directions"
        r"|dimensions|materials?|what's included|product (?:details|information|description)|highlights"
        r"|about this|key features|technical|benefits|how it works|contents"
    ),
    "reviews": (
        r"reviews?|ratings?|stars?|out of 5|customer reviews|write a review|helpful|verified|testimonials?"
        r"|questions?(?: (?:&|and) answers)?|q ?& ?a"
    ),
    "forum": (
        r"posts?|joined|member|moderator|administrator|reply|quote|report|like|likes|thanks|location|messages"
        r"|reputation|click to expand|said|wrote|answered|asked|active|votes?|accepted|solved|edit(?:ed)?"
        r"|permalink|points?|level \d|top|share|save|hide|award|joined"
    ),
    "ad": (
        r"advertisement|advertising|sponsored|promoted|ad|ads|affiliate|commission|we may earn|partner content"
        r"|paid"
    ),
    "doc": (
        r"table of contents|on this page|contents|in this (?:article|section|page)"
        r"|was this (?:page|article) helpful|edit (?:this page|on github)|note|warning|example|parameters"
        r"|returns|see also|syntax|usage|installation|deprecated|previous|next|feedback"
    ),
}
"""Patterns of the beginnings of short lines and headings."""
URL_GROUPS: Mapping[str, str] = {
    "article": (
        r"blog|blogs|news|article|articles|story|stories|post|posts|opinion|magazine|\d{4}/\d{1,2}|review"
        r"|reviews|guide|guides|recipe|recipes|learn"
    ),
    "forum": (
        r"forum|forums|thread|threads|topic|topics|t|questions?|r|discussions?|community|viewtopic|showthread"
        r"|comments|board|talk|issues|item"
    ),
    "doc": (
        r"docs?|documentation|api|reference|manual|wiki|help|support|guide|guides|tutorials?|library|learn|man"
        r"|handbook|kb|developer|stable|latest|en"
    ),
    "product": r"products?|p|dp|item|itm|shop|store|buy|pd|sku|app|pdp|ip",
    "list": (
        r"category|categories|c|collections?|tags?|search|list|browse|shop|archive|topics?|directory|all|s|b"
        r"|cat|listings?|jobs|events|departments?"
    ),
    "service": (
        r"about|services?|pricing|solutions?|contact|company|platform|features?|team|faqs?|plans?|enterprise"
        r"|industries|locations?|careers"
    ),
}
"""Patterns of the parts of a path."""
_LONGEST = 400
_SPLIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Most names are in lower case: with blanks for all other signs, they are split much faster.
_SMALL = re.sub(rb"[^a-z]", b" ", bytes(range(256)))
_TEXT = [re.compile(rf"(?:{words})(?:\b|(?<=©))", re.I) for words in TEXT_GROUPS.values()]
# For lower case, which is compared much faster.
_ANY_TEXT = re.compile("|".join(TEXT_GROUPS.values()))
_URL = [re.compile(rf"(?<![a-z0-9])(?:{words})(?![a-z0-9])", re.I) for words in URL_GROUPS.values()]
# In all spellings of a word in a name.
_CLASS_BITS: dict[str, int] = {}

for _bit, _words in enumerate(CLASS_GROUPS.values()):
    for _word in f"{_words} {_words.title()} {_words.upper()}".split():
        _CLASS_BITS[_word] = _CLASS_BITS.get(_word, 0) | 1 << _bit


def of_class(names: str) -> int:
    """Mask of the groups in class names and ids: `postHeader entry-meta` is four words."""
    names = names[:_LONGEST]
    is_small = names.isascii() and names.islower()
    marks = 0
    for word in names.encode().translate(_SMALL).decode().split() if is_small else _SPLIT.findall(names):
        marks |= _CLASS_BITS.get(word, 0)
    return marks


def words_of(name: str) -> list[str]:
    """The words in one or several names, in lower case."""
    return list(map(str.lower, _SPLIT.findall(name[:_LONGEST])))


@lru_cache(maxsize=20_000)
def of_text(text: str) -> int:
    """Mask of the groups of a short text, by its first words."""
    # Most texts belong to none. Letters outside of ASCII may have more than one lower case.
    if text.isascii() and not _ANY_TEXT.match(text.lower()):
        return 0
    return sum(1 << bit for bit, pattern in enumerate(_TEXT) if pattern.match(text))


def of_url(path: str) -> int:
    """Mask of the groups in a URL path."""
    return sum(1 << bit for bit, pattern in enumerate(_URL) if pattern.search(path[:_LONGEST]))
