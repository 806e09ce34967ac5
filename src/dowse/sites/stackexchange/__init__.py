"""Stack Exchange: questions with answers and comments on all sites of the network, and a search over them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from itertools import accumulate, chain

from dowse.core import urls
from dowse.core.errors import PageUnreadable
from dowse.core.models import Deadline, Status, Text
from dowse.core.text import enclose, one_line
from dowse.core.urls import Url
from dowse.net.json_fields import Json, mapping, objects, string, strings, whole
from dowse.sites.compose import (
    Part,
    PartList,
    compose_page,
    day,
    fact,
    fence_indented_code,
    label,
    labels,
    link,
    shift_headings,
    shorten,
    title,
)
from dowse.sites.site import TIMEOUT_S, LoaderKit, Site, request_deadline
from dowse.sites.stackexchange.api import (
    NAME,
    PostAddress,
    QuestionRequest,
    QuestionThread,
    StackApi,
    StackExchangeSearch,
)

# Names of the sites with a domain of their own in the API; the others go by their subdomain.
_OWN_DOMAINS = ("stackoverflow", "serverfault", "superuser", "askubuntu")
_LANGUAGES = ("es", "ja", "pt", "ru")
_SITES = {
    **{f"{name}.com": name for name in (*_OWN_DOMAINS, "stackapps")},
    **{f"meta.{name}.com": f"meta.{name}" for name in _OWN_DOMAINS},
    **{f"{language}.stackoverflow.com": f"{language}.stackoverflow" for language in _LANGUAGES},
    **{f"{language}.meta.stackoverflow.com": f"{language}.meta.stackoverflow" for language in _LANGUAGES},
    **{f"meta.{language}.stackoverflow.com": f"{language}.meta.stackoverflow" for language in _LANGUAGES},
    "mathoverflow.net": "mathoverflow.net",
    "meta.mathoverflow.net": "meta.mathoverflow.net",
    "meta.stackexchange.com": "meta",
}
_NETWORK = re.compile(r"(meta\.)?([a-z0-9-]{1,63})(\.meta)?\.stackexchange\.com")
_NO_SITES = frozenset(["api", "area51", "blog", "chat", "data", "elections", "meta", "openid", "www"])
_QUESTION = re.compile(r"/questions/(\d{1,10})(?:/[^/]*(?:/(\d{1,10}))?)?/?")
_SHORT = re.compile(r"/([aq])/(\d{1,10})(?:/\d{1,10})?/?")
_FRAGMENT = re.compile(r"(?:answer-)?(\d{1,10})|comment(\d{1,10})_(\d{1,10})")
# Estimated room of an answer: at least this many characters, and this share of its HTML.
_LEAST_CHARS, _LEAST_SHARE = 100, 0.25
_MOST_TAGS = 10
_QUESTION_SHARE = 0.5
_HERE = "the link points here"
_COMMENTS = "### Comments"
# Levels by which headings inside posts are moved below those of the page.
_DEEPER = 3


class StackExchangeLoader:
    """Implements `protocols.SiteLoader`."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: LoaderKit) -> None:
        self._api = StackApi(kit)
        self._extractor = kit.extractor
        self._max_chars = kit.settings.stackexchange_max_chars

    def accepts(self, url: Url) -> bool:
        return _find_address(url) is not None

    async def read(self, url: str, deadline: Deadline) -> Text:
        address = _find_address(urls.parse(url))
        if address is None:
            raise PageUnreadable(Status.ERROR, "not a question of Stack Exchange")
        found = await QuestionRequest(self._api, address, request_deadline(deadline), self._max_chars).load()
        found = _arrange_answers(found, address, self._max_chars)
        base, html = f"https://{address.host}/", _list_html(found)
        markdown = await self._extractor.render(html, url=base, timeout_s=deadline.remaining_s()) if html else ()
        return _compose_question(_add_markdown(found, markdown), address, self._max_chars)


def _find_address(url: Url | None) -> PostAddress | None:
    """The post that a URL names; `None` for a URL of anything but a question, an answer or a comment."""
    if url is None or not url.is_page or not (site := _find_site(url.name)):
        return None
    host = url.name.removeprefix("www.")
    answer, comment, post = _read_fragment(url.href.partition("#")[2])
    if short := _SHORT.fullmatch(url.path):
        number = int(short[2])
        question, answer = (0, number) if short[1] == "a" else (number, answer)
        return PostAddress(host, site, question, answer, comment)
    found = _QUESTION.fullmatch(url.path)
    return (
        _find_post(PostAddress(host, site, int(found[1]), answer, comment), post, int(found[2] or 0)) if found else None
    )


def _read_fragment(fragment: str) -> tuple[int, int, int]:
    """The answer, the comment and its post; 0 for each that is not named."""
    found = _FRAGMENT.fullmatch(fragment)
    answer, comment, post = map(int, found.groups("0")) if found else (0, 0, 0)
    return answer, comment, post


def _find_post(address: PostAddress, commented: int, answer: int) -> PostAddress:
    """The address with the answer that the fragment names, else the commented one, else that of the path.

    A comment belongs to the question or to an answer: the number of its post tells which.
    """
    commented = commented if commented != address.question else 0
    return replace(address, answer=address.answer or commented or answer)


def _find_site(host: str) -> str:
    """The `api_site_parameter` of a host; empty for a host outside the network."""
    host = host.removeprefix("www.")
    if host in _SITES:
        return _SITES[host]
    found = _NETWORK.fullmatch(host)
    if found is None or found[2] in _NO_SITES or (found[1] and found[3]):
        return ""
    return f"{found[2]}.meta" if found[1] or found[3] else found[2]


def _arrange_answers(found: QuestionThread, address: PostAddress, max_chars: int) -> QuestionThread:
    """The answers in the order of the page, without those that cannot fit."""
    accepted = whole(found.question, "accepted_answer_id")
    posts = [found.question, *found.answers]
    is_tight = sum(_LEAST_CHARS + len(_source(post)) for post in posts) > max_chars

    def rank(answer: Json) -> tuple[bool, bool, int]:
        number = whole(answer, "answer_id")
        # The linked answer comes early where not all may fit.
        return number == accepted, is_tight and number == address.answer, whole(answer, "score")

    answers = sorted(found.answers, key=rank, reverse=True)
    before = accumulate((_LEAST_CHARS + _LEAST_SHARE * len(_source(answer)) for answer in answers), initial=0.0)
    kept = [answer for answer, chars in zip(answers, before, strict=False) if chars < max_chars]
    numbers = {whole(found.question, "question_id"), *(whole(answer, "answer_id") for answer in kept)}
    comments = {post: listed for post, listed in found.comments.items() if post in numbers}
    return replace(found, answers=kept, comments=comments)


def _list_html(found: QuestionThread) -> list[str]:
    """The HTML to convert, in the order in which `_add_markdown` takes the results."""
    return [string(item, "body") for item in _items(found) if not string(item, "body_markdown")]


def _add_markdown(found: QuestionThread, markdown: Sequence[str]) -> QuestionThread:
    """The question with a field `markdown` in every post and comment."""
    texts = iter(markdown)

    def convert(item: Json) -> Json:
        # The API escapes Markdown as it escapes HTML.
        source = fence_indented_code(unescape(string(item, "body_markdown")))
        return {**item, "markdown": source or next(texts, "")}

    question, answers = convert(found.question), list(map(convert, found.answers))
    comments = {post: list(map(convert, listed)) for post, listed in found.comments.items()}
    return replace(found, question=question, answers=answers, comments=comments)


def _compose_question(found: QuestionThread, address: PostAddress, max_chars: int) -> Text:
    """The page of a question; a linked answer or comment is marked."""
    question = found.question
    total = max(len(found.answers), whole(question, "answer_count"))
    answers = [_answer(*each, found, address) for each in enumerate(found.answers, start=1)]
    return compose_page(
        _question_url(question, address),
        unescape(string(question, "title")),
        [_question(found, address, round(max_chars * _QUESTION_SHARE)), "" if total else "No answers yet."],
        max_chars=max_chars,
        variable="STACKEXCHANGE_MAX_CHARS",
        listed=PartList("answers", answers, total),
        rest=enclose("(", "; ".join(found.missing), ")"),
        warnings=found.warnings,
    )


def _source(post: Json) -> str:
    return string(post, "body_markdown", "body")


def _items(found: QuestionThread) -> list[Json]:
    return [found.question, *found.answers, *chain.from_iterable(found.comments.values())]


def _question(found: QuestionThread, address: PostAddress, max_chars: int) -> Part:
    question = found.question
    facts = [
        link(f"Question on {address.host}", _question_url(question, address)),
        _author(question),
        _date("Asked", question, "creation_date"),
        _date("Edited", question, "last_edit_date"),
        f"Score: {whole(question, 'score')}",
        f"Answers: {whole(question, 'answer_count')}",
        f"Views: {whole(question, 'view_count')}" if "view_count" in question else "",
        fact("Bounty", whole(question, "bounty_amount")),
        _date("Locked", question, "locked_date"),
        fact("Tags", labels(strings(question.get("tags")), _MOST_TAGS)),
    ]
    comments = _comments(whole(question, "question_id"), found, address)
    body = shift_headings(string(question, "markdown"), _DEEPER)
    if found.answers:
        # Pasted logs must not crowd out the answers.
        body = shorten(body, max_chars)
    heading = f"# {title(unescape(string(question, 'title'))) or 'Question without a title'}"
    return Part(heading, facts, "\n\n".join(filter(None, [_close_note(question, address), body, comments])))


def _answer(place: int, answer: Json, found: QuestionThread, address: PostAddress) -> Part:
    number = whole(answer, "answer_id")
    is_accepted = number == whole(found.question, "accepted_answer_id")
    is_linked = number == address.answer and not address.comment
    marks = ", ".join(filter(None, ["accepted" if is_accepted else "", _HERE if is_linked else ""]))
    facts = [
        link("Link", f"https://{address.host}/a/{number}"),
        f"Score: {whole(answer, 'score')}",
        _author(answer),
        _date("Answered", answer, "creation_date"),
        _date("Edited", answer, "last_edit_date"),
    ]
    comments = _comments(number, found, address)
    body = "\n\n".join(filter(None, [shift_headings(string(answer, "markdown"), _DEEPER), comments]))
    return Part(f"## Answer {place}" + enclose(" (", marks, ")"), facts, body)


def _comments(post: int, found: QuestionThread, address: PostAddress) -> str:
    """The comments of a post in their order in time."""
    listed = sorted(found.comments.get(post, ()), key=lambda comment: whole(comment, "creation_date"))
    lines = [_comment(comment, address) for comment in listed if string(comment, "markdown")]
    return enclose(f"{_COMMENTS}\n\n", "\n".join(lines))


def _comment(comment: Json, address: PostAddress) -> str:
    is_linked = bool(address.comment) and whole(comment, "comment_id") == address.comment
    score = enclose("score ", whole(comment, "score"))
    facts = [day(comment.get("creation_date")), score, _HERE if is_linked else ""]
    return f"- **{_name(comment)}** ({', '.join(filter(None, facts))}): {one_line(string(comment, 'markdown'))}"


def _close_note(question: Json, address: PostAddress) -> str:
    """The reason why the question is closed, and its originals where the filter includes them."""
    reason = label(unescape(string(question, "closed_reason")))
    if not reason:
        return ""
    originals = objects(mapping(question, "closed_details").get("original_questions"))
    links = [
        link(unescape(string(each, "title")), _question_url(each, address))
        for each in originals
        if whole(each, "question_id")
    ]
    when = enclose(" on ", day(question.get("closed_date")))
    return f"**Closed{when}: {reason}**" + enclose(" of ", ", ".join(links))


def _question_url(question: Json, address: PostAddress) -> str:
    return f"https://{address.host}/questions/{whole(question, 'question_id')}"


def _author(post: Json) -> str:
    reputation = whole(mapping(post, "owner"), "reputation")
    wiki = ", community wiki" if whole(post, "community_owned_date") else ""
    return f"Author: {_name(post)}" + (f" (reputation {reputation}{wiki})" if reputation else wiki)


def _name(post: Json) -> str:
    return label(unescape(string(mapping(post, "owner"), "display_name"))) or "unknown"


def _date(what: str, post: Json, name: str) -> str:
    return fact(what, day(post.get(name)))


SITE = Site(loader=StackExchangeLoader, search=StackExchangeSearch)
