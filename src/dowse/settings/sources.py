"""The only reader of the environment: flag over environment over `dowse.toml` over default."""

from __future__ import annotations

import difflib
import os
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from dowse.core.errors import ConfigError
from dowse.core.text import one_line
from dowse.settings.keyless import MEMBERS, OPEN_APIS
from dowse.settings.model import CONTRACT_DEFAULTS, PROVIDERS, Settings, variables
from dowse.settings.types import Takes

# Names of features that are not built yet. They are accepted without a word, so that one configuration
# file can serve several versions; everything else that starts with DOWSE_ is a typo.
RESERVED = frozenset(
    [
        "DOWSE_PROXY",
        "DOWSE_EVAL_DATA",
        "DOWSE_SUMMARIZE_LONG_CONTENT",
        "DOWSE_MAX_SUMMARY_LENGTH",
        "DOWSE_EXTRACT_CODE_BLOCKS",
    ]
)

# A file that merely lies in the working directory may belong to a repository somebody else wrote:
# it must not decide where keys and queries are sent or which private hosts may be read.
TRUSTED_ONLY = re.compile(
    r"(dowse_)?(allow_private|proxy|state|log_queries|host|read_order"
    # Without a provider of the user's own the query goes to those that nobody has chosen.
    r"|search_order|.*_enabled|keyless(_order)?|open_apis|mcp_providers|scrub|allow_secret_urls|nat64_prefixes|cache_size"
    r"|(browser|jwt|jwks|tokens?|allowed|trusted|limit|budget|pace)(_.*)?|hedge|max_calls"
    r"|.*_(endpoint|url|key|token|headers_json))"
)
_SECRET_FIELDS = re.compile(r"_key$|headers|^tokens|_token$|mcp_providers")
# Names that other programs use as well: a value that means nothing to us is not the user's mistake.
SHARED = ("LOG_LEVEL",)


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The `dowse.toml` that was read, or where it was looked for, and which entries a stranger's file may not have."""

    path: Path | None = None
    looked_for: tuple[Path, ...] = ()
    trusted: bool = True
    ignored: tuple[str, ...] = ()
    typos: tuple[str, ...] = ()

    @property
    def refusals(self) -> tuple[str, ...]:
        """One sentence for each entry that is not believed."""
        hint = "is ignored in a file of the working directory; name the file with DOWSE_CONFIG."
        return tuple(f"{self.path}: {name} {hint}" for name in self.ignored)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, where they came from, and what the user should hear about how they were written."""

    settings: Settings
    warnings: tuple[str, ...]
    file: ConfigFile = ConfigFile()
    problems: tuple[str, ...] = ()


def load(
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    config: str | None = None,
) -> Loaded:
    """Read flags, environment and `dowse.toml`; raise `ConfigError` on the first invalid value."""
    loaded = examine(flags, environ, config=config)
    if loaded.problems:
        # `from None`: a chained error would print the rejected value, which may be a key.
        raise ConfigError(loaded.problems[0]) from None
    return loaded


def examine(
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    config: str | None = None,
) -> Loaded:
    """The same for whoever wants to hear all that is wrong: the default stands for each invalid value."""
    env = dict(os.environ if environ is None else environ)
    problems: list[str] = []
    file = ConfigFile()
    written: dict[str, object] = {}
    try:
        file, written = _read_file(config, env)
    except ConfigError as error:
        problems.append(str(error))
    warnings = [*file.refusals, *file.typos]
    values, names = _pick([_written(layer) for layer in (flags or {}, env, written)])
    settings = _coherent(_validated(values, names, warnings, problems), problems)
    warnings += [_typo(name) for name in sorted(env) if name.startswith("DOWSE_") and name not in _known()]
    warnings += enabled_without_credential(settings).values()
    return Loaded(settings, tuple(warnings), file, tuple(problems))


def colour_wanted(environ: Mapping[str, str] | None = None) -> bool:
    """Whether the user's environment allows colour (https://no-color.org)."""
    env = os.environ if environ is None else environ
    return not env.get("NO_COLOR") and is_capable_terminal(env)


def is_capable_terminal(environ: Mapping[str, str] | None = None) -> bool:
    """Whether the terminal, if there is one, understands escapes."""
    env = os.environ if environ is None else environ
    return env.get("TERM") != "dumb"


def state_address(settings: Settings, environ: Mapping[str, str] | None = None) -> str:
    """Where state is kept: where the user says, else in a SQLite file in the cache directory."""
    if settings.state:
        return settings.state
    env = os.environ if environ is None else environ
    home = Path(env.get("HOME") or "~").expanduser()
    usual = home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"
    return f"sqlite:///{Path(env.get('XDG_CACHE_HOME') or usual) / 'dowse' / 'state.db'}"


def subprocess_environment() -> dict[str, str]:
    """What a worker process inherits: enough to start Python, and no secret."""
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "PYTHONPATH", "VIRTUAL_ENV")
    # Each thread of numpy would take a part of the memory that a worker may have, and none is of use to it.
    single = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    return {name: os.environ[name] for name in kept if name in os.environ} | single


def browser_environment(home: str = "") -> dict[str, str]:
    """What a browser inherits: enough to start, and neither a secret nor a proxy.

    With a `home` of its own it sees nothing of the user's. A snap needs that, and the session, to start at all.
    """
    kept = {"PATH", "LANG", "LANGUAGE", "TZ", "FONTCONFIG_FILE", "FONTCONFIG_PATH"}
    if not home:
        kept |= {"HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}
    inherited = {name: value for name, value in os.environ.items() if name in kept or name.startswith("LC_")}
    return inherited | ({"HOME": home, "TMPDIR": home} if home else {})


def _validated(
    values: Mapping[str, object], names: Mapping[str, str], warnings: list[str], problems: list[str]
) -> Settings:
    """The settings without what is invalid. That is said in our words: pydantic's would quote a key."""
    defaults = CONTRACT_DEFAULTS.get(str(values.get("contract")), {})
    try:
        return Settings.model_validate({**defaults, **values})
    except ValidationError as error:
        wrong = list(dict.fromkeys(str(item["loc"][0]) for item in error.errors()))
    for field in wrong:
        sentence = _sentence(field, values, names)
        if names.get(field) in SHARED:
            warnings.append(f"{sentence} It is ignored.")
        else:
            problems.append(sentence)
    return _validated({name: value for name, value in values.items() if name not in wrong}, names, warnings, problems)


def _written(layer: Mapping[str, object]) -> dict[str, object]:
    """What was set: nothing is unset, and white space around a value is an accident of the file it came from."""
    values = {name: value.strip() if isinstance(value, str) else value for name, value in layer.items()}
    return {name: value for name, value in values.items() if value not in (None, "")}


def _pick(layers: list[Mapping[str, object]]) -> tuple[dict[str, object], dict[str, str]]:
    """For each field the value of the first layer that has it, and the name it was found under."""
    values: dict[str, object] = {}
    names: dict[str, str] = {}
    for field in Settings.model_fields:
        found = next(((layer[name], name) for layer in layers for name in variables(field) if name in layer), None)
        if found:
            values[field], names[field] = found
    return values, names


def _read_file(flag: str | None, env: Mapping[str, str]) -> tuple[ConfigFile, dict[str, object]]:
    named = flag or env.get("DOWSE_CONFIG", "").strip()
    if named:
        return _parse_file(Path(named).expanduser(), f"{'--config' if flag else 'DOWSE_CONFIG'} names ", trusted=True)
    home = env.get("XDG_CONFIG_HOME") or str(Path(env.get("HOME") or "~").expanduser() / ".config")
    places = (Path.cwd() / "dowse.toml", Path(home) / "dowse" / "dowse.toml")
    for path in places:
        if _is_there(path):
            return _parse_file(path, trusted=path.parent != Path.cwd())
    return ConfigFile(looked_for=places), {}


def _is_there(path: Path) -> bool:
    """Whether it is a file; one in a directory that we may not enter is not there for us."""
    try:
        return path.is_file()
    except OSError:
        return False


def _parse_file(path: Path, named_by: str = "", *, trusted: bool) -> tuple[ConfigFile, dict[str, object]]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{named_by}{path}, which cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from None
    seed_table = table.pop("web_search", {})
    entries = {**(seed_table if isinstance(seed_table, dict) else {}), **table}
    values: dict[str, object] = {}
    ignored: list[str] = []
    typos: list[str] = []
    for key, value in entries.items():
        name, shown = _variable_for(key), one_line(key, 80)
        if not trusted and _is_protected(key, name):
            ignored.append(shown)
        elif name not in _known():
            typos.append(f"{path}: {_typo(name, shown=shown)}")
        else:
            values[name] = _as_variable(value)
    return ConfigFile(path, (), trusted, tuple(ignored), tuple(typos)), values


def _is_protected(key: str, name: str) -> bool:
    """Whether only a trusted file may set it, under whichever of its names."""
    names = next((variables(field) for field in Settings.model_fields if name in variables(field)), [])
    return any(TRUSTED_ONLY.fullmatch(each.lower()) for each in (key, *names))


def _as_variable(value: object) -> object:
    """A TOML value as the environment would hold it: `1` is "1", a list is separated by commas."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return value if isinstance(value, bool | dict) else str(value)


def _variable_for(key: str) -> str:
    """`search_order` is DOWSE_SEARCH_ORDER; `serper_api_key` keeps its own name."""
    upper = key.upper()
    return upper if upper in _known() else f"DOWSE_{upper}"


def _known() -> frozenset[str]:
    names = {name for field in Settings.model_fields for name in variables(field)}
    return frozenset(names | RESERVED | {"DOWSE_CONFIG"})


def _typo(name: str, *, shown: str = "") -> str:
    # Compared without the prefix, which would make everything look alike.
    ours_last = sorted(_known(), key=lambda variable: (variable.startswith("DOWSE_"), variable))
    known = {variable.removeprefix("DOWSE_"): variable for variable in ours_last}
    near = difflib.get_close_matches(name.removeprefix("DOWSE_"), known, n=1, cutoff=0.6)
    hint = f"; did you mean {near[0].lower() if shown else known[near[0]]}?" if near else "."
    return f"{shown or name} is not a setting of dowse{hint}"


def _sentence(field: str, values: Mapping[str, object], names: Mapping[str, str]) -> str:
    """One sentence of ours for pydantic's complaint about a field; the value only where it is no secret."""
    name = names.get(field, variables(field)[0])
    # As it was written: pydantic shows "1GB" as the number of bytes that it had become by then.
    given = str(values[field])
    # An address may hold a password, in front of its host or among its parameters.
    secret = bool(_SECRET_FIELDS.search(field))
    secret = secret or "@" in given or (field == "state" and "?" in given)
    value = "" if secret else f" is {given[:80]!r}, but it"
    return f"{name}{value} takes {takes(field)}."


def takes(field: str) -> str:
    """What a setting takes, in words that complete "VARIABLE takes ..."."""
    info = Settings.model_fields[field]
    for item in info.metadata:
        if isinstance(item, Takes):
            return item.what
    options = getattr(info.annotation, "__args__", ())
    if options and all(isinstance(option, str) for option in options):
        return "one of " + ", ".join(option or "(empty)" for option in options)
    takes = [item.what for option in options for item in getattr(option, "__metadata__", ()) if isinstance(item, Takes)]
    if takes:
        return takes[0]
    if info.annotation is int:
        low = next(item.ge for item in info.metadata if hasattr(item, "ge"))
        high = next(item.le for item in info.metadata if hasattr(item, "le"))
        return f"a whole number from {low} to {high}"
    return "text"


def _coherent(settings: Settings, problems: list[str]) -> Settings:
    """The settings without what does not fit together; that is said instead."""
    doubled = sorted({*PROVIDERS, *MEMBERS} & settings.mcp_providers.keys())
    servers = {name: server for name, server in settings.mcp_providers.items() if name not in doubled}
    taken: dict[str, tuple[str, ...]] = {
        "search_order": (*PROVIDERS, *servers),
        "keyless_order": MEMBERS,
        "open_apis": OPEN_APIS,
    }
    changed: dict[str, object] = {}
    for field, names in taken.items():
        given: tuple[str, ...] = getattr(settings, field)
        unknown = [name for name in given if name not in names]
        problems += [
            f"{variables(field)[0]} names {name!r}, but it takes names out of {', '.join(names)}." for name in unknown
        ]
        if unknown:
            changed[field] = tuple(name for name in given if name in names)
    if doubled:
        problems.append(f"DOWSE_MCP_PROVIDERS names {doubled[0]!r}, which dowse has already; call it something else.")
        changed["mcp_providers"] = servers
    if incomplete := _incomplete_jwt(settings):
        problems.append(incomplete)
        changed |= {"jwt_issuer": "", "jwt_audience": "", "jwks_url": None}
    return settings.model_copy(update=changed) if changed else settings


def _incomplete_jwt(settings: Settings) -> str:
    """All three or none: without an audience a token issued for another service would do here too."""
    parts = {
        "DOWSE_JWT_ISSUER": settings.jwt_issuer,
        "DOWSE_JWT_AUDIENCE": settings.jwt_audience,
        "DOWSE_JWKS_URL": settings.jwks_url,
    }
    missing = [name for name, value in parts.items() if not value]
    if not missing or len(missing) == len(parts):
        return ""
    return f"{' and '.join(missing)} must be set too: JSON Web Tokens need issuer, audience and keys."


def enabled_without_credential(settings: Settings) -> dict[str, str]:
    """Providers that were switched on but cannot be asked, each with the sentence that says so."""
    enabled = [name for name in PROVIDERS if getattr(settings, f"{name}_enabled")]
    return {
        name: f"{name.upper()}_ENABLED is true, but {settings.credential_variable(name)} is not set, "
        f"so {name} is not asked."
        for name in enabled
        if settings.credential(name) is None
    }
