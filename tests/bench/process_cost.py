"""What a running process costs, as the kernel counts it."""

import time


def cpu_seconds(pid):
    """User and system time of all its threads, from its CPU clock: to the
    nanosecond, where /proc/PID/stat counts ticks of 10 ms."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e9


def memory(pid):
    """RSS, PSS and private dirty memory in MB (10^6 bytes), and threads."""
    fields = {}
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as rollup:
        next(rollup)
        for line in rollup:
            key, value = line.split(":")
            fields[key] = int(value.split()[0]) * 1024 / 1e6
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        threads = next(int(s.split()[1]) for s in status if s.startswith("Threads:"))
    return {
        "rssMb": fields["Rss"],
        "pssMb": fields["Pss"],
        "privateDirtyMb": fields["Private_Dirty"],
        "threads": threads,
    }
