"""Who may include whom, and where headers of other libraries may stand."""

import re

import tree

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')

# base < authority < coordinator < adapters < cli. The clock is beside the
# coordinator: below every adapter, and never seen by the pure folders.
_ADAPTER = {"base", "authority", "coordinator", "clock"}
ALLOWED = {
    "base": set(),
    "clock": {"base"},
    "authority": {"base"},
    "planning": {"base", "authority"},
    "coordinator": {"base", "authority", "clock"},
    "kube": _ADAPTER,
    "server": _ADAPTER,
    "telemetry": _ADAPTER,
    "embedded": _ADAPTER,
    "config": _ADAPTER,
    "gate": _ADAPTER,
    "drill": _ADAPTER | {"gate"},
    "cli": None,  # the composition root sees everything
}
EXTERNAL = re.compile(
    r"^(boost|nlohmann|spdlog|fmt|cpprest|pplx|yaml-cpp|CLI|prometheus|openssl)/"
)


def included(root, path):
    for number, text in tree.lines(root, path):
        if match := INCLUDE.match(text):
            yield number, match[1], match[2]


def direction(root):
    """An include that goes up, sideways, or around the one spelling."""
    problems = []
    for path in tree.files(root, ".h", ".cc", under=("sidecar",)):
        folder = path.parts[1]
        if folder not in ALLOWED:
            problems.append(f"{path}: folder {folder} has no place in the order")
            continue
        for number, quote, name in included(root, path):
            if quote == "<":
                continue
            parts = name.split("/")
            if parts[0] != "sidecar" or len(parts) < 3:
                problems.append(
                    f'{path}:{number}: "{name}" is not "sidecar/<folder>/<file>.h"'
                )
                continue
            allowed = ALLOWED[folder]
            if allowed is not None and parts[1] not in allowed | {folder}:
                problems.append(f"{path}:{number}: {folder} includes {parts[1]}")
    return problems


def external_headers(root):
    """A header with another library in it that another folder can see.

    A header may hold one if only .cc files and such headers of its own folder
    include it; then nobody else pays for it, or comes to depend on it.
    """
    private = {
        str(path)
        for path in tree.files(root, ".h", under=("sidecar",))
        if any(EXTERNAL.match(name) for _, _, name in included(root, path))
    }
    # A header that includes a private one is one itself.
    grew = True
    while grew:
        grew = False
        for path in tree.files(root, ".h", under=("sidecar",)):
            if str(path) not in private and any(
                name in private for _, _, name in included(root, path)
            ):
                private.add(str(path))
                grew = True
    problems = []
    for path in tree.files(root, ".h", ".cc", under=("sidecar",)):
        for number, _, name in included(root, path):
            if name in private and name.split("/")[1] != path.parts[1]:
                problems.append(
                    f"{path}:{number}: {name} brings another library's header"
                    " and belongs to its own folder"
                )
    for name in sorted(private):
        head = "\n".join(text for _, text in tree.lines(root, name)[:15])
        if "rivate" not in head:
            problems.append(
                f"{name}: includes another library's header; say that it is private to"
                " its folder in its first comment"
            )
    return problems
