"""Reserves, waits, renews and releases, and handles every response. Explained in docs/guides/any-language.md."""

import contextlib, http.client, json, os, random, socket, threading, time, urllib.error, urllib.request, uuid

URL = os.environ["HOLDFAST_URL"] + "/api/v1"
KEY = os.environ["HOLDFAST_KEY"]


class Refused(Exception):
    """The service refused the request."""


def send(method, path, body, headers, timeout):
    data = None if body is None else json.dumps(body).encode()
    headers = {"X-Api-Key": KEY, "Content-Type": "application/json", **headers}
    request = urllib.request.Request(URL + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return response.status, response.headers, json.load(response)
    except urllib.error.HTTPError as error:
        text = error.read().decode(errors="replace")
        with contextlib.suppress(ValueError):  # A page of a proxy is no JSON.
            return error.code, error.headers, json.loads(text)
        return error.code, error.headers, text


def call(method, path, body=None, patience=60):
    """Sends a request until it has a result, for `patience` seconds at most."""
    headers = {"Idempotency-Key": str(uuid.uuid4())}  # The same one for all repeats: nothing is done twice.
    end = time.monotonic() + patience
    pause = 0.5
    while True:
        timeout = max(1, min(40, end - time.monotonic()))  # Longer than pollSeconds, which is 20.
        try:
            status, head, result = send(method, path, body, headers, timeout)
            code = head.get("Holdfast-Error") or (result.get("code") if isinstance(result, dict) else None)
            if status < 300 or code == "INVALID_RELEASE_TOKEN":
                return result
            problem = Refused(f"{status} {code}: {result}")
            repeats = status in (408, 429, 502, 503, 504) or code == "REQUEST_RUNNING"
            if not repeats or code == "NOT_CONFIGURED":
                raise problem
            wait = float(head.get("Retry-After", pause))
        except (OSError, http.client.HTTPException, ValueError) as error:  # No connection, or half a response.
            problem, wait = error, pause
        wait *= random.uniform(1, 1.3)
        if time.monotonic() + wait > end:
            raise problem
        time.sleep(wait)
        pause = min(10, pause * 2)


def reserve(requester, ttl, wait, **fields):
    """Returns the reservation, or None if it could not be had in `wait` seconds."""
    item = {"requester": requester, "ttlSeconds": ttl, "waitSeconds": wait, **fields}
    end = time.monotonic() + wait
    while True:
        [result] = call("POST", "/Reservation/reserve", [item])
        if result["status"] in ("ACQUIRED", "ALREADY_HAD"):
            return result
        if result["status"] == "NOT_VALID":
            raise Refused(result["explanation"])
        if result["status"] != "WAITING" or time.monotonic() > end:  # ALREADY_HELD, NOT_AVAILABLE, or a new wait
            return None
        # Send the same request again, to keep the place in the queue.


@contextlib.contextmanager
def holding(ttl=30, wait=300, **fields):
    """Holds a resource for a `with` block. The event `lost` is set if the reservation may have ended.

    `fields` are those of a reserve item: `resource` or `match`, and perhaps `note` or `priority`.
    """
    requester = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    asked = time.monotonic()
    hold = reserve(requester, ttl, wait, **fields)
    if hold is None:
        raise TimeoutError(f"{fields} was not free in {wait} s")
    done, lost = threading.Event(), threading.Event()

    def renew(end):
        """Returns when the new lease ends, or None if there is none by `end`."""
        sent = time.monotonic()
        with contextlib.suppress(Exception):
            item = {**hold, "ttlSeconds": ttl}
            [result] = call("POST", "/Reservation/renew", [item], patience=end - sent)
            if result["status"] == "RENEWED":
                return sent + ttl

    def keep(end):
        while end and not done.wait(ttl / 3):
            end = renew(end)
        if not end:
            lost.set()

    try:
        end = asked + ttl
        if time.monotonic() > asked + ttl / 3:  # It waited, or a repeat got an old response: the lease may be over.
            end = renew(time.monotonic() + ttl)
            if not end:
                raise TimeoutError(f"the lease of {hold['resource']} ended before its response arrived")
        threading.Thread(target=keep, args=[end], daemon=True).start()
        yield hold, lost
    finally:
        done.set()
        with contextlib.suppress(Exception):  # If it fails, the lease ends the reservation.
            call("POST", "/Reservation/unreserve", [hold], patience=ttl)
