"""Error pages served with a success status: server failures, soft 404s and refusals."""

from __future__ import annotations

import re

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.core.reasons import FailureReason
from dowse.extract.verdict.outline import NAME_ONLY_WORDS, NOTICE_WORDS, PageOutline, make_verdict
from dowse.extract.verdict.wording import LITTLE_ELSE, SOME_ELSE, agreeing, either, holds, matter, other_words

# Longest notice with no other sign than its words, with a server's signature, and of a known template.
_PLAIN_FAILURE_WORDS = 60
_SIGNED_FAILURE_WORDS = 200
_TEMPLATE_FAILURE_WORDS = NOTICE_WORDS
_FAILURE_NAME = either(
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
_FAILURE_CODE = re.compile(r"(?:(?:error|http|http error|fehler|erreur)\W{1,3})?5[0-2]\d(?:\W{1,3}error)?")
_LONG_NAME = ("application error: a ", "error establishing a database connection", "server error in '/")
_FAILURE_TEXT = (
    *("try again", "reload the page", "refresh the page", "come back later", "check back", "be back"),
    *("the server encountered", "an error occurred", "error occurred", "exception has occurred", "overloaded"),
    *("could not be served", "maintenance downtime", "for maintenance", "undergoing maintenance", "capacity problems"),
    *("has been notified", "have been notified", "server logs", "browser console", "stack trace"),
    *("working on it", "working to fix", "fix the problem", "fix this", "upstream server", "invalid response"),
    *("that's all we know", "technical difficulties", "technical problem", "something went wrong", "went wrong"),
    *("später erneut", "erneut versuchen", "réessayer", "réessayez", "inténtalo", "inténtelo", "riprova"),
    *("tente novamente", "probeer het", "しばらく", "再度", "稍后", "重试", "попробуйте"),
)
# A whole line: articles about servers name them within a sentence.
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
# Longest notice, and longest one with teasers of other pages below it.
_PLAIN_404_WORDS = 100
_TEASING_404_WORDS = 150
_THING = (
    r"(?:page|web ?page|file|url|document|article|post|content|product|item|resource|site|story|video|profile|account"
    r"|user|question|topic|thread|listing|job|job posting|offer|address|link|entry|repository|channel|community|event)"
)
_NOT_FOUND_NAME = either(
    rf"(?:the |this |that |your |requested ){{0,2}}{_THING}(?: you.{{1,40}}| requested)?"
    r"(?: (?:was|is|has|has been|could|can|does|did|may))?"
    r" (?:not|cannot|can't|couldn't|doesn't|isn't|wasn't|no longer)(?: be| longer)?"
    r" (?:found|exists?|available|here)(?: any ?more)?",
    rf"(?:the |this |that )?{_THING} (?:is |has |has been |was |may have been )?"
    r"(?:missing|gone|removed|deleted|unavailable|expired|moved or deleted)",
    r"we (?:can't|cannot|can not|couldn't|could not|were unable to|are unable to)(?: seem to)? find"
    rf" (?:the |that |this |your |what )?(?:{_THING}|you).{{0,40}}",
)
# Ambiguous, unless title and heading agree.
_WEAK_NAME = either(
    r"not found|nothing found|nothing here|there(?:'s| is) nothing here|nothing to see here",
    r"are you lost\??|lost\??|you (?:seem to be|are|look) lost",
)
_NOT_FOUND_CODE = re.compile(
    r"(?:(?:error|http|http error|fehler|erreur|errore|erro|błąd|ошибка)\W{1,3})?404(?:\W{1,3}(?:error|fehler))?"
)
_FOREIGN = either(
    r"(?:seite|inhalt|artikel|dokument).{0,30} nicht.{0,20} (?:gefunden|verfügbar)",
    r"(?:seite|artikel).{0,20} (?:existiert|gibt es) nicht",
    r"(?:page|contenu|document|article).{0,30} (?:introuvable|non trouvée?|inexistante?)",
    r"page.{0,30} n'(?:existe|est plus)",
    r"p[aá]gina.{0,30} (?:no|não|nao|non).{0,20} (?:encontrad[ao]|trovata|existe|esiste|dispon[ií]\w{1,6})",
    r"no (?:se )?.{0,12}encontr\w{1,6} .{0,12}p[aá]gina|contenuto non trovato|conteúdo não encontrado",
    r"pagina.{0,30} (?:niet|kon).{0,20} (?:gevonden|beschikbaar)|pagina.{0,20} bestaat niet",
    r"ページ(?:が|は).{0,10}(?:見つかりません|存在しません)|(?:页面|网页|頁面|内容)(?:不存在|未找到|找不到)",
    r"(?:找不到|无法找到)(?:该|此)?(?:页面|网页|頁面)|(?:无此页面|無此頁面)|페이지를 찾을 수 없습니다",
    r"страниц\w.{0,20} не (?:найдена|существует)|nie znaleziono strony|strona.{0,20} nie istnieje",
    r"sidan.{0,20} (?:kunde inte hittas|hittades inte|finns inte)|siden.{0,20} (?:ikke fundet|findes ikke|ikke funnet)",
    r"sivua ei löyt|stránka (?:nenalezena|nebyla nalezena)|sayfa bulunamadı",
)
_NOT_FOUND_TEXT = (
    *("you are looking for", "you're looking for", "you were looking for", "you requested", "you tried to"),
    *("you are trying to", "you're trying to", "does not exist", "doesn't exist", "no longer exists"),
    *("no longer available", "have been moved", "has been moved", "may have moved", "have been removed"),
    *("could not be found", "couldn't be found", "cannot be found", "can't find", "couldn't find", "cannot find"),
    *("could not find", "was not found", "link may be broken", "broken link", "link you followed", "mistyped"),
    *("check the url", "check the address", "has been removed", "has been deleted", "may have been deleted"),
    *("at this location", "at this address", "back to the home", "return home", "go home", "incorrect url"),
    *("gesuchte seite", "angeforderte seite", "existiert nicht", "nicht mehr verfügbar", "verschoben"),
    *("vous recherchez", "vous cherchez", "demandée", "n'existe pas", "n'existe plus", "déplacée", "supprimée"),
    *("que buscas", "que busca", "está buscando", "estás buscando", "no existe", "ya no está", "eliminada", "movida"),
    *("stai cercando", "che cerchi", "non esiste", "spostata", "rimossa"),
    *("que procura", "está procurando", "não existe", "foi removida", "foi movida"),
    *("die u zoekt", "die je zoekt", "u zocht", "je zocht", "bestaat niet", "niet meer beschikbaar"),
    *("お探しの", "削除された", "移動した", "存在しません", "您访问的", "你访问的", "不存在", "已被删除", "已删除"),
    *("не существует", "nie istnieje", "finns inte"),
)
_ADDRESS = re.compile(r"/(?:404|error-?404|page-?not-?found|not-?found|notfound|error/404)(?:[./]|$)")
# Longest refusal with no other sign than its words, and with a vendor's signature.
_PLAIN_REFUSAL_WORDS = 60
_SIGNED_REFUSAL_WORDS = 160
_REFUSAL_NAME = either(
    r"access (?:is |was |has been )?(?:denied|forbidden|restricted|blocked)",
    r"access to this (?:page|site|website|resource) (?:has been|is|was) (?:denied|blocked|restricted|forbidden)",
    r"your access to this site has been limited(?: by the site owner)?",
    r"forbidden|not acceptable|blocked|too many requests|the request could not be satisfied",
    r"(?:your )?request (?:has been |was )?(?:blocked|rejected|denied|forbidden)",
    r"(?:you|your ip|your ip address) (?:have|has) been (?:temporarily )?(?:blocked|banned)",
    r"you've been blocked(?: by network security)?|you are (?:temporarily )?blocked|whoa there, pardner",
    r"you are being rate limited|(?:rate|request) limit (?:exceeded|reached)",
    r"attention required|pardon (?:our|the) interruption|.{0,30}website firewall",
    r"zugriff (?:verweigert|verboten|gesperrt)|accès (?:refusé|interdit)|acceso (?:denegado|prohibido)",
    r"accesso (?:negato|vietato)|acesso (?:negado|proibido)|toegang (?:geweigerd|verboden)",
    r"доступ (?:запрещ[её]н|ограничен)|アクセスが拒否されました|アクセス拒否|访问被拒绝|拒绝访问|访问受限|存取被拒",
)
_REFUSAL_CODE = re.compile(r"(?:(?:error|http)\W{1,3})?(?:403|429|10(?:06|07|08|09|10|12|15|20))(?:\W{1,3}error)?")
_REFUSAL_TEXT = (
    *("reference #", "reference id", "reference number", "permission to access", "not have permission"),
    *("support id", "incident id", "ray id", "request id", "event id", "trace id", "block id", "error code"),
    *("security service", "security policy", "security solution", "security rules", "firewall", "your ip"),
    *("ip address", "has been blocked", "was blocked", "blocked by", "network policy", "network security"),
    *("try again later", "slow down", "automated", "unusual activity", "suspicious", "think you were a bot"),
    *("site owner", "website owner", "administrator", "was rejected", "not authorized", "not allowed to access"),
    *("on this server", "generated by cloudfront", "mod_security", "developer token"),
    *("keine berechtigung", "blockiert", "gesperrt", "autorisation", "bloqué", "bloqueada", "bloqueado", "permiso"),
    *("autorizzazione", "permissão", "toestemming", "権限", "ipアドレス", "您的ip", "没有权限"),
)
# Sentences of vendors, not only their names, which forum posts about refusals mention too.
_SIGNATURES = (
    *("used cloudflare to restrict access", "cloudflare ray id", "errors.edgesuite.net", "generated by cloudfront"),
    *("sucuri website firewall", "generated by wordfence", "incapsula incident id", "generated by mod_security"),
    *("made us think you were a bot", "blocked by network security", "your support id is"),
)
_LAW = ("european economic area", "gdpr", "general data protection regulation")
_LEGAL = (*_LAW, "legal reasons", "rechtlichen gründen")
_ELSEWHERE = either(
    r"(?:not |un|isn't )available (?:in|from) your (?:country|region|location)",
    r"(?:unavailable|not available) (?:for|due to) legal reasons",
    r"in (?:ihrem|deinem) land nicht verfügbar|pas disponible dans votre (?:pays|région)|no disponible en tu país",
)


def judge_failure(page: PageOutline) -> PageUnreadable | None:
    """An error page of the server; another reader may reach it later or elsewhere."""
    if page.words > _TEMPLATE_FAILURE_WORDS:
        return None
    signs = _find_failure_signs(page)
    is_sure = _is_sure_failure(set(signs), page.words, page.other_words)
    if not (is_sure and ("template" in signs or not page.explains)) and not _is_crash(page):
        return None
    return make_verdict(Status.ERROR, FailureReason.ERROR_PAGE, signs or ["crash report"], Onward.SCRAPE_APIS)


def _find_failure_signs(page: PageOutline) -> list[str]:
    return agreeing(
        title=any(map(_is_failure, page.title_names)),
        heading=any(map(_is_failure, page.heading_names)) or _has_long_name(page),
        text=holds(page.text, _FAILURE_TEXT) or any(map(_is_failure, page.line_names)),
        signature=any(map(_SIGNATURE.fullmatch, page.lines)),
        template=holds(page.markup.marks, _TEMPLATE_MARKS) or holds(page.text, _TEMPLATE_TEXT),
        unlisted=page.is_unlisted,
    )


def _is_sure_failure(signs: set[str], words: int, other: int) -> bool:
    if not _is_named(signs):
        return False
    if "template" in signs:
        return True
    if "signature" in signs:
        return words <= _SIGNED_FAILURE_WORDS and other <= SOME_ELSE
    return _is_bare_notice(signs, words, other, _PLAIN_FAILURE_WORDS)


def _has_long_name(page: PageOutline) -> bool:
    return any(heading.startswith(_LONG_NAME) for heading in page.headings)


def _is_crash(page: PageOutline) -> bool:
    return page.words <= _PLAIN_FAILURE_WORDS and not page.title and bool(_CRASH.search(page.text))


def _is_failure(name: str) -> bool:
    return bool(_FAILURE_NAME.fullmatch(matter(name)) or _FAILURE_CODE.fullmatch(name))


def judge_soft_404(page: PageOutline) -> PageUnreadable | None:
    """A soft 404: no other reader is tried."""
    if page.words > _TEASING_404_WORDS:
        return None
    signs = _find_404_signs(page)
    if not _is_sure_404(set(signs), page.words, page.other_words) or (page.explains and "address" not in signs):
        return None
    return make_verdict(Status.NOT_FOUND, FailureReason.SOFT_404, signs, Onward.NONE)


def _find_404_signs(page: PageOutline) -> list[str]:
    is_weak = any(map(_is_weak, page.title_names)) and any(map(_is_weak, page.heading_names))
    return agreeing(
        title=is_weak or any(map(_says_missing, page.title_names)),
        heading=is_weak or any(map(_says_missing, page.heading_names)),
        text=holds(page.text, _NOT_FOUND_TEXT) or any(map(_says_missing, page.line_names)),
        unlisted=page.is_unlisted,
        address=bool(_ADDRESS.search(page.path)),
        opening=_opens_with_notice(page),
    )


def _is_sure_404(signs: set[str], words: int, other: int) -> bool:
    if not _is_named(signs):
        return False
    if {"title", "heading", "opening"} <= signs:
        return True
    if "address" in signs:
        return words <= _PLAIN_404_WORDS and other <= SOME_ELSE
    return _is_bare_notice(signs, words, other, _PLAIN_404_WORDS)


def _opens_with_notice(page: PageOutline) -> bool:
    """Whether the first line below the headings is a notice and nothing else."""
    first = next((line for line in page.lines if line not in page.headings), "")
    return holds(first, _NOT_FOUND_TEXT) and not other_words(first)


def _says_missing(name: str) -> bool:
    if _NOT_FOUND_CODE.fullmatch(name) or _NOT_FOUND_NAME.fullmatch(matter(name)) or _FOREIGN.search(name):
        return True
    return "404" in name and _is_weak(name)


def _is_weak(name: str) -> bool:
    return _WEAK_NAME.fullmatch(matter(name)) is not None


def judge_refusal(page: PageOutline) -> PageUnreadable | None:
    """A refusal; another reader may be admitted, unless the reason is legal."""
    if page.words > _SIGNED_REFUSAL_WORDS:
        return None
    if _is_for_others(page):
        onward = Onward.NONE if holds(f"{page.title} {page.text}", _LEGAL) else Onward.ANY_READER
        return PageUnreadable(Status.BLOCKED, onward=onward, reason=FailureReason.NOT_IN_THIS_COUNTRY)
    signs = _find_refusal_signs(page)
    if not _is_sure_refusal(set(signs), page.words, page.other_words) or (page.explains and "signature" not in signs):
        return None
    return make_verdict(Status.BLOCKED, FailureReason.ACCESS_DENIED, signs, Onward.ANY_READER)


def _find_refusal_signs(page: PageOutline) -> list[str]:
    seen = " ".join((page.title, *page.headings, page.text))
    return agreeing(
        title=any(map(_is_refusal, page.title_names)),
        heading=any(map(_is_refusal, page.heading_names)),
        text=holds(page.text, _REFUSAL_TEXT) or any(map(_is_refusal, page.line_names)),
        signature="cf-error-details" in page.markup.marks or holds(seen, _SIGNATURES),
        unlisted=page.is_unlisted,
    )


def _is_for_others(page: PageOutline) -> bool:
    """Whether title or heading says that this country is excluded, and the text cites the law or is a notice."""
    is_named = any(map(_ELSEWHERE.search, (page.title, *page.headings)))
    return is_named and not page.explains and page.other_words <= (SOME_ELSE if holds(page.text, _LAW) else LITTLE_ELSE)


def _is_sure_refusal(signs: set[str], words: int, other: int) -> bool:
    if not _is_named(signs):
        return False
    if "signature" in signs:
        return other <= SOME_ELSE and (words <= _PLAIN_REFUSAL_WORDS or {"title", "heading"} <= signs)
    return _is_bare_notice(signs, words, other, _PLAIN_REFUSAL_WORDS)


def _is_refusal(name: str) -> bool:
    return bool(_REFUSAL_NAME.fullmatch(matter(name)) or _REFUSAL_CODE.fullmatch(name))


def _is_named(signs: set[str]) -> bool:
    """Whether title or heading name the notice, and another sign agrees."""
    return len(signs) > 1 and bool(signs & {"title", "heading"})


def _is_bare_notice(signs: set[str], words: int, other: int, longest: int) -> bool:
    """Whether the text is a notice and nothing else; with its names as the only signs it has to be shorter."""
    return words <= (NAME_ONLY_WORDS if signs == {"title", "heading"} else longest) and other <= LITTLE_ELSE
