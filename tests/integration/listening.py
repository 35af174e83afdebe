"""Where a process listens, as the kernel tells it: port 0 is any free one."""

import os
import pathlib
import re

LISTEN = "0A"


def ports(pid):
    """{("any"|"loopback", port)} of the process's TCP listeners."""
    inodes = set()
    for entry in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{entry}")
        except OSError:
            continue
        if match := re.match(r"socket:\[(\d+)\]", target):
            inodes.add(match[1])
    found = set()
    for table in ("tcp", "tcp6"):
        path = pathlib.Path(f"/proc/{pid}/net/{table}")
        if not path.exists():
            continue
        for row in path.read_text(encoding="ascii").splitlines()[1:]:
            fields = row.split()
            if fields[3] == LISTEN and fields[9] in inodes:
                address, port = fields[1].split(":")
                where = "any" if set(address) == {"0"} else "loopback"
                found.add((where, int(port, 16)))
    return found


def probe_port(pid):
    """Of the one listener on every address; 0 if there is none."""
    return next((port for where, port in ports(pid) if where == "any"), 0)


def status_port(pid):
    return next((port for where, port in ports(pid) if where == "loopback"), 0)
