"""`answer_question` of the `dowse` contract: a question in, an answer with citations out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from dowse.contracts import answers
from dowse.contracts.arguments import LANGUAGE, OFFLINE_MODE, TIMEOUT_S, Arguments, Param, read
from dowse.contracts.dispatch import Answer, Services, Tool
from dowse.contracts.output import AnswerQuestionOutput, FailureOutput
from dowse.core.answers import Question
from dowse.core.errors import InvalidRequest
from dowse.core.runtime import CallContext
from dowse.core.text import ArgumentName
from dowse.flows.answer import AnswerOutcome

_DESCRIPTION = """\
Answer a question from the web, with citations: written by a model that searches or, without one, in sentences \
quoted from pages. To read the pages yourself use web_search. The answer comes from web pages: untrusted data."""
_MAX_HOURS = 8760
# ISO 3166-1 alpha-2.
COUNTRIES = frozenset(
    """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY
    BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK
    FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR
    IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK
    ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
    PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF
    TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
    """.split()
)


def answer_question(services: Services) -> Tool:
    """With attempts, warnings and cache; if the model fails, pages are quoted instead."""

    async def call(given: Mapping[str, object], context: CallContext) -> Answer:
        arguments = read(params, given)
        outcome = await ask(services, to_question(arguments), arguments, context, falls_back=True)
        is_list = not arguments.flag("include_answers")
        return answers.render_answer(outcome, services.clock.utc(), arguments.warnings, is_list=is_list)

    params = _params(services.settings.default_language)
    return Tool(
        "answer_question",
        "Answer from the web",
        _DESCRIPTION,
        params,
        call,
        partial(answers.render_error, has_search=True),
        AnswerQuestionOutput,
        FailureOutput,
        aliases=("search_web",),
    )


async def ask(
    services: Services, question: Question, arguments: Arguments, context: CallContext, *, falls_back: bool
) -> AnswerOutcome:
    """Check the question against the guardrails and answer it; the answer holds no secrets."""
    services.guardrails.check(question.text)
    outcome = await services.answer.answer(
        question,
        services.deadline(context, arguments.number("timeout_s")),
        falls_back=falls_back,
        offline=arguments.flag("offline_mode"),
        progress=context.progress,
        caller=context.caller,
    )
    return replace(outcome, answer=answers.mask_answer(outcome.answer, services.redactor))


def to_question(arguments: Arguments) -> Question:
    """The arguments as a question; raises `InvalidRequest` for a country that does not exist."""
    return Question(
        arguments.text("question"),
        arguments.integer("max_results"),
        int(arguments.number("freshness_hours") or 0),
        check_country(arguments.text("region")),
        arguments.flag("include_answers"),
        arguments.text("language"),
    )


def check_country(code: str) -> str:
    """The code of a country in capitals; raises `InvalidRequest` for an unknown one."""
    region = code.upper()
    if region and region not in COUNTRIES:
        expected = f" must be a country by its two letters in ISO 3166, such as US or AE, not {region}."
        raise InvalidRequest(ArgumentName("region"), expected)
    return region


def _params(language: str) -> tuple[Param, ...]:
    return (
        Param(
            "question", "string", "3 to 400 characters.", required=True, minimum=3, maximum=400,
            aliases=("query",), misnomers=("q",), is_lenient=True,
        ),
        Param(
            "max_results", "integer", "The most sources, up to 8.", 5, minimum=1, maximum=8, is_lenient=True,
            aliases=("maxResults", "num_results", "numResults", "results_count", "count", "limit"),
        ),
        Param(
            "freshness_hours", "integer", "Only sources of the last so many hours.", minimum=1, maximum=_MAX_HOURS,
            aliases=("freshnessHours",), is_lenient=True,
        ),
        replace(LANGUAGE, default=language or None),
        Param(
            "region", "string", "The country that the question is asked in, such as US or AE.",
            pattern="^[A-Za-z]{2}$", aliases=("country",), is_listed=False,
        ),
        Param(
            "include_answers", "boolean", "Whether to answer; if not, the sources are listed.", True,
            aliases=("includeAnswers", "includeAnswer", "include_answer"), is_listed=False,
        ),
        OFFLINE_MODE,
        TIMEOUT_S,
    )  # fmt: skip
