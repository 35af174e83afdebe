"""Runs `tenure drill` in a folder of its own, and looks what it leaves there."""

import json
import os
import pathlib
import shutil
import tempfile

from process import Process
from waiting import eventually

# A drill waits for leases to run out, several times on a busy machine.
LONG = 240.0

PASSED, FAILED, NO_VERDICT, SKIPPED, USAGE = 0, 1, 2, 3, 64


class Drill:
    def __init__(self, tmp_path, *arguments):
        # Short, because a socket's path may have 107 bytes.
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="td"))
        self.process = Process(
            tmp_path,
            f"drill-{self.scratch.name}",
            ["drill", *arguments],
            {"TMPDIR": str(self.scratch)},
        )

    @property
    def stdout(self):
        return self.process.stdout

    @property
    def stderr(self):
        return self.process.stderr

    def wait(self):
        """The exit code; nothing is left behind."""
        code = self.process.wait(LONG)
        assert not list(self.scratch.iterdir()), "it left its folder"
        assert not mentioning(self.scratch), "it left processes"
        return code

    def report(self):
        return json.loads(self.stdout)["drills"]

    def stop(self):
        self.process.stop()
        eventually(lambda: not mentioning(self.scratch), what="processes left")
        shutil.rmtree(self.scratch, ignore_errors=True)


def mentioning(path):
    """The command lines of running processes that name this path."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            line = pathlib.Path(f"/proc/{name}/cmdline").read_text("utf-8", "replace")
        except OSError:
            continue
        if str(path) in line:
            found.append(line.replace("\0", " "))
    return found


# A store of the user's own, as a program that speaks the protocol; what it says
# of a stale token, and how it compares, is left open. Its state is a file behind
# a lock.
ADAPTER = '''#!/usr/bin/python3
import fcntl, json, pathlib, sys
state = pathlib.Path(sys.argv[1].split("://")[1])
order = {order}
def save(seen):
    state.write_text(json.dumps(seen))
def refuse(seen):
    {refuse}
for line in sys.stdin:
    ask = json.loads(line)
    with open(str(state) + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        seen = {{"token": 0, "writes": 0, "holder": ""}}
        if state.exists():
            seen = json.loads(state.read_text())
        answer = {{"result": "ok", "token": str(seen["token"]),
                  "writes": seen["writes"]}}
        if ask["op"] == "reset":
            state.unlink(missing_ok=True)
        elif ask["op"] != "read":
            token = int(ask["token"])
            fresh = order(token) > order(seen["token"]) or (
                token == seen["token"] and ask["holder"] == seen["holder"])
            if fresh or not ask.get("fenced", True) or ask["op"] == {always}:
                seen = {{"token": token, "holder": ask["holder"],
                        "writes": seen["writes"] + (ask["op"] == "write")}}
                save(seen)
                answer = {{"result": "accepted", "token": ask["token"]}}
            else:
                answer = refuse(seen)
    print(json.dumps(answer), flush=True)
'''
REFUSE = 'return {"result": "refused", "token": str(seen["token"])}'


def fence(refuse=REFUSE, order="int", always="None"):
    return ADAPTER.format(refuse=refuse, order=order, always=always)


def adapter(folder, text, scheme="mine"):
    """A program tenure-store-SCHEME; the flags that use it."""
    folder.mkdir(exist_ok=True)
    program = folder / f"tenure-store-{scheme}"
    program.write_text(text)
    program.chmod(0o755)
    url = f"{scheme}://{folder / 'state'}"
    return ["--store", url, "--store-path", str(folder)]
