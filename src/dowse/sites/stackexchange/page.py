"""How a question of Stack Exchange is written down: the accepted answer first, then by score, comments below each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from itertools import accumulate

from dowse.core.models import Text
from dowse.core.text import one_line
from dowse.net.json_api import Json, objects, string, strings, whole
from dowse.sites.compose import Listed, Part, day, fenced, label, labels, link, page, shifted, shortened, title
from dowse.sites.stackexchange.api import Address, Conversation

# An answer takes at least this much room, however short it is, and at least this share of the length of its HTML.
_LEAST_CHARS, _LEAST_SHARE = 100, 0.25
_MOST_TAGS = 10
_QUESTION_SHARE = 0.5
_HERE = "the link points here"
_COMMENTS = "### Comments"
# Headings in posts are below all of ours.
_DEEPER = 3


def arranged(found: Conversation, address: Address, max_chars: int) -> Conversation:
    """The answers in the order of reading, without those for which there can be no room."""
    accepted = whole(found.question, "accepted_answer_id")
    posts = [found.question, *found.answers]
    is_tight = sum(_LEAST_CHARS + len(_source(post)) for post in posts) > max_chars

    def rank(answer: Json) -> tuple[bool, bool, int]:
        number = whole(answer, "answer_id")
        # Where not all answers may fit, the linked one must.
        return number == accepted, is_tight and number == address.answer, whole(answer, "score")

    answers = sorted(found.answers, key=rank, reverse=True)
    before = accumulate((_LEAST_CHARS + _LEAST_SHARE * len(_source(answer)) for answer in answers), initial=0.0)
    kept = [answer for answer, chars in zip(answers, before, strict=False) if chars < max_chars]
    numbers = {whole(found.question, "question_id"), *(whole(answer, "answer_id") for answer in kept)}
    comments = {post: said for post, said in found.comments.items() if post in numbers}
    return replace(found, answers=kept, comments=comments)


def html_of(found: Conversation) -> list[str]:
    """What has to be converted, in the order in which `converted` takes it back."""
    return [string(item, "body") for item in _items(found) if not string(item, "body_markdown")]


def converted(found: Conversation, markdown: Sequence[str]) -> Conversation:
    """The same with a field `markdown` in everything that anybody wrote."""
    texts = iter(markdown)

    def written(item: Json) -> Json:
        # The API escapes Markdown like everything else, so that it could stand in a web page as it is.
        source = fenced(unescape(string(item, "body_markdown")))
        return {**item, "markdown": source or next(texts, "")}

    question, answers = written(found.question), [written(answer) for answer in found.answers]
    comments = {post: [written(comment) for comment in said] for post, said in found.comments.items()}
    return replace(found, question=question, answers=answers, comments=comments)


def to_page(found: Conversation, address: Address, max_chars: int) -> Text:
    """The finished page; of a link to an answer or a comment it says which one that was."""
    question = found.question
    total = max(len(found.answers), whole(question, "answer_count"))
    answers = [_answer(*each, found, address) for each in enumerate(found.answers, start=1)]
    return page(
        _question_url(question, address),
        unescape(string(question, "title")),
        [_question(found, address, round(max_chars * _QUESTION_SHARE)), "" if total else "No answers yet."],
        max_chars=max_chars,
        variable="STACKEXCHANGE_MAX_CHARS",
        listed=Listed("answers", answers, total),
        rest=f"({'; '.join(found.missing)})" if found.missing else "",
        warnings=found.warnings,
    )


def _source(post: Json) -> str:
    return string(post, "body_markdown", "body")


def _items(found: Conversation) -> list[Json]:
    return [found.question, *found.answers, *(comment for said in found.comments.values() for comment in said)]


def _question(found: Conversation, address: Address, max_chars: int) -> Part:
    question = found.question
    tags = labels(strings(question.get("tags")), _MOST_TAGS)
    facts = [
        link(f"Question on {address.host}", _question_url(question, address)),
        _author(question),
        _date("Asked", question, "creation_date"),
        _date("Edited", question, "last_edit_date"),
        f"Score: {whole(question, 'score')}",
        f"Answers: {whole(question, 'answer_count')}",
        f"Views: {whole(question, 'view_count')}" if "view_count" in question else "",
        f"Bounty: {whole(question, 'bounty_amount')}" if whole(question, "bounty_amount") else "",
        _date("Locked", question, "locked_date"),
        f"Tags: {tags}" if tags else "",
    ]
    comments = _comments(whole(question, "question_id"), found, address)
    body = shifted(string(question, "markdown"), _DEEPER)
    if found.answers:
        # People paste whole logs, and the answers are what a reader came for.
        body = shortened(body, max_chars)
    heading = f"# {title(unescape(string(question, 'title'))) or 'Question without a title'}"
    return Part(heading, facts, "\n\n".join(filter(None, [_closed(question, address), body, comments])))


def _answer(place: int, answer: Json, found: Conversation, address: Address) -> Part:
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
    body = "\n\n".join(filter(None, [shifted(string(answer, "markdown"), _DEEPER), comments]))
    return Part(f"## Answer {place}" + (f" ({marks})" if marks else ""), facts, body)


def _comments(post: int, found: Conversation, address: Address) -> str:
    """As they were said, one after the other; no post can have a heading like theirs."""
    said = sorted(found.comments.get(post, ()), key=lambda comment: whole(comment, "creation_date"))
    lines = [_comment(comment, address) for comment in said if string(comment, "markdown")]
    return "\n".join([_COMMENTS, "", *lines]) if lines else ""


def _comment(comment: Json, address: Address) -> str:
    score = whole(comment, "score")
    is_linked = bool(address.comment) and whole(comment, "comment_id") == address.comment
    facts = [day(comment.get("creation_date")), f"score {score}" if score else "", _HERE if is_linked else ""]
    return f"- **{_name(comment)}** ({', '.join(filter(None, facts))}): {one_line(string(comment, 'markdown'))}"


def _closed(question: Json, address: Address) -> str:
    """Why it is closed, and of what it is a duplicate where the filter in use makes the API say so."""
    reason = label(unescape(string(question, "closed_reason")))
    if not reason:
        return ""
    details = question.get("closed_details")
    originals = objects(details.get("original_questions")) if isinstance(details, dict) else []
    links = [
        link(unescape(string(each, "title")), _question_url(each, address))
        for each in originals
        if whole(each, "question_id")
    ]
    when = f" on {day(question.get('closed_date'))}" if day(question.get("closed_date")) else ""
    return f"**Closed{when}: {reason}**" + (f" of {', '.join(links)}" if links else "")


def _question_url(question: Json, address: Address) -> str:
    return f"https://{address.host}/questions/{whole(question, 'question_id')}"


def _author(post: Json) -> str:
    owner = post.get("owner")
    reputation = whole(owner, "reputation") if isinstance(owner, dict) else 0
    wiki = ", community wiki" if whole(post, "community_owned_date") else ""
    return f"Author: {_name(post)}" + (f" (reputation {reputation}{wiki})" if reputation else wiki)


def _name(post: Json) -> str:
    owner = post.get("owner")
    return (label(unescape(string(owner, "display_name"))) if isinstance(owner, dict) else "") or "unknown"


def _date(what: str, post: Json, name: str) -> str:
    moment = day(post.get(name))
    return f"{what}: {moment}" if moment else ""
