"""For servers that cannot be told port 0."""

import contextlib
import random
import socket


def free_port(host="127.0.0.1"):
    """Below those that the kernel gives to clients and to port 0, one of which
    might come first."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    while True:
        port = random.SystemRandom().randrange(20000, 32000)
        with socket.socket(family) as probe, contextlib.suppress(OSError):
            probe.bind((host, port))
            return port
