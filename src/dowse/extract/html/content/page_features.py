"""Features of the page as a whole: URL, head, JSON-LD, counts of elements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

import numpy as np

from dowse.extract.html.content import vocabulary
from dowse.extract.html.content.blocks import TextBlock
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.vocabulary import URL_GROUPS
from dowse.extract.html.metadata import jsonld
from dowse.extract.html.metadata.declared import first_attribute
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
    *"p a img h1 h2 h3 li table tr pre code form article section time blockquote".split(),
    *("dl", "figure", "main", "nav", "aside", "footer", "details", "label", "iframe", "math"),
)
COLUMNS = (
    *(f"count_{tag}" for tag in _COUNTED),
    *(f"type_{name}" for name in _TYPES),
    *(f"og_{name}" for name in _OG),
    *(f"made_{name}" for name in _GENERATORS),
    *(f"url_{name}" for name in URL_GROUPS),
    *"url_depth url_length url_last url_hyphens url_digits url_query url_front url_html host_www".split(),
    *("title_length", "metas", "has_published", "has_author", "hidden_words"),
)
DECLARED_COLUMNS = ("declared", "summarised", "from_declared")
DECLARED_PAGE_COLUMNS = ("declared_words", "summary_words", "declared_share")
_TEXTS = ("articleBody", "text", "description", "reviewBody")
_SUMMARIES = frozenset({"description", "og:description", "twitter:description"})
_WORD = re.compile(r"\w+")
# Most texts are ASCII: letters become lower case and other signs blanks, so that words are split at once.
_IN_WORDS = re.sub(rb"\W", b" ", bytes(range(256)).lower())
_TAG = re.compile(r"<[^<>]{0,500}>")
_LONGEST_TEXT = 200_000
_SHORTEST = 40
# Larger distances are all the same.
_FAR = 50.0
_Shingles = frozenset[tuple[str, str, str]]


def measure_page(tree: Tree, url: str) -> list[float]:
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
        if name := first_attribute(attributes, "property", "name"):
            found[name.lower()] = first_attribute(attributes, "content").lower()
    return found


def _types(tree: Tree) -> list[float]:
    """Number of schema.org items of each type, in JSON-LD or in the markup."""
    declared = [name for script in tree.scripts for name in _TYPE.findall(script[:_LONGEST_SCRIPT])]
    items = [node.get(_ITEM_TYPE).rpartition("/")[2] for node in tree.nodes if _ITEM_TYPE in node.attributes]
    counts = Counter(map(_TYPE_BITS.get, (*declared, *items)))
    return [float(counts[bit]) for bit in range(len(_TYPES))]


def _generators(generator: str, tree: Tree) -> list[float]:
    body = tree.root.get("class").lower()
    html = first_attribute(next(iter(tree.head.get("html", ())), {}), "class")
    marks = f"{generator} {body} {html.lower()}"
    return [float(any(name in marks for name in group)) for group in _GENERATORS.values()]


def _address(url: str) -> list[float]:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urlsplit(""), ""
    path = parts.path
    marks = vocabulary.of_url(path) | (vocabulary.of_url(host.partition(".")[0]) if host else 0)
    segments = list(filter(None, path.split("/")))
    last = segments[-1] if segments else ""
    return [
        *(float(marks >> bit & 1) for bit in range(len(URL_GROUPS))),
        float(len(segments)),
        float(len(path)),
        float(len(last)),
        float(last.count("-") + last.count("_")),
        float(sum(map(str.isdigit, path))),
        float(bool(parts.query)),
        float(not segments),
        float(last.endswith((".html", ".htm", ".php", ".aspx"))),
        float(host.startswith("www.")),
    ]


def declared_texts(tree: Tree) -> list[str]:
    """Texts in the JSON-LD of a page, from the longest down."""
    found = {
        _TAG.sub(" ", jsonld.plain(value))
        for thing in jsonld.things(tree.scripts)
        for name in _TEXTS
        if isinstance(value := thing.get(name), str) and len(value) >= _SHORTEST
    }
    return sorted(found, key=len, reverse=True)


def declared_summaries(tree: Tree) -> list[str]:
    """Descriptions in the head of a page, from the longest down."""
    found = {
        first_attribute(attributes, "content")
        for attributes in tree.head.get("meta", ())
        if first_attribute(attributes, "property", "name").lower() in _SUMMARIES
    }
    return sorted(found, key=len, reverse=True)


def measure_declared(tree: Tree, blocks: Sequence[TextBlock]) -> tuple[Numbers, list[float]]:
    """The `DECLARED_COLUMNS` of each block, and the `DECLARED_PAGE_COLUMNS`.

    Visible text that repeats the declared text of a page is likely to be its content.
    """
    declared, summarised = _shingles(declared_texts(tree)), _shingles(declared_summaries(tree))
    rows = np.zeros((len(blocks), len(DECLARED_COLUMNS)), np.float32)
    rows[:, 2] = _FAR
    if declared or summarised:
        shares = _shares({block.text for block in blocks}, declared, summarised)
        for number, block in enumerate(blocks):
            if block.text in shares:
                rows[number, :2] = shares[block.text]
        _measure_distance(rows)
    share = float((rows[:, 0] > 0.5).mean())
    return rows, [float(len(declared)), float(len(summarised)), share]


def _shares(texts: set[str], declared: _Shingles, summarised: _Shingles) -> dict[str, tuple[float, float]]:
    """The shares of each text that the declared texts and the summaries repeat; without texts that share nothing."""
    either = declared | summarised
    # A cheap test first: most texts do not even share a word, and many occur more than once.
    longest = {max(shingle, key=len) for shingle in either}
    return {
        text: (_share(words, declared), _share(words, summarised))
        for text in texts
        if not longest.isdisjoint(words := _words(text)) and not either.isdisjoint(_in_threes(words))
    }


def _measure_distance(rows: Numbers) -> None:
    places = np.flatnonzero((rows[:, 0] > 0.5) | (rows[:, 1] > 0.5))
    if len(places):
        numbers = np.arange(len(rows))
        after = np.searchsorted(places, numbers)
        before = places[np.maximum(after - 1, 0)]
        behind = places[np.minimum(after, len(places) - 1)]
        rows[:, 2] = np.minimum(np.minimum(abs(numbers - before), abs(numbers - behind)), _FAR)


def _shingles(found: Iterable[str]) -> _Shingles:
    return frozenset(shingle for text in found for shingle in _in_threes(_words(text[:_LONGEST_TEXT])))


def _share(words: list[str], shingles: _Shingles) -> float:
    return sum(map(shingles.__contains__, _in_threes(words))) / (len(words) - 2)


def _in_threes(words: list[str]) -> Iterator[tuple[str, str, str]]:
    """Each word with the two behind it."""
    return zip(words, words[1:], words[2:], strict=False)


def _words(text: str) -> list[str]:
    if text.isascii():
        return text.encode().translate(_IN_WORDS).decode().split()
    return _WORD.findall(text.lower())
