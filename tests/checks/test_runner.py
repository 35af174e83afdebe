"""tests/run.py counts what happened, and never calls nothing a success."""

import pathlib
import subprocess
import sys

import tree

sys.path.insert(0, str(tree.ROOT / "tests"))
import run  # noqa: E402

GTEST = """<testsuites tests="3" failures="1" disabled="1">
 <testsuite name="S">
  <testcase name="Holds" classname="S" status="run" result="completed"/>
  <testcase name="Breaks" classname="S" status="run" result="completed">
   <failure message="x.cc:1&#x0A;Expected: more" type=""/>
  </testcase>
  <testcase name="Skips" classname="S" status="run" result="skipped">
   <skipped message="no IPv6 here"/>
  </testcase>
  <testcase name="DISABLED_Off" classname="S" status="notrun"/>
 </testsuite></testsuites>"""


def test_passed_failed_skipped_and_disabled_are_told_apart(tmp_path):
    report = tmp_path / "r.xml"
    report.write_text(GTEST)
    count = run.read_report(report)
    assert count.line() == "1 passed, 1 failed, 2 skipped"
    assert count.failures == ["S.Breaks: x.cc:1"]
    assert count.skips[0] == "S.Skips: no IPv6 here"


def test_a_file_that_was_skipped_as_a_whole_has_its_reason(tmp_path):
    report = tmp_path / "r.xml"
    report.write_text(
        '<a><testcase classname="" name="t.x"><skipped message="collection skipped">'
        "('/t/x.py', 3, 'Skipped: NOT TRIED: no server')</skipped></testcase></a>"
    )
    assert run.read_report(report).skips == [".t.x: NOT TRIED: no server"]


def test_a_program_without_a_report_is_a_failure(tmp_path):
    count = run.count_program("p", tmp_path / "none.xml", exited_well=True)
    assert count.line() == "0 passed, 1 failed, 0 skipped"


def test_a_program_that_passes_and_then_exits_badly_is_a_failure(tmp_path):
    report = tmp_path / "r.xml"
    report.write_text('<a><testcase name="x" classname="S" status="run"/></a>')
    count = run.count_program("p", report, exited_well=False)
    assert count.line() == "1 passed, 1 failed, 0 skipped"


def test_a_torn_report_is_a_failure(tmp_path):
    report = tmp_path / "r.xml"
    report.write_text(GTEST[:100])
    count = run.count_program("p", report, exited_well=True)
    assert count.line() == "0 passed, 1 failed, 0 skipped"


def test_a_ring_without_results_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "run_pytest", lambda *_: run.Count())
    count = run.run_ring("checks", tmp_path, tmp_path)
    assert count.failures == ["checks: the ring produced no results"]


def run_main(tmp_path, monkeypatch, capsys, count):
    monkeypatch.setattr(run, "run_pytest", lambda *_: count)
    tally = tmp_path / "tally"
    code = run.main(["--build", str(tmp_path), "--tally", str(tally), "checks"])
    return code, capsys.readouterr().out.splitlines(), tally.read_text()


def test_the_last_line_is_the_count(tmp_path, monkeypatch, capsys):
    count = run.Count(2, [], ["s: why"])
    code, lines, tally = run_main(tmp_path, monkeypatch, capsys, count)
    assert (code, lines[-1]) == (0, "2 passed, 0 failed, 1 skipped")
    assert "skipped: s: why" in lines
    assert tally == "2 passed, 0 failed, 1 skipped\n"


def test_one_failure_or_only_skips_fail_the_run(tmp_path, monkeypatch, capsys):
    for count in (run.Count(2, ["f"], []), run.Count(0, [], ["s"])):
        code, _, _ = run_main(tmp_path, monkeypatch, capsys, count)
        assert code == 1


def test_an_unknown_ring_is_refused():
    runner = pathlib.Path(run.__file__)
    done = subprocess.run(
        [sys.executable, str(runner), "nonsense"], capture_output=True, check=False
    )
    assert done.returncode == 2
