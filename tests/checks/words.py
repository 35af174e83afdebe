"""What must not stand in the tree: a machine's paths, a registry's host, a
clock read outside sidecar/clock, a sleep, work left for later."""

import re

import tree

TEXT = (
    ".h", ".cc", ".py", ".sh", ".md", ".txt", ".cmake", ".json", ".yaml", ".yml",
    ".go", ".mod", "Makefile", "run", ".svg", ".tidy",
)
# Spelled so that this file does not contain what it looks for.
MACHINE = re.compile(r"(?<![\w.$}])/(work|farm|root|home/\w+)(?=/)")
REGISTRY = re.compile(
    r"\b(pypi\.(org|python\.org)|files\.pythonhosted\.org|registry\.npmjs\.org"
    r"|crates\.io|proxy\.golang\.org|sum\.golang\.org|repo1?\.maven\.org"
    r"|(deb|security|ftp|snapshot)\.debian\.org|docker\.io|ghcr\.io|quay\.io"
    r"|registry\.k8s\.io|gcr\.io)\b"
)
CLOCK = re.compile(
    r"\b(steady_clock|system_clock|high_resolution_clock)\s*::\s*now"
    r"|\b(clock_gettime|gettimeofday|timespec_get)\s*\(|\bstd::time\s*\("
    r"|(?<![\w:.>])time\s*\(\s*(nullptr|NULL|0|&)"
)
SLEEP = re.compile(
    r"\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep)\s*\("
    r"|(?<![\w.:>])sleep\s*\("
)
LATER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b|\bplace" r"holder\b")


def _grep(root, pattern, what, suffixes, under=("",), skip=lambda path: False):
    return [
        f"{path}:{number}: {what}: {text.strip()[:100]}"
        for path in tree.files(root, *suffixes, under=under)
        if not skip(path)
        for number, text in tree.lines(root, path)
        if pattern.search(text)
    ]


def machine_paths(root):
    return _grep(root, MACHINE, "a path of one machine", TEXT)


def registry_hosts(root):
    # Go names its modules by host; that is their name, not an address.
    return _grep(
        root, REGISTRY, "a package registry's host", TEXT,
        skip=lambda path: path == tree.pathlib.Path("tests/checks/words.py"),
    )


def clock_reads(root):
    return _grep(
        root, CLOCK, "a clock read outside sidecar/clock", (".h", ".cc"),
        under=("sidecar",), skip=lambda path: path.parts[1] == "clock",
    )


def sleeps(root):
    return _grep(root, SLEEP, "a sleep", (".h", ".cc"), under=("sidecar",))


def left_for_later(root):
    return _grep(root, LATER, "work left for later", TEXT)
