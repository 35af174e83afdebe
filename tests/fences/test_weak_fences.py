"""Would the claims notice? Redis' fence, weakened in one way each time."""

import shutil

import store_server

store_server.need("redis", ["redis-server"], ["redis"])

import pytest  # noqa: E402
from adapter import EXAMPLES, Store  # noqa: E402
from fence_claims import FenceClaims  # noqa: E402
from redis_server import RedisServer  # noqa: E402

COMPARES = "if token < highest or (token == highest and ARGV[2] ~= known[2]) then"
# what is weak: (file, what stands there, what stands there then, who notices)
WEAK = {
    "nothing compared": (
        "fence.lua", COMPARES, "if false then",
        "a_lower_token_is_refused_and_changes_nothing",
    ),
    "compared as text": (
        "fence.lua", "token < highest", "ARGV[1] < (known[1] or '')",
        "tokens_compare_as_numbers_up_to_the_highest",
    ),
    "equal for anybody": (
        "fence.lua", COMPARES, "if token < highest then",
        "an_equal_token_of_another_holder_is_refused",
    ),
    "equal for nobody": (
        "fence.lua", COMPARES, "if token <= highest then",
        "an_equal_token_of_the_same_holder_is_accepted_again",
    ),
    "holders in any case": (
        "fence.lua", "ARGV[2] ~= known[2]", "ARGV[2]:lower() ~= known[2]:lower()",
        "an_equal_token_of_another_holder_is_refused",
    ),
    "a raise without effect": (
        "fence.lua", "redis.call('HSET', KEYS[1]",
        "local _ = KEYS[2] and redis.call('HSET', KEYS[1]",
        "the_old_holder_is_refused_after_a_raise_before_any_write",
    ),
    "no mark": (
        "fence.lua", "redis.call('EXISTS', KEYS[2]) == 1", "false",
        "one_operation_is_applied_once",
    ),
    "a mark before the comparison": (
        "fence.lua", COMPARES,
        f"if KEYS[2] then redis.call('SET', KEYS[2], '1') end\n{COMPARES}",
        "a_refused_operation_leaves_no_mark",
    ),
    "two steps": (
        "tenure-store-redis",
        "accepted, highest = self.fence(keys, [token, holder, value])",
        "accepted, highest = self.fence(keys[:1], [token, holder])\n"
        "            __import__('time').sleep(0.02)\n"
        "            if accepted: self.server.hset(keys[2], 'value', value); "
        "self.server.hincrby(keys[2], 'writes', 1)",
        "concurrent_writers_lose_nothing_and_never_go_back",
    ),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = RedisServer(tmp_path_factory.mktemp("redis"))
    yield started
    started.stop()


@pytest.fixture(params=WEAK.values(), ids=list(WEAK))
def weakened(request, tmp_path):
    """A copy with one weakness, and the claim that is to notice."""
    file, strong, weak, claim = request.param
    shutil.copytree(EXAMPLES / "redis", tmp_path / "redis")
    shutil.copy(EXAMPLES / "store_protocol.py", tmp_path)
    text = (tmp_path / "redis" / file).read_text()
    assert text.count(strong) == 1, f"{file} no longer has {strong!r}"
    (tmp_path / "redis" / file).write_text(text.replace(strong, weak))
    return tmp_path / "redis", getattr(FenceClaims(), f"test_{claim}")


@pytest.fixture
def store(server, weakened):
    made = Store("redis", server.url)
    made.folder = weakened[0]
    return made


def test_a_weak_fence_is_noticed(weakened, adapter):
    with pytest.raises(AssertionError):
        weakened[1](adapter)
