"""What every tenure-store-* shares: one JSON object a line in, one out.

docs/fencing.md has the protocol. A store has `reset`, `raise_token`, `write`,
`read` and `close`; raise_token and write answer (accepted, highest token).
"""

import json
import re
import sys

HIGHEST = 2**53 - 1  # of a generation
RESOURCE = re.compile(r"[A-Za-z0-9._:-]{1,200}")


class BadRequest(Exception):
    """Its text says what was expected and what was found."""


def text(request, name, longest=65536):
    value = request.get(name)
    if not isinstance(value, str) or len(value) > longest:
        raise BadRequest(f"{name}: expected a string, found {str(value)[:40]!r}")
    return value


def resource_of(request):
    name = text(request, "resource")
    if not RESOURCE.fullmatch(name):
        raise BadRequest(
            f"resource: expected at most 200 of A-Z a-z 0-9 . _ : -, found {name[:40]!r}"
        )
    return name


def token_of(request):
    written = text(request, "token")
    if not re.fullmatch(r"[1-9][0-9]{0,15}", written) or int(written) > HIGHEST:
        raise BadRequest(
            f"token: expected a decimal of 1 to {HIGHEST}, found {written[:40]!r}"
        )
    return int(written)


def perform(store, request):
    resource = resource_of(request)
    op = request.get("op")
    if op == "reset":
        store.reset(resource)
        return {"result": "ok"}
    if op == "read":
        token, holder, value, writes = store.read(resource)
        return {"result": "ok", "token": str(token), "holder": holder,
                "value": value, "writes": writes}
    if op == "raise":
        accepted, token = store.raise_token(
            resource, token_of(request), text(request, "holder", 253)
        )
    elif op == "write":
        fenced = request.get("fenced", True)
        if not isinstance(fenced, bool):
            raise BadRequest(f"fenced: expected true or false, found {fenced!r}")
        accepted, token = store.write(
            resource, token_of(request), text(request, "holder", 253),
            text(request, "id", 200), text(request, "value"), fenced,
        )
    else:
        raise BadRequest(f"op: expected reset, raise, write or read, found {op!r}")
    return {"result": "accepted" if accepted else "refused", "token": str(token)}


def one_line(error):
    return " ".join(str(error).split())[:300] or type(error).__name__


def serve(connect):
    """Answers stdin until it ends. `connect(url)` opens a store; after an
    answer that failed the next request opens it anew."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} URL")
    store = None
    for line in sys.stdin:
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise BadRequest(f"expected a JSON object, found {line[:40]!r}")
            store = store or connect(sys.argv[1])
            answer = perform(store, request)
        except (BadRequest, json.JSONDecodeError) as error:
            answer = {"result": "error", "error": one_line(error)}
        except Exception as error:  # whatever a client library raises
            answer = {"result": "unknown", "error": one_line(error)}
            if store:
                abandon(store)
            store = None
        print(json.dumps(answer), flush=True)


def abandon(store):
    try:
        store.close()
    except Exception as error:
        print(f"closing: {one_line(error)}", file=sys.stderr)
