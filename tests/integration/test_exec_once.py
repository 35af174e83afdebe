"""`tenure exec --once`: a run that is recorded is not run again."""

import signal
import time

import pytest
from guarded import Wrapper, ticks
from process import run
from waiting import boot_now, eventually

LOST, NOT_NEWER, USAGE = 79, 64, 64
RUN, ORDER = "tenure.dev/last-run-id", "tenure.dev/last-run-order"


@pytest.fixture
def once(tmp_path, started):
    """once(sidecar, "id", "sh", "-c", ...)"""
    count = iter(range(100))

    def start(on, run_id, *command, flags=(), environment=None):
        name = f"x{next(count)}"
        given = ["--once", *flags] + (["--run-id", run_id] if run_id else [])
        made = Wrapper(tmp_path, name, on, given, command, environment)
        started.append(made)
        return made

    return start


def recorded(dev):
    return dev.lease("job")["metadata"]["annotations"].get(RUN)


def mark(path):
    return ("sh", "-c", f"echo ran >> {path}")


def test_a_second_start_exits_0_and_runs_nothing(holder, once, dev, tmp_path):
    marks = tmp_path / "marks"
    assert once(holder, "billing:2026-11-29", *mark(marks)).wait() == 0
    assert recorded(dev) == "billing:2026-11-29"
    again = once(holder, "billing:2026-11-29", *mark(marks))
    assert again.wait() == 0
    assert "recorded as done" in again.stderr
    assert marks.read_text() == "ran\n"
    assert holder.status()["workRunning"] == 0


def waits_for(path):
    return f"until [ -e {path} ]; do sleep 0.01; done"


def under_way(holder):
    return holder.status().get("runsUnderWay", [])


@pytest.mark.parametrize("code, ran", [(0, "a"), (3, "ab")])
def test_of_two_starts_at_once_the_second_waits_and_runs_only_after_a_failure(
    holder, once, dev, tmp_path, code, ran
):
    marks, go = tmp_path / "marks", tmp_path / "go"
    command = f"echo a >> {marks}; {waits_for(go)}; exit {code}"
    one = once(holder, "billing-20", "sh", "-c", command)
    eventually(lambda: under_way(holder) == ["billing-20"])
    two = once(holder, "billing-20", "sh", "-c", f"echo b >> {marks}")
    # Another run of another kind need not wait; by then two has asked.
    assert once(holder, "backup-3", "true").wait() == 0
    assert two.process.running
    go.touch()
    assert one.wait() == code
    assert two.wait() == 0
    assert marks.read_text().replace("\n", "") == ran
    assert recorded(dev) == "billing-20"
    assert holder.status()["workRunning"] == 0 and under_way(holder) == []


def test_many_starts_at_once_run_once(holder, once, tmp_path):
    marks = tmp_path / "marks"
    command = f"echo ran >> {marks}; sleep 0.2"
    starts = [once(holder, "billing-20", "sh", "-c", command) for _ in range(8)]
    assert [start.wait() for start in starts] == [0] * 8
    assert marks.read_text() == "ran\n"


def test_a_second_start_waits_no_longer_than_its_timeout(holder, once, tmp_path):
    go = tmp_path / "go"
    one = once(holder, "billing-20", "sh", "-c", waits_for(go))
    eventually(lambda: under_way(holder) == ["billing-20"])
    two = once(holder, "billing-20", "true", flags=["--timeout", "300ms"])
    assert two.wait() == 75
    assert "run billing-20 is under way" in two.stderr
    go.touch()
    assert one.wait() == 0


def test_a_start_that_was_killed_is_followed_when_its_deadline_is_past(
    holder, once, tmp_path
):
    marks = tmp_path / "marks"
    one = once(holder, "billing-20", "sleep", "3600")
    eventually(lambda: under_way(holder) == ["billing-20"])
    one.signal(signal.SIGKILL)
    killed = boot_now()
    assert once(holder, "billing-20", *mark(marks)).wait() == 0
    assert marks.read_text() == "ran\n"
    # The preset fast: three seconds since it was last heard of.
    assert 1 < boot_now() - killed < 10


def test_a_run_longer_than_a_lease_duration_stays_under_way_and_is_recorded(
    holder, once, dev, tmp_path
):
    go = tmp_path / "go"
    one = once(holder, "billing-20", "sh", "-c", waits_for(go))
    eventually(lambda: under_way(holder) == ["billing-20"])
    # Longer than a lease duration.
    two = once(holder, "billing-20", "true", flags=["--timeout", "5s"])
    assert two.wait() == 75
    assert under_way(holder) == ["billing-20"]
    go.touch()
    assert one.wait() == 0, one.stderr
    assert recorded(dev) == "billing-20"


def test_it_needs_not_hold_the_lease_to_know(holder, sidecar, once, tmp_path):
    assert once(holder, "billing-20", "true").wait() == 0
    two = sidecar("two")
    two.wait("standby")
    late = once(two, "billing-20", *mark(tmp_path / "marks"))
    assert late.wait() == 0
    assert not (tmp_path / "marks").exists()


def test_what_is_not_newer_is_refused_with_both_ids(holder, once, tmp_path):
    assert once(holder, "billing-20", "true").wait() == 0
    assert once(holder, "by-hand", "true").wait() == 0
    older = once(holder, "billing-19", *mark(tmp_path / "marks"))
    assert older.wait() == NOT_NEWER
    assert "billing-19" in older.stderr and "billing-20" in older.stderr
    assert not (tmp_path / "marks").exists()
    assert once(holder, "billing-21", *mark(tmp_path / "marks")).wait() == 0
    assert (tmp_path / "marks").exists()


def test_the_record_outlives_its_holder(holder, sidecar, once, dev, tmp_path):
    assert once(holder, "billing-20", "true").wait() == 0
    holder.signal(signal.SIGTERM)
    assert holder.process.wait() == 0
    two = sidecar("two")
    two.wait("held")
    assert recorded(dev) == "billing-20"
    assert once(two, "billing-20", *mark(tmp_path / "marks")).wait() == 0
    assert not (tmp_path / "marks").exists()


def test_a_run_that_fails_is_not_recorded(holder, once, dev):
    assert once(holder, "billing-20", "sh", "-c", "exit 3").wait() == 3
    assert recorded(dev) is None
    assert once(holder, "billing-20", "true").wait() == 0


def test_a_run_that_was_told_to_stop_is_not_recorded_though_it_ends_with_0(
    holder, once, dev
):
    one = once(holder, "billing-20", "sh", "-c", "trap 'exit 0' TERM; sleep 60 & wait")
    eventually(lambda: holder.status()["workRunning"] == 1)
    one.watchdog()
    # Again: the first may come before the shell has set its trap.
    def told():
        if one.process.running:
            one.signal(signal.SIGTERM)
        return not one.process.running

    eventually(told)
    assert one.wait() == 128 + signal.SIGTERM
    assert recorded(dev) is None
    assert once(holder, "billing-20", "true").wait() == 0
    assert recorded(dev) == "billing-20"


def test_runs_by_hand_do_not_forget_what_was_done(holder, once, tmp_path):
    for run_id in ("bill:2026-11-29", "by-hand-1", "by-hand-2"):
        assert once(holder, run_id, "true").wait() == 0
    again = once(holder, "bill:2026-11-29", *mark(tmp_path / "marks"))
    assert again.wait() == 0
    assert "recorded as done" in again.stderr
    older = once(holder, "bill:2026-11-28", *mark(tmp_path / "marks"))
    assert older.wait() == NOT_NEWER
    assert "newer than bill:2026-11-29" in older.stderr
    assert "tenure.dev/last-run-id" in older.stderr
    assert not (tmp_path / "marks").exists()


def test_a_record_that_is_lost_on_its_way_is_settled(holder, once, dev):
    dev.fault("close", "update", applied=True, count=1)
    assert once(holder, "billing-20", "true").wait() == 0
    assert recorded(dev) == "billing-20"


def test_a_run_that_cannot_be_recorded_is_79_and_says_so(holder, once, dev, tmp_path):
    go = tmp_path / "go"
    one = once(holder, "billing-20", "sh", "-c", f"until [ -e {go} ]; do sleep 0.01; done")
    eventually(lambda: holder.status()["workRunning"] == 1)
    dev.fault("fail", "update", status=503)
    go.touch()
    assert one.wait() == LOST
    assert "runs it again" in one.stderr
    assert recorded(dev) is None


def test_the_pods_job_name_is_the_run_id(holder, once, dev):
    one = once(
        holder, "", "sh", "-c", "echo $TENURE_RUN_ID", environment={"JOB_NAME": "b-7"}
    )
    assert one.wait() == 0
    assert one.stdout == "b-7\n"
    assert recorded(dev) == "b-7"


@pytest.mark.parametrize("run_id", [[], ["--run-id", "a b"], ["--run-id", "x" * 254]])
def test_a_run_needs_an_id(run_id):
    done = run("exec", "--once", *run_id, "--", "true")
    assert done.returncode == USAGE
    assert "--run-id" in done.stderr and len(done.stderr.splitlines()) == 1


def test_the_lease_is_held_at_least_as_long_as_asked(holder, once):
    began = boot_now()
    one = once(holder, "billing-20", "true", flags=["--hold-at-least", "1500ms"])
    eventually(lambda: holder.status().get("lastRun", {}).get("id") == "billing-20")
    assert holder.status()["workRunning"] == 1
    assert one.wait() == 0
    assert boot_now() - began >= 1.5


def test_the_lease_is_held_longer_than_its_first_claim(holder, once):
    began = boot_now()
    one = once(holder, "billing-20", "sleep", "3.2", flags=["--hold-at-least", "5s"])
    assert one.wait() == 0, one.stderr
    assert boot_now() - began >= 5


def test_holding_takes_no_processor(holder, once):
    one = once(holder, "billing-20", "true", flags=["--hold-at-least", "1h"])
    eventually(lambda: holder.status().get("lastRun", {}).get("id") == "billing-20")
    before = ticks(one.pid)
    time.sleep(1)
    used = ticks(one.pid) - before
    one.signal(signal.SIGTERM)
    assert one.wait() == 0
    # A loop that spins takes all that it can get.
    assert used < 20


def test_a_signal_ends_the_holding(holder, once):
    one = once(holder, "billing-20", "true", flags=["--hold-at-least", "1h"])
    eventually(lambda: holder.status().get("lastRun", {}).get("id") == "billing-20")
    one.signal(signal.SIGTERM)
    assert one.wait() == 0


def test_the_control_route_refuses_what_it_must(holder, once):
    generation = int(holder.status()["generation"])

    def post(run_id, number=generation):
        return holder.control(f"run?run={run_id}&generation={number}").status

    assert post("a%20b") == 400
    assert post("b-20", generation + 1) == 409
    assert post("b-20") == 200
    eventually(lambda: holder.status().get("lastRun", {}).get("id") == "b-20")
    assert post("b-20") == 200
    assert post("b-19") == 409
