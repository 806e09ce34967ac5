"""Words that tell what surrounds an article, in many languages: labels such as "Comments", and names of elements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from dowse.extract.html.content import vocabulary

LABELS: Mapping[str, str] = {
    "related": (
        r"related|you (?:may|might) also|recommended"
        r"|more (?:from|in|on|stories|articles|posts|like|news|about|to)|read (?:more|next|also|the)"
        r"|see (?:also|more|all)|also (?:read|like)|similar|popular|trending|latest|recent|most read"
        r"|view (?:all|more)|learn more|keep reading|continue reading|next|previous|up next|don't miss"
        r"|what to read|customers? also|frequently bought|people also|top stories|editors?['’]? picks?|onward"
        r"|mehr|weitere|weiterlesen|auch interessant|lesen sie (?:auch|mehr|dazu)|(?:meist|viel)gelesen"
        r"|neueste|das könnte|passend dazu|zum thema|aktuelle~|à lire|lire (?:aussi|la suite)"
        r"|sur le même sujet"
        r"|(?:les )?(?:plus|dernières|derniers) (?:lus?|lues?|populaires|nouvelles|articles|actualités)"
        r"|voir aussi|à la une|articles? (?:liés|similaires|récents)|dans la même|ver (?:más|también|mais)"
        r"|leer más|lea también|te puede interesar"
        r"|(?:lo |as |os )?(?:más|mais) (?:leído|lidas|lidos|visto|vistas|sobre|noticias)|últim[ao]s"
        r"|noticias relacionad~|relacionad~|leia (?:também|mais)|veja também|leggi (?:anche|di più)"
        r"|(?:i |le )?più (?:letti|lette|visti)|ultim[ei]|potrebbe interessarti|correlati|sullo stesso"
        r"|vedi anche|lees (?:ook|meer)|meest gelezen|laatste|meer (?:over|nieuws|van|artikelen)"
        r"|ook interessant|aanbevolen|czytaj (?:także|też|więcej)|(?:naj)?(?:częściej|chętniej) czytane"
        r"|najnowsze|polecane|zobacz (?:także|też)|więcej na|powiązane|читайте|самое|последние"
        r"|материалы по теме|по теме|похожие|ещё|рекоменд~|популярн~|関連|あわせて読|おすすめ|ランキング"
        r"|アクセスランキング|新着|最新|人気|続きを読む|相关|推荐|热门|最新|阅读更多|관련|추천|많이 본|최신"
        r"|läs (?:också|mer|även)|mest läst|senaste|relaterade|les også|læs også|devamı|ilgili|en çok okunan"
        r"|son haber|lue (?:myös|lisää)|luetuimmat|číst|čtěte|nejčtenější|související"
    ),
    "comments": (
        r"comments?|leave a (?:reply|comment)|repl(?:y|ies)|responses?|join the (?:discussion|conversation)"
        r"|post a comment|add (?:a|your) comment|discussion|\d{1,6} (?:comments?|replies|responses)"
        r"|(?:\d{1,6} )?(?:leser)?kommentare?|diskut~|diskussion|beiträge|leserbrief|antworten|mitreden"
        r"|(?:\d{1,6} )?commentaires?|réactions?|réagir|participez|vos réactions|(?:\d{1,6} )?coment[aá]rios?"
        r"|(?:deja (?:un|tu)|escrib~|deixe|envie|únase|participe|partecipa|lascia un|scrivi|schrijf|plaats)"
        r"|dodaj|dołącz~|(?:\d{1,6} )?comment[oi]|(?:\d{1,6} )?reacties?|reageer|praat mee"
        r"|(?:\d{1,6} )?komentar~|комментар~|обсуждени~|присоедин~|оставить|コメント|みんなのコメント|评论"
        r"|留言|댓글|kommentarer|yorum|kommentit|keskustel~|diskuse"
    ),
    "sign": (
        r"subscribe|newsletter|sign (?:up|in)|log ?in|register|create (?:an )?account|my account|your email"
        r"|get (?:the|our|your) .{0,20}(?:inbox|newsletter|updates)|join (?:us|now|free)"
        r"|start (?:your )?free trial|get started|enter your|password|forgot|already a (?:subscriber|member)"
        r"|continue reading with|subscribers? only|(?:this|you have|you['’]ve) .{0,20}(?:free|subscri~)"
        r"|anmelden|abonnieren|jetzt (?:abonnieren|anmelden|registrieren|lesen|testen)|weiterlesen mit"
        r"|schon abonnent|einloggen|registrieren|abonne~|je m['’]abonne~|s['’]abonner|déjà abonné|connect~"
        r"|inscri~|se connecter|la suite est réservée|suscr~|inicia~|regístr~|ya es suscriptor|¿ya es|assin~"
        r"|já é assinante|entrar|registe~|abbon~|accedi|iscriv~|registrati|sei già|abonn~|inloggen|aanmelden"
        r"|zaprenumeruj|zaloguj|zarejestruj|prenumer~|подпис~|войти|уже подписаны|регистрац~|購読|会員"
        r"|ログイン|登録|订阅|登录|注册|구독|로그인|logga in"
    ),
    "legal": (
        r"©|copyright|all rights reserved|privacy(?: policy)?"
        r"|terms(?: of (?:use|service)| (?:and|&) conditions)?|cookies?|disclaimer|accessibility|sitemap"
        r"|imprint|impressum|datenschutz|do not sell|powered by|trademarks?|alle rechte|tous droits"
        r"|todos (?:los derechos|os direitos)|tutti i diritti|mentions légales|aviso legal|note legali|colofon"
        r"|privacidad|confidentialité|wszelkie prawa|polityka|все права|無断転載|プライバシー|利用規約|版权"
        r"|隐私|저작권|tietosuoja|alla rättigheter"
    ),
    "share": (
        r"share(?: this)?|tweet|facebook|twitter|linkedin|pinterest|whats ?app|e-?mail|print|copy link"
        r"|follow(?: us)?|instagram|youtube|tiktok|telegram|reddit|teilen|partager|compartir|like|bookmark"
        r"|save|artikel teilen|merken|auf die merkliste|drucken|folgen|enregistrer|suivre|guardar|imprimir"
        r"|seguir|partilh~|compartilh~|condividi|salva|stampa|segui|deel|delen|bewaar|volg|udostępnij|zapisz"
        r"|drukuj|поделиться|сохранить|в закладки|シェア|この記事をシェア|保存|ツイート|分享|收藏|공유|dela"
        r"|del |paylaş|jaa"
    ),
    "byline": (
        r"by|written by|posted (?:by|on|in)|published|updated|last (?:updated|modified|edited)|author"
        r"|edited by|reviewed by|photo(?:graph)?(?: by|:| credit)|credit|image|source|min(?:ute)?s? read"
        r"|\d{1,2} (?:min|hours?|days?|weeks?|months?|years?)(?:utes)? ago|ago|von|par|por|views?|tags?"
        r"|filed under|category|topics?|pictures?(?: by|:)|still(?::)|illustration|getty|reuters|ap photo"
        r"|courtesy|foto(?:s|graf|grafie)?|bild(?::|er)|quelle|veröffentlicht|aktualisiert|stand:|autor(?:in)?"
        r"|text von|\d{1,2} (?:min\.?|minuten) lesezeit|lesezeit|vor \d|publié|mis à jour|crédit|lecture"
        r"|il y a|photo[s ]|publicado|actualizado|atualizado|imagen|fuente|hace \d|há \d|imagem|leitura"
        r"|lectura|di |pubblicato|aggiornato|lettura|foto(?: di|:)|fonte|fa |door|gepubliceerd|bijgewerkt"
        r"|beeld|leestijd|autor:|fot\.|opublikowano|aktualizacja|zdjęcie|źródło|автор|фото|опубликовано"
        r"|обновлено|источник|写真|撮影|文[=＝・]|更新|提供|出典|作者|来源|图|기자|사진|입력|av |bilde?"
        r"|publicerad|uppdaterad|julkaistu|kuva"
    ),
    "reply": (
        r"posts?|joined|member|moderator|administrator|reply|quote|report|like|likes|thanks|location|messages"
        r"|reputation|click to expand|said|wrote|answered|asked|active|votes?|accepted|solved|edit(?:ed)?"
        r"|permalink|points?|level \d|top|share|save|hide|award|joined|flag|recommend|respect|upvote|downvote"
        r"|antwort(?:en)?|zitieren|melden|gefällt|empfehlen|répondre|signaler|citer|j['’]aime|utile|responder"
        r"|denunciar|citar|me gusta|gosto|rispondi|segnala|cita|mi piace|beantwoord(?:en)?|rapporteer|citeren"
        r"|vind ik leuk|odpowiedz|zgłoś|cytuj|lubię|ответить|пожаловаться|цитировать|нравится|返信|通報|いいね"
        r"|参考になった|回复|举报|点赞|답글|신고|좋아요|svara|anmäl~|gilla|svar|yanıtla|vastaa"
    ),
    "ad": (
        r"advertisement|advertising|sponsored|promoted|ad|ads|affiliate|commission|we may earn|partner content"
        r"|paid|anzeige|werbung|publicité|publicidade?|pubblicità|advertentie|reclame|reklama|реклама|広告"
        r"|广告|광고|annons|annonce|ilan|mainos"
    ),
}
"""Patterns of the beginnings of short texts that begin a part of a page, or stand beside its entries."""
NAMES: Mapping[str, str] = {
    "comment": (
        "comment comments commentlist disqus respond reply replies discussion livefyre comentarios kommentare"
        " kommentar commentaire commentaires comentario commenti reacties komentarze commenter conversation"
        " coral spotim openweb viafoura hyvor isso giscus commento utterances remark opinions talk thread"
        " messages topicbody crawler"
    ),
    "related": (
        "related recommend recommended recommendation recommendations similar more popular trending latest"
        " recent next previous prev also suggested suggestions readmore upnext teaser teasers recirc"
        " recirculation onward ranking mostread mostpopular topstories relatedposts relatedarticles yarpp"
        " crosslink crosslinks furthermore recommends mostviewed toplist headlines promo"
    ),
    "sign": (
        "newsletter subscribe subscription signup signin login register account paywall optin form forms"
        " field input search searchform captcha regwall gate meter offer offers plenigo piano tinypass"
        " premium"
    ),
    "media": (
        "caption captions figure figcaption image images img photo photos gallery carousel slider slide"
        " slideshow video player thumb thumbnail media credit swiper slick pic picture legende"
        " bildunterschrift cred"
    ),
    "meta": (
        "meta metadata byline author authors date time timestamp published updated posted entrymeta postmeta"
        " info details vcard reading dateline src"
    ),
    "bio": ("bio biography aboutauthor avatar profile user username member people person contributor team staff"),
    "share": (
        "share shares sharing sharedaddy social socials facebook twitter pinterest whatsapp linkedin addtoany"
        " addthis follow tweet print email bookmark"
    ),
    "ad": (
        "ad ads advert adverts advertisement advertising sponsor sponsored promo promos promotion promotions"
        " adsbygoogle dfp outbrain taboola affiliate commercial cta upsell"
    ),
    "body": ("body text content prose richtext paragraph story copy markdown"),
}
"""Words of classes, identifiers, tags of custom elements, and the names of components."""
# A tilde stands for the rest of a word. Scripts without blanks do not end words.
_WHOLE = [words.replace("~", r"\w{0,20}") for words in LABELS.values()]
_PATTERNS = [re.compile(rf"(?:{words})(?:\b|(?<=[©\u3040-\u9fff\uac00-\ud7a3]))", re.I) for words in _WHOLE]
# For lower case, which is compared much faster.
_ANY = re.compile("|".join(_WHOLE))
_BITS: dict[str, int] = {}

for _bit, _words in enumerate(NAMES.values()):
    for _word in _words.split():
        _BITS[_word] = _BITS.get(_word, 0) | 1 << _bit


@lru_cache(maxsize=20_000)
def of_label(text: str) -> int:
    """Mask of `LABELS` for a short text, by its first words."""
    if _ANY.match(text.lower()) is None:
        return 0
    return sum(1 << bit for bit, pattern in enumerate(_PATTERNS) if pattern.match(text))


@lru_cache(maxsize=20_000)
def of_names(names: str) -> int:
    """Mask of `NAMES` for the names of an element."""
    marks = 0
    for word in vocabulary.words_of(names):
        marks |= _BITS.get(word, 0)
    return marks
