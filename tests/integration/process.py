"""Processes of the tests: each dies with the test, whatever becomes of it."""

import ctypes
import os
import pathlib
import resource
import signal
import subprocess

from waiting import GENEROUS, eventually

_libc = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1

BINARY = pathlib.Path(
    os.environ.get("TENURE_BINARY")
    or pathlib.Path(__file__).resolve().parents[2] / "build/dev/sidecar/cli/tenure"
)
TESTS = pathlib.Path(__file__).resolve().parents[1]
# Sanitizers report on stderr and with an exit code that nothing else uses.
SANITIZERS = {
    "ASAN_OPTIONS": "exitcode=99:detect_leaks=1:abort_on_error=0",
    "LSAN_OPTIONS": f"suppressions={TESTS / 'lsan.supp'}:print_suppressions=0",
    "UBSAN_OPTIONS": "exitcode=99:print_stacktrace=1",
    "TSAN_OPTIONS": "exitcode=99:second_deadlock_stack=1:"
    + f"suppressions={TESTS / 'tsan.supp'}:print_suppressions=0:"
    # The program ends by _exit, with threads that were not joined.
    + "report_thread_leaks=0",
}
SIGNS_OF_A_FAULT = (
    "AddressSanitizer", "LeakSanitizer", "ThreadSanitizer", "runtime error:",
    "CHECK failed", "terminate called",
)


def die_with_parent(files=None):
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # Who runs the tests in the background may have them ignored.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    if files is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, files)


class Process:
    """One `tenure`, or another program; its stdout and stderr kept in files."""

    def __init__(
        self,
        folder,
        name,
        arguments,
        environment=None,
        stderr=None,
        files=None,
        program=BINARY,
    ):
        """`stderr`: a descriptor to write to in place of the file. `files`: soft
        and hard limit of open files."""
        self.name = name
        self.log = folder / f"{name}.err"
        self.out = folder / f"{name}.out"
        inherited = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("TENURE_", "KUBE", "POD_"))
        }
        home = {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder / name)}
        (folder / name).mkdir(exist_ok=True, mode=0o700)
        with open(self.log, "ab") as err, open(self.out, "ab") as out:
            self.popen = subprocess.Popen(
                [str(program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err if stderr is None else stderr,
                env={**inherited, **home, **SANITIZERS, **(environment or {})},
                preexec_fn=lambda: die_with_parent(files),
            )
        self.pid = self.popen.pid

    @property
    def running(self):
        return self.popen.poll() is None

    @property
    def stderr(self):
        return self.log.read_text(errors="replace")

    @property
    def stdout(self):
        return self.out.read_text(errors="replace")

    def signal(self, number):
        self.popen.send_signal(number)

    def wait(self, seconds=GENEROUS):
        return self.popen.wait(seconds)

    def stop(self):
        """Ends it by whatever it takes, and looks for what a sanitizer or a
        CHECK had to say."""
        if self.running:
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGTERM)
            self.signal(signal.SIGTERM)  # do not drain
            try:
                self.wait(5)
            except subprocess.TimeoutExpired:
                self.signal(signal.SIGKILL)
                self.wait()
        signs = [sign for sign in SIGNS_OF_A_FAULT if sign in self.stderr]
        assert not signs, f"{self.name} reported {signs}:\n{self.stderr[-6000:]}"

    def kill(self):
        self.signal(signal.SIGKILL)
        self.wait()

    def open_files(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def threads(self):
        return sorted(int(t) for t in os.listdir(f"/proc/{self.pid}/task"))


def run(*arguments, environment=None, folder=None, seconds=GENEROUS):
    """A verb that ends by itself; its exit code, stdout and stderr."""
    inherited = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("TENURE_", "KUBE", "POD_"))
    }
    place = {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)} if folder else {}
    return subprocess.run(
        [str(BINARY), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        env={**inherited, **place, **SANITIZERS, **(environment or {})},
        check=False,
    )


def refused_to_start(process, seconds=GENEROUS):
    eventually(lambda: not process.running, seconds, f"{process.name} still runs")
    return process.popen.returncode
