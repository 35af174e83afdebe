"""examples/shards: accounts spread over pre-named leases."""

import os
import re
import subprocess
import sys

import pytest
from pod import EXAMPLES, FAST, NOT_OBTAINED, Gate, call, program, refused
from process import BINARY, Process, run
from waiting import eventually

PAYMENTS = program("shards", "payments.py")
USAGE = 64
# Of two shards.
ANNA, BERT = "account-0", "account-1"


def lease_of(account):
    return call(*PAYMENTS, "leases", account).strip()


@pytest.fixture
def bank(tmp_path):
    path = tmp_path / "bank.db"
    call(*PAYMENTS, "open", path, f"{ANNA}=100", f"{BERT}=100")
    return path


def balances(bank):
    rows = call(*PAYMENTS, "balances", bank).splitlines()
    return [int(row.split()[1]) for row in rows]


@pytest.fixture
def transfer(tmp_path, started, dev, bank):
    count = iter(range(100))

    def start(source, target, amount, *flags, between="true"):
        name = f"transfer{next(count)}"
        given = ["--absent-lease", "take", "--kubeconfig", str(dev.kubeconfig)]
        made = Process(
            tmp_path, name, [str(bank), source, target, str(amount), *given, *flags],
            {"TENURE": str(BINARY), "TMPDIR": str(tmp_path), "BETWEEN": between},
            program=EXAMPLES / "shards/transfer.sh",
        )
        started.append(made)
        return made

    return start


def test_a_colon_is_refused_with_a_name_that_works(tmp_path):
    for verb in (["run"], ["exec", "--direct"], ["exec"]):
        more = ["--", "true"] if verb[0] == "exec" else []
        done = run(*verb, "--lease", "process_payments:US", *more, folder=tmp_path)
        assert done.returncode != 0
        assert 'use "process-payments-us"' in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_every_account_has_one_lease_and_every_lease_is_named_before():
    names = call(*PAYMENTS, "leases").strip().split(",")
    keys = [f"account-{number}" for number in range(1000)]
    assert call(*PAYMENTS, "leases", *keys).strip().split(",") == names
    assert len(names) == 16
    # The same for ever, or two versions of the program exclude nobody.
    assert [lease_of(ANNA), lease_of(BERT)] == ["payments-01", "payments-14"]


def test_transfers_in_both_directions_do_not_block_each_other(transfer, bank):
    both = [(ANNA, BERT), (BERT, ANNA)] * 3
    moves = [transfer(*pair, 10 + i) for i, pair in enumerate(both)]
    assert [move.wait(120) for move in moves] == [0] * 6, [m.stderr for m in moves]
    assert balances(bank) == [100 + 3, 100 - 3]


def test_two_accounts_of_one_shard_need_one_lease(bank):
    other = next(
        f"account-{number}" for number in range(1, 1000)
        if lease_of(f"account-{number}") == lease_of(ANNA)
    )
    assert call(*PAYMENTS, "leases", other, ANNA).strip() == lease_of(ANNA)


def test_nothing_moves_while_one_of_the_two_is_held_elsewhere(transfer, bank, pod):
    late = max(lease_of(ANNA), lease_of(BERT))
    other = pod(["--lease", late], "sh", "-c", "echo on; sleep 60")
    eventually(lambda: other.stdout)
    assert transfer(ANNA, BERT, 10, "--timeout", "3s").wait() == NOT_OBTAINED
    assert balances(bank) == [100, 100]


def test_a_transfer_refused_for_one_of_its_leases_moves_nothing(bank, pod, tmp_path):
    """Each with its own generation: the other one is still the highest."""
    gate = Gate(tmp_path)
    leases = call(*PAYMENTS, "leases", ANNA, BERT).strip()
    words = [*PAYMENTS, "transfer", bank, ANNA, BERT, "10", "--between", gate.command]
    paused = pod(["--lease", leases, *FAST], *words)
    gate.wait()
    paused.freeze()
    mine = lease_of(ANNA)
    work = [*PAYMENTS, "work", bank, ANNA, "1", "--lease", mine]
    assert pod(["--lease", mine, *FAST], *work).wait() == 0
    gate.open()
    paused.thaw_command_only()
    eventually(lambda: "refused" in paused.stderr)
    paused.thaw()
    assert paused.wait() != 0
    assert balances(bank) == [101, 100]


def test_updates_per_second_are_printed_and_none_is_lost(dev, tmp_path):
    done = subprocess.run(
        [sys.executable, EXAMPLES / "shards/throughput.py", "--workers", "4"]
        + ["--updates", "40"],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "TENURE": str(BINARY), "TMPDIR": str(tmp_path),
             "KUBECONFIG": str(dev.kubeconfig), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done
    print(done.stdout)
    rows = re.findall(r"(\d+) leases +(\d+) updates/s", done.stdout)
    assert [int(leases) for leases, _ in rows] == [1, 2, 4]
    assert all(int(rate) > 0 for _, rate in rows)


def test_what_is_missing_is_said_in_one_line(bank, tmp_path):
    words = (ANNA, BERT, "10")
    refused(PAYMENTS, "transfer", bank, *words, said="tenure exec --lease payments-")
    refused(PAYMENTS, "transfer", tmp_path / "new.db", *words, said="ACCOUNT=AMOUNT")
    refused(PAYMENTS, "open", bank, "anna=1", said="was opened before")
