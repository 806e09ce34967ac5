"""Words that are in every sentence of a language: they tell languages apart, but not what somebody asks for."""

from __future__ import annotations

ENGLISH = frozenset(
    "a about after all also am an and any are as at be because been before being between both but by can could "
    "did do does doing during each few for from further get had has have having he her here hers him his how i "
    "if in into is it its itself just many may me might more most much must my no nor not of off on once only "
    "or other our out over own please s same shall she should so some such t tell than that the their them then "
    "there these they this those through to too under until up us very was we were what when where which while "
    "who whom whose why will with would you your".split()
)

# Words that are in many questions and on most pages, whatever they are about.
COMMON = frozenset(
    "able according actually add allow allowed already although always another apart around ask asked away back based "
    "became become began begin best better big bring brought call called came case certain change changed clear come "
    "common complete consider considered contain country course create created current currently day days deal decide "
    "describe described despite difference different difficult done down due early easy either else end enough entire "
    "especially even event ever every everything exactly example except exist fact far feel find first follow "
    "following form found full gave general give given go goes going good got great group grow happen happened hard "
    "help high hold however idea important include included including increase instead interest issue just keep kind "
    "knew know known large largest last late later lead least leave led less let level life like list little live "
    "local long longer look lot low made main major make making man matter mean means meant mention method move must "
    "name named national near nearly necessary need needed never new next none nothing now number occur occurred "
    "often old one ones open order originally others overall part particular people person place plan point position "
    "possible present problem process provide provided purpose put question quite rather real really reason receive "
    "recent related remain required result right role run said saw say says second see seem seen set several show "
    "shown side similar simply since single small something soon sort specific start started state still stop support "
    "sure take taken term thing things think thought three throughout time times today together told took top total "
    "toward tried true try turn two type types typical understand unlike upon use used using usually various view "
    "want wanted way ways well went whether whole wide within without word work world year years yet".split()
)

# By the name that the stemmer has for the language.
STOP_WORDS = {
    "english": ENGLISH,
    "german": frozenset(
        "aber als am an auch auf aus bei bis da das dass dem den der des die dies dieser doch durch ein eine einem "
        "einen einer eines er es für hat haben hatte ich ihr im in ist ja kann man mehr mit muss nach nicht noch nur "
        "oder sein seine sich sie sind so über um und unter vom von vor wann war waren warum was wegen wenn wer werden "
        "wie wieviel viel viele wird wo wurde wurden zu zum zur welche welcher welches".split()
    ),
    "french": frozenset(
        "à au aux avec ce cet cette ces comme comment combien dans de des du elle en est et était être eu il ils je la "
        "le les leur lui mais même ne nous on ont ou où par pas plus pour pourquoi qu quand que quel quelle quels "
        "quelles qui quoi sa se ses si son sont sur tout très un une vous y a d l s n c j".split()
    ),
    "spanish": frozenset(
        "a al como cómo con cuál cuáles cuándo cuánto cuánta cuántos cuántas de del desde dónde donde el él ella en "
        "entre era es esta está este esto fue ha hay la las le lo los más me mi muy no o para pero por porque que qué "
        "quién quiénes se ser si sin sobre son su sus también tiene un una unas uno unos y ya".split()
    ),
    "portuguese": frozenset(
        "a ao aos as com como da das de do dos e é ela ele em entre era essa esse esta este eu foi há isso já mais mas "
        "me na nas não no nos o onde os ou para pela pelo por porque qual quais quando quanto quantos que quem se sem "
        "ser seu sua são também tem um uma umas uns".split()
    ),
    "italian": frozenset(
        "a al alla anche che chi ci come con cosa così da dal dalla degli dei del della delle di dove e è era gli ha "
        "hanno i il in io l la le lo loro ma nel nella non o ogni per perché più qual quale quali quando quanto quanti "
        "quante quanta se si sono su sua suo tra un una uno".split()
    ),
    "dutch": frozenset(
        "aan als bij dan dat de der die dit door een en er gaat geen had heb hebben heeft het hij hoe hoeveel ik in is "
        "je kan maar me meer met mijn naar niet nog of om onder ook op over te tot uit van veel voor waar waarom wat "
        "wanneer was welke werd wie wordt worden zich zij zijn ze zo".split()
    ),
    "swedish": frozenset(
        "att av blev de dem den det där efter en ett eller från för han har hade hon hur i inte jag kan man med men "
        "mycket många nu när och om på sig sin ska som till under upp ut vad var varför vem vid vilken vilket vilka "
        "vi är över".split()
    ),
    "danish": frozenset(
        "af at blev da de den der det du efter eller en er et for fra han har havde hun hvad hvem hvilken hvilket hvor "
        "hvordan hvorfor hvornår i ikke jeg kan man med men mange meget når og om op over på sig sin skal som til ud "
        "under var ved vi".split()
    ),
    "norwegian": frozenset(
        "at av ble da de den der det du eller en er et etter for fra han har hadde hun hva hvem hvilken hvilket hvor "
        "hvordan hvorfor i ikke jeg kan man med men mange mye når og om opp over på seg sin skal som til under ut var "
        "ved vi å".split()
    ),
    "finnish": frozenset(
        "ei eivät että he hän ja jo joka jos kanssa kuin kuinka kuka ketkä koska kun me mikä mitä miten missä mistä "
        "mihin milloin miksi moni monta mutta myös ne niin nyt oli olivat olla on ovat paljon se sekä sen siitä tai "
        "tämä vain vai joka jotka minkä".split()
    ),
    "turkish": frozenset(
        "acaba ama bir bu da daha de değil diye en gibi hangi hangisi hem her için ile ise kaç kadar kim ki kimin mi "
        "mı mu mü nasıl ne neden nerede nereye niçin o olan olarak oldu olduğu sonra şu üzere var ve veya ya "
        "zaman".split()
    ),
    "polish": frozenset(
        "a ale bo by być co czy dla do gdzie go i ich ile jak jaka jaki jakie jako jego jej jest już kiedy kto która "
        "które który lub ma na nad nie niż o od on oraz po pod przez przy się są ta tak te tego ten to tym u w we z za "
        "ze że".split()
    ),
    "czech": frozenset(
        "a aby ale ani až bez by byl byla bylo být co do i jak jaká jaké jaký je jeho jejich jen jestli ještě jsou k "
        "kde kdo kdy kolik která které který má mezi na nad ne nebo o od po pod pro proč při s se si tak také to u v "
        "ve více však z za že".split()
    ),
    "hungarian": frozenset(
        "a az és egy hogy nem is de ha ki kik mi mit mely melyik mikor hol hova hány mennyi milyen miért hogyan van "
        "volt lesz meg csak már még mint vagy ez ezt azt itt ott után alatt által sem".split()
    ),
    "romanian": frozenset(
        "a acest această ai al ale am are ca când care cât câte câți ce cine cu cum dar de din după e este eu fi fost "
        "în la lui mai nu o pe pentru prin sau să se sunt și su un una unde unei unui".split()
    ),
    "indonesian": frozenset(
        "ada adalah akan apa apakah atau bagaimana berapa bisa dan dapat dari dengan di dia ini itu juga kapan karena "
        "ke kepada mana mengapa mereka oleh pada saya sebagai siapa sudah telah tidak untuk yang".split()
    ),
    "vietnamese": frozenset(
        "ai bao các cái có của cho cũng để đã đang đâu đó được gì hay khi không là lại mà mấy một năm nào này nhiều "
        "như những nhiêu ở ra rất sẽ sao tại thế thì trong từ và vào về với".split()
    ),
    "russian": frozenset(
        "а без был была были было в во все вы где да для до его ее её если есть же за и из или им их к как какая какие "
        "какого какой каком какую когда ко кого который которая которые кто ли на над не нет но о об он она они оно от "
        "по под почему при про с сколько со так также то только у уже что чего чем чём чтобы эта эти это этот я".split()
    ),
    "arabic": frozenset(
        "في من على إلى عن مع هذا هذه ذلك التي الذي الذين هو هي هم كان كانت يكون قد لا لم لن ما ماذا متى أين كيف كم هل "
        "أي أية لماذا أن إن أو ثم بين بعد قبل عند كل كما و منذ حتى لكن".split()
    ),
    "persian": frozenset(
        "از است این آن با به برای بر بود بودند تا چه چرا چگونه چند چقدر را در شد شده شود که کجا کدام کی و ها های هم "
        "هر یا یک می نیز".split()
    ),
    "hindi": frozenset(
        "और का की के को में से है हैं था थी थे ने पर यह वह ये वे इस उस एक क्या कब कहाँ कहां कौन किस किसने किसे कितना "
        "कितनी कितने कैसे क्यों कि जो तो भी नहीं या लिए साथ तक अपने हो होता होती होते गया गई गए कर करने करता जाता".split()
    ),
    "greek": frozenset(
        "ο η το οι τα του της των τον την τους τις στο στη στην στον στους στις και να με για από σε που πως πώς πού "
        "τι ποιος ποια ποιο ποιοι πότε πόσο πόσα πόσοι γιατί είναι ήταν δεν θα ένα ένας μια μία ως κατά ή αν".split()
    ),
}
