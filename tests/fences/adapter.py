"""A running tenure-store-*, asked line by line."""

import json
import pathlib
import select
import signal
import subprocess

from process import die_with_parent

# An interpreter that starts on a machine where others build.
PATIENT = 180.0

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/fences"


class Store:
    """A server that runs, and the adapter that speaks to it."""

    def __init__(self, name, url):
        self.name = name
        self.url = url
        self.folder = EXAMPLES / name

    @property
    def program(self):
        return self.folder / f"tenure-store-{self.url.split(':')[0]}"


class LineProgram:
    """A program that answers each line of JSON with one."""

    def __init__(self, command):
        self.popen = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            preexec_fn=die_with_parent,
        )
        self._read = b""

    def send(self, **request):
        self.send_text(json.dumps(request))

    def send_text(self, line):
        self.popen.stdin.write(line.encode() + b"\n")

    def answer(self, seconds=PATIENT):
        while b"\n" not in self._read:
            ready, _, _ = select.select([self.popen.stdout], [], [], seconds)
            assert ready, f"no answer within {seconds} s"
            part = self.popen.stdout.read(65536)
            assert part, f"ended with {self.popen.wait(PATIENT)}, no answer"
            self._read += part
        line, _, self._read = self._read.partition(b"\n")
        return json.loads(line)

    def ask(self, seconds=PATIENT, **request):
        self.send(**request)
        return self.answer(seconds)

    def pause(self):
        self.popen.send_signal(signal.SIGSTOP)

    def resume(self):
        self.popen.send_signal(signal.SIGCONT)

    def kill(self):
        self.popen.kill()
        self.popen.wait(PATIENT)

    def stop(self):
        self.kill()
        self.popen.stdin.close()
        self.popen.stdout.close()


class Adapter(LineProgram):
    """A holder's own client of the store, for one resource."""

    def __init__(self, store, resource, holder):
        super().__init__([store.program, store.url])
        self.resource = resource
        self.holder = holder

    def fields(self, op, token=None, **more):
        made = {"op": op, "resource": self.resource, **more}
        if token is not None:
            made |= {"token": str(token), "holder": self.holder}
        return made

    def reset(self):
        assert self.ask(**self.fields("reset")) == {"result": "ok"}

    def read(self):
        state = self.ask(**self.fields("read"))
        assert state.pop("result") == "ok", state
        return state

    def raise_token(self, token):
        return self.ask(**self.fields("raise", token))

    def write(self, token, id, value="", **more):
        return self.ask(**self.fields("write", token, id=id, value=value, **more))

    def send_write(self, token, id, value=""):
        fields = self.fields("write", token, id=id, value=value, fenced=True)
        self.send(**fields)
