"""The `answers` contract, a drop-in: `search_web` with the fields of its clients and no others."""

from __future__ import annotations

from collections.abc import Mapping

from dowse.contracts.answers import render_drop_in, render_error
from dowse.contracts.arguments import read
from dowse.contracts.dispatch import TOKEN, Answer, ContractSpec, Services, Tool
from dowse.contracts.output import AnswersOutput, FailureOutput
from dowse.contracts.search_web import DESCRIPTION, NAME, PARAMS, TITLE, answer_question
from dowse.core.runtime import CallContext


def search_web(services: Services) -> Tool:
    """A failure of the model is a failure: no pages are quoted instead."""

    async def call(given: Mapping[str, object], context: CallContext) -> Answer:
        # A token that is not needed, as over HTTP, is ignored.
        arguments = read(PARAMS, given, ignored=(TOKEN,))
        outcome = await answer_question(services, arguments, context, falls_back=False)
        return render_drop_in(outcome, services.clock.utc())

    return Tool(NAME, TITLE, DESCRIPTION, PARAMS, call, render_error, AnswersOutput, FailureOutput)


CONTRACT = ContractSpec(
    "answers",
    "Answers from the web with citations. Ask with search_web.",
    (search_web,),
    takes_token=True,
)
