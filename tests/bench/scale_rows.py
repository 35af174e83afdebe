"""How many sidecars one kube-apiserver bears: each pair adds a holder that
renews every 2 s and a standby that watches."""

import time

from subject import Stage, Tenure, wait_until  # first: it finds the ring's parts

import audit
from process_cost import cpu_seconds, memory


def crowd(plane, sidecars, seconds):
    leases = [f"crowd-{n}" for n in range(sidecars // 2)]
    with Stage(plane, leases) as stage:
        began = time.monotonic()
        holders = [stage.start(Tenure, lease) for lease in leases]
        for holder in holders:
            wait_until(lambda h=holder: h.held_at, 120, "held")
        standbys = [stage.start(Tenure, lease) for lease in leases]
        for standby in standbys:
            wait_until(standby.ready, 120, "standby ready")
        started = time.monotonic() - began
        for program in holders + standbys:
            program.unwatch()
        time.sleep(5)
        everybody = holders + standbys
        before = [cpu_seconds(p.pid) for p in everybody]
        server, etcd = cpu_seconds(plane.apiserver_pid), cpu_seconds(plane.etcd_pid)
        mark = time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - mark
        ours = sum(cpu_seconds(p.pid) - b for p, b in zip(everybody, before))
        server = cpu_seconds(plane.apiserver_pid) - server
        etcd = cpu_seconds(plane.etcd_pid) - etcd
        documents = [holder.status() for holder in holders]
        return {
            "sidecars": len(everybody),
            "startedInS": started,
            "stillHeld": sum(d["certainty"] == "held" for d in documents),
            "termsLost": _terms_lost(plane, stage, leases),
            "roundTripP99Ms": max(d["roundTripMs"]["p99"] for d in documents),
            "sidecarsCpuPercent": 100 * ours / took,
            "apiserverCpuPercent": 100 * server / took,
            "etcdCpuPercent": 100 * etcd / took,
            "apiserverRssMb": memory(plane.apiserver_pid)["rssMb"],
            "sidecarsPssMb": sum(memory(p.pid)["pssMb"] for p in everybody),
        }


def _terms_lost(plane, stage, leases):
    """Acquisitions beyond the first of each lease."""
    events = audit.read(plane.audit_log, stage.namespace, start=stage.audit_start)
    terms = {(e.holder, e.acquire_time, e.uid) for e in events if e.landed and e.holder}
    return len(terms) - len(leases)
