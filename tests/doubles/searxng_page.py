"""The web page of a SearXNG in its simple theme, as of 2026: what a browser gets, and whoever is refused JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from html import escape
from urllib.parse import urlsplit

_WORD = re.compile(r"\w{2,40}")

_PAGE = """<!DOCTYPE html>
<html class="no-js theme-auto center-alignment-no" lang="en-US">
<head><meta charset="UTF-8"><meta name="robots" content="noarchive"><meta name="generator" content="searxng/2026.8.22">
<title>{query} - SearXNG</title></head>
<body class="results_endpoint"><main id="main_results" class="">
<form id="search" method="GET" action="{base}/search" role="search"><div id="search_header">
<input id="q" name="q" type="search" placeholder="Search for..." value="{query}"></div></form>
<div id="results" class="{only}">{answers}
<div id="sidebar">{suggestions}{messages}<div id="sidebar-end-collapsable"></div></div>
<div id="urls" role="main">{articles}</div></div></main>
<footer><p>Powered by <a href="https://docs.searxng.org">searxng</a> - 2026.8.22</p></footer></body></html>"""
_NO_RESULTS = """<div class="dialog-error-block" role="alert"><p><strong>Sorry!</strong></p>
<p>No results were found. You can try to:</p><ul><li>Refresh the page.</li><li>Search for another query or select
another category (above).</li><li>Change the search engine used in the preferences:
<a href="{base}/preferences">{base}/preferences</a></li></ul></div>"""
_MESSAGES = """<div id="engines_msg"><details class="sidebar-collapsible"><summary class="title" id="engines_msg-title">
Response time: 1.2 seconds</summary><table class="engine-stats" id="engines_msg-table">{rows}</table></details></div>"""
_MESSAGE = """<tr><td class="engine-name"><a href="{base}/stats?engine={name}"
title="View error logs and submit a bug report">{name}</a></td><td class="response-error">{reason}</td></tr>"""
_ANSWERS = """<div id="answers" role="complementary" aria-labelledby="answers-title">
<h4 class="title" id="answers-title">Answers : </h4>{items}</div>"""
_SUGGESTIONS = """<div id="suggestions" role="complementary" aria-labelledby="suggestions-title">
<details class="sidebar-collapsible"><summary class="title" id="suggestions-title">Suggestions</summary>
<div class="wrapper">{items}</div></details></div>"""
_SUGGESTION = """<form method="GET" action="{base}/search"><input type="hidden" name="q" value="{text}">
<input type="submit" class="suggestion" role="link" value="&bull; {text}"></form>"""
_ARTICLE = """<article class="result result-{kind} category-{category}">
<a href="{url}" class="url_header" rel="noreferrer"><div class="url_wrapper"><span class="url_o1">
<span class="url_i1">{site}</span></span></div></a>{thumbnail}<h3><a href="{url}" rel="noreferrer">{title}</a></h3>
{published}{length}<p class="content">{content}</p><div class="engines">{engines}</div>
<div class="break"></div></article>"""
_THUMBNAIL = """<a href="{url}" class="thumbnail_link" rel="noreferrer"><img class="thumbnail" src="{thumbnail}"
title="{title}" loading="lazy"></a>"""
_IMAGE = """<article class="result result-images category-images"><a rel="noreferrer" href="{image}">
<img class="image_thumbnail" rel="noreferrer" src="{thumbnail}" alt="{title}" loading="lazy" width="200" height="200">
<span class="image_resolution">{resolution}</span><span class="title">{title}</span><span class="source">{site}</span>
</a><div class="detail"><a class="result-detail-close" href="#"></a>
<a class="result-images-source" rel="noreferrer" href="{image}"><img src="" data-src="{image}" alt="{title}"></a>
<div class="result-images-labels"><h4>{title}</h4><p class="result-content">{content}</p><hr>
<p class="result-engine"><span>Engine:</span>{engine}</p><p class="result-url"><span>View source:</span>
<a rel="noreferrer" href="{url}">{url}</a></p></div></div></article>"""


def page(base: str, answer: Mapping[str, object]) -> str:
    """The page that shows the same as this JSON answer."""
    query, results = str(answer["query"]), _objects(answer["results"])
    kinds = {_kind(result) for result in results}
    answers = [
        f'<div class="answer"><span>{escape(str(each["answer"]))}</span></div>' for each in _objects(answer["answers"])
    ]
    texts = [_SUGGESTION.format(base=base, text=escape(str(text))) for text in _list(answer["suggestions"])]
    failed = [
        _MESSAGE.format(base=base, name=escape(name), reason=escape(reason))
        for name, reason in _pairs(answer["unresponsive_engines"])
    ]
    articles = [_article(result, query) for result in results]
    return _PAGE.format(
        base=base,
        query=escape(query),
        only=f"only_template_{kinds.pop()}" if len(kinds) == 1 else "",
        answers=_ANSWERS.format(items="".join(answers)) if answers else "",
        suggestions=_SUGGESTIONS.format(items="".join(texts)) if texts else "",
        messages=_MESSAGES.format(rows="".join(failed)) if failed else "",
        articles="".join(articles) or ("" if answers else _NO_RESULTS.format(base=base)),
    )


def _article(result: Mapping[str, object], query: str) -> str:
    kind = _kind(result)
    shown = {name: escape(str(result.get(name) or "")) for name in ("url", "title", "content", "engine", "category")}
    parts = urlsplit(str(result["url"]))
    shown |= {"site": escape(f"{parts.scheme}://{parts.netloc}"), "kind": kind}
    if kind == "images":
        image = {"image": "img_src", "thumbnail": "thumbnail_src", "resolution": "resolution"}
        return _IMAGE.format(**shown, **{name: escape(str(result[key])) for name, key in image.items()})
    small, published = (str(result.get(name) or "") for name in ("thumbnail", "publishedDate"))
    length = result.get("length") or ""
    if isinstance(length, float):
        length = timedelta(seconds=length)
    thumbnail = _THUMBNAIL.format(url=shown["url"], thumbnail=escape(small), title=shown["title"]) if small else ""
    return _ARTICLE.format(
        **shown | {name: _highlighted(shown[name], query) for name in ("title", "content")},
        thumbnail=thumbnail,
        published=f'<time class="published_date" datetime="{published}">{published[:10]}</time>' if published else "",
        length=f'<div class="result_length">Length: {length}</div>' if length else "",
        engines="".join(f"<span>{escape(str(name))}</span>" for name in _list(result["engines"])),
    )


def _highlighted(text: str, query: str) -> str:
    """Each word of the query in a span of its own, as the theme shows it."""
    words = {word.lower() for word in _WORD.findall(query)}

    def mark(match: re.Match[str]) -> str:
        return f'<span class="highlight">{match[0]}</span>' if match[0].lower() in words else match[0]

    return _WORD.sub(mark, text)


def _kind(result: Mapping[str, object]) -> str:
    return str(result["template"]).removesuffix(".html")


def _objects(value: object) -> list[dict[str, object]]:
    return [item for item in _list(value) if isinstance(item, dict)]


def _pairs(value: object) -> list[tuple[str, str]]:
    return [(str(item[0]), str(item[1])) for item in _list(value) if isinstance(item, list)]


def _list(value: object) -> list[object]:
    assert isinstance(value, list)
    return value
