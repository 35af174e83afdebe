"""tests/mutants: what it makes of a source, and that its list by hand still fits
the sources it names."""

import sys

import pytest
import tree

sys.path.insert(0, str(tree.ROOT / "tests/mutants"))
import by_hand  # noqa: E402
import operators  # noqa: E402
import mutate  # noqa: E402


def made(line):
    text = f"void F() {{\n{line}\n}}\n"
    lines = (m.text.split("\n") for m in operators.mutants("folder/f.cc", text, whole=True))
    return ["\n".join(changed[1:-2]).strip() for changed in lines]


@pytest.mark.parametrize(
    "line, changed",
    [
        ("  return a < b;", "return a <= b;"),
        ("  return a == b && c;", "return a == b || c;"),
        ("  if (a(b) == c) return;", "if (!(a(b) == c)) return;"),
        ("  term_.reset();", ";"),
        ("  due_ = true;", "due_ = false;"),
        ("  x = LongestElapsed(a, b);", "x = ShortestElapsed(a, b);"),
        ("  write_gate_ = Gate{};", "read_gate_ = Gate{};"),
    ],
)
def test_a_line_is_changed_to(line, changed):
    assert changed in made(line)


@pytest.mark.parametrize(
    "line",
    [
        "  // if (a < b) it ends",
        '  CHECK(a < b);',
        '  const std::string text = "a < b";',
        "  std::vector<int> x;",
        "  int x = 3;",
    ],
)
def test_a_line_is_left_alone(line):
    assert made(line) == []


def test_a_name_stays_while_its_line_stays():
    def names(text):
        return {m.name for m in operators.mutants("folder/f.cc", text, whole=True)}

    assert names("{\n  a = b < c;\n}\n") < names("{\n  d();\n\n  a = b < c;\n}\n")


def test_all_bounds_and_one_in_eight_statements_belong_to_the_set():
    lines = [f"  if (a{i} < b) c{i}();\n  d{i}();" for i in range(400)]
    text = "void F() {\n" + "\n".join(lines) + "\n}\n"
    found = [m.name for m in operators.mutants("folder/f.cc", text)]
    assert sum("-comparison-" in name for name in found) == 400
    assert 25 < sum("-delete-" in name for name in found) < 75
    whole = [m.name for m in operators.mutants("folder/f.cc", text, whole=True)]
    assert set(found) < set(whole)


@pytest.mark.parametrize("head", ["std::string Text(int a) {", "std::string F::Explain() {"])
def test_words_for_people_are_left_alone(head):
    assert operators.mutants("folder/f.cc", f"{head}\n  if (a < b) c();\n}}\n") == []


def test_there_are_hundreds_and_each_has_a_name_of_its_own():
    names = [mutant.name for mutant in mutate.all_mutants()]
    assert len(names) > 300
    assert len(set(names)) == len(names)
    assert set(by_hand.BY_HAND) < set(names)


def test_every_explained_survivor_exists():
    assert mutate.explained() <= {mutant.name for mutant in mutate.all_mutants()}
