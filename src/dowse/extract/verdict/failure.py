"""Errors of the server that came with a success."""

from __future__ import annotations

import re

from dowse.errors import PageUnreadable
from dowse.extract.verdict.outline import NEXT_TO_NOTHING, Outline
from dowse.extract.verdict.phrases import agreeing, either, holds, matter
from dowse.models import Onward, Status

_FEW_WORDS = 60
_MAX_WORDS = 200
_TEMPLATE_WORDS = 300
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
_SERVER = (
    *("guru meditation", "nginx", "openresty", "apache/", "varnish", "ray id", "request id", "error code", "error id"),
    *("database server", "server at", "web.config", "customerrors", "error log", "digest:", "cloudfront", "heroku"),
)
_CRASH = re.compile(r"^(?:php )?(?:fatal error|parse error|warning)\s?: .{0,500} on line \d{1,6}")


def judge(page: Outline) -> PageUnreadable | None:
    """An error of the site; somebody elsewhere may meet it in a better state."""
    if page.words > _TEMPLATE_WORDS:
        return None
    signs = agreeing(
        title=any(map(_is_failure, page.title_names)),
        heading=any(map(_is_failure, page.heading_names)) or any(each.startswith(_LONG_NAME) for each in page.headings),
        text=holds(page.text, _TEXT) or any(map(_is_failure, page.line_names)),
        server=holds(page.text, _SERVER),
        vendor="cf-error-details" in page.shape.marks,
        unlisted=page.is_unlisted,
    )
    is_error = _is_sure(set(signs), page.words) and ("server" in signs or not page.explains)
    if not is_error and not _is_crash(page):
        return None
    return PageUnreadable(Status.ERROR, f"error page ({', '.join(signs) or 'crash report'})", Onward.APIS)


def _is_sure(signs: set[str], words: int) -> bool:
    if not signs & {"title", "heading"} or len(signs) < 2:
        return False
    if signs == {"title", "heading"}:
        return words <= NEXT_TO_NOTHING
    return words <= _FEW_WORDS or "vendor" in signs or (words <= _MAX_WORDS and "server" in signs)


def _is_crash(page: Outline) -> bool:
    return page.words <= _FEW_WORDS and not page.title and bool(_CRASH.search(page.text))


def _is_failure(name: str) -> bool:
    return bool(_NAME.fullmatch(matter(name)) or _CODE.fullmatch(name))
