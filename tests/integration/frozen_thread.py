"""Stops one thread of a process and leaves the others running, as a hang of
that thread would: PTRACE_SEIZE and PTRACE_INTERRUPT."""

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_ulong] * 2 + [ctypes.c_void_p] * 2
_libc.ptrace.restype = ctypes.c_long
PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000  # wait for any kind of child, traced threads too


class FrozenThread:
    """REQUIRES: made and ended on one thread of the test (ptrace's rule)."""

    def __init__(self, thread):
        self._thread = thread

    def __enter__(self):
        _ptrace(PTRACE_SEIZE, self._thread)
        _ptrace(PTRACE_INTERRUPT, self._thread)
        os.waitpid(self._thread, WALL)
        return self

    def __exit__(self, *_):
        _ptrace(PTRACE_DETACH, self._thread)


def _ptrace(request, thread):
    if _libc.ptrace(request, thread, None, None) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"ptrace({request}): {os.strerror(error)}")
