"""What `make coverage` counts, and what it leaves out."""

import importlib.util

import tree

SPEC = importlib.util.spec_from_file_location(
    "coverage_gate", tree.ROOT / "tools/coverage.py"
)
coverage = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(coverage)


def file_of(branches, segments=()):
    return [{"filename": "a.cc", "branches": branches, "segments": segments}]


def missed(text, branches, segments=()):
    sums = coverage.added([file_of(branches, segments)])["a.cc"]
    return coverage.missed(*sums, text)


def test_an_outcome_that_never_came_is_missed():
    found, total = missed("if (a) b();\n", [(1, 5, 1, 6, 0, 3)])
    assert (found, total) == ([(1, 5, "is never true")], 2)
    found, _ = missed("if (a) b();\n", [(1, 5, 1, 6, 2, 0)])
    assert found == [(1, 5, "is never false")]


def test_code_that_was_never_reached_is_missed():
    found, _ = missed("  b();\n", [], [(1, 3, 0, True, True, False)])
    assert found == [(1, 3, "is never reached")]


def test_what_one_program_missed_another_may_reach():
    one = file_of([(1, 5, 1, 6, 0, 3)], [(1, 8, 0, True, True, False)])
    other = file_of([(1, 5, 1, 6, 1, 0)], [(1, 8, 4, True, True, False)])
    sums = coverage.added([one, other])["a.cc"]
    assert coverage.missed(*sums, "if (a) b();\n") == ([], 2)


def test_checks_canaries_defaults_and_full_switches_do_not_count():
    for text in (
        "    CHECK(a || b);",
        "x = CANARY(kOne) && b;",
        "bool operator==(const A&, const A&) = default;",
        "  switch (kind) {",
    ):
        column = len(text) // 2
        assert missed(text, [(1, column, 1, column, 0, 0)]) == ([], 0), text
