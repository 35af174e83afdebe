"""examples/nightly-billing: whatever happens, each customer has one invoice."""

import os
import shlex
import signal
import subprocess

import pytest
from pod import EXAMPLES, FAST, Gate, call, program, refused
from process import BINARY, Process
from waiting import eventually

BILL = program("nightly-billing", "bill.py")
SCRIPT = EXAMPLES / "nightly-billing/billing.sh"
DAY = "2026-11-29"
REFUSED, USAGE = 3, 64
ONCE = ["--lease", "billing", "--once", "--run-id", f"billing:{DAY}"]
SHORT = [*ONCE, *FAST]
EACH_ONE, EACH_TWICE = "anna 1\nbert 1\n", "anna 2\nbert 2\n"


@pytest.fixture
def db(tmp_path):
    path = tmp_path / "billing.db"
    call(*BILL, path, "open", "anna", "bert")
    return path


def bill(db, how, *more):
    return [*BILL, str(db), "bill", DAY, "--how", how, *more]


def invoices(db):
    return call(*BILL, db, "invoices", DAY)


def twice_at_once(words):
    runs = [subprocess.Popen(words, stdout=subprocess.DEVNULL) for _ in range(2)]
    return [run.wait(60) for run in runs]


def test_without_anything_a_duplicate_run_bills_twice(db):
    assert twice_at_once(bill(db, "plain")) == [0, 0]
    assert invoices(db) == EACH_TWICE


def test_the_lease_and_once_let_one_of_two_run(db, pod):
    runs = [pod(ONCE, *bill(db, "plain")) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0], [run.stderr for run in runs]
    assert invoices(db) == EACH_ONE


def test_the_lease_without_once_bills_one_after_the_other(db, pod):
    runs = [pod(["--lease", "billing"], *bill(db, "plain")) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]
    assert invoices(db) == EACH_TWICE


@pytest.mark.parametrize("how,found", [("plain", EACH_TWICE), ("fenced", EACH_ONE)])
def test_a_crash_between_effect_and_record_runs_again(db, pod, tmp_path, how, found):
    gate = Gate(tmp_path)
    words = f"{shlex.join(bill(db, how))}; {gate.command}"
    first = pod(SHORT, "sh", "-c", words)
    gate.wait()
    first.crash()
    assert pod(SHORT, *bill(db, how)).wait() == 0
    assert invoices(db) == found


def test_a_row_of_the_run_is_a_lease_with_a_fence_of_its_own(db, tmp_path):
    gate = Gate(tmp_path)
    slow = bill(db, "run-row", "--row-lease", "1", "--each", gate.command)
    first = subprocess.Popen(slow, stderr=subprocess.PIPE)
    gate.wait()
    # Not its child, which waits at the gate.
    os.kill(first.pid, signal.SIGSTOP)
    try:
        call(*bill(db, "run-row"))
    finally:
        os.kill(first.pid, signal.SIGCONT)
    gate.open()
    assert b"refused" in first.communicate(timeout=30)[1]
    assert first.returncode == REFUSED
    assert "already" in call(*bill(db, "run-row"))
    assert invoices(db) == EACH_ONE


def test_what_a_crashed_run_row_had_billed_is_not_billed_again(db, tmp_path):
    gate = Gate(tmp_path)
    done_one = f"[ -e {tmp_path}/one ] && {{ {gate.command}; }}; touch {tmp_path}/one"
    words = bill(db, "run-row", "--row-lease", "1", "--each", done_one)
    first = subprocess.Popen(words, start_new_session=True)
    gate.wait()
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    assert invoices(db) == "anna 1\n"
    call(*bill(db, "run-row"))
    assert invoices(db) == EACH_ONE


def test_invoice_keys_need_no_lock_at_all(db):
    assert twice_at_once(bill(db, "keyed")) == [0, 0]
    assert invoices(db) == EACH_ONE


def test_a_run_frozen_past_its_lease_is_refused_when_it_goes_on(db, pod, tmp_path):
    gate = Gate(tmp_path)
    first = pod(SHORT, *bill(db, "fenced", "--each", gate.command))
    gate.wait()
    first.freeze()
    second = pod(SHORT, *bill(db, "fenced"))
    assert second.wait() == 0, second.stderr
    assert invoices(db) == EACH_ONE
    gate.open()
    first.thaw_command_only()
    eventually(lambda: "refused" in first.stderr)
    first.thaw()
    assert first.wait() != 0
    assert invoices(db) == EACH_ONE


@pytest.fixture
def night(db, dev, sidecar, started, tmp_path):
    """What the CronJob's container runs, beside its sidecar."""
    one = sidecar("one", "--absent-lease", "take", "--lease", "billing")
    one.wait("held")
    count = iter(range(100))

    def start(**environment):
        own = {
            "TENURE": str(BINARY), "BILLING_DB": str(db),
            "TENURE_CONTROL_SOCKET": one.control_socket,
            "TENURE_SOCKET": one.status_socket,
        }
        name = f"night{next(count)}"
        made = Process(tmp_path, name, [], {**own, **environment}, program=SCRIPT)
        started.append(made)
        return made

    return start


def test_a_job_by_hand_for_the_same_day_is_the_same_run(night, db):
    # Scheduled for 2026-11-30 02:10.
    first = night(JOB_NAME="billing-29933410")
    assert first.wait() == 0, first.stderr
    assert invoices(db) == EACH_ONE
    again = night(JOB_NAME="billing-by-hand", BUSINESS_DATE=DAY)
    assert again.wait() == 0
    assert "recorded as done" in again.stderr
    assert invoices(db) == EACH_ONE


@pytest.mark.parametrize(
    "environment,said",
    [
        ({"JOB_NAME": "billing-2"}, "set BUSINESS_DATE=YYYY-MM-DD"),
        ({}, "expected BUSINESS_DATE, or a JOB_NAME"),
        # Written in two ways, the same day would be billed twice.
        ({"BUSINESS_DATE": "29.11.2026"}, "BUSINESS_DATE as YYYY-MM-DD, found '29."),
        ({"BUSINESS_DATE": "2026-11-29 "}, "BUSINESS_DATE as YYYY-MM-DD"),
        ({"BUSINESS_DATE": "2026-02-30"}, "a day that exists, found '2026-02-30'"),
        ({"BUSINESS_DATE": DAY, "BILLING_DB": ""}, "BILLING_DB to name the database"),
    ],
)
def test_a_job_by_hand_that_leaves_the_day_or_the_database_open_is_refused(
    night, db, environment, said
):
    one = night(**environment)
    assert one.wait() == USAGE
    assert said in one.stderr and len(one.stderr.splitlines()) == 1
    assert invoices(db) == ""


@pytest.mark.parametrize("day", ["29.11.2026", "20261129", "2026-11-1", "2026-02-30"])
def test_a_day_is_written_in_one_way_only(db, day):
    refused(BILL, db, "bill", day, "--how", "keyed", said="a day such as 2026-11-29")


def test_what_is_missing_is_said_in_one_line(db, tmp_path):
    fenced = ("bill", DAY, "--how", "fenced")
    refused(BILL, db, *fenced, said="tenure exec -- bill.py")
    refused(BILL, tmp_path / "new.db", *fenced, said="open CUSTOMER...")
    refused(BILL, db, "open", "anna", said="was opened before")
    refused(BILL, tmp_path / "none/x.db", "open", "anna", said="unable to open")
