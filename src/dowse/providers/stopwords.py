"""Words that tell nothing about what is asked for, in the languages that most is asked in; without accents."""

from __future__ import annotations

_ENGLISH = """
a about after all also an and any are as at be been before best better between but by can could did difference do does
explain find for from get give good has have help how if in info information into is it its latest learn like list make
me meaning more most my near need new news no not now of off on one online or other our out over please should show so
some tell than that the their them then there these they this to today top under up us use using versus via vs want was
way we were what when where which while who why will with without work would www you your com org net http https html
"""
_GERMAN = """
aber alle als am an auf aus bei beim bin bis das dass dem den der des die dies diese doch durch ein eine einem einen
einer eines er es fur gegen gibt hat hier ich ihr im in ist kann man mein mit nach nicht noch nur oder ob ohne sehr sein
sich sie sind so uber um und unter uns vom von vor wann war warum was welche wenn wer wie wird wo zu zum zur
"""
_FRENCH = """
au aux avec ce ces cette comment dans de des du elle en est et faire il je la le les leur lui mais mon ne nous ou par
pas plus pour pourquoi quand que quel quelle quels qui quoi sa sans se ses son sont sur un une vous
"""
_SPANISH_AND_PORTUGUESE = """
al ao aos as como con cual cuando da das de del desde do donde dos e el em en entre es esta este ha hacer hay la las lo
los mas mi muy na nao nas no nos o onde os para pela pelo por porque pra qual quando que quem quien se sem ser sin sobre
son su sua sus te tu um uma un una uno y
"""
_OTHERS = """
che chi cosa come con da dal del della delle di dove gli il in la le lo ma nel nella non per perche piu quale quando se
si sono su un una dat de die een en er het hoe ik in is je kan met naar niet of om op te van voor waar waarom wat
welke wie zijn co czy do gdzie i jak jest kiedy kto na nie o od po sie w z za ze av att den det en ett for hur ar och
pa som till vad var ve ile bir bu icin nasil ne nedir mi в во где для до и из как когда к кто ли на не о от по почему с
со такое то у что это
"""
STOPWORDS = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH} {_SPANISH_AND_PORTUGUESE} {_OTHERS}".split())
