"""Article pages with more around them: comments, other stories and boxes are written into pages of WCXB.

Its articles hardly have any. What is written in is made of threads and other articles of the same fold, in markup of
many manners, and is no content; so is nothing that was not content before.
"""

from __future__ import annotations

import html
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
from selectolax.lexbor import LexborHTMLParser, LexborNode

from dowse.extract.decode import decode
from dowse.extract.html.tree.guard import cap_markup
from tools.extractor.data import Sample
from tools.extractor.metrics import words

_Choice = TypeVar("_Choice")
_EVERY = 2
# An element that holds so much of the content is around it.
_MOST = 0.85
_SHINGLE = 4
_WORDS_OF_A_COMMENT = (3, 120)
_WORDS_OF_A_TEASER = 28
_NAMES = (
    "otter42 Ana M. Karsten ulla_p Dieter B. Jean-Luc maria.g wanderer anonymous Guest R. Smith pebble77 Tomasz lin"
    " Svea oldtimer Nadia K. 匿名 Игорь Zoë"
).split()
_DATES = ("3 hours ago", "Yesterday, 21:14", "12.03.2024 um 09:41", "Mar 5, 2024", "il y a 2 jours", "2024-03-05 10:22")
_LABELS = {
    "comments": (
        "Comments",
        "{n} Comments",
        "Leave a comment",
        "Join the conversation",
        "Responses",
        "Kommentare ({n})",
        "Diskussion zum Artikel",
        "Commentaires",
        "Comentarios",
        "Commenti ({n})",
        "Reacties",
        "Komentarze",
        "Комментарии",
        "コメント",
    ),
    "reply": (
        *("Reply", "Report", "Like", "Share", "Quote", "Antworten", "Melden", "Répondre", "Responder", "Rispondi"),
        *("Reageren", "Odpowiedz", "Ответить", "返信"),
    ),
    "related": (
        "Related articles",
        "Most popular",
        "Read next",
        "More from this author",
        "Trending now",
        "You may also like",
        "Top stories",
        "Mehr zum Thema",
        "Meistgelesen",
        "Das könnte Sie auch interessieren",
        "À lire aussi",
        "Les plus lus",
        "Lo más leído",
        "Noticias relacionadas",
        "Leggi anche",
        "Lees ook",
        "Czytaj także",
        "Читайте также",
        "関連記事",
    ),
    "credits": (
        "Photo: ",
        "Photo by ",
        "Credit: ",
        "© ",
        "Foto: ",
        "Bild: ",
        "Crédit : ",
        "Image: ",
        "写真・",
        "Фото: ",
    ),
    "boxes": (
        "Sign up for our newsletter|Get the best stories of the week in your inbox. You can unsubscribe at any time.",
        "Support our work|We have no owner and no paywall. Every contribution keeps this journalism open for everyone.",
        "Continue reading|This article is for subscribers. Subscribe now to read this and all other stories.",
        "Already a subscriber?|Log in to continue. Monthly and yearly plans are available, cancel whenever you want.",
        "Newsletter abonnieren|Jeden Morgen das Wichtigste in Ihrem Postfach, kostenlos und jederzeit kündbar.",
        "Weiterlesen mit Plus|Testen Sie alle Artikel einen Monat lang. Danach monatlich kündbar.",
        "Abonnez-vous|Recevez chaque matin notre sélection d'articles dans votre boîte.",
        "Suscríbase|Acceso ilimitado a todos los contenidos por un euro el primer mes.",
        "About the author|A reporter in our newsroom who writes about science, cities and the people in them.",
        "Advertisement|Our partners pay for this space.",
        "Listen to this article|Audio is available to members.",
        "Have you got a story?|Write to our newsroom in confidence, we read every message.",
    ),
}
_CALLED = {
    "comments": (
        *("comments", "comment-list", "commentlist", "comments-area", "discussion", "talk-stream", "reader-comments"),
        *("conversation", "post-comments", "opinions", "kommentare", "feedback", "replies", "responses", "c", ""),
    ),
    "comment": ("comment", "comment-item", "message", "reply", "post", "entry", "response", "remark", "item", ""),
    "comment-text": ("comment-body", "comment__text", "text", "content", "message-text", "post-body", "body", "p", ""),
    "caption": ("caption", "image-caption", "wp-caption-text", "img__caption", "legend", "picture-text", "desc", ""),
    "credit": ("credit", "photo-credit", "image-credit", "copyright", "source", "author", ""),
    "related": (
        *("related", "related-posts", "recirc", "most-read", "trending", "more-stories", "teasers", "recommended"),
        *("read-more", "latest", "sidebar-list", "promo", "onward", "links", "block", ""),
    ),
    "teaser": ("teaser", "card", "item", "story", "post", "entry", "article-card", "promo", "row", ""),
    "box": ("newsletter", "subscribe", "promo", "box", "paywall", "callout", "signup", "author-box", "widget", ""),
}


@dataclass(frozen=True, slots=True)
class _Texts:
    """What is written into the pages of one fold."""

    comments: list[str]
    teasers: list[tuple[str, str]]


def with_surroundings(samples: Sequence[Sample]) -> Iterator[Sample]:
    """Copies of every other article with more around it."""
    texts: defaultdict[int, _Texts] = defaultdict(partial(_Texts, [], []))
    for sample in samples:
        if sample.kind == "forum":
            texts[sample.fold].comments.extend(_comments(sample.content))
        elif sample.kind == "article" and sample.title:
            teaser = " ".join(sample.content.split()[:_WORDS_OF_A_TEASER])
            texts[sample.fold].teasers.append((sample.title, teaser))
    for sample in [each for each in samples if each.kind == "article"][::_EVERY]:
        markup = _Surrounding(sample, texts[sample.fold]).markup()
        if markup:
            yield replace(sample, name=f"{sample.name}+", html=f"\ufeff{markup}".encode())


def _comments(content: str) -> Iterator[str]:
    shortest, longest = _WORDS_OF_A_COMMENT
    return (line for line in content.split("\n") if shortest <= len(line.split()) <= longest)


class _Surrounding:
    """Writes comments, lists and boxes into one page, in markup that its name decides."""

    def __init__(self, sample: Sample, texts: _Texts) -> None:
        self._sample, self._texts = sample, texts
        self._random = np.random.default_rng(zlib.crc32(sample.name.encode()))
        self._style = self._one(("named", "named", "hashed", "elements", "bare"))

    def markup(self) -> str:
        """The page; empty where its content is in no one element."""
        parser = LexborHTMLParser(cap_markup(decode(self._sample.html)))
        around = _around_content(parser, self._sample.content)
        if around is None or not self._texts.comments or not self._texts.teasers:
            return ""
        if self._chance(0.15):
            self._cut_off(around)
        if self._chance(0.3):
            for described in parser.css("meta, script"):
                described.decompose()
        for make, least, most, places in (
            (self._picture, 0, 2, ("before", "inside", "inside")),
            (self._box, 0, 2, ("inside", "end", "after")),
            (self._teasers, 1, 3, ("before", "inside", "end", "after", "last")),
            (self._thread, 0, 1, ("end", "after", "last")),
        ):
            for _ in range(int(self._random.integers(least, most + 1))):
                self._put(around, make(), self._one(places))
        return parser.html or ""

    def _put(self, around: LexborNode, written: str, place: str) -> None:
        body = LexborHTMLParser(f"<body>{written}</body>").body
        new = body.first_child if body is not None else None
        if new is None:
            return
        children = [child for child in around.iter() if child.tag not in ("script", "style")]
        if place == "before":
            around.insert_before(new)
        elif place == "inside" and len(children) > 3:
            children[int(self._random.integers(1, len(children) - 1))].insert_after(new)
        elif place == "last" and around.parent is not None and around.parent.tag != "html":
            around.parent.insert_child(new)
        elif place == "after" and around.tag != "body":
            around.insert_after(new)
        else:
            around.insert_child(new)

    def _cut_off(self, around: LexborNode) -> None:
        """Leave the beginning only, as a preview does."""
        children = list(around.iter())
        for child in children[max(3, len(children) // 4) :] if len(children) > 8 else ():
            child.decompose()

    def _thread(self) -> str:
        name, text = self._one(_CALLED["comment"]), self._one(_CALLED["comment-text"])
        is_list = self._chance(0.4)
        item, outer = ("li", self._one(("ul", "ol"))) if is_list else (self._one(("div", "article", "div")), "div")
        shape = int(self._random.integers(0, 4))
        count = int(self._random.integers(2, 14))
        entries = "".join([self._comment(item, name, text, shape) for _ in range(count)])
        label = self._label("comments").format(n=count)
        return self._part("comments", f"{self._heading(label)}<{outer}>{entries}</{outer}>")

    def _comment(self, item: str, name: str, text: str, shape: int) -> str:
        who, when, said = self._one(_NAMES), self._one(_DATES), html.escape(self._one(self._texts.comments))
        head = (
            f"<div><b>{who}</b> <span>{when}</span></div>",
            f"<h4><a href='/user/1'>{who}</a></h4><time>{when}</time>",
            f"<cite>{who}</cite>",
            f"<span><a href='#'>{who}</a></span><small>{when}</small>",
        )[shape]
        inner = f"<p>{said}</p>" if shape % 2 else said
        if self._chance(0.2):
            inner += f"<p>{html.escape(self._one(self._texts.comments))}</p>"
        tools = "".join([f"<button>{self._label('reply')}</button>" for _ in range(shape)])
        tag = self._tag("comment-text")
        body = f"{head}<{tag}{self._names(text)}>{inner}</{tag}>{tools}"
        return f"<{item}{self._names(name)}>{body}</{item}>"

    def _teasers(self) -> str:
        name = self._one(_CALLED["teaser"])
        with_text, as_list, rank = self._chance(0.5), self._chance(0.5), self._chance(0.2)
        entries = []
        for number in range(1, int(self._random.integers(1, 9)) + 1):
            headline, teaser = map(html.escape, self._one(self._texts.teasers))
            link = f"<a href='/story/{number}'>{headline}</a>"
            link = link if as_list else f"<h3>{link}</h3>" if self._style != "hashed" else f"<div>{link}</div>"
            text = f"<p>{teaser}</p>" if with_text else ""
            tag = "li" if as_list else self._tag("teaser-card")
            entries.append(f"<{tag}{self._names(name)}>{number if rank else ''}{link}{text}</{tag}>")
        inner = "".join(entries)
        inner = f"<ul>{inner}</ul>" if as_list else inner
        return self._part("related", f"{self._heading(self._label('related'))}{inner}")

    def _box(self) -> str:
        title, _, text = map(html.escape, self._label("boxes").partition("|"))
        return self._part("box", f"{self._heading(title)}<p>{text}</p><a href='/join'>{title}</a>")

    def _picture(self) -> str:
        """A picture with its caption and the name of whoever made it."""
        _, text = self._one(self._texts.teasers)
        caption = html.escape(" ".join(text.split()[: int(self._random.integers(4, 20))]))
        credit = f"{self._label('credits')}{self._one(_NAMES)}"
        image = "<img src='/picture.jpg'>"
        name, made_by = self._names(self._one(_CALLED["caption"])), self._names(self._one(_CALLED["credit"]))
        shape = int(self._random.integers(0, 5))
        if shape == 0 or self._style == "elements":
            return f"<figure>{image}<figcaption>{caption} <span{made_by}>{credit}</span></figcaption></figure>"
        if shape == 1:
            return f"<div{self._names('image')}>{image}<p{name}>{caption} {credit}</p></div>"
        if shape == 2:
            return f"<div>{image}<div{name}>{caption}</div><div{made_by}>{credit}</div></div>"
        if shape == 3:
            return f"<figure>{image}<span{made_by}>{credit}</span><figcaption{name}>{caption}</figcaption></figure>"
        return f"<table><tr><td>{image}</td></tr><tr><td{name}>{caption} ({credit})</td></tr></table>"

    def _part(self, kind: str, inner: str) -> str:
        tag = self._one(("div", "section", "aside")) if self._style != "hashed" else "div"
        tag = self._tag(f"site-{kind}") if self._style == "elements" else tag
        return f"<{tag}{self._names(self._one(_CALLED[kind]))}>{inner}</{tag}>"

    def _heading(self, label: str) -> str:
        tag = self._one(("h2", "h3", "h4", "div", "p", "strong"))
        return f"<div><strong>{label}</strong></div>" if tag == "strong" else f"<{tag}>{label}</{tag}>"

    def _names(self, name: str) -> str:
        if self._style == "hashed":
            return f' class="css-{zlib.crc32(name.encode()) % 1_000_000:x}"'
        return f' class="{name}"' if name and self._style == "named" else ""

    def _tag(self, name: str) -> str:
        return name if self._style == "elements" else "div"

    def _label(self, group: str) -> str:
        return self._one(_LABELS[group])

    def _one(self, choices: Sequence[_Choice]) -> _Choice:
        return choices[int(self._random.integers(len(choices)))]

    def _chance(self, share: float) -> bool:
        return bool(self._random.random() < share)


def _around_content(parser: LexborHTMLParser, content: str) -> LexborNode | None:
    """The innermost element that holds most of the content."""
    wanted = set(_shingles(content))
    node = parser.body
    held = _held(node, wanted) if node is not None else 0
    if node is None or held < _MOST * len(wanted) / 2:
        return None
    while True:
        inner = next((each for each in node.iter() if _held(each, wanted) >= _MOST * held), None)
        if inner is None or inner.tag in ("p", "td", "table", "tbody", "tr", "ul", "ol"):
            return node
        node = inner


def _held(node: LexborNode, wanted: set[tuple[str, ...]]) -> int:
    return len(wanted.intersection(_shingles(node.text(separator=" "))))


def _shingles(text: str) -> Iterator[tuple[str, ...]]:
    tokens = words(text)
    return zip(*(tokens[start:] for start in range(_SHINGLE)), strict=False)
