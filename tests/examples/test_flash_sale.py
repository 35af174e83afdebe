"""examples/flash-sale: a stock of 10, two pods, each sells 3."""

import os
import sqlite3
import subprocess

import pytest
from pod import EXAMPLES, FAST, Gate, call, program, refused
from process import BINARY
from waiting import eventually

SHOP = program("flash-sale", "shop.py")
REFUSED = 3
LEASE = ["--lease", "flash-sale"]
SHORT = [*LEASE, *FAST]


@pytest.fixture
def sale(tmp_path):
    path = tmp_path / "sale.db"
    call(*SHOP, path, "open", 10)
    return path


def stock(sale):
    return int(call(*SHOP, sale, "stock"))


def sell(sale, how, payment="true", count=3):
    return [*SHOP, str(sale), "sell", str(count), "--how", how, "--payment", payment]


def both_at_once(sale, how, gate):
    """Two pods that are both at the payment before either goes on."""
    pods = [subprocess.Popen(sell(sale, how, gate.command)) for _ in range(2)]
    gate.wait(2)
    gate.open()
    return [pod.wait(30) for pod in pods]


def test_read_then_write_sells_three_pairs_twice(sale, tmp_path):
    assert both_at_once(sale, "read-then-write", Gate(tmp_path)) == [0, 0]
    assert stock(sale) == 7


def test_the_conditional_decrement_needs_no_lock(sale, tmp_path):
    assert both_at_once(sale, "conditional", Gate(tmp_path)) == [0, 0]
    assert stock(sale) == 4


def test_the_conditional_decrement_never_sells_what_is_not_there(sale):
    pods = [subprocess.Popen(sell(sale, "conditional")) for _ in range(6)]
    assert sorted(pod.wait(30) for pod in pods) == [0, 0, 0, 1, 1, 1]
    assert stock(sale) == 1


def test_lease_and_fence_leave_four(sale, pod):
    pods = [pod(LEASE, *sell(sale, "fenced")) for _ in range(2)]
    assert [one.wait() for one in pods] == [0, 0], [one.stderr for one in pods]
    assert stock(sale) == 4


def test_a_pod_frozen_at_its_payment_is_refused_and_may_sell_again(sale, pod, tmp_path):
    gate = Gate(tmp_path)
    paused = pod(SHORT, *sell(sale, "fenced", gate.command))
    gate.wait()
    paused.freeze()
    assert pod(SHORT, *sell(sale, "fenced")).wait() == 0
    assert stock(sale) == 7
    gate.open()
    paused.thaw_command_only()
    eventually(lambda: "refused" in paused.stderr)
    assert stock(sale) == 7
    paused.thaw()
    assert paused.wait() != 0
    assert pod(SHORT, *sell(sale, "fenced")).wait() == 0
    assert stock(sale) == 4


def test_the_fence_is_raised_before_the_first_read(sale, pod, tmp_path):
    """So a holder that was replaced is refused though nothing was sold yet."""
    first, second = Gate(tmp_path, "first"), Gate(tmp_path, "second")
    paused = pod(SHORT, *sell(sale, "fenced", first.command))
    first.wait()
    paused.freeze()
    now = pod(SHORT, *sell(sale, "fenced", second.command))
    second.wait()
    first.open()
    paused.thaw_command_only()
    eventually(lambda: "refused" in paused.stderr)
    assert stock(sale) == 10
    second.open()
    assert now.wait() == 0
    assert stock(sale) == 7


def test_the_store_refuses_a_lower_generation_and_another_holder_of_the_same(sale):
    def as_holder(generation, holder):
        return subprocess.run(
            sell(sale, "fenced"), check=False, capture_output=True,
            env={"TENURE_GENERATION": str(generation), "TENURE_HOLDER": holder,
                 "PATH": "/usr/bin:/bin"},
        ).returncode

    assert as_holder(7, "a") == 0
    assert as_holder(7, "a") == 0
    assert as_holder(6, "a") == REFUSED
    assert as_holder(7, "b") == REFUSED
    assert stock(sale) == 4
    with sqlite3.connect(sale) as db:
        assert db.execute("SELECT token, holder FROM fence").fetchone() == (7, "a")


def test_what_is_missing_is_said_in_one_line(sale, tmp_path):
    words = ("sell", "3", "--how", "fenced")
    refused(SHOP, sale, *words, said="tenure exec -- shop.py")
    refused(SHOP, tmp_path / "new.db", *words, said="open STOCK")
    refused(SHOP, sale, "open", "10", said="was opened before")


def try_all(**environment):
    return subprocess.run(
        [str(EXAMPLES / "flash-sale/try.sh")],
        capture_output=True, text=True, timeout=120, check=False,
        env={"PATH": "/usr/bin:/bin", **environment},
    )


def test_the_page_s_trial_has_the_page_s_numbers(dev, tmp_path):
    done = try_all(
        TENURE=str(BINARY), KUBECONFIG=str(dev.kubeconfig), TMPDIR=str(tmp_path),
        TENURE_ABSENT_LEASE="take",
    )
    assert done.returncode == 0, done.stderr
    left = [line for line in done.stdout.splitlines() if "leaves" in line]
    assert left[1:] == ["conditional leaves 4", "fenced leaves 4"]
    # 7 unless the machine let one pod end before the other began.
    assert left[0] in ("read-then-write leaves 7", "read-then-write leaves 4")


def test_the_trial_fails_aloud_without_tenure(tmp_path):
    for wrong, code, said in (
        (tmp_path / "none", 64, "expected tenure on the PATH"),
        ("false", 1, "a pod of fenced failed"),
    ):
        done = try_all(TENURE=str(wrong), TMPDIR=str(tmp_path))
        assert done.returncode == code
        assert said in done.stderr and "fenced leaves" not in done.stdout
    assert os.listdir(tmp_path) == []
