"""The wording of notices: normalised text, names of pages, and the vocabulary of notices."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, filterfalse

from dowse.language.scripts import CJK, HAN, count_words

_STRAIGHT = (("’", "'"), ("‘", "'"), ("`", ""), ("*", ""))

# Separators between the name of a page and the name of its site.
_SEPARATOR = re.compile(r"\s[|–—‐-]{1,3}\s|\s?[|•·»«›]\s?|\s<\s|｜|[.!]\s")
# Without the question mark: a question is no name.
_EDGES = " \t.,:;!…'\"()[]{}-–—。！：、"
_LONGEST_NAME_WORDS = 14
_LONGEST_NAME = 160
# "Oops! Error 404:" and the like, before and behind the message.
_PREAMBLE = re.compile(
    r"(?:(?:(?:it )?(?:looks like|seems|appears)(?: that)?|unfortunately|o+ps|ups|whoops|oups|hoppla|uh[- ]oh|oh no"
    r"|oh dear|hmm|sorry|we're sorry|we are sorry|lo sentimos|désolé|but|error|http|status|code|fehler|erreur|errore"
    r"|erro|[45]\d\d)(?!\w)[^\w(]{0,4}){1,5}"
)
_TRAILER = re.compile(r"[^\w]{1,4}(?:error )?(?:code )?[45]\d\d[^\w]{0,2}$")
# Other words in a notice without further signs: the name of its site, a rare word.
LITTLE_ELSE = 2
# Other words in a notice with a matching form or address.
SOME_ELSE = 15
_ENGLISH = """
a an the this that these those it its is are was were be been being to of in on at for from by with without as and or
but if so not no than then there here when where what which who why how can could cannot may might must should would
will do does did done doing have has had you your yours yourself we our us they them their all any some more other
only just also again yet now soon few many about into onto up down out off because please sorry oops ups whoops uh oh
hmm unfortunately apologies apologize thank thanks isn doesn don couldn wasn didn aren hasn haven won wouldn t s re ve
ll d m e g page pages site sites website websites web webpage url urls address link links file document content
resource article post story item product job listing profile account accounts repository organization user users topic
thread event video question entry offer found find exist exists available unavailable longer missing gone lost removed
deleted moved renamed expired changed broken mistyped incorrect invalid outdated wrong error errors problem problems
issue inconvenience caused nothing anything something somewhere looking look looks looked seem seems trying try tried
requested request requests search searching check double spelling typed type home homepage main menu start front
return back go going went visit browse below above following followed one help support contact vacancies employer
position server servers service services internal temporarily temporary currently maintenance scheduled undergoing
performing backend fetch failed failure gateway bad proxy timeout timed connection connect connecting database
establishing unable complete completed serve served process processed encountered unexpected unknown critical fatal
runtime application app exception occurred occured occur happened details information log logs administrator
administrators admin admins webmaster owner owners notified aware team working work fix fixed resolve resolved persist
persists report mention message query know let later shortly minutes minute moments moment seconds hour hours refresh
reload reloading wait patience technical difficulties overloaded busy capacity downtime misconfiguration configuration
console client side browser browsers troubleshooting troubleshoot learn documentation response code access accessing
denied forbidden restricted restrict blocked block banned limited limit limiting rejected refused set permission
permissions authorized authorised unauthorized allowed security secure protect protected protection firewall policy
rule rules ip network reference id number incident ray trace traffic unusual activity suspicious automated bot bots
robot robots human humans think believe mistake detected triggered action using used use country region location
european economic area eea eu gdpr general data regulation legal reasons due reason generated provider consult ticket
too rate slow logged logging login sign signed signing signin signup register registered registration registering join
joining create created free member members membership password passwords username name email mail phone remember
forgot forgotten forget keep enter continue continuing proceed view see read viewing required require requires need
needs needed private authentication authenticate authorization session credentials new already agree agreeing
agreement terms privacy cookie cookies clicking next guest mode sso saml google facebook apple microsoft javascript js
script scripts enable enabled enabling disable disabled disabling turn turned supported unsupported update upgrade
modern recent latest version switch run running load loading loaded settings extension extensions ad blocker plugin
experience experiencing engineers online otherwise always helpful works properly fully function functionality redirect
redirected redirecting automatically captcha challenge verify verifying verification confirm prove solve puzzle box
checkbox checking making sure characters press hold pass passed
"""
_GERMAN = """
der die das den dem des ein eine einen einem einer und oder aber ist sind war wurde wurden wird werden nicht kein
keine keinen mehr leider sie ihr ihre ihren ihrer ihnen du dich dir dein deine wir uns unser unsere sich es er zu zum
zur auf aus bei mit nach von vom vor für in im an am um über dass wenn falls da hier bitte haben hat kann können
konnte könnte möglicherweise vielleicht noch nur auch diese dieser dieses diesen dies wie was wo so seite seiten
startseite webseite website internetseite adresse link inhalt artikel dokument gesuchte gesuchten angeforderte
angeforderten aufgerufene gewünschte gefunden finden verfügbar existiert existieren gibt verschoben gelöscht entfernt
umbenannt veraltet überprüfen prüfen nutzen verwenden benutzen suche suchen suchfunktion hauptseite zurück gehen
fehler aufgetreten server dienst vorübergehend derzeit momentan wartung wartungsarbeiten gewartet später erneut
versuchen wieder gleich minuten zugriff verweigert gesperrt blockiert verboten anfrage anfragen sicherheitsgründen
meinen irrtum wenden betreiber nennen vorgangsnummer administrator berechtigung anmelden anmeldung angemeldet melden
melde einloggen login registrieren registriert konto benutzername kennwort passwort vergessen bleiben mail lesen sehen
thema fortzufahren weiter anwendung funktioniert aktivieren browser unterstützt mensch roboter bestätigen aufrufen
wollten verwendet beitrag
"""
_FRENCH = """
le la les l un une des de du d et ou mais est sont a été ont être ne n pas plus que qu qui quoi vous votre vos nous
notre nos il elle ils en au aux à dans sur pour par avec sans ce cet cette ces si se s y peut peuvent pouvez car page
pages site adresse lien contenu article document recherchez recherchée cherchez cherchée demandée demandé introuvable
trouvée trouvé existe existante inexistante déplacée déplacé supprimée supprimé renommée disponible indisponible oups
désolé désolés erreur retour accueil revenir retourner vérifiez vérifier utilisez moteur recherche serveur service
momentanément temporairement actuellement maintenance survenue produite veuillez réessayer réessayez ultérieurement
tard quelques minutes instants accès refusé interdit bloqué bloquée autorisation requête sécurité connexion connecter
connectez connecté identifier identifiez identifiant inscrire inscription compte mot passe oublié mail e voir lire
accéder continuer devez javascript activer activez navigateur robot humain semble rien ait emplacement essayez
"""
_SPANISH = """
el la los las lo un una unos de del y o u pero es son fue ha han ser estar está están no ya más que qué se su sus tu
tus usted nosotros nos nuestro nuestra al a en con por para sin si este esta esto ese esa como puede pueden podido
página pagina páginas sitio web dirección enlace contenido artículo buscas busca buscando estás encontrada encontrado
encontrar encontramos existe disponible movida movido eliminada eliminado cambiado sentimos error volver vuelve inicio
principal verifica verifique comprueba compruebe utiliza buscador búsqueda servidor servicio temporalmente
mantenimiento ocurrido salió mal algo inténtalo inténtelo intente intentar nuevo tarde minutos acceso denegado
prohibido bloqueado bloqueada permiso solicitud seguridad iniciar inicia inicie sesión entrar acceder regístrate
registrarse cuenta usuario contraseña olvidó olvidaste olvidado correo electrónico continuar ver leer debes necesitas
habilitar habilita activa javascript navegador robot humano
"""
_OTHERS = """
il lo gli un una di del della dei e o ma è sono stata stato non più che si ci al alla in con per su questa questo
potrebbe essere pagina sito indirizzo link contenuto cercata cercando cerchi stai richiesta trovata trovato esiste
disponibile spostata rimossa eliminata dispiace spiacenti errore torna tornare home iniziale server riprova tardi
minuti accesso negato accedi accedere password dimenticata continuare os as um uma da do das dos na no nos nas ou mas
são foi ser não mais que se sua seu esta este essa esse isso para com por página site endereço conteúdo procura
procurando procurado encontrada encontrado nada neste local existe disponível removida movida excluída desculpe ops
parece tente fazer busca voltar início inicial servidor novamente tarde minutos acesso negado entrar faça login senha
esqueceu continuar de het een en of maar is zijn was niet geen meer die dat deze dit u je jij uw jouw we wij ons op
van voor met naar te kan kon adres zoekt zocht gevonden vinden bestaat beschikbaar verplaatst verwijderd helaas terug
startpagina probeer later opnieuw toegang geweigerd inloggen wachtwoord vergeten nie znaleziono strony strona której
szukasz istnieje lub została przeniesiona usunięta błąd przepraszamy sidan du söker finns inte längre eller har
flyttats tagits bort kunde hittas hittades använd sökfunktionen gå till startsidan siden leder efter findes ikke
fundet funnet er blevet flyttet страница страницы не найдена существует которую вы ищете была удалена перемещена
ошибка сервера доступ запрещен вход войти пароль забыли извините возможно или и на к в с
"""
_WORDS = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH} {_SPANISH} {_OTHERS}".split())
# Pieces of notices in scripts without blanks, the longer first; the rest are particles.
_PIECES = re.compile(
    "お探し|見つかりません|ありません|存在|移動|削除|可能性|確認|入力|間違|変更|終了|申し訳|戻る|戻って|検索|上部|時間|再度|試し"
    "|発生|混雑|現在|利用|表示|閲覧|必要|会員|番号|方法|忘れ|登録|名前|新規|続行|拒否|許可|権限|管理者|問い合わせ|有効|無効|設定"
    "|ページ|サイト|アドレス|リンク|トップ|ホーム|コンテンツ|エラー|サーバー|サービス|メンテナンス|アクセス|ログイン|サインイン"
    "|パスワード|メール|アカウント|ユーザー|ブラウザ|ロボット"
    "|抱歉|对不起|很抱歉|您|你|访问|页面|网页|頁面|内容|不存在|未找到|找不到|无法|该|此|可能|已|被|删除|移动|或者|或|输入|网址|地址"
    "|有误|错误|返回|首页|服务器|服务|系统|繁忙|维护|稍后|再试|重试|请|先|登录|登陆|登入|登錄|注册|账号|密码|忘记|后|查看|继续"
    "|拒绝|权限|没有|联系|管理员|验证|驗證|完成|安全|机器人|人机|拖动|滑块|点击|以|进行|操作|确认|不是|的|了|是|在|为"
)
_CHARACTERS = re.compile(f"[\u30a0-\u30ff{HAN}]+")
_UNSPACED = re.compile(f"[{CJK}]+")
_WORD = re.compile(r"[^\W\d_]+")
# Addresses, numbers and identifiers.
_OPAQUE = re.compile(r"[\d@/\\_=]|\w\.\w")


def normal(text: str) -> str:
    # Several times as fast as `str.translate`.
    for sign, plain in _STRAIGHT:
        text = text.replace(sign, plain)
    return " ".join(text.split()).lower()


def names(text: str) -> tuple[str, ...]:
    """Candidate names in a title or heading: the whole, and the parts between separators, unless long."""
    # Some sites come first: "Campus: Log in".
    parts = [text, *_SEPARATOR.split(text), text.rpartition(": ")[2]]
    short = (part.strip(_EDGES) for part in parts if len(part) <= _LONGEST_NAME)
    return tuple(part for part in short if part and count_words(part) <= _LONGEST_NAME_WORDS)


def matter(name: str) -> str:
    """The message of a name, without exclamations and status codes around it."""
    preamble = _PREAMBLE.match(name)
    return _TRAILER.sub("", name[preamble.end() :] if preamble else name).strip(_EDGES)


def either(*patterns: str) -> re.Pattern[str]:
    """Join patterns; their repetitions are bounded, so that no text is slow to search."""
    return re.compile("|".join(patterns))


def holds(text: str, phrases: Iterable[str]) -> bool:
    return any(phrase in text for phrase in phrases)


def agreeing(**signs: bool) -> list[str]:
    """The names of the signs that hold, for the rules and for the log."""
    return [name.replace("_", " ") for name, is_there in signs.items() if is_there]


def other_words(text: str) -> int:
    """Number of distinct words outside the vocabulary of notices, without numbers and addresses."""
    unspaced = sum(map(len, _CHARACTERS.findall(_PIECES.sub(" ", text))))
    chunks = filterfalse(_OPAQUE.search, _UNSPACED.sub(" ", text).split())
    words = set(chain.from_iterable(map(_WORD.findall, chunks)))
    # Two characters count as a word.
    return len(words - _WORDS) + (unspaced + 1) // 2
