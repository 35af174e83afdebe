"""The files that the checks read."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUTSIDE = {"build", ".git", ".cache", "__pycache__", ".pytest_cache"}


def files(root, *suffixes, under=("",)):
    """The files below `root`/`under`, as sorted paths relative to `root`."""
    found = set()
    for start in under:
        for folder, folders, names in os.walk(pathlib.Path(root, start)):
            folders[:] = [name for name in folders if name not in OUTSIDE]
            for name in names:
                if not suffixes or name.endswith(suffixes):
                    found.add(pathlib.Path(folder, name).relative_to(root))
    return sorted(found)


def lines(root, path):
    """(number, text) of each line."""
    text = pathlib.Path(root, path).read_text(encoding="utf-8", errors="replace")
    return list(enumerate(text.splitlines(), start=1))


def write(root, path, text):
    """For the tests of the checks: one file of a small tree of their own."""
    target = pathlib.Path(root, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
