"""The API server's audit log as a history of one Lease.

Wall clock stamps are brought to the boot clock; both are of this machine.
"""

import dataclasses
import json

from wall_stamps import boot_nanos, wall_offset

GENERATION = "tenure.dev/generation"
NONCE = "tenure.dev/write"
CREDENTIAL = "authentication.kubernetes.io/credential-id"
WRITES = ("create", "update", "patch", "delete")


@dataclasses.dataclass(frozen=True)
class Event:
    verb: str
    code: int
    received: int  # boot nanoseconds: the request had reached the API server
    finished: int
    user: str = ""
    agent: str = ""
    credential: str = ""  # tells apart the tokens of one account
    # Of the object that a write left behind; empty for reads and refusals.
    uid: str = ""
    resource_version: int = 0
    holder: str = ""
    duration: int = 0
    generation: int = 0
    acquire_time: str = ""
    nonce: str = ""
    renewed: int = 0  # the holder's own wall stamp, on the boot clock
    attempted: str = ""  # the nonce of what the request wanted written

    @property
    def answered_well(self):
        return 200 <= self.code < 300

    @property
    def landed(self):
        return self.verb in WRITES and self.answered_well

    @property
    def unknown(self):
        """A write given up by the API server, such as at its ?timeout=: what it
        had begun may have been stored all the same."""
        return self.verb in WRITES and self.attempted and self.code >= 500

    @property
    def by_hand(self):
        """Not by a sidecar or a peer: those have service accounts."""
        return not self.user.startswith("system:serviceaccount:")

    @property
    def record(self):
        """What a contender waits upon: a change of these starts its wait anew."""
        return (
            self.uid,
            self.holder,
            self.duration,
            self.acquire_time,
            self.renewed,
            self.generation,
            self.nonce,
        )

    @property
    def release_form(self):
        return not self.holder and self.duration == 1


def _number(text):
    try:
        return int(text)
    except (TypeError, ValueError):
        return 0


def _lease(raw, part):
    body = raw.get(part) or {}
    return body if body.get("kind") == "Lease" else {}


def decode(raw, offset):
    body = _lease(raw, "responseObject")
    metadata = body.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    spec = body.get("spec") or {}
    wanted = _lease(raw, "requestObject").get("metadata") or {}
    return Event(
        verb=raw["verb"],
        code=raw.get("responseStatus", {}).get("code", 0),
        received=boot_nanos(raw["requestReceivedTimestamp"], offset),
        finished=boot_nanos(raw["stageTimestamp"], offset),
        user=raw["user"]["username"],
        agent=raw.get("userAgent", ""),
        credential=raw["user"].get("extra", {}).get(CREDENTIAL, [""])[0],
        uid=metadata.get("uid", ""),
        resource_version=_number(metadata.get("resourceVersion")),
        holder=spec.get("holderIdentity") or "",
        duration=spec.get("leaseDurationSeconds") or 0,
        generation=_number(annotations.get(GENERATION)),
        acquire_time=spec.get("acquireTime") or "",
        nonce=annotations.get(NONCE, ""),
        renewed=boot_nanos(spec["renewTime"], offset) if spec.get("renewTime") else 0,
        attempted=(wanted.get("annotations") or {}).get(NONCE, ""),
    )


def settled(events):
    """Each write of unknown outcome that somebody saw later, by its nonce, as one
    that landed: with what it left behind, and its own times."""
    shown = {e.nonce: e for e in events if e.nonce and e.answered_well}

    def one(event):
        seen = shown.get(event.attempted) if event.unknown else None
        if seen is None:
            return event
        kept = ("verb", "received", "finished", "user", "agent", "credential")
        return dataclasses.replace(seen, **{name: getattr(event, name) for name in kept})

    return [one(event) for event in events]


def read(path, namespace, lease=None, start=0):
    """Finished requests on the namespace's Leases, in the order they ended.
    `start` is a byte offset that was the file's size at some earlier time."""
    offset = wall_offset()
    wanted = f'"namespace":"{namespace}"'.encode()
    events = []
    with open(path, "rb") as log:
        log.seek(start)
        for line in log:
            if wanted not in line or not line.endswith(b"\n"):
                continue
            raw = json.loads(line)
            reference = raw.get("objectRef", {})
            if reference.get("namespace") != namespace:
                continue
            if lease and reference.get("name") not in (lease, None):
                continue
            if raw["stage"] == "ResponseComplete":
                events.append(decode(raw, offset))
    return settled(events)
