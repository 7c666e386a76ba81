"""Follows everything that is held. Explained in docs/guides/mirror-state.md."""

import json, os, random, sys, time, urllib.request

URL = os.environ["HOLDFAST_URL"] + "/api/v1"
held = {}  # (resource, requester): reservation


def get(path):
    request = urllib.request.Request(URL + path, headers={"X-Api-Key": os.environ["HOLDFAST_KEY"]})
    return urllib.request.urlopen(request, timeout=45)  # seconds of silence


def put(row):
    held[row["resource"], row["requester"]] = row


def key_of(released):
    """The key of the reservation that a transaction released, perhaps by its slot or path."""
    key = released["resource"], released["requester"]
    slot = last_part(released["resource"])
    for resource, requester in held if key not in held else ():
        row, own = held[resource, requester], last_part(resource)
        slots = [own, (row.get("acquiredSlots") or {}).get(own), *row.get("slots", [])]
        if requester == released["requester"] and slot in slots:
            return resource, requester
    return key


def last_part(path):
    return path.rsplit(">", 1)[-1]


def apply(event):
    kind, key = event["type"], (event["resource"], event["requester"])
    if kind == "RESERVED":
        put(event)
    elif kind == "UNRESERVED":
        held.pop(key, None)
    elif kind == "RENEWED" and key in held and held[key]["fencingToken"] == event["fencingToken"]:
        put({**held[key], "expiresAt": event["expiresAt"]})
    elif kind == "RESET":
        held.clear()
    elif kind == "TRANSACTION_APPLIED":
        for change in event["changes"]:
            if change["explanation"] == "ACQUIRED":
                put(change)
            elif change["explanation"] == "RELINQUISHED":
                held.pop(key_of(change), None)


def token_of(reservations, key):
    return reservations[key]["fencingToken"] if key in reservations else None


def follow(on_event):
    """Follows one stream to its end."""
    with get("/events") as stream:
        rows = json.load(get("/Reservation/activeReservations"))
        before = dict(held)
        held.clear()
        for row in rows:
            put(row)
        for key in before.keys() | held.keys():
            if token_of(before, key) != token_of(held, key):  # It changed while no stream was open.
                on_event({"type": "CHANGED", "resource": key[0], "requester": key[1]})
        for line in stream:
            if line.startswith(b"data: "):  # Others are comments, empty, or the type, which the data has too.
                event = json.loads(line[len("data: "):])
                apply(event)
                on_event(event)


def mirror(on_event):
    while True:
        try:
            follow(on_event)
        except Exception as error:
            print("the stream ended:", error, file=sys.stderr)
        time.sleep(random.uniform(1, 5))


if __name__ == "__main__":
    mirror(lambda event: print(event["type"], event["resource"], len(held), "held", flush=True))
