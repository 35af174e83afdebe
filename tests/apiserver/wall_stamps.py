"""Wall clock stamps, such as those of a record or of the audit log, brought to
the boot clock. Both clocks are of this machine."""

import datetime
import time

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
# The reader may lose the processor between two clocks, for a second on a busy
# machine: of so many readings the tightest counts.
READINGS = 16


def _boot():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def wall_offset(boot=_boot, wall=time.time_ns):
    """Nanoseconds to take from a wall stamp for the boot clock."""

    def reading():
        before = boot()
        now = wall()
        after = boot()
        return after - before, now - (before + after) // 2

    return min(reading() for _ in range(READINGS))[1]


def boot_nanos(stamp, offset):
    """An RFC 3339 stamp as the boot clock's reading then, in nanoseconds."""
    moment = datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00"))
    return (moment - _EPOCH) // datetime.timedelta(microseconds=1) * 1000 - offset
