#!/usr/bin/env python3
"""clang-tidy over the sources in sidecar/; warnings are errors.

    tools/tidy.py BUILD_DIR [FILE...]

BUILD_DIR is a finished build: its compile commands and recorded includes are
used. Tests are read on demand only, by naming them: they would double the time.

A source that was clean is not read again until something that it is made of
changed: itself, a header it includes (as ninja recorded them), its compile
command, .clang-tidy or clang-tidy. What was found clean is remembered in
$TENURE_CACHE/tidy, so that a fresh clone starts warm.

misc-include-cleaner is kept for its half that finds unused includes. The other
half asks each .cc to repeat what its own header includes, which Google's style
does not; it has no switch in this version, so its messages are dropped here.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCT = ROOT / "sidecar"
TIDY = os.environ.get("CLANG_TIDY", "clang-tidy-19")
FOUND = re.compile(r"^\S.*: (?:error|warning): .*\[[^\]]+\]$")
DROPPED = re.compile(r"no header providing .* \[misc-include-cleaner")
OUTPUT = re.compile(r" -o (\S+) ")
# Older marks are of sources long gone.
MARKS_KEPT = 5000


def cache_folder():
    base = os.environ.get("TENURE_CACHE")
    if not base:
        home = pathlib.Path.home() / ".cache"
        base = pathlib.Path(os.environ.get("XDG_CACHE_HOME", home)) / "tenure"
    folder = pathlib.Path(base) / "tidy"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def recorded_includes(build):
    """{object file: [files]}, as ninja learnt them from the compiler."""
    listing = subprocess.run(
        ["ninja", "-C", str(build), "-t", "deps"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    includes, current = {}, None
    for line in listing.splitlines():
        if line and not line.startswith(" "):
            current = includes.setdefault(line.split(":", 1)[0], [])
        elif line.strip():
            current.append((build / line.strip()).resolve())
    return includes


class Digests:
    """Of our own files their bytes, of the system's their size and time."""

    def __init__(self):
        self._known = {}

    def of(self, path):
        if path not in self._known:
            self._known[path] = self._read(path)
        return self._known[path]

    @staticmethod
    def _read(path):
        if path.is_relative_to(ROOT):
            name = path.relative_to(ROOT)
            return f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        stat = path.stat()
        return f"{path} {stat.st_size} {stat.st_mtime_ns}"


def key_of(entry, includes, digests, common):
    """What the verdict on one source depends on; None if that is not known."""
    output = OUTPUT.search(entry["command"])
    files = includes.get(output[1]) if output else None
    if not files or not all(file.exists() for file in files):
        return None
    command = entry["command"].replace(str(ROOT), ".")
    parts = [common, command] + sorted({digests.of(f) for f in files})
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def examine(build, source):
    """The findings in one source, each with the lines that show it."""
    done = subprocess.run(
        [TIDY, "-p", str(build), "--quiet", str(source)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    findings, keep = [], False
    for line in done.stdout.splitlines():
        if FOUND.match(line):
            # clang stumbles over a header of cpprestsdk; that is not ours.
            keep = line.startswith(str(ROOT)) and not DROPPED.search(line)
            if keep:
                findings.append([])
        if keep:
            findings[-1].append(line.replace(f"{ROOT}/", ""))
    if done.returncode < 0 or (done.returncode and not done.stdout.strip()):
        findings.append([f"{source}: clang-tidy failed:", done.stderr.strip()])
    return ["\n".join(lines) for lines in findings]


def forget_old_marks(folder):
    marks = sorted(folder.iterdir(), key=lambda m: m.stat().st_mtime)
    for mark in marks[:-MARKS_KEPT]:
        mark.unlink(missing_ok=True)


def main(arguments):
    if not arguments:
        print("usage: tools/tidy.py BUILD_DIR [FILE...]", file=sys.stderr)
        return 64
    build = pathlib.Path(arguments[0]).resolve()
    only = {pathlib.Path(name).resolve() for name in arguments[1:]}
    version = subprocess.run([TIDY, "--version"], stdout=subprocess.PIPE, check=True)
    here = [ROOT / ".clang-tidy", pathlib.Path(__file__)]
    common = "\n".join(
        [version.stdout.decode()]
        + [hashlib.sha256(path.read_bytes()).hexdigest() for path in here]
    )
    folder = cache_folder()
    includes = recorded_includes(build)
    digests = Digests()
    todo, clean = {}, 0
    database = json.loads((build / "compile_commands.json").read_text())
    for entry in database:
        source = pathlib.Path(entry["file"]).resolve()
        wanted = source in only if only else source.is_relative_to(PRODUCT)
        if not wanted:
            continue
        key = key_of(entry, includes, digests, common)
        if key and (folder / key).exists():
            os.utime(folder / key)
            clean += 1
        else:
            todo[source] = key

    dirty = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        work = {pool.submit(examine, build, source): source for source in todo}
        for future in concurrent.futures.as_completed(work):
            source = work[future]
            if findings := future.result():
                dirty.append(source)
                print("\n".join(findings), flush=True)
            elif todo[source]:
                (folder / todo[source]).touch()
    forget_old_marks(folder)
    print(
        f"clang-tidy: {clean} unchanged, {len(todo)} read, "
        f"{len(dirty)} with findings",
        file=sys.stderr,
    )
    return 1 if dirty else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
