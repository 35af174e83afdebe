"""What `make run` starts: no cluster, no settings, and a line to go on with."""

import re

import http_socket
from waiting import eventually


def start(process, *flags):
    return process(
        "first", "run", "--embedded", "--status-port", "0", "--probe-port", "0",
        "--status-socket", "none", "--control-socket", "none", *flags,
    )


def test_the_line_it_prints_reads_the_generation(process):
    one = start(process, "--log-format", "text")
    line = eventually(
        lambda: re.search(r"curl http://([\d.]+):(\d+)(/\S+)", one.stderr)
    )
    address = (line[1], int(line[2]))

    def held():
        reply = http_socket.ask(address, "GET", line[3])
        return reply if reply.status == 200 else None

    assert int(eventually(held).text) > 1
    assert "resource version" in one.stderr


def test_nothing_but_output_meant_for_programs_is_on_stdout(process):
    one = start(process)
    eventually(lambda: "Acquired lease" in one.stderr)
    assert one.stdout == ""

