"""Mutants by rule: small changes of one place in a C++ source, each with a name
that stays while the line it changes stays.

A line is read as text, which this code base allows: clang-format sets operators
of two sides between blanks, and templates, arrows and shifts not.

Of the rules that make the mistakes that matter here (a bound, a clock, a gate, a
flag) every mutant belongs to the set; of the others one in eight, chosen by the
digest in its name, so that a mutant stays in or out while its line stays.
"""

import dataclasses
import hashlib
import re


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    path: str  # in the tree
    line: int  # where it begins, from 1
    what: str  # for people: before -> after
    text: str  # the whole source, changed


# Never changed: what explains, includes, prints for people, or checks itself.
LEFT_ALONE = re.compile(
    r'^\s*(//|#|using |namespace |static_assert|CHECK\(|const char\*|")|^\s*$'
    r"|CANARY\(|\bText\("
)
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')

SWAPS = (
    ("comparison", (" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > ")),
    ("equality", (" == ", " != "), (" != ", " == ")),
    ("connective", (" && ", " || "), (" || ", " && ")),
    ("arithmetic", (" + ", " - "), (" - ", " + ")),
    ("extreme", ("std::max(", "std::min("), ("std::min(", "std::max("),
     ("std::max<", "std::min<"), ("std::min<", "std::max<")),
    ("elapsed", ("LongestElapsed(", "ShortestElapsed("),
     ("ShortestElapsed(", "LongestElapsed(")),
    ("truth", ("= true;", "= false;"), ("= false;", "= true;"),
     ("return true;", "return false;"), ("return false;", "return true;")),
    ("gate", ("read_gate_", "write_gate_"), ("write_gate_", "read_gate_")),
)
# Of these rules every mutant; of the others one in SAMPLE.
WHOLE = ("comparison", "elapsed", "extreme", "gate", "truth")
SAMPLE = 8
# Functions whose whole result is words for people.
WORDS = re.compile(r"^\S.*\b(?:Text|Percent|Excerpt|Explain|\w+Name|\w+Message)\(")
# A whole statement on a line: a call or an assignment, no declaration.
STATEMENT = re.compile(
    r"^\s+(?:\+\+|--)?[a-z_][\w.>\[\]*-]*(?:\(.*\)|(?: [+-]?= .*)|)"
    r"(?:\.[\w()]+)*;(?:  //.*)?$"
    r"|^\s+[A-Z]\w+\(.*\);(?:  //.*)?$"
)
CONDITION = re.compile(r"^(\s*(?:\} else )?if \()(.*)$")


def _name(path, rule, line, seen):
    stem = path.rsplit("/", 1)[1].removesuffix(".cc")
    digest = hashlib.sha1(f"{rule} {line.strip()}".encode()).hexdigest()[:6]
    name = f"{stem}-{rule}-{digest}"
    seen[name] = seen.get(name, 0) + 1
    return name if seen[name] == 1 else f"{name}-{seen[name]}"


def _swapped(line):
    """(rule, changed line) for each place where a swap applies."""
    quoted = [match.span() for match in STRING.finditer(line)]
    comment = line.find("  //")
    for rule, *pairs in SWAPS:
        if rule == "arithmetic" and quoted:
            continue  # joins strings
        for before, after in pairs:
            at = line.find(before)
            while at >= 0:
                inside = any(a <= at < b for a, b in quoted)
                if not inside and not 0 <= comment <= at:
                    yield rule, line[:at] + after + line[at + len(before):]
                at = line.find(before, at + 1)


def _closing(lines, row, column):
    """Where the parenthesis that is open at (row, column) closes."""
    depth = 1
    for r in range(row, min(row + 8, len(lines))):
        for c in range(column if r == row else 0, len(lines[r])):
            depth += {"(": 1, ")": -1}.get(lines[r][c], 0)
            if depth == 0:
                return r, c
    return None


def _negated(lines, row):
    match = CONDITION.match(lines[row])
    if not match or "; " in match.group(2):  # with a declaration in it
        return None
    start = len(match.group(1))
    end = _closing(lines, row, start)
    if end is None:
        return None
    changed = list(lines)
    r, c = end
    changed[r] = changed[r][:c] + ")" + changed[r][c:]
    changed[row] = lines[row][:start] + "!(" + changed[row][start:]
    return changed


def _belongs(rule, name):
    digest = name.split(f"-{rule}-")[1][:6]
    return rule in WHOLE or int(digest, 16) % SAMPLE == 0


def mutants(path, text, whole=False):
    """Those of one source that belong to the set; `whole`: all that rules make."""
    lines = text.split("\n")
    seen = {}
    found = []

    def add(rule, row, what, changed):
        name = _name(path, rule, lines[row], seen)
        if not whole and not _belongs(rule, name):
            return
        found.append(Mutant(name, path, row + 1, what, "\n".join(changed)))

    def replaced(row, line):
        return [*lines[:row], line, *lines[row + 1:]]

    in_words = False
    for row, line in enumerate(lines):
        if line[:1].strip():
            in_words = bool(WORDS.match(line)) and not line.endswith(";")
        if in_words or LEFT_ALONE.search(line):
            continue
        if "CANARY(" in lines[row - 1] and line.strip().startswith("?"):
            continue  # only a canary goes there
        for rule, changed in _swapped(line):
            what = f"{line.strip()}  ->  {changed.strip()}"
            add(rule, row, what, replaced(row, changed))
        negated = _negated(lines, row)
        if negated:
            add("negate", row, f"not: {line.strip()}", negated)
        after = lines[row - 1].strip()
        # Not the last line of a longer one; an `if (...)` before it is none.
        ends = (";", "{", "}", ":", ")", "else")
        begins = not after or after.endswith(ends) or "//" in after
        if STATEMENT.match(line) and begins:
            add("delete", row, f"without: {line.strip()}", replaced(row, ";"))
    return found
