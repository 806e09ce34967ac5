"""The characters that texts of a script are mostly made of, by which text is told from bytes read wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

_HAN_OF_CHINA = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政"
    "美相见被利什二等产或新己制身果加西月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解"
    "水名真论处走义各入几口认条平系气题活更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管"
    "期市直资命山金指统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路"
    "记南品住告类求据程北边死张该交规万取望觉术领共确传师观清今切院让识候带导争运网站页首版请"
)
_HAN_OF_TAIWAN = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡"
    "用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實"
    "日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政"
    "美相見被利什二等產或新己制身果加西月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解"
    "水名真論處走義各入幾口認條平系氣題活更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管"
    "期市直資命山金指統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路"
    "記南品住告類求據程北邊死張該交規萬取望覺術領共確傳師觀清今切院讓識候帶導爭運網站頁首版請灣臺台"
)
_KANJI = (
    "日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名"
    "川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨会同事自社発者地業方新場員立開手力問代明動"
    "京目通言理体田主題意不作用度強公持野以思家世多正安院心界教文元重近考画海売知道集別物使品計死特私始朝"
    "運終台広住真有口少町料工建空急止送切転研足究楽起着店病質待試族銀早親験英医仕去味写字答夜音注帰古歌部"
    "政対定民法相当最関化経現調合性成機能情報要件内連続制表全戦設無数面第党市議共済実他約取引保予必加原次"
    "的変"
)
_HANGUL = (
    "이다는의에가고을하지로한사기도리자를서은어나정그대인시아으들수라있해과원와일보부전주게만장제상적니스"
    "생것여러안비공선동구국마면당미경세관화소신치람성위산조없문용모습요바등연내간했던계유말오무년방려였우"
    "회더중진실음데입각명개물분발재히까통후된할때학체법력터저살현거될차행"
)
_KANA = (
    "ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちっつづてでとどなにぬねのはばひびふぶへべほぼまみむめもやゆよょらりるれろわをん"
    "アイウエオカガキギクグケコゴサシジスズセソタダチッツテデトドナニネノハバパヒビピフブプヘベホボポマミムメモャヤュユョヨラリルレロワンー"
)


class Script(Enum):
    """How the characters of a script that are not ASCII stand among others."""

    ACCENTED = "here and there in words of ASCII letters"
    SOLID = "in words of their own"
    EAST_ASIAN = "in runs without blanks"


@dataclass(frozen=True, slots=True)
class Writing:
    """A way of writing, with the charsets it comes in and the languages that have it."""

    script: Script
    codecs: tuple[str, ...]
    languages: tuple[str, ...]
    common: frozenset[str]
    is_frequent: bool
    """Others are too rare on the Web to be guessed, unless the page tells its language."""


# They stand behind words: `m³`, `note¹`.
_RAISED = "¹²³"


def _writing(script: Script, codecs: str, languages: str, common: str, *, is_frequent: bool = True) -> Writing:
    return Writing(script, tuple(codecs.split()), tuple(languages.split()), frozenset(common), is_frequent)


# Of equal guesses the first one counts: the Web without a label is West European.
WRITINGS = (
    _writing(Script.ACCENTED, "cp1252", "fr it ca", "éèêëàâçîïôùûüœÉÈÀÇÊŒìòóí·" + _RAISED),
    _writing(Script.ACCENTED, "cp1252", "de nl et fi sv", "äöüßÄÖÜéëïèåÅõ" + _RAISED),
    _writing(Script.ACCENTED, "cp1252", "es pt gl eu", "áéíóúñüãõâêôçàÁÉÍÓÚÑÇÃ¿¡ºª" + _RAISED),
    _writing(Script.ACCENTED, "cp1252", "da no nb nn is fo", "æøåÆØÅäöéáíóúýðþÞÁÍÓÚÖ" + _RAISED),
    _writing(Script.ACCENTED, "cp1250 iso8859-2", "pl", "ąćęłńóśźżĄĆĘŁŃÓŚŹŻ"),
    _writing(Script.ACCENTED, "cp1250 iso8859-2", "cs", "áčďéěíňóřšťúůýžÁČĎÉÍŇŘŠŤÚÝŽ"),
    _writing(Script.ACCENTED, "cp1250 iso8859-2", "sk", "áäčďéíĺľňóôŕšťúýžÁČĎÉÍĽŇŠŤÚÝŽ"),
    _writing(Script.ACCENTED, "cp1250 iso8859-2", "hu", "áéíóöőúüűÁÉÍÓÖŐÚÜŰ"),
    _writing(Script.ACCENTED, "cp1250 iso8859-2", "hr sl bs", "čćđšžČĆĐŠŽ"),
    _writing(Script.ACCENTED, "cp1250 iso8859-2", "ro", "ăâîşţĂÂÎŞŢ"),
    _writing(Script.ACCENTED, "cp1254", "tr az", "çğıöşüâîÇĞİÖŞÜ"),
    _writing(Script.SOLID, "cp1251 koi8-u cp866 iso8859-5", "ru bg", "оеаинтсрвлкмдпуя"),
    _writing(Script.SOLID, "cp1251 koi8-u cp866", "uk be sr mk", "оаинтерісвлкдуям"),
    _writing(Script.SOLID, "cp1253", "el", "αοιετσνηυρπκμλςίόάέ", is_frequent=False),
    _writing(Script.SOLID, "cp1255", "he iw yi", "יוהלאתרמבנשםעדק", is_frequent=False),
    _writing(Script.SOLID, "cp1256", "ar fa ur", "اليمونرتبةعدسفهكقحج", is_frequent=False),
    _writing(Script.SOLID, "cp874", "th", "านรอกเงมยลวดทสตะปบคหแจพชใไ่้ีิัุู์็โ", is_frequent=False),
    _writing(Script.EAST_ASIAN, "cp932 euc_jp", "ja", _KANA + _KANJI),
    _writing(Script.EAST_ASIAN, "gb18030", "zh zh-cn zh-sg zh-hans", _HAN_OF_CHINA),
    _writing(Script.EAST_ASIAN, "big5hkscs", "zh zh-tw zh-hk zh-hant", _HAN_OF_TAIWAN),
    _writing(Script.EAST_ASIAN, "cp949", "ko", _HANGUL),
)
