"""Stops one thread of a process and lets the others run, until stdin closes.

    thread_stop.py TID

The loop thread of a sidecar is stopped so while its server threads go on
answering. Prints a line when the thread has stopped.
"""

import ctypes
import os
import sys

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000  # __WALL: threads that are not our children


def ptrace(request, tid):
    libc = ctypes.CDLL(None, use_errno=True)
    pointer, number = ctypes.c_void_p, ctypes.c_long
    libc.ptrace.argtypes = [number, number, pointer, pointer]
    libc.ptrace.restype = ctypes.c_long
    if libc.ptrace(request, tid, None, None) != 0:
        raise OSError(ctypes.get_errno(), f"ptrace({request:#x}, {tid}) failed")


def main():
    tid = int(sys.argv[1])
    ptrace(PTRACE_SEIZE, tid)
    ptrace(PTRACE_INTERRUPT, tid)
    os.waitpid(tid, WALL)
    print("stopped", flush=True)
    sys.stdin.read()
    ptrace(PTRACE_DETACH, tid)


if __name__ == "__main__":
    main()
