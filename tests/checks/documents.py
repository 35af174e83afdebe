"""What the documents promise: commands that exist, links that lead somewhere."""

import re

import tree

LINK = re.compile(r"(?<!!)!?\[[^\]]*\]\(([^)\s]+)\)")
TARGET = re.compile(r"^([a-z][a-z0-9 -]*):(?!=)", re.MULTILINE)
COMMAND = re.compile(r"\bmake ((?:[a-z][a-z-]*)(?=[\s`,.;:)]|$))")
REQUIRED = (
    "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md",
    "CHANGELOG.md", "LICENSE",
)


def missing_documents(root):
    return [f"{name} is missing" for name in REQUIRED if not (root / name).exists()]


def make_targets(root):
    text = (root / "Makefile").read_text(encoding="utf-8")
    return {name for match in TARGET.finditer(text) for name in match[1].split()}


def unknown_commands(root):
    """`make X` inside code of a document, where the Makefile has no X."""
    known = make_targets(root)
    problems = []
    for path in tree.files(root, ".md"):
        fenced = False
        for number, text in tree.lines(root, path):
            if text.lstrip().startswith("```"):
                fenced = not fenced
            code = [text] if fenced or text.startswith("    ") else re.findall(
                r"`([^`]+)`", text
            )
            for piece in code:
                for name in COMMAND.findall(piece):
                    if name not in known:
                        problems.append(f"{path}:{number}: no target {name!r}")
    return problems


def broken_links(root):
    problems = []
    for path in tree.files(root, ".md"):
        for number, text in tree.lines(root, path):
            for target in LINK.findall(text):
                if re.match(r"^[a-z]+:", target) or target.startswith("#"):
                    continue
                file = target.split("#")[0]
                if not (root / path.parent / file).exists():
                    problems.append(f"{path}:{number}: {target} leads nowhere")
    return problems
