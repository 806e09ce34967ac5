"""What a page says about itself: in its address, in its head, and by what there is on it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from dowse.extract.html.content import names
from dowse.extract.html.content.vocabulary import URL_GROUPS
from dowse.extract.html.tree.node import Tree

_TYPES = {
    "article": "Article|NewsArticle|BlogPosting|Report|ReportageNewsArticle|TechArticle|ScholarlyArticle"
    "|OpinionNewsArticle",
    "product": "Product|ProductGroup|Offer|AggregateOffer|SoftwareApplication|MobileApplication|VideoGame|Book",
    "forum": "QAPage|DiscussionForumPosting|Question|Answer|Comment",
    "list": "ItemList|CollectionPage|SearchResultsPage|OfferCatalog|Blog|ListItem",
    "service": "Organization|LocalBusiness|Service|AboutPage|ContactPage|ProfessionalService|Corporation|WebSite",
    "faq": "FAQPage|HowTo",
    "recipe": "Recipe",
    "event": "Event|JobPosting|Course",
    "crumbs": "BreadcrumbList",
    "author": "Person",
}
_TYPE_BITS = {name: bit for bit, group in enumerate(_TYPES.values()) for name in group.split("|")}
_TYPE = re.compile(r'"@type"\s{0,9}:\s{0,9}\[?\s{0,9}"(?:https?://schema\.org/)?(\w{1,40})"')
_LONGEST_SCRIPT = 200_000
_ITEM_TYPE = "itemtype"
_OG = ("article", "website", "product", "blog", "object", "video", "profile")
_GENERATORS = {
    "forum": (
        "discourse",
        "phpbb",
        "vbulletin",
        "xenforo",
        "invision",
        "mybb",
        "vanilla",
        "flarum",
        "simple machines",
        "nodebb",
    ),
    "doc": (
        "sphinx",
        "docusaurus",
        "mkdocs",
        "mediawiki",
        "gitbook",
        "vitepress",
        "hugo",
        "jekyll",
        "javadoc",
        "doxygen",
        "rustdoc",
        "dokuwiki",
        "starlight",
        "nextra",
        "antora",
    ),
    "shop": ("shopify", "woocommerce", "magento", "prestashop", "bigcommerce", "opencart"),
    "blog": ("wordpress", "ghost", "blogger", "medium", "substack", "typepad", "movable type"),
    "site": ("wix", "squarespace", "webflow", "drupal", "joomla", "typo3", "hubspot", "elementor"),
}
_COUNTED = (
    *(
        "p",
        "a",
        "img",
        "h1",
        "h2",
        "h3",
        "li",
        "table",
        "tr",
        "pre",
        "code",
        "form",
        "article",
        "section",
        "time",
        "blockquote",
    ),
    *("dl", "figure", "main", "nav", "aside", "footer", "details", "label", "iframe", "math"),
)
COLUMNS = (
    *(f"count_{tag}" for tag in _COUNTED),
    *(f"type_{name}" for name in _TYPES),
    *(f"og_{name}" for name in _OG),
    *(f"made_{name}" for name in _GENERATORS),
    *(f"url_{name}" for name in URL_GROUPS),
    *(
        "url_depth",
        "url_length",
        "url_last",
        "url_hyphens",
        "url_digits",
        "url_query",
        "url_front",
        "url_html",
        "host_www",
    ),
    *("title_length", "metas", "has_published", "has_author", "hidden_words"),
)


def row(tree: Tree, url: str) -> list[float]:
    """The numbers of `COLUMNS`."""
    places = tree.by_tag()
    metas = _metas(tree)
    return [
        *(float(len(places.get(tag, ()))) for tag in _COUNTED),
        *_types(tree),
        *(float(metas.get("og:type", "").startswith(name)) for name in _OG),
        *_generators(metas.get("generator", ""), tree),
        *_address(url),
        float(len(tree.title)),
        float(len(metas)),
        float("article:published_time" in metas or "date" in metas),
        float("author" in metas or "article:author" in metas),
        float(tree.hidden_words),
    ]


def _metas(tree: Tree) -> dict[str, str]:
    found = {}
    for attributes in tree.head.get("meta", ()):
        name = attributes.get("property") or attributes.get("name")
        if name:
            found[name.lower()] = (attributes.get("content") or "").lower()
    return found


def _types(tree: Tree) -> list[float]:
    """How many things of each type a page declares, as JSON-LD or in its markup."""
    declared = [name for script in tree.scripts for name in _TYPE.findall(script[:_LONGEST_SCRIPT])]
    items = [node.attributes[_ITEM_TYPE] or "" for node in tree.nodes if node.tag and _ITEM_TYPE in node.attributes]
    counts = [0.0] * len(_TYPES)
    for name in (*declared, *(item.rpartition("/")[2] for item in items)):
        bit = _TYPE_BITS.get(name)
        if bit is not None:
            counts[bit] += 1
    return counts


def _generators(generator: str, tree: Tree) -> list[float]:
    body = tree.root.get("class").lower()
    html = next(iter(tree.head.get("html", ())), {}).get("class") or ""
    said = f"{generator} {body} {html.lower()}"
    return [float(any(name in said for name in group)) for group in _GENERATORS.values()]


def _address(url: str) -> list[float]:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urlsplit(""), ""
    path = parts.path
    marks = names.of_url(path) | (names.of_url(host.partition(".")[0]) if host else 0)
    segments = [segment for segment in path.split("/") if segment]
    last = segments[-1] if segments else ""
    return [
        *(float(marks >> bit & 1) for bit in range(len(URL_GROUPS))),
        float(len(segments)),
        float(len(path)),
        float(len(last)),
        float(last.count("-") + last.count("_")),
        float(sum(character.isdigit() for character in path)),
        float(bool(parts.query)),
        float(not segments),
        float(last.endswith((".html", ".htm", ".php", ".aspx"))),
        float(host.startswith("www.")),
    ]
