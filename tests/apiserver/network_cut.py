"""Cuts one process off from one loopback port, by nftables.

The process is told apart by its user id, so others on the same port are not
touched. The table is this cut's own and is removed after it.
"""

import itertools
import os
import shutil
import subprocess

_serial = itertools.count(1)
FIRST_USER = 61000


def unavailable():
    """Why cuts cannot be made here, or None."""
    if os.geteuid() != 0:
        return "cutting the network needs root (CAP_NET_ADMIN)"
    if not shutil.which("nft"):
        return "nft is not installed: apt-get install nftables"
    return None


def fresh_user():
    """A user id that no process of this machine has."""
    return FIRST_USER + next(_serial) % 4000


class NetworkCut:
    """With `with`. Modes:

    requests   what the process sends is dropped: nothing arrives
    answers    what it sends arrives and what comes back is dropped: writes land
               and are never acknowledged
    refused    what it sends is answered by a reset
    """

    def __init__(self, user, port, mode):
        self._table = f"tenure_test_{os.getpid()}_{next(_serial)}"
        mine = f"meta skuid {user} tcp dport {port}"
        back = f"tcp sport {port} ct mark {user}"
        rules = {
            "requests": f"{mine} drop",
            "refused": f"{mine} reject with tcp reset",
            "answers": f"{mine} ct mark set {user}",
        }[mode]
        inward = f"{back} drop;" if mode == "answers" else ""
        self._text = (
            f"table inet {self._table} {{\n"
            f"  chain out {{ type filter hook output priority 0; {rules}; }}\n"
            f"  chain in {{ type filter hook input priority 0; {inward} }}\n"
            "}\n"
        )

    def __enter__(self):
        subprocess.run(["nft", "-f", "-"], input=self._text, text=True, check=True)
        return self

    def __exit__(self, *_):
        subprocess.run(["nft", "delete", "table", "inet", self._table], check=True)
