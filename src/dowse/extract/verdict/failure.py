"""Errors of the server that came with a success."""

from __future__ import annotations

import re

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.extract.verdict.outline import NAME_ONLY_WORDS, NOTICE_WORDS, Outline
from dowse.extract.verdict.phrases import agreeing, either, holds, matter
from dowse.extract.verdict.stock import LITTLE_ELSE, SOME_ELSE

# How long a notice is that nothing but its words gives away, one a server has signed, and one of a known template.
_PLAIN_FAILURE_WORDS = 60
_SIGNED_FAILURE_WORDS = 200
_TEMPLATE_FAILURE_WORDS = NOTICE_WORDS
_NAME = either(
    r"internal server error|internal error|server error|bad gateway|gateway time-?out|proxy error|backend fetch failed",
    r"(?:service )?(?:is )?(?:temporarily )?unavailable|(?:error )?establishing a (?:database|redis) connection",
    r"(?:application|runtime|database|database connection|unexpected|fatal|system) error",
    r"(?:looks like )?something (?:went|has gone) wrong|that's an error|server error in '/.{0,40}' application",
    r"there (?:has been|was) a critical error on (?:this|your) (?:web)?site",
    r"an? (?:unexpected |unknown |internal )?error (?:has )?occurr?ed",
    r"web server is (?:down|returning an unknown error)|connection timed out|(?:host|origin dns) error",
    r"origin is unreachable|a timeout occurr?ed|ssl handshake failed|invalid ssl certificate",
    r"(?:the |this |our )?(?:site|website|service|page) is (?:temporarily |currently )?(?:down|unavailable|offline)",
    r"(?:.{1,30} is )?(?:down|closed) for (?:scheduled )?maintenance|(?:.{1,30} is )?under maintenance",
    r"we(?:'ll| will) be (?:right )?back(?: soon)?",
    r"interner serverfehler|serverfehler|ein fehler ist aufgetreten|wartungsarbeiten|wartungsmodus",
    r"interne du serveur|une erreur (?:est survenue|s'est produite)|site en maintenance|interne serverfout",
    r"interno del servidor|ha ocurrido un error|algo salió mal|(?:sitio )?en mantenimiento",
    r"interno del server|si è verificato un errore|sito in manutenzione",
    r"interno do servidor|ocorreu um erro|algo deu errado|site em manutenção",
    r"er is (?:iets misgegaan|een fout opgetreden)|внутренняя ошибка сервера|ошибка сервера",
    r"(?:内部)?サーバーエラー|エラーが発生しました|メンテナンス中|(?:内部)?服务器(?:内部)?错误|系统(?:繁忙|维护中|错误)",
)
_CODE = re.compile(r"(?:(?:error|http|http error|fehler|erreur)\W{1,3})?5[0-2]\d(?:\W{1,3}error)?")
_LONG_NAME = ("application error: a ", "error establishing a database connection", "server error in '/")
_TEXT = (
    *("try again", "reload the page", "refresh the page", "come back later", "check back", "be back"),
    *("the server encountered", "an error occurred", "error occurred", "exception has occurred", "overloaded"),
    *("could not be served", "maintenance downtime", "for maintenance", "undergoing maintenance", "capacity problems"),
    *("has been notified", "have been notified", "server logs", "browser console", "stack trace"),
    *("working on it", "working to fix", "fix the problem", "fix this", "upstream server", "invalid response"),
    *("that's all we know", "technical difficulties", "technical problem", "something went wrong", "went wrong"),
    *("später erneut", "erneut versuchen", "réessayer", "réessayez", "inténtalo", "inténtelo", "riprova"),
    *("tente novamente", "probeer het", "しばらく", "再度", "稍后", "重试", "попробуйте"),
)
# A line of its own: who speaks of servers names them within a sentence.
_SIGNATURE = either(
    r"(?:nginx|openresty|apache|lighttpd|caddy|cloudfront)(?:/[\d.]{1,20}.{0,80})?|varnish cache server",
    r"guru meditation:?|(?:ray|request|error|event) id: ?[\w-]{6,60}|digest: ?\d{6,20}",
)
_TEMPLATE_MARKS = ("cf-error-details", "rails-default-error-page", "wp-die-message")
_TEMPLATE_TEXT = (
    "the current custom error settings for this application prevent the details",
    "an error occurred in the application and your page could not be served",
)
_CRASH = re.compile(r"^(?:php )?(?:fatal error|parse error|warning)\s?: .{0,500} on line \d{1,6}")


def judge(page: Outline) -> PageUnreadable | None:
    """An error of the site; somebody elsewhere may meet it in a better state."""
    if page.words > _TEMPLATE_FAILURE_WORDS:
        return None
    signs = agreeing(
        title=any(map(_is_failure, page.title_names)),
        heading=any(map(_is_failure, page.heading_names)) or any(each.startswith(_LONG_NAME) for each in page.headings),
        text=holds(page.text, _TEXT) or any(map(_is_failure, page.line_names)),
        signature=any(map(_SIGNATURE.fullmatch, page.lines)),
        template=holds(page.shape.marks, _TEMPLATE_MARKS) or holds(page.text, _TEMPLATE_TEXT),
        unlisted=page.is_unlisted,
    )
    is_error = _is_sure(set(signs), page.words, page.other_words) and ("template" in signs or not page.explains)
    if not is_error and not _is_crash(page):
        return None
    return PageUnreadable(Status.ERROR, f"error page ({', '.join(signs) or 'crash report'})", Onward.APIS)


def _is_sure(signs: set[str], words: int, other: int) -> bool:
    if not signs & {"title", "heading"} or len(signs) < 2:
        return False
    if "template" in signs:
        return True
    if "signature" in signs:
        return words <= _SIGNED_FAILURE_WORDS and other <= SOME_ELSE
    return (
        words <= (NAME_ONLY_WORDS if signs == {"title", "heading"} else _PLAIN_FAILURE_WORDS) and other <= LITTLE_ELSE
    )


def _is_crash(page: Outline) -> bool:
    return page.words <= _PLAIN_FAILURE_WORDS and not page.title and bool(_CRASH.search(page.text))


def _is_failure(name: str) -> bool:
    return bool(_NAME.fullmatch(matter(name)) or _CODE.fullmatch(name))
