"""Stop words: words of every text of a language. They tell languages apart, and say nothing about a topic."""

from __future__ import annotations

ENGLISH_FUNCTION_WORDS = frozenset(
    "a an and any are as at be been but by can could did do does for from get had has have he her his how i if in "
    "into is it its me my of on or our she should so some that the their them then there these they this to was we "
    "were what when where which who whom whose why will with would you your".split()
)
"""Words to leave out of a query where every word has to match: without `no` and `after`, which titles have."""

ENGLISH = ENGLISH_FUNCTION_WORDS | frozenset(
    "about after all also am because before being between both doing during each few further having here hers him "
    "itself just many may might more most much must no nor not off once only other out over own please s same shall "
    "such t tell than those through too under until up us very while".split()
)

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
"""Words of many questions and most pages on any topic: they weigh less."""

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
"""By the name of the language's stemmer."""

# Without accents, and of few languages: folded, stop words of others are English words, as the Vietnamese `ai`.
_QUERY_OTHERS = frozenset(
    "aber alle als am an auf aus bei beim bin bis das dass dem den der des die dies diese doch durch ein eine einem "
    "einen einer eines er es fur gegen gibt hat hier ich ihr im in ist kann man mein mit nach nicht noch nur oder ob "
    "ohne sehr sein sich sie sind so uber um und unter uns vom von vor wann war warum was welche wenn wer wie wird "
    "wo zu zum zur au aux avec ce ces cette comment dans de du elle en est et faire il je la le les leur lui mais "
    "mon ne nous ou par pas plus pour pourquoi quand que quel quelle quels qui quoi sa sans se ses son sont sur un "
    "une vous al ao aos as como con cual cuando da del desde do donde dos e el em entre esta este ha hacer hay las "
    "lo los mas mi muy na nao nas no nos o onde os para pela pelo por porque pra qual quando quem quien sem ser sin "
    "sobre su sua sus te tu uma una uno y che chi cosa come dal della delle di dove gli ma nel nella non per perche "
    "piu quale si sono dat een het hoe ik is kan met naar niet of om op van voor waar waarom wat welke zijn co czy "
    "gdzie i jak jest kiedy kto nie od po w z za ze av att det ett for hur ar och pa som till vad var ve ile bir bu "
    "icin nasil nedir в во где для до и из как когда к кто ли на не о от по почему с со такое то у что это".split()
)
QUERY = (
    ENGLISH
    | _QUERY_OTHERS
    | frozenset(
        "best better difference explain find give good help info information latest learn like list make meaning "
        "near need new news now one online show today top use using versus via vs want way without work www com org "
        "net http https html".split()
    )
)
"""Words of a query, folded, that a result may share with it by chance."""

MODEL = frozenset(
    "the a an of to and in is it that for on with as was are be this by at from or have has not but they you we he she"
    " his her their i which if when what there can will would could been were also than then more so about into its"
    " der die das und ist nicht ein eine zu den mit von im auf für sich dem des als auch es an werden aus er hat dass"
    " le la les de des et en un une du est que qui dans pour pas sur au par plus ne se avec ce il sont"
    " el los las y que del se por con para una su al lo como más o pero sus"
    " il di che è e per non una del si con le da sono i della come più"
    " o os as do da em um uma para com não por mais dos na no se"
    " het een van en dat niet op te zijn met voor"
    " и в не на что с по это как из у за к".split()
)
"""As the extraction model was trained to count them: a change asks for a new training."""
