""".ci/run on a small tree of its own: it adds up, goes on after a failure, and
leaves nothing running."""

import os
import pathlib
import subprocess
import time

import pytest
import tree

IN_TIME = ("fuzz-smoke", "mutants", "digests", "release", "asan", "tsan")
STAGES = ("build", "format-check", "lint", "test", "coverage", *IN_TIME)
# Packages are a stage, too; `test` alone has a count of its own.
COUNT_ONE = len(STAGES)


def tally(line):
    return f'@echo "{line}" >> $(TENURE_TALLY)'


@pytest.fixture
def ci(tmp_path):
    def run(**recipes):
        text = (tree.ROOT / ".ci/run").read_text(encoding="utf-8")
        tree.write(tmp_path, ".ci/run", text)
        for path, body in (
            ("tools/install_packages.sh", "exit 0"),
            ("tests/apiserver/build_binaries.sh", "echo $$ > pid; exec sleep 300"),
            ("bin/go", "exit 0"),
        ):
            tree.write(tmp_path, path, f"#!/usr/bin/env bash\n{body}\n")
            (tmp_path / path).chmod(0o755)
        targets = {stage: "@true" for stage in STAGES}
        targets["test"] = tally("7 passed, 0 failed, 1 skipped")
        targets |= {name.replace("_", "-"): body for name, body in recipes.items()}
        rules = "".join(f"{name}:\n\t{body}\n" for name, body in targets.items())
        tree.write(tmp_path, "Makefile", rules)
        path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
        return subprocess.run(
            ["bash", ".ci/run"],
            cwd=tmp_path,
            env={**os.environ, "TENURE_CACHE": str(tmp_path / "cache"), "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def last_line(done):
    return done.stdout.splitlines()[-1]


def test_stages_without_a_count_of_their_own_count_one_each(ci):
    done = ci()
    assert last_line(done) == f"{COUNT_ONE + 7} passed, 0 failed, 1 skipped"
    assert done.returncode == 0


def test_it_goes_on_after_a_failure_and_fails_at_the_end(ci):
    done = ci(
        build=tally("3 passed, 2 failed, 0 skipped") + "; exit 1",
        format_check="@false",
    )
    # The build tallied its two, the format is one failure.
    assert last_line(done) == f"{COUNT_ONE - 2 + 3 + 7} passed, 3 failed, 1 skipped"
    assert done.returncode == 1


def test_a_stage_that_crashes_after_a_clean_count_is_a_failure(ci):
    done = ci(test=tally("7 passed, 0 failed, 0 skipped") + "; kill -SEGV $$$$")
    assert last_line(done) == f"{COUNT_ONE + 7} passed, 1 failed, 0 skipped"
    assert done.returncode == 1


def test_late_in_a_cold_run_what_no_longer_fits_is_skipped_aloud(ci, monkeypatch):
    # bash counts from what it finds.
    monkeypatch.setenv("SECONDS", "5000")
    done = ci()
    late = len(IN_TIME)
    assert last_line(done) == f"{COUNT_ONE - late + 7} passed, 0 failed, {late + 1} skipped"
    assert done.returncode == 0
    for name in IN_TIME:
        assert f"==== {name} SKIPPED" in done.stderr
        assert f"==== {name}\n" not in done.stderr


def test_the_build_in_the_background_ends_with_it(ci, tmp_path):
    ci(build="@until [ -s pid ]; do sleep 0.01; done")
    pid = int((tmp_path / "pid").read_text(encoding="ascii"))
    deadline = time.monotonic() + 10
    while running(pid):
        assert time.monotonic() < deadline, "the background build goes on"
        time.sleep(0.01)


def running(pid):
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return stat.split(") ")[1][0] != "Z"
