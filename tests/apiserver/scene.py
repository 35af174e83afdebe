"""One trial: a Lease, the processes that want it, and the judgement at the end.

    with Scene(plane) as scene:
        a, b = scene.sidecar("a"), scene.sidecar("b")
        ...
    # every sidecar was sampled all along; the oracle has judged
"""

import time

import pytest

import audit
import binaries
import network_cut
import oracle
from control_plane import LEASES, ApiError
from sidecar import FAST, Peer, Sidecar, kubeconfig_access
from trials import SampledTooSlowly

FAST_RENEW_DEADLINE = 2 * oracle.SECOND
ALL_VERBS = ("get", "create", "update", "watch", "list")


class Scene:
    """Sidecars of the leases `leases`, by default the one `lease`. `judged`:
    False where the API server's history itself is tampered with."""

    def __init__(
        self,
        plane,
        lease="demo",
        leases=None,
        verbs=ALL_VERBS,
        flags=FAST,
        renew_deadline=FAST_RENEW_DEADLINE,
        judged=True,
    ):
        self.plane = plane
        self.lease = lease
        self.leases = list(leases or [lease])
        self.flags = tuple(flags)
        self.renew_deadline = renew_deadline
        self._judged = judged
        self.work = plane.workload(leases=self.leases, verbs=verbs)
        self.namespace = self.work.namespace
        self.programs = {}
        self._samplers = {}  # by the program's name
        self._audit_start = plane.audit_log.stat().st_size
        self._access = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        for sampler in self._samplers.values():
            sampler.stop()
        try:
            if kind is None and self._judged:
                self.judge()
        finally:
            for program in self.programs.values():
                program.end()

    def sidecar(self, name, *flags, leases=None, access=None, user=None):
        """Starts one under the Role of this scene and samples it from then on.
        `leases`: what it is told to hold, where that is not the lease itself.
        `access`: in place of a kubeconfig with a token of an hour."""
        if access is None:
            if self._access is None:
                self._access = kubeconfig_access(self.work.kubeconfig())
            access = self._access
        started = Sidecar(
            name,
            self.work.folder / name,
            leases or [self.lease],
            access,
            ("--namespace", self.namespace, *self.flags, *flags),
            user,
            self.plane.for_any_user(binaries.find_tenure()) if user else None,
        )
        self.programs[name] = started
        self._samplers[name] = started.sampler().start()
        return started

    def sidecar_of_own_user(self, name, *flags):
        """One that NetworkCut can tell apart, and its user."""
        reason = network_cut.unavailable()
        if reason:
            pytest.skip(reason)
        user = network_cut.fresh_user()
        return self.sidecar(name, *flags, user=user), user

    def holder_and_standby(self, *flags):
        """Two sidecars, the first of them holding, both certain."""
        holder = self.sidecar("a", *flags)
        # An absent Lease counts as held for a duration from when it was seen.
        holder.wait_for("held", 15)
        standby = self.sidecar("b", *flags)
        standby.wait_for("standby", 5)
        return holder, standby

    def peer(self, name, *flags):
        """A client-go elector. It creates by POST, which a Role that names one
        Lease cannot allow; so the Lease is made for it."""
        self.make_lease()
        started = Peer(
            name,
            self.work.folder / name,
            self.work.kubeconfig(f"{name}.kubeconfig"),
            self.namespace,
            self.lease,
            flags,
        )
        self.programs[name] = started
        self._samplers[name] = started.sampler().start()
        return started

    def make_lease(self):
        try:
            self.create({"metadata": {"name": self.lease}})
        except ApiError as error:
            if error.status != 409:
                raise

    def create(self, document):
        self.plane.request("POST", LEASES.format(self.namespace), document)

    def delete(self):
        path = f"{LEASES.format(self.namespace)}/{self.lease}"
        self.plane.request("DELETE", path)

    def get(self):
        return self.plane.lease(self.namespace, self.lease)

    def samples(self, program, lease=None):
        return self._samplers[program.name].samples_of(lease or self.lease)

    def answered_since(self, program, instant, lease=None):
        """Its samples from `instant` on, once one of them was asked after it: a
        sampler that waits for a processor has none for a while."""
        deadline = time.monotonic() + 10
        while True:
            found = [s for s in self.samples(program, lease) if s.answered >= instant]
            if any(s.asked >= instant for s in found):
                return found
            assert time.monotonic() < deadline, f"nothing heard of {program.name}"
            time.sleep(0.005)

    def assert_silent_since(self, program, resumed, lease=None):
        """No answer of a process that went on at `resumed`, past its expiry,
        lets a reader act, and none that was asked for since then says held."""
        after = self.answered_since(program, resumed, lease)
        wrong = [s for s in after if s.usable]
        wrong += [s for s in after if s.asked >= resumed and s.certainty == "held"]
        assert not wrong, wrong

    def events(self, lease=None):
        return audit.read(
            self.plane.audit_log,
            self.namespace,
            lease or self.lease,
            self._audit_start,
        )

    def settle(self, seconds):
        """Lets the samplers see what comes, or does not come."""
        time.sleep(seconds)

    def judge(self):
        found, slow = [], []
        for lease in self.leases:
            history = self._history(lease)
            found += self._judge_one(lease, history)
            for name, samples in history.items():
                asleep = self.programs[name].stopped
                slow += oracle.sampled_too_slowly(name, samples, ignore=asleep)
        if found:
            logs = "\n".join(
                f"--- {name}\n{program.log()[-3000:]}"
                for name, program in self.programs.items()
            )
            told = "\n".join(found)
            raise AssertionError(f"the oracle found:\n{told}\n{logs}")
        if slow:
            raise SampledTooSlowly("; ".join(slow))

    def _history(self, lease):
        return {
            name: list(sampler.samples_of(lease))
            for name, sampler in self._samplers.items()
        }

    def _judge_one(self, lease, history):
        ours = {
            sample.identity
            for name, samples in history.items()
            if isinstance(self.programs[name], Sidecar)
            for sample in samples
            if sample.identity
        }
        return oracle.judge(history, self.events(lease), self.renew_deadline, ours)


def first_after(samples, instant, certainty):
    """The first sample asked at or after `instant` with that answer, or None."""
    for sample in samples:
        if sample.asked >= instant and sample.certainty == certainty:
            return sample
    return None
