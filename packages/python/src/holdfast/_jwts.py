"""Where a job of a CI system gets its JWT (docs/guides/ci.md): from a file, a variable, GitHub or the agent of
Buildkite. The first that is there counts."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

import anyio
import httpx

from ._environment import Environment, read_text
from .errors import HoldfastError, Unreachable, invalid

JwtSource = Callable[[str, float], Awaitable[str]]
"""Returns a JWT for an audience, within a timeout in seconds. Raises HoldfastError."""

# Claims with ids that are never used again. The agent leaves them out unless they are asked for.
_BUILDKITE = ("--claim", "organization_id", "--claim", "pipeline_id")
_MASK_TIMEOUT = 5.0


def jwt_source_in(env: Environment) -> JwtSource:
    """Raises HoldfastError INVALID_OPTION that says why the job has no JWT."""
    file, token = env.get("HOLDFAST_JWT_FILE", ""), env.get("HOLDFAST_ID_TOKEN", "").strip()
    if file:

        async def in_file(audience: str, timeout: float) -> str:
            # Kubernetes replaces the file before the JWT ends.
            return read_text(file, "HOLDFAST_JWT_FILE")

        return in_file
    if token:

        async def in_variable(audience: str, timeout: float) -> str:
            return token

        return in_variable
    url, bearer = env.get("ACTIONS_ID_TOKEN_REQUEST_URL", ""), env.get("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "")
    if url and bearer:
        return _of_github(url, bearer)
    if env.get("BUILDKITE") == "true":
        return _of_buildkite
    raise invalid(f"HOLDFAST_TENANT is set, and this job has no JWT{_why_none(env)}")


def _why_none(env: Environment) -> str:
    """Returns the missing part of a job's environment, in the words of each CI system."""
    if env.get("GITHUB_ACTIONS") == "true":
        return ". It needs `permissions: id-token: write`. A pull request from a fork never gets one"
    if env.get("GITLAB_CI") == "true":
        return ". Declare `id_tokens: HOLDFAST_ID_TOKEN: aud: holdfast:<tenant>` in the job"
    return ", nor HOLDFAST_KEY: set HOLDFAST_JWT_FILE or HOLDFAST_ID_TOKEN"


def _of_github(url: str, bearer: str) -> JwtSource:
    async def fetch(audience: str, timeout: float) -> str:
        headers = {"Authorization": f"Bearer {bearer}", "Accept": "application/json"}
        address = httpx.URL(url).copy_merge_params({"audience": audience})
        try:
            async with httpx.AsyncClient(timeout=timeout) as client:
                response = await client.get(address, headers=headers)
        except httpx.HTTPError as error:
            raise Unreachable(f"GitHub could not be reached: {error or type(error).__name__}") from error
        answer = parsed(response.content)
        if isinstance(answer.get("value"), str):
            return str(answer["value"])
        # Its own trouble passes; whatever else it says of a request, it will say again.
        status = 503 if response.status_code >= 500 else None
        raise HoldfastError(f"GitHub gave no JWT (status {response.status_code})", "UNAUTHENTICATED", status=status)

    return fetch


async def _of_buildkite(audience: str, timeout: float) -> str:
    command = ["buildkite-agent", "oidc", "request-token", "--audience", audience, *_BUILDKITE]
    try:
        with anyio.fail_after(timeout):
            done = await anyio.run_process(command, check=False)
    except (OSError, TimeoutError) as cause:
        raise invalid("buildkite-agent gave no JWT") from cause
    jwt = done.stdout.decode().strip()
    if done.returncode == 0 and jwt:
        return jwt
    line = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
    raise invalid(f"buildkite-agent gave no JWT{''.join(f': {text[:200]}' for text in line)}")


async def mask(env: Environment, secret: str) -> None:
    """Hides a JWT or a token in the log of a job, should anything print it. Never fails: nothing here prints one."""
    with suppress(Exception):
        # GitHub reads commands on stderr, too. stdout belongs to the results.
        if env.get("GITHUB_ACTIONS") == "true":
            os.write(2, f"::add-mask::{secret}\n".encode())
        elif env.get("BUILDKITE") == "true":
            # By stdin: other users see arguments in the list of processes.
            with anyio.move_on_after(_MASK_TIMEOUT):
                await anyio.run_process(["buildkite-agent", "redactor", "add"], input=secret.encode(), check=False)


def parsed(content: bytes) -> Mapping[str, object]:
    """Returns a body as a JSON object; an empty one if it is none."""
    try:
        answer: object = json.loads(content)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
