"""One trial of `tenure exec`: a sidecar, a contender where one is wanted, a
wrapper with a command that will not stop, and what is known of the claim."""

import itertools
import os
import pathlib
import random
import shutil
import signal
import tempfile
import time

from guarded import CHILD, Stamps, Store, Wrapper, send_signal
from sidecar import Sidecar
from waiting import eventually
from wall_stamps import boot_nanos, wall_offset

# The preset fast: D (1 - drift allowance), the renew interval.
VALID_FOR = 2.97
RENEW_INTERVAL = 0.5
# The command, its child, a grandchild and a daemon.
PROCESSES = 4
_numbers = itertools.count()


def on_boot_clock(micro_time):
    """A wall stamp of this machine's, as the boot clock's reading then."""
    return boot_nanos(micro_time, wall_offset()) / 1e9


class Scene:
    def __init__(self, dev, seed, contender=False, flags=()):
        # Short, because a socket's path may have 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tx"))
        self.dev = dev
        self.lease = f"job-{os.getpid()}-{next(_numbers)}"
        self._started = []
        self._frozen = []
        self.store = Store(self.folder / "store")
        try:
            self._start(seed, contender, flags)
        except BaseException:
            self.close()
            raise

    def _start(self, seed, contender, flags):
        self.one = self._sidecar("one", "--absent-lease", "take")
        self.generation = int(self.one.wait("held", lease=self.lease)["generation"])
        self.two = self._sidecar("two") if contender else None
        if self.two:
            self.two.wait("standby")
        self.stamps = Stamps(self.folder / "stamps")
        command = [CHILD, str(self.stamps.folder), self.store.path]
        self.wrapper = Wrapper(
            self.folder, "x", self.one, flags, [*command, "ignore-term", "tree"]
        )
        self._started.append(self.wrapper)
        eventually(lambda: len(self.stamps.pids()) == PROCESSES)
        eventually(lambda: self.store.count(self.generation) > 0)
        self.watchdog = self.wrapper.watchdog()
        # Anywhere between two renewals.
        time.sleep(random.Random(seed).uniform(0, RENEW_INTERVAL))

    def _sidecar(self, name, *arguments):
        given = ["--kubeconfig", str(self.dev.kubeconfig), "--lease", self.lease]
        made = Sidecar(self.folder, name, given + list(arguments))
        self._started.append(made)
        return made

    def freeze(self, *pids):
        """In this order, and let go on at the end of the trial."""
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
            self._frozen.append(pid)

    def thaw(self):
        for pid in self._frozen:
            send_signal(pid, signal.SIGCONT)
        self._frozen = []

    def claim_end(self):
        """Of the record as it stands now, by its own stamp: valid_until."""
        spec = self.dev.lease(self.lease)["spec"]
        return on_boot_clock(spec["renewTime"]) + VALID_FOR

    def gone_by(self, claim_end):
        """Waits for the end of the command, and judges it by its stamps."""
        eventually(lambda: not self.stamps.running(), what="the command lives")
        over = self.stamps.last() - claim_end
        assert over < 0, f"it ran {over * 1000:.1f} ms past the claim"
        return -over

    def taken_over(self):
        """Waits for the contender; nothing ran when it had acquired."""
        self.two.wait("held")
        acquired = on_boot_clock(self.dev.lease(self.lease)["spec"]["acquireTime"])
        assert self.stamps.last() < acquired
        return int(self.two.status()["generation"])

    def close(self):
        self.thaw()
        for process in reversed(self._started):
            process.stop()
        self.store.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def reap(pid):
    """A watchdog whose guard was killed comes to this process."""
    assert eventually(lambda: os.waitpid(pid, os.WNOHANG) != (0, 0))
