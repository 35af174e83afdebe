"""The figures side by side, as text."""


def _figure(value, digits=1):
    if value is None:
        return "–"
    return f"{value:,.{digits}f}"


def _joined(*values, digits=1):
    return " / ".join(_figure(v, digits) for v in values)


def _steady(row):
    holding = row["holding"]
    return {
        "memory holding: RSS / PSS / private dirty, MB": _joined(
            holding["rssMb"], holding["pssMb"], holding["privateDirtyMb"]
        ),
        "memory standby: RSS / PSS / private dirty, MB": _joined(
            row["standby"]["rssMb"],
            row["standby"]["pssMb"],
            row["standby"]["privateDirtyMb"],
        ),
        "threads holding / standby": _joined(
            holding["threads"], row["standby"]["threads"], digits=0
        ),
        "CPU: ms per renewal / s per hour as standby": _joined(
            row["cpuMsPerRenewal"], row["cpuSecondsPerHourStandby"], digits=2
        ),
        "API requests per minute, holder / standby": _joined(
            row["holderRequestsPerMinute"], row["standbyRequestsPerMinute"]
        ),
    }


def _milliseconds(name):
    def lines(row):
        return {name: _joined(row.get("medianMs"), row.get("worstMs"), digits=1)}

    return lines


def _frozen(name):
    def lines(row):
        return {
            name: f"{row['wrongAnswers']} / {_figure(row['longestS'])} / "
            f"{row['trialsWithOverlap']} of {row['trials']}"
        }

    return lines


def _cut(row):
    return {
        "cut off: last held beyond renew deadline / expiry, s": _joined(
            row["lastHeldBeyondRenewDeadlineS"], row["lastHeldBeyondExpiryS"], digits=2
        ),
        "cut off: overlap median / worst, s; trials": (
            _joined(row["overlapS"]["median"], row["overlapS"]["worst"], digits=2)
            + f"; {row['trialsWithOverlap']} of {row['trials']}"
        ),
    }


LINES = {
    "steady": _steady,
    "start": _milliseconds("start to held on a free Lease, median / worst ms"),
    "handover2": _milliseconds("hand-over, 2 standbys, median / worst ms"),
    "handover20": _milliseconds("hand-over, 20 standbys, median / worst ms"),
    "takeover": _milliseconds("take-over beyond the duration, median / worst ms"),
    "frozen": _frozen("after SIGCONT: wrong held answers / for s / overlaps"),
    "loop-stopped": _frozen("loop thread stopped: wrong / for s / overlaps"),
    "cut": _cut,
}


def _side_by_side(results):
    table = {}
    for row, lines in LINES.items():
        for kind, figures in results.get(row, {}).items():
            for name, text in lines(figures).items():
                table.setdefault(name, {})[kind] = text
    return table


def print_table(results):
    print(f"\n{'':<54}{'tenure':>24}{'client-go sidecar':>24}")
    for name, by_kind in _side_by_side(results).items():
        ours, theirs = (by_kind.get(kind, "–") for kind in ("tenure", "client-go"))
        print(f"{name:<54}{ours:>24}{theirs:>24}")
    for target, row in results.get("load", {}).items():
        one, many = row["one"], row["sixtyFour"]
        print(
            f"{'GET, ' + target + ': p50 µs at 1 / per CPU second at 64':<54}"
            f"{_joined(one['p50Us'], many['requestsPerServerCpuSecond'], digits=0):>24}"
        )
    crowds = results.get("crowd", {})
    if crowds:
        print(
            "\nsidecars  still held  terms lost  p99 ms  CPU % sidecars"
            "  CPU % API server  PSS MB"
        )
    for row in crowds.values():
        print(
            f"{row['sidecars']:>8}{row['stillHeld']:>12}{row['termsLost']:>12}"
            f"{row['roundTripP99Ms']:>8.1f}{row['sidecarsCpuPercent']:>16.1f}"
            f"{row['apiserverCpuPercent']:>18.1f}{row['sidecarsPssMb']:>8.0f}"
        )
