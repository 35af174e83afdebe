"""The core's purity, read from the symbols that its archives leave undefined.

What a pure function needs of the C library is a short list, so C names are
allowed one by one; of the C++ library what reaches a clock, a thread, a file or
chance is refused by name.
"""

import re
import subprocess

# Memory, strings, and what the compiler itself calls.
C_ALLOWED = re.compile(
    r"^(mem(cpy|move|set|cmp|chr)|strlen|strcmp|v?snprintf|abort|_GLOBAL_OFFSET_TABLE_"
    r"|__stack_chk_fail|_Unwind_Resume|__gxx_personality_v0|__dso_handle"
    r"|__cxa_\w+|__memcpy_chk|__memmove_chk|__memset_chk|__assert_fail"
    r"|__tls_get_addr|__libc_single_threaded|__(u?div|u?mod|mul)ti\d"
    r"|(l|ll)?(round|rint|floor|ceil|sqrt|log|exp|pow)[fl2]?"
    r"|__asan_\w+|__ubsan_\w+|__tsan_\w+)$"
)
CXX_REFUSED = re.compile(
    r"std::(__\w+::)?("
    r"chrono::(_V2::)?\w+_clock::now|random_device|thread|jthread|mutex"
    r"|condition_variable|this_thread|basic_[io]?fstream|basic_filebuf"
    r"|filesystem|cout|cerr|clog|cin|locale::(global|locale\(char)"
    r"|(timed|recursive|shared)_\w*mutex|__throw_system_error)"
)
# check.cc prints what failed and aborts: the one way out of the core.
EXCEPT = {"check.cc.o": {"fprintf", "stderr", "__fprintf_chk"}}


def undefined(archive):
    """(member, mangled, readable) of each undefined symbol."""

    def names(*flags):
        done = subprocess.run(
            ["nm", "-u", *flags, str(archive)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=True,
        )
        member = ""
        for line in done.stdout.splitlines():
            if line.endswith(":"):
                member = line[:-1]
            elif line.strip():
                yield member, line.split(maxsplit=1)[1]

    for (member, raw), (_, readable) in zip(names(), names("-C")):
        yield member, raw, readable


def impurities(archive):
    problems = []
    for member, raw, readable in undefined(archive):
        if raw in EXCEPT.get(member, ()):
            continue
        cxx = raw.startswith("_Z")
        bad = CXX_REFUSED.search(readable) if cxx else not C_ALLOWED.match(raw)
        if bad:
            problems.append(f"{archive.name}({member}) calls {readable}")
    return problems
