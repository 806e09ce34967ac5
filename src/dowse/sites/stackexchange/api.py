"""Stack Exchange's API 2.3: a whole question in at most six requests, none of them before its time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from dowse.core.errors import BadAnswer, NotRead, PageUnreadable, ProviderError, RateLimited
from dowse.core.models import Deadline, Status
from dowse.net.clients import Reply
from dowse.net.json_api import Json, items, string, whole
from dowse.sites.kit import Kit
from dowse.sites.stackexchange import failures as failures
from dowse.sites.stackexchange.failures import KEY_VARIABLE, NAME

_PAGE_SIZE = 100
_ANSWER_PAGES = 2
_EVERYTHING = "*"


@dataclass(frozen=True, slots=True)
class Address:
    """A link to a question, or to an answer or a comment of it; 0 for what it does not name."""

    host: str
    site: str
    question: int = 0
    answer: int = 0
    comment: int = 0


@dataclass(slots=True)
class Conversation:
    """A question with what was said about it; `comments` are by post.

    `missing` says what is not there, and `warnings` say what went wrong.
    """

    question: Json
    answers: list[Json] = field(default_factory=list)
    comments: dict[int, list[Json]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class StackApi:
    """Sends requests; remembers for how long it was asked to leave a method alone, and sends none before."""

    def __init__(self, kit: Kit) -> None:
        settings, key = kit.settings, kit.settings.stackexchange_key
        self._api = replace(kit.api(NAME, KEY_VARIABLE), own_failure=self._failure)
        self._redactor = kit.redactor
        self._base = settings.stackexchange_api_url.rstrip("/")
        self._params = {"filter": settings.stackexchange_filter, "key": key.get_secret_value() if key else ""}
        self._closed_until: dict[str, float] = {}

    async def get(self, method: str, ids: str, deadline: Deadline, params: dict[str, str]) -> tuple[list[Json], bool]:
        """The items of one page, and whether there are more pages."""
        clock = deadline.clock
        wait_s = max(self._closed_until.get(name, 0.0) for name in (method, _EVERYTHING)) - clock.now()
        if wait_s > 0:
            raise RateLimited(NAME, "the pause that it asked for is not over", retry_after_s=wait_s)
        sent = {name: value for name, value in {**self._params, **params}.items() if value}
        body = await self._api.get(f"{self._base}/{method.format(ids)}", deadline, headers={}, params=sent)
        for closed, pause_s in (
            (method, failures.backoff_s(body)),
            (_EVERYTHING, failures.quota_pause_s(body, clock)),
        ):
            if pause_s:
                self._closed_until[closed] = clock.now() + pause_s
        return items(NAME, body, "items"), body.get("has_more") is True

    def _failure(self, reply: Reply) -> ProviderError | None:
        number, message = failures.told(reply)
        if known := failures.failure(reply, self._redactor):
            return known
        # A site or a number that does not exist: the API is well, and the page may still be there.
        said = self._redactor.message(message)
        return NotRead(NAME, said=said) if number == failures.BAD_PARAMETER else None


@dataclass(frozen=True, slots=True)
class Inquiry:
    """The requests for one page; once there are `enough_chars` of answers, no more are asked for."""

    api: StackApi
    address: Address
    deadline: Deadline
    enough_chars: int

    async def conversation(self) -> Conversation:
        """The question and as much of the rest as came; raises only if there is no question to show."""
        number = self.address.question or await self._question_of(self.address.answer)
        questions, _ = await self._get("questions/{}", number)
        if not questions:
            raise PageUnreadable(Status.ERROR, "Stack Exchange has no such question")
        found = Conversation(questions[0])
        if not string(found.question, "title") or not string(found.question, "body_markdown", "body"):
            raise BadAnswer(NAME, "the question came without title or text; check STACKEXCHANGE_FILTER")
        try:
            await self._add_answers(number, found)
        except ProviderError as error:
            found.warnings.append(f"some answers could not be loaded: {error}")
        try:
            await self._add_comments(number, found)
        except ProviderError as error:
            found.missing.append("the comments are missing")
            found.warnings.append(f"the comments could not be loaded: {error}")
        return found

    async def _question_of(self, answer: int) -> int:
        answers, _ = await self._get("answers/{}", answer)
        question = whole(answers[0], "question_id") if answers else 0
        if not question:
            raise PageUnreadable(Status.ERROR, "Stack Exchange has no such answer")
        return question

    async def _add_answers(self, number: int, found: Conversation) -> None:
        """The best ones, and the two that must not be missing: the accepted one and the one that is linked."""
        has_more, page, answers = whole(found.question, "answer_count") > 0, 0, dict[int, Json]()
        while has_more and page < _ANSWER_PAGES and _chars(answers.values()) < self.enough_chars:
            page += 1
            more, has_more = await self._get("questions/{}/answers", number, sort="votes", page=str(page))
            # By number: what gets a vote meanwhile may be on the next page again.
            answers |= {whole(answer, "answer_id"): answer for answer in more}
            found.answers = list(answers.values())
        absent = {whole(found.question, "accepted_answer_id"), self.address.answer} - set(answers) - {0}
        if absent and has_more:
            more, _ = await self._get("answers/{}", *sorted(absent))
            found.answers += [answer for answer in more if whole(answer, "question_id") == number]

    async def _add_comments(self, number: int, found: Conversation) -> None:
        """The hundred best of all posts together; a second request would seldom add what anybody misses."""
        posts = [number, *filter(None, (whole(answer, "answer_id") for answer in found.answers))]
        if len(posts) > _PAGE_SIZE:
            found.missing.append(f"comments are shown on {_PAGE_SIZE} of {len(posts)} posts")
        comments, has_more = await self._get("posts/{}/comments", *posts[:_PAGE_SIZE], sort="votes")
        for comment in comments:
            found.comments.setdefault(whole(comment, "post_id"), []).append(comment)
        if has_more:
            found.missing.append(f"of the comments, the {len(comments)} with the highest scores are shown")

    async def _get(self, method: str, *ids: int, **params: str) -> tuple[list[Json], bool]:
        sent = {"site": self.address.site, "pagesize": str(_PAGE_SIZE), **params}
        if "sort" in params:
            sent["order"] = "desc"
        return await self.api.get(method, ";".join(map(str, ids)), self.deadline, sent)


def _chars(posts: Iterable[Json]) -> int:
    return sum(len(string(post, "body_markdown", "body")) for post in posts)
