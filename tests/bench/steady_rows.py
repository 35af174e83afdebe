"""Rows of the table that need only time to pass: memory, CPU, requests, start."""

import json
import statistics
import subprocess
import time

import audit
from process_cost import cpu_seconds, memory
from subject import Stage, Tenure, boot_now, wait_until


def steady(plane, subjects, seconds):
    """A holder and a standby of each kind, left alone for `seconds`."""
    rows = {}
    stages = [Stage(plane, [f"steady-{s.kind}"]) for s in subjects]
    pairs = []
    try:
        for stage, subject in zip(stages, subjects):
            holder = stage.start(subject)
            wait_until(lambda h=holder: h.held_at, 60, "held")
            standby = stage.start(subject)
            wait_until(standby.ready, 30, "standby ready")
            pairs.append((holder, standby))
            holder.unwatch()
            standby.unwatch()
        time.sleep(5)  # the first tries are not the steady state
        starts = [stage.plane.audit_log.stat().st_size for stage in stages]
        before = [[cpu_seconds(p.pid) for p in pair] for pair in pairs]
        began = time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - began
        for i, subject in enumerate(subjects):
            spent = [
                cpu_seconds(p.pid) - was for p, was in zip(pairs[i], before[i])
            ]
            events = audit.read(plane.audit_log, stages[i].namespace, start=starts[i])
            rows[subject.kind] = _steady_row(pairs[i], spent, events, took)
    finally:
        for stage in stages:
            stage.__exit__()
    return rows


def _steady_row(pair, spent, events, took):
    minutes = took / 60
    by = [[e for e in events if e.credential == p.credential] for p in pair]
    renewals = [e for e in by[0] if e.landed]
    return {
        "holding": memory(pair[0].pid),
        "standby": memory(pair[1].pid),
        "cpuMsPerRenewal": 1000 * spent[0] / max(1, len(renewals)),
        "cpuSecondsPerHourStandby": 3600 * spent[1] / took,
        "renewals": len(renewals),
        "holderRequestsPerMinute": len(by[0]) / minutes,
        "standbyRequestsPerMinute": len(by[1]) / minutes,
        "seconds": took,
    }


def start_to_held(plane, subject, trials):
    """Milliseconds from starting the program to holding a free Lease."""
    leases = [f"start-{n}" for n in range(trials)]
    took = []
    with Stage(plane, leases) as stage:
        for lease in leases:
            began = boot_now()
            program = stage.start(subject, lease)
            wait_until(lambda p=program: p.held_at, 60, "held")
            took.append((program.held_at[0] - began) / 1e6)
            stage.drop(program)
    return {"medianMs": statistics.median(took), "worstMs": max(took), "trials": trials}


def generation_route(plane, subjects, load, seconds):
    """GET of the local route: latency on 1 connection, and requests for each
    second of the server's CPU with 64."""
    rows = {}
    for subject in subjects:
        with Stage(plane, ["load"]) as stage:
            program = stage.start(subject)
            wait_until(lambda p=program: p.held_at, 60, "held")
            program.unwatch()
            for name, target in _targets(program):
                rows[f"{subject.kind} {name}"] = {
                    "one": _load(load, program, target, 1, seconds),
                    "sixtyFour": _load(load, program, target, 64, seconds),
                }
    return rows


def _targets(program):
    if isinstance(program, Tenure):
        url = f"http://127.0.0.1:{program.status_port}/v1/generation"
        yield "tcp", ("--url", url)
        yield "unix", ("--unix", program.status_socket, "--path", "/v1/generation")
    else:
        host, port = program.address
        yield "tcp", ("--url", f"http://{host}:{port}/leader")


def _load(load, program, target, connections, seconds):
    done = subprocess.run(
        [load, "--connections", str(connections), "--seconds", str(seconds)]
        + ["--pid", str(program.pid), *target],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)
