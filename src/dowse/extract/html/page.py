"""Conversion of an HTML page: its main content as Markdown, with metadata."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from dowse.core import text as texts
from dowse.core import urls
from dowse.core.errors import PageUnreadable
from dowse.core.models import Facts, Onward, Status, Text
from dowse.core.reasons import FailureReason
from dowse.core.text import MOST_TEXT_CHARS
from dowse.document.clean import beginning, clean, without_repeated_title
from dowse.extract import verdict
from dowse.extract.html import metadata
from dowse.extract.html.content import page_features
from dowse.extract.html.content.model import Model
from dowse.extract.html.content.selection import Selection, kept_nodes, select
from dowse.extract.html.metadata.reading import Metadata
from dowse.extract.html.render import render
from dowse.extract.html.render.dom_index import HEADINGS
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.grammar import INLINE
from dowse.extract.html.tree.guard import cap_markup
from dowse.extract.html.tree.node import Node, Tree

# A page with so few words is filled by scripts: its declared text may be longer.
_EMPTY_WORDS = 60
_WORTHWHILE_WORDS = 25
# Beyond them are notes and rows; a page has fewer sections.
_MOST_TARGETS = 500
_LONGEST_NAME = 120
# More would cost more than the page itself.
_MOST_SHEETS = 8
_LONGEST_SECOND_LEVEL = 3
_MODELS = (
    r"(?:ais?|llms?|ai (?:models?|systems?|tools?)|(?:ai |virtual )?(?:assistants?|agents?)|(?:chat)?bots?"
    r"|language models?)"
)
_ORDERS = (
    r"(?:must|shall|should|need to|have to|are (?:required|instructed|asked) to|ignore|disregard|forward|send|reply"
    r"|respond|do not|never|always|please)"
)
_DEMANDS = (
    r"(?:add|say|state|mention|include|always|never|do not|must|should|you (?:must|should)|recommend|tell|please)\b"
)
_TRIGGERS = (
    *("instruction", "prompt", "guideline", "the user", "assistant", "chatbot", "language model", "llm", "bots"),
    *("ai must", "ai should", "ai system", "ai tool", "ais ", "agents ", "agent must", "for ai", "an ai"),
)
_SENTENCE = r"(?:^|[.!?:>*_|\]]\s{0,9})(?:attention |note to |dear |all |any |hey )?"
_INSTRUCTIONS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\W{1,9}(?:\w{1,20}\W{1,9}){0,3}(?:instruction|prompt|guideline)s?\b"
    r"|\bsystem prompt\b|\bprompt injection\b"
    r"|\b(?:do not|don't|never) (?:tell|inform|mention|reveal|show)\W{1,9}(?:\w{1,20}\W{1,9}){0,4}the user"
    r"|\byou are (?:now )?an? (?:ai|llm|assistant|language model|chatbot|helpful)\b"
    rf"|{_SENTENCE}{_MODELS}(?: reading (?:this|these)[^.]{{0,40}})?,? {_ORDERS}\b"
    rf"|\b(?:instructions?|note|message|notice) (?:for|to) (?:the |all |any )?{_MODELS}\b"
)
# Orders for a task of models, by their first words, with their continuation: most texts have none of the words.
_OTHER_INSTRUCTIONS = {
    **{f"summari{each}": rf" (?:this|the|these) [^.]{{1,60}}, {_DEMANDS}" for each in ("se", "ze", "sing", "zing")},
    **{f"your {each} ": r"(?:must|has to|needs to) " for each in ("answer", "reply", "response", "summary", "output")},
    **{f"{each}ing,": "" for each in ("before answer", "before reply", "before summaris")},
    **{f"{each} ": r"(?:\w{1,20} ){0,4}(?:anweisung|instruc|instruç|istruzion)" for each in ("ignoriere", "ignorez")},
    **{f"{each} ": r"(?:\w{1,20} ){0,4}(?:instruc|instruç|istruzion)" for each in ("ignora", "ignore", "olvida")},
    **{f"{each},": rf"? (?:(?:and )?\w{{1,20}},? ){{0,3}}{_DEMANDS}" for each in ("chatgpt", "claude", "gemini")},
    **dict.fromkeys(("[inst]", "<|im_", "new task:", "positive review only", "dear ai,", "tell the reader"), ""),
    **dict.fromkeys(("forget everything", "forget all"), " (?:above|before|previous|you|of the)"),
    **dict.fromkeys(("the conversation so far", "this conversation to", "key from your environment"), ""),
    "from now on": r",? (?:you|answer|reply|respond|only|always)\b",
}
_OTHERS = {word: re.compile(re.escape(word) + rest) for word, rest in _OTHER_INSTRUCTIONS.items()}
# Enough words to know the place again.
_WORD_CHARS, _NODES_OF_WORDS = 80, 60


def to_text(
    markup: str,
    url: str,
    *,
    with_images: bool = False,
    model: Model | None = None,
    sheets: Sequence[str] = (),
    http_status: int = 200,
) -> Text:
    """Extract the main content; `dowse.extract.html.to_text` is the public name."""
    capped = cap_markup(markup)
    tree = build(capped, sheets=sheets or None)
    text = _extract(markup, tree, url, with_images=with_images, model=model, http_status=http_status)
    if tree.is_settled or not _reads_like_instructions(text.markdown):
        return text
    # A second look costs as much as the first: only a page with text for a model gets it.
    again = build(capped, sheets=())
    text = _extract(markup, again, url, with_images=with_images, model=model, http_status=http_status)
    return replace(text, sheets=_own_sheets(tree, url)) if _reads_like_instructions(text.markdown) else text


def extract_unjudged(
    tree: Tree, url: str, *, with_images: bool = False, model: Model | None = None
) -> tuple[Text, verdict.Context]:
    """The main content before any verdict, and evidence of the extraction for it."""
    selection = select(tree, url, model)
    context = verdict.Context(selection.best_score, selection.is_empty_frame, selection.is_whole)
    return _render(tree, selection, url, with_images=with_images), context


def _extract(markup: str, tree: Tree, url: str, *, with_images: bool, model: Model | None, http_status: int) -> Text:
    text, context = extract_unjudged(tree, url, with_images=with_images, model=model)
    # Before the empty frame: a login form or a challenge is one, too, and its verdict says more.
    found = verdict.check_page(markup, url, text.markdown, context, http_status=http_status)
    if context.is_empty_frame and not text.is_thin:
        raise PageUnreadable(Status.ERROR, onward=Onward.ANY_READER, reason=FailureReason.NO_READABLE_CONTENT)
    return replace(
        text,
        markdown=without_repeated_title(text.markdown, text.title),
        is_thin=text.is_thin or found.is_thin,
        is_cut=text.is_cut or found.is_part,
        warnings=found.warnings,
    )


def _reads_like_instructions(markdown: str) -> bool:
    """Whether a text seems to address the model that reads it."""
    lower = markdown.lower()
    if any(word in lower and pattern.search(lower) for word, pattern in _OTHERS.items()):
        return True
    # Most texts have none of these words, and the pattern takes as long as the rest of a page.
    if not any(word in lower for word in _TRIGGERS):
        return False
    paragraphs = (line for line in lower.split("\n") if any(word in line for word in _TRIGGERS))
    return any(_INSTRUCTIONS.search(line) for line in paragraphs)


def _own_sheets(tree: Tree, url: str) -> tuple[str, ...]:
    """The first style sheets of the page's own site."""
    here, base = urls.parse(url), base_of(tree, url)
    found = [there for address in tree.sheets if (there := urls.parse(address, base)) is not None]
    own = [there.href for there in found if here and there.is_page and _site_of(there.name) == _site_of(here.name)]
    return tuple(dict.fromkeys(own))[:_MOST_SHEETS]


def _site_of(host: str) -> str:
    """The registrable part of a host, as far as its labels tell: `bay.co.uk` of `www.bay.co.uk`."""
    labels = host.split(".")
    is_short = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= _LONGEST_SECOND_LEVEL
    return ".".join(labels[-3 if is_short else -2 :])


def base_of(tree: Tree, url: str) -> str:
    """The base URL of relative links."""
    href = next((attributes["href"] for attributes in tree.head.get("base", ()) if attributes.get("href")), "")
    base = urls.parse_web(href, url) if href else None
    return base.href if base else url


def _render(tree: Tree, selection: Selection, url: str, *, with_images: bool) -> Text:
    base = base_of(tree, url)
    kept = None if selection.is_whole else kept_nodes(tree, selection)
    rendered = render(tree, kept, base, with_images=with_images, posts=selection.posts)
    is_long = len(rendered) > MOST_TEXT_CHARS
    markdown = clean(beginning(rendered, MOST_TEXT_CHARS) if is_long else rendered)
    about = metadata.read(tree, url)
    facts = replace(
        facts_of(about),
        kind=selection.kind,
        is_whole=selection.is_whole and bool(selection.blocks),
        hidden_words=tree.hidden_words,
        targets=_list_targets(tree, kept),
    )
    instead = _declared_text(tree, selection, markdown)
    return Text(instead or markdown, about.title, is_cut=is_long or tree.is_cut, is_thin=bool(instead), facts=facts)


def _list_targets(tree: Tree, kept: Sequence[int] | None) -> str:
    """The targets of fragments, one on each line: the name, a tab, and the first words that are kept there."""
    named = ((node, _target_of(node)) for node in tree.nodes if node.attributes)
    targets = ((name, _first_words(tree, kept, node)) for node, name in named if _is_target(node, name))
    return "\n".join(f"{name}\t{words}" for name, words in islice(targets, _MOST_TARGETS) if words)


def _target_of(node: Node) -> str:
    attributes = node.attributes
    return attributes.get("id") or (attributes.get("name") if node.tag == "a" else "") or ""


def _is_target(node: Node, name: str) -> bool:
    """Whether a block, or the beginning of one, has a name that fits on a line; marks within a text are too many."""
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        return False
    is_first = node.parent is not None and node.index == node.parent.index + 1
    return node.tag not in INLINE or is_first or node.end == node.index + 1


def _first_words(tree: Tree, kept: Sequence[int] | None, node: Node) -> str:
    words = ""
    for each in tree.nodes[node.index : node.index + _NODES_OF_WORDS]:
        if not each.tag and (kept is None or kept[each.index]):
            words = f"{words} {each.text}"
        if len(words) > _WORD_CHARS or (each.index == node.end and node.tag in HEADINGS):
            break
    return " ".join(words[:_WORD_CHARS].split())


def _declared_text(tree: Tree, selection: Selection, markdown: str) -> str:
    """The text of a script-filled page from its JSON-LD or description; empty where it shows as much itself."""
    if selection.words > _EMPTY_WORDS and not selection.is_empty_frame:
        return ""
    for text in (*page_features.declared_texts(tree), *page_features.declared_summaries(tree)):
        words = len(text.split())
        if words >= _WORTHWHILE_WORDS and (selection.is_empty_frame or words > len(markdown.split())):
            return clean(texts.without_markup(text))
    return ""


def facts_of(metadata: Metadata) -> Facts:
    """Metadata as facts, without those about the selection."""
    return Facts(
        author=metadata.author,
        published=metadata.published,
        published_confidence=str(metadata.published_confidence or ""),
        modified=metadata.modified,
        modified_confidence=str(metadata.modified_confidence or ""),
        language=metadata.language,
        site=metadata.site,
        canonical_url=metadata.canonical_url,
        description=metadata.description,
    )
