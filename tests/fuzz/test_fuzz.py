"""libFuzzer on every target, from the inputs that are kept in corpus/.

TENURE_FUZZ_SECONDS  how long each target runs (10)
TENURE_FUZZ_RUNS     how many inputs each is given instead
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("TENURE_BUILD", ROOT / "build/fuzz"))
SECONDS = int(os.environ.get("TENURE_FUZZ_SECONDS", "10"))
RUNS = int(os.environ.get("TENURE_FUZZ_RUNS", "0"))
TARGETS = sorted(
    re.findall(r"^tenure_fuzz_target\((\w+) ", (HERE / "CMakeLists.txt").read_text(),
               re.MULTILINE)
)
# Longest input worth trying; libFuzzer grows towards it.
LONGEST = {"micro_time": 64, "duration_text": 128, "core": 1024}
# ASan keeps each stack that ever allocated, and a recursive parser has millions:
# with its thirty frames a million inputs fill the memory limit with stacks.
ENVIRONMENT = {"ASAN_OPTIONS": "malloc_context_size=8", **os.environ}


def fuzz(target, scratch):
    program = BUILD / "tests/fuzz" / f"{target}_fuzz"
    assert program.exists(), f"{program} is not built: run `make fuzz-smoke`"
    # New inputs go to a copy: what is kept is a person's choice.
    corpus = scratch / target
    shutil.copytree(HERE / "corpus" / target, corpus)
    artifacts = BUILD / "artifacts"
    artifacts.mkdir(exist_ok=True)
    limit = [f"-runs={RUNS}"] if RUNS else [f"-max_total_time={SECONDS}"]
    return subprocess.run(
        [str(program), str(corpus), *limit, f"-max_len={LONGEST.get(target, 4096)}",
         "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1",
         f"-artifact_prefix={artifacts}/{target}-"],
        cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
        env=ENVIRONMENT,
    )


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """All targets, as many at once as there are processors."""
    scratch = tmp_path_factory.mktemp("fuzz")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {t: pool.submit(fuzz, t, scratch) for t in TARGETS}


def number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_breaks(target, jobs, capsys):
    done = jobs[target].result()
    executions = number(r"number_of_executed_units: (\d+)", done.stdout)
    covered = number(r"cov: (\d+)", done.stdout)
    with capsys.disabled():
        print(
            f"\n  {target}: {executions} executions, {covered} edges covered",
            end="", flush=True,
        )
    # The end holds the report and the path of the input that broke it.
    assert done.returncode == 0, done.stdout[-6000:]
    assert executions >= max(RUNS, 100), "libFuzzer hardly ran"


def test_every_target_has_a_corpus():
    assert TARGETS == sorted(path.name for path in (HERE / "corpus").iterdir())
    assert len(TARGETS) >= 8
