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


# In a row of docs/safety.md: `Suite.Test`, `Suite.*`, `SuitePart*`, with "…" or
# "*" where a name goes on; or the name of a story; or of a claim of the
# simulation.
NAMED_TEST = re.compile(r"^[A-Z]\w+(?:[./][\w*]+)?[*…]*$|^[a-z]\w+[*…]*$")
DEFINED_TEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)")
INSTANTIATED = re.compile(r"\bINSTANTIATE_TEST_SUITE_P\(\s*(\w+),\s*(\w+)")
CHECKER = re.compile(r'\{"\w+ (\w+)",')


def known_tests(root):
    names = {path.stem for path in (root / "tests/golden").rglob("*.txt")}
    for path in (root / "tests").rglob("*.cc"):
        text = path.read_text(encoding="utf-8")
        names |= {f"{suite}.{test}" for suite, test in DEFINED_TEST.findall(text)}
        names |= {f"{name}/{suite}." for name, suite in INSTANTIATED.findall(text)}
        names |= set(CHECKER.findall(text))
    return names


def unknown_tests(root):
    """What docs/safety.md says checks a rule, and does not exist."""
    known = known_tests(root)
    problems = []
    if not (root / "docs/safety.md").exists():
        return []
    for number, text in tree.lines(root, "docs/safety.md"):
        if not re.match(r"^\| (?:[SL]\d+|fence) \|", text):
            continue
        for name in re.findall(r"`([^`]+)`", text.split(" | ")[-1]):
            if not NAMED_TEST.match(name) or re.match(r"^S\d+$", name):
                continue
            start = name.rstrip("*…")
            if name not in known and (
                start == name or not any(one.startswith(start) for one in known)
            ):
                problems.append(f"docs/safety.md:{number}: no test {name!r}")
    return problems
