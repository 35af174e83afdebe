"""What Redis' own locks do where a fence would refuse."""

import store_server

store_server.need("redis", ["redis-server", "faketime"], ["redis"])

import glob  # noqa: E402

import own_lock  # noqa: E402
import pytest  # noqa: E402
import redis_locks  # noqa: E402
from redis_server import RedisServer  # noqa: E402
from waiting import eventually  # noqa: E402

FAKETIME = "/usr/lib/*/faketime/libfaketime.so.1"


def own_clock(folder):
    """The environment of a server whose clock is off by what is in a file."""
    (library,) = glob.glob(FAKETIME)
    (folder / "clock").write_text("+0\n")
    return {
        # libc's malloc comes before jemalloc's, which asks for the time before
        # libfaketime can tell it.
        "LD_PRELOAD": f"{library} libc.so.6",
        "FAKETIME_TIMESTAMP_FILE": str(folder / "clock"),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


@pytest.fixture
def servers(tmp_path, started):
    """Starts independent ones: servers(5)."""

    def start(count, environment=lambda folder: {}):
        made = []
        for n in range(count):
            folder = tmp_path / f"redis{n}"
            folder.mkdir()
            server = RedisServer(folder, f"redis{n}", environment(folder))
            started.append(server)
            made.append(server)
        return made

    return start


def test_a_paused_holder_of_set_nx_ex_writes_over_its_successor(servers):
    (server,) = servers(1)
    own_lock.check("redis", redis_locks.SetNxEx, server.url)


def test_a_paused_holder_of_redlock_writes_over_its_successor(servers):
    urls = ",".join(server.url for server in servers(5))
    own_lock.check("redis", redis_locks.Redlock, urls)


def test_a_release_that_does_not_compare_deletes_the_lock_of_another(servers):
    (server,) = servers(1)
    late = redis_locks.DeletesUnseen(server.url, "lock", 0.2)
    next_one = redis_locks.SetNxEx(server.url, "lock", 60)
    third = redis_locks.SetNxEx(server.url, "lock", 60)
    assert late.acquire(5)
    assert next_one.acquire(5)  # the first one's 0.2 s are over
    assert not third.acquire(0)
    assert late.release() == 1
    assert third.acquire(0), "the lock of the next one was still there"


def test_a_release_that_compares_leaves_the_lock_of_another(servers):
    (server,) = servers(1)
    late = redis_locks.SetNxEx(server.url, "lock", 0.2)
    next_one = redis_locks.SetNxEx(server.url, "lock", 60)
    third = redis_locks.SetNxEx(server.url, "lock", 60)
    assert late.acquire(5)
    assert next_one.acquire(5)
    assert late.release() == 0
    assert not third.acquire(0)


def test_a_clock_that_jumps_on_one_node_gives_redlock_two_holders(servers, tmp_path):
    """The first has A, B and C; D and E did not answer it. C's clock jumps
    beyond the TTL, and the second gets C, D and E: two quorums."""
    five = servers(5, own_clock)
    nowhere = "redis://127.0.0.1:1/0"
    urls = [server.url for server in five]
    one = redis_locks.Redlock(",".join(urls[:3] + [nowhere] * 2), "lock", 60)
    two = redis_locks.Redlock(",".join(urls), "lock", 60)
    assert one.acquire(5)
    assert not two.acquire(0), "two holders before any clock jumped"

    clock_of_c = redis_locks.connect(urls[2])
    before = int(clock_of_c.time()[0])
    (tmp_path / "redis2/clock").write_text("+90\n")
    eventually(lambda: int(clock_of_c.time()[0]) > before + 60)

    assert two.acquire(5)
    assert one.valid() and two.valid(), "both believe they hold it"
    two.write("second")
    one.write("stale")
    assert two.read("any") == "stale"
