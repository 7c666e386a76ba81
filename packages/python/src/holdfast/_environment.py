"""Finds the service and the key in environment variables, as the command line does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .errors import invalid

Environment = Mapping[str, str]


def key_in(env: Environment) -> str | Callable[[str | None], str]:
    """Returns the key. A key in a file is read for each request, so that it may be replaced meanwhile.

    Raises HoldfastError INVALID_OPTION.
    """
    key, file = env.get("HOLDFAST_KEY", ""), env.get("HOLDFAST_KEY_FILE", "")
    if key and file:
        raise invalid("HOLDFAST_KEY and HOLDFAST_KEY_FILE are both set: which one?")
    if not file:
        if key.strip():
            return key.strip()
        raise invalid(f"HOLDFAST_KEY is {'blank' if key else 'not set'}: an API key")
    last = read_text(file, "HOLDFAST_KEY_FILE")

    def current(refused: str | None) -> str:
        nonlocal last
        try:
            with open(file, encoding="utf-8") as opened:
                last = opened.read().strip() or last
        except (OSError, ValueError):
            pass  # It is being replaced: the last key still counts.
        return last

    return current


def url_in(env: Environment) -> str:
    """Raises HoldfastError INVALID_OPTION."""
    url = env.get("HOLDFAST_URL", "")
    if url:
        return url
    raise invalid("HOLDFAST_URL is not set: where is the service? https://holdfast.example.com")


def read_text(file: str, variable: str) -> str:
    """Returns the text of a file, stripped. Raises HoldfastError INVALID_OPTION: it names the variable."""
    try:
        with open(file, encoding="utf-8") as opened:
            text = opened.read().strip()
    except (OSError, ValueError) as cause:
        raise invalid(f"{variable}: {file} cannot be read") from cause
    if text:
        return text
    raise invalid(f"{variable} is blank: there is nothing in {file}")
