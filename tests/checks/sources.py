"""Each source is built, and none grows past what can be read in one go."""

import re

import tree

# kind of file: most lines
HEADER, SOURCE, TEST = 150, 400, 400
# Justified exceptions: {path: (most lines, why it reads better whole)}.
EXCEPTIONS = {}


def not_built(root):
    """A .cc that the CMakeLists.txt above it does not list."""
    problems = []
    for path in tree.files(root, ".cc", under=("sidecar", "tests")):
        if not any(_listed(root, path, folder) for folder in path.parents):
            problems.append(f"{path}: no CMakeLists.txt builds it")
    return problems


def _listed(root, path, folder):
    lists = root / folder / "CMakeLists.txt"
    if not lists.exists():
        return False
    name = re.escape(str(path.relative_to(folder)))
    text = re.sub(r"#.*", "", lists.read_text(encoding="utf-8"))
    return re.search(rf"(?<![\w/.-]){name}(?![\w.-])", text) is not None


def limit(path):
    if str(path) in EXCEPTIONS:
        return EXCEPTIONS[str(path)][0]
    if path.parts[0] == "tests":
        return TEST
    return HEADER if path.suffix == ".h" else SOURCE


def too_long(root, suffixes=(".h", ".cc", ".py", ".sh")):
    problems = []
    for path in tree.files(root, *suffixes, under=("sidecar", "tests", "tools")):
        count = len(tree.lines(root, path))
        if count > limit(path):
            problems.append(
                f"{path}: {count} lines, {limit(path)} allowed; split by meaning"
            )
    return problems


def stale_exceptions(root):
    return [
        f"{path}: an exception that is no longer needed"
        for path in EXCEPTIONS
        if not (root / path).exists()
        or len(tree.lines(root, path)) <= _default(root, path)
    ]


def _default(root, path):
    if path.startswith("tests/"):
        return TEST
    return HEADER if path.endswith(".h") else SOURCE


def vague_names(root):
    vague = {"util", "utils", "helper", "helpers", "manager", "handler", "impl",
             "common", "misc"}
    return [
        f"{path}: '{word}' says nothing of what it is"
        for path in tree.files(root, under=("sidecar", "tests", "tools"))
        for word in set(re.split(r"[_./-]", str(path))) & vague
    ]
