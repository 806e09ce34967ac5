"""The commands that call one provider: `dowse providers try`, and `new`, which writes a description."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from dowse.core.errors import BadAnswer, ConfigError
from dowse.core.models import Category, Hit, Query
from dowse.core.text import count_noun, one_line, visible
from dowse.flows import draft_errors, draft_provider
from dowse.flows.draft_provider import Draft, Sample
from dowse.flows.own_providers import append
from dowse.flows.provider_states import check_callable, check_name, choose_category
from dowse.secrets.redact import Redactor
from dowse.settings import SPECS, Settings
from dowse.settings.described.own import FILE_NAME, VARIABLE
from dowse.surfaces.cli import DONE, FAILED, session
from dowse.surfaces.cli.session import dump_json
from dowse.surfaces.cli.terminal import style

if TYPE_CHECKING:
    from dowse.flows.try_provider import Mapped, Sent, Trial

_SHOWN_CHARS = 3000
_MOST_RESULTS = 50
_LONGEST_LINE = 400
_MOST_SAMPLE_BYTES = 5_000_000
_PLACES = ("header", "query", "body", "basic")


def run_try(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    check_name(settings, arguments.name)
    operation = "read" if arguments.read else "search"
    check_callable(settings, arguments.name, operation)
    query = _query(arguments, settings)
    trial = asyncio.run(_call(settings, arguments.name, operation, query))
    recorded = _record(settings, trial, arguments.record, query.category) if arguments.record else ""
    print((_as_json if arguments.json else _as_text)(trial, recorded, Redactor(settings.secrets())))
    if recorded:
        _say(f"the request and its answer are in {recorded}, without the key")
    return DONE if trial.hits or trial.text else FAILED


def _as_json(trial: Trial, recorded: str, masked: Redactor) -> str:
    return dump_json(masked.data({**as_data(trial), "recorded": recorded}))


def _as_text(trial: Trial, _: str, masked: Redactor) -> str:
    return paint(visible(masked.text(show(trial))))


def _query(arguments: argparse.Namespace, settings: Settings) -> Query:
    if not 1 <= arguments.count <= _MOST_RESULTS:
        raise ConfigError(f"--count takes a number from 1 to {_MOST_RESULTS}.")
    if not arguments.query.strip():
        raise ConfigError('try takes a query, such as "weather".')
    category = Category(arguments.category) if arguments.category else choose_category(settings, arguments.name)
    return Query(arguments.query.strip(), num_results=arguments.count, category=category)


def run_new(arguments: argparse.Namespace) -> int:
    sample = _sample(arguments)
    answer = _read_sample(arguments.sample) if arguments.sample else _ask(arguments, sample)
    draft = draft_provider.draft(sample, answer)
    file = append(session.load(arguments, {}, quiet=True), draft) if arguments.write else None
    print(dump_json({"name": draft.name, "toml": draft.toml, "notes": draft.notes}) if arguments.json else draft.toml)
    for note in (*draft.notes, _next_step(draft, file)):
        _say(note)
    return DONE


def _sample(arguments: argparse.Namespace) -> Sample:
    """The request that the user gave; an impossible one is refused before anything is sent."""
    body = None if arguments.body is None else _parse_json(arguments.body, "--body")
    sample = draft_provider.read_sample(arguments.url, arguments.name, body, _auth(arguments.auth))
    if sample.name in SPECS:
        raise ConfigError(f"dowse has a provider {sample.name} already; name yours with --name.")
    draft_provider.parse(sample.name, draft_provider.preliminary(sample))
    return sample


def _say(note: str) -> None:
    print(f"dowse: {visible(one_line(note, _LONGEST_LINE))}", file=sys.stderr)


def as_data(trial: Trial) -> dict[str, object]:
    """A trial for programs."""
    return {**asdict(trial), "unmapped": [each.name for each in trial.unmapped]}


def show(trial: Trial) -> str:
    """A trial for a terminal."""
    lines: list[str] = []
    for number, sent in enumerate(trial.requests, 1):
        heading = f"request {number}" if len(trial.requests) > 1 else "request"
        lines += [heading, *_show_request(sent), "", "answer", *_show_answer(sent), ""]
    lines += ["mapped", *_show_mapped(trial)]
    if trial.fields:
        lines += ["", "fields", *map(_show_field, trial.fields)]
    lines += [f"note: {warning}" for warning in trial.warnings]
    return "\n".join(lines)


def paint(text: str) -> str:
    """Headings in bold; escape sequences were removed before."""
    return "\n".join(map(_paint_line, text.splitlines()))


def _paint_line(line: str) -> str:
    return line if line.startswith((" ", "note:")) else style(line, "bold")


def _show_request(sent: Sent) -> Iterator[str]:
    yield f"  {sent.method} {sent.address}"
    yield from (f"  {name}: {value}" for name, value in sent.headers.items())
    if sent.body is not None:
        yield f"  {json.dumps(sent.body, ensure_ascii=False)}"


def _show_answer(sent: Sent) -> Iterator[str]:
    if not sent.status:
        yield "  there was none"
        return
    yield f"  HTTP {sent.status}"
    answer = sent.answer if isinstance(sent.answer, str) else json.dumps(sent.answer, indent=2, ensure_ascii=False)
    yield from map(_cut, answer[:_SHOWN_CHARS].splitlines())
    if len(answer) > _SHOWN_CHARS:
        yield f"  … {len(answer) - _SHOWN_CHARS} more characters; --json prints all of them"


def _show_mapped(trial: Trial) -> Iterator[str]:
    if trial.error:
        yield f"  {trial.error}"
        yield from _show_lists(trial)
        yield from _show_rule(trial)
    elif trial.operation == "read":
        yield from _show_page(trial)
    else:
        yield from _show_hits(trial.hits)


def _show_page(trial: Trial) -> Iterator[str]:
    yield f"  {trial.title or 'no title'}: {count_noun(len(trial.text.split()), 'word')}"
    yield from map(_cut, trial.text.splitlines()[:10])


def _cut(line: str) -> str:
    return f"  {line[:_LONGEST_LINE]}"


def _show_hits(hits: Sequence[Hit]) -> Iterator[str]:
    if not hits:
        yield "  no results"
    for number, hit in enumerate(hits, 1):
        yield f"  {number}. {hit.title}"
        yield from map(_show_detail, filter(None, (hit.url, hit.published, hit.snippet, hit.image_url)))


def _show_detail(text: str) -> str:
    return f"     {one_line(text, _LONGEST_LINE)}"


def _show_lists(trial: Trial) -> Iterator[str]:
    """Where results may be, if they are not where the description looks for them."""
    answer = trial.requests[-1].answer if trial.requests else None
    found = draft_provider.best_list(answer)
    if trial.fields and found:
        path, items = found
        guessed = ", ".join(f"{name} = {where!r}" for name, where in draft_provider.guess_fields(items).items())
        yield f"  try results = {path!r} ({len(items)} objects) with {guessed}"


def _show_rule(trial: Trial) -> Iterator[str]:
    """A rule for a failure that the API reports in a successful answer, which no rule knows yet."""
    answer = trial.requests[-1].answer if trial.fields and trial.outcome == BadAnswer.code else None
    if rule := draft_errors.guess_rule(answer):
        yield f"  if this answer is a failure, say so: {rule}"


def _show_field(mapped: Mapped) -> str:
    paths = " or ".join(mapped.paths)
    if not mapped.found:
        return f"  {mapped.name}: nothing at {paths}"
    return f"  {mapped.name}: {mapped.found} of {mapped.of} ({paths})"


async def _call(settings: Settings, name: str, operation: str, query: Query) -> Trial:
    from dowse.app import App  # Heavy; `--help` does without.

    async with App(settings, is_brief=True) as app:
        flow = app.trial_flow()
        return await (flow.read(name, query.text) if operation == "read" else flow.search(name, query))


def _record(settings: Settings, trial: Trial, folder: str, category: Category) -> str:
    from dowse.flows.record_provider import record
    from dowse.flows.try_provider import describe

    description = describe(settings, trial.provider).get(trial.operation)
    if description is None:
        raise ConfigError(f"--record is for described providers; {trial.provider} has an adapter of its own.")
    if trial.error or not (trial.hits or trial.text):
        _say("warning: nothing is recorded, because the call found nothing")
        return ""
    try:
        return str(record(Path(folder).expanduser(), trial, description, category))
    except OSError as error:
        raise ConfigError(f"--record {folder}: {error.strerror}.") from None


def _ask(arguments: argparse.Namespace, sample: Sample) -> object:
    """The answer to one live request, sent as the description to be would send it."""
    settings = _load_with(arguments, draft_provider.preliminary(sample))
    variable = f"{sample.name.upper()}_API_KEY"
    if sample.auth and settings.credential(sample.name) is None:
        raise ConfigError(f"{variable} is not set; put the key into it, or name a saved answer with --sample FILE.")
    check_callable(settings, sample.name, "search")
    query = Query(sample.asked, num_results=5)
    trial = asyncio.run(_call(settings, sample.name, "search", query))
    sent = trial.requests[-1] if trial.requests else None
    if sent is None or not 200 <= sent.status < 300:
        raise _failed(sample, Redactor(settings.secrets()).message(one_line(trial.error)))
    return sent.answer


def _failed(sample: Sample, said: str) -> ConfigError:
    hint = "" if sample.auth else " If it needs a key, add --auth, such as --auth header:X-API-Key."
    return ConfigError(f"The request failed: {said}.{hint}")


def _load_with(arguments: argparse.Namespace, text: str) -> Settings:
    """The settings with a file of providers that holds this."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / FILE_NAME
        file.write_text(text, encoding="utf-8")
        return session.load(arguments, {VARIABLE: str(file)}, quiet=True)


def _next_step(draft: Draft, file: Path | None) -> str:
    auth = draft.description.auth
    key = f"set {auth.variable}, then " if auth and auth.variable else ""
    run = f'run `dowse providers try {draft.name} "weather"`'
    if file:
        return f"it is in {file}; {key}{run}"
    return f"put it into providers.toml (--write does so), {key}{run}"


def _auth(given: str) -> Mapping[str, object] | None:
    """Where the key goes, as a description says it."""
    if not given:
        return None
    place, _, rest = given.partition(":")
    name, _, prefix = rest.partition(":")
    if place not in _PLACES or (not name and place != "basic"):
        takes = "PLACE:NAME[:PREFIX], such as header:X-API-Key, query:api_key, basic, or 'header:Authorization:Bearer '"
        raise ConfigError(f"--auth takes {takes}.")
    named = {} if place == "basic" else {"name": name}
    return {"in": place, **named, **({"prefix": prefix} if prefix else {})}


def _read_sample(name: str) -> object:
    try:
        data = Path(name).expanduser().read_bytes()
    except OSError as error:
        raise ConfigError(f"--sample {name}: {error.strerror}.") from None
    if len(data) > _MOST_SAMPLE_BYTES:
        raise ConfigError(f"--sample {name} is larger than {_MOST_SAMPLE_BYTES} bytes.")
    return _parse_json(data.decode("utf-8", "replace"), f"--sample {name}")


def _parse_json(text: str, where: str) -> object:
    from dowse.net.json_fields import parse_json

    try:
        return parse_json(text)
    except ValueError:
        raise ConfigError(f"{where} is not valid JSON.") from None
