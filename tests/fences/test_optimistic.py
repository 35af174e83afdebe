"""examples/fences/optimistic: what a version check does and what it does not."""

import concurrent.futures
import sys

import store_server

store_server.need("optimistic")

import pytest  # noqa: E402
from adapter import EXAMPLES  # noqa: E402

sys.path.insert(0, str(EXAMPLES / "optimistic"))
from account import Accounts  # noqa: E402

WRITERS, DEPOSITS = 4, 25


@pytest.fixture
def accounts(tmp_path):
    """Opens connections of their own to one database."""
    made = []

    def connect():
        made.append(Accounts(tmp_path / "accounts.db"))
        return made[-1]

    connect().create("a", 100)
    yield connect
    for each in made:
        each.close()


def test_a_write_on_an_old_version_changes_no_row(accounts):
    one, two = accounts(), accounts()
    balance, version = one.read("a")
    two.add("a", -30, "two")
    assert not one.swap("a", version, balance - 50, "one")
    assert one.read("a") == (70, version + 1)


def test_who_reads_again_decides_on_what_is_there(accounts):
    one, two = accounts(), accounts()
    two.add("a", -90, "two")
    with pytest.raises(ValueError, match="has 10, 50 was wanted"):
        one.add("a", -50, "one")
    assert one.read("a")[0] == 10


def test_concurrent_writers_lose_no_update(accounts, tmp_path):
    def deposit(writer):
        own = Accounts(tmp_path / "accounts.db")
        for n in range(DEPOSITS):
            own.add("a", 1, f"{writer}-{n}")
        own.close()

    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(deposit, range(WRITERS)))
    done = WRITERS * DEPOSITS
    assert accounts().read("a") == (100 + done, 1 + done)


def test_one_operation_is_applied_once(accounts):
    one = accounts()
    one.add("a", 5, "same")
    one.add("a", 5, "same")
    assert one.read("a") == (105, 2)


def test_a_race_that_was_lost_leaves_no_mark(accounts):
    one, two = accounts(), accounts()
    _, version = one.read("a")
    two.add("a", 1, "two")
    assert not one.swap("a", version, 0, "one")
    one.add("a", 2, "one")
    assert one.read("a")[0] == 103


def test_it_is_no_fence_a_replaced_holder_that_reads_again_gets_through(accounts):
    """Why a task that only the holder may do needs a token as well."""
    replaced, holder = accounts(), accounts()
    _, version = replaced.read("a")
    holder.add("a", 1, "holder")
    assert not replaced.swap("a", version, 0, "stale")
    replaced.add("a", -1, "stale, after reading again")
    assert replaced.read("a")[0] == 100
