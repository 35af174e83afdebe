"""The guarded writer of each language in examples/readers: built once, run and
talked to."""

import contextlib
import fcntl
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import threading

import pytest
from waiting import GENEROUS

READERS = pathlib.Path(__file__).resolve().parents[2] / "examples/readers"
NEEDS = {
    "shell": ["curl"],
    "python": [],
    "go": ["go"],
    "java": ["javac", "java"],
    "node": ["node"],
    "cpp": ["g++"],
}
LANGUAGES = list(NEEDS)
# What a bare machine has besides its PATH.
GO = "/usr/local/go/bin"


def over_tcp(language):
    return language == "java"


def _path():
    return os.environ["PATH"] + os.pathsep + GO


def _build(language, out):
    sources = READERS / language
    cc = sorted(str(path) for path in sources.glob("*.cc"))
    java = sorted(str(path) for path in sources.glob("*.java"))
    program = str(out / "guarded_writer")
    command = {
        "go": ["go", "build", "-o", program, "."],
        "java": ["javac", "-Xlint:all", "-Werror", "-d", str(out), *java],
        "cpp": ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror"]
        + ["-o", program, *cc],
    }.get(language)
    if command:
        # No toolchain and no module is fetched for these.
        go = {"GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": "-buildvcs=false"}
        done = subprocess.run(
            command, cwd=sources, capture_output=True, text=True, check=False,
            timeout=300, env={**os.environ, **go, "PATH": _path()},
        )
        assert done.returncode == 0, done.stderr
    return {
        "shell": ["sh", str(sources / "guarded_writer.sh")],
        "python": ["/usr/bin/python3", str(sources / "guarded_writer.py")],
        "go": [program],
        "java": ["java", "-XX:TieredStopAtLevel=1", "-cp", str(out), "GuardedWriter"],
        "node": ["node", str(sources / "guarded_writer.mjs")],
        "cpp": [program],
    }[language]


def built(language, folder):
    """The command that runs it. `folder` is shared by all who test at once."""
    for need in NEEDS[language]:
        if not shutil.which(need, path=_path()):
            pytest.skip(f"THE READER IN {language.upper()} DID NOT RUN: no {need}")
    out = folder / f"reader-{language}"
    out.mkdir(exist_ok=True)
    with open(out / ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = out / ".built"
        if made.exists():
            return made.read_text(encoding="utf-8").split("\n")
        command = _build(language, out)
        made.write_text("\n".join(command), encoding="utf-8")
        return command


class Writer:
    """A running guarded writer."""

    def __init__(self, command, folder, sidecar, store, *mode):
        # Neither a proxy nor somebody's curlrc may come between.
        nowhere = "http://127.0.0.1:9"
        (folder / ".curlrc").write_text(f"proxy = {nowhere}\n", encoding="ascii")
        proxies = dict.fromkeys(("http_proxy", "HTTP_PROXY", "all_proxy"), nowhere)
        environment = {**os.environ, **proxies, "HOME": str(folder), "PATH": _path()}
        self._popen = subprocess.Popen(
            [*command, sidecar, store, *mode],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            start_new_session=True,
            env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        self.heard = []
        self._lines = queue.Queue()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self):
        for line in self._popen.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def hear(self, seconds=GENEROUS):
        """The next line it prints."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise AssertionError(f"nothing heard within {seconds} s") from None
        assert line is not None, "the writer ended"
        self.heard.append(line)
        return line

    def hear_until(self, start):
        """Lines up to the first with that start, which is returned."""
        for _ in range(100):
            line = self.hear()
            if line.startswith(start):
                return line
        raise AssertionError(f"never heard {start!r}")

    def say(self, command):
        """What it answers."""
        self._popen.stdin.write(command + "\n")
        return self.hear()

    def stop(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.wait(GENEROUS)
        self._thread.join(GENEROUS)
        self._popen.stdin.close()
        self._popen.stdout.close()
