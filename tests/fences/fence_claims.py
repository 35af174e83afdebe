"""What every fence claims, whatever the store. A test module subclasses
FenceClaims and RestoreClaims and has a fixture `store`."""

import concurrent.futures
import json
import signal
import subprocess
import time

import own_lock
import process
import pytest
from dev_server import DevServer
from sidecar import Sidecar
from waiting import eventually

BAD_REQUESTS = {
    "not JSON": "{",
    "not an object": "[]",
    "an unknown op": '{"op":"drop","resource":"r"}',
    "no resource": '{"op":"read"}',
    "a resource with a space": '{"op":"read","resource":"a b"}',
    "a token that is a number":
        '{"op":"raise","resource":"r","token":7,"holder":"a"}',
    "a token above every generation":
        '{"op":"raise","resource":"r","token":"9007199254740992","holder":"a"}',
    "a token of zero": '{"op":"raise","resource":"r","token":"0","holder":"a"}',
    "a write without an id":
        '{"op":"write","resource":"r","token":"1","holder":"a","value":"v"}',
}
WRITERS, WRITES = 4, 25


def accepted(token):
    return {"result": "accepted", "token": str(token)}


def refused(token):
    return {"result": "refused", "token": str(token)}


class FenceClaims:
    def test_the_current_token_is_accepted_and_its_data_is_there(self, adapter):
        one = adapter("one")
        assert one.write(7, "a", "first") == accepted(7)
        assert one.read() == {
            "token": "7", "holder": "one", "value": "first", "writes": 1,
        }

    def test_an_equal_token_of_the_same_holder_is_accepted_again(self, adapter):
        one, same = adapter("one"), adapter("one")
        assert one.write(7, "a", "first") == accepted(7)
        assert same.write(7, "b", "second") == accepted(7)
        assert one.read()["value"] == "second"

    def test_an_equal_token_of_another_holder_is_refused(self, adapter):
        one, other = adapter("one"), adapter("One")
        assert one.write(7, "a", "first") == accepted(7)
        assert other.write(7, "b", "second") == refused(7)
        assert other.raise_token(7) == refused(7)
        assert one.read()["value"] == "first"

    def test_a_lower_token_is_refused_and_changes_nothing(self, adapter):
        one, two = adapter("one"), adapter("two")
        assert two.write(8, "a", "second") == accepted(8)
        before = one.read()
        assert one.write(7, "b", "stale") == refused(8)
        assert one.raise_token(7) == refused(8)
        assert one.read() == before

    def test_tokens_compare_as_numbers_up_to_the_highest(self, adapter):
        one = adapter("one")
        for token in (9, 10, 2**53 - 2, 2**53 - 1):
            assert one.write(token, f"id-{token}") == accepted(token)
        assert one.write(2**53 - 2, "late") == refused(2**53 - 1)

    def test_the_old_holder_is_refused_after_a_raise_before_any_write(
        self, adapter
    ):
        one, two = adapter("one"), adapter("two")
        assert one.write(7, "a", "first") == accepted(7)
        assert two.raise_token(8) == accepted(8)
        assert one.write(7, "b", "stale") == refused(8)
        assert two.read() == {
            "token": "8", "holder": "two", "value": "first", "writes": 1,
        }

    def test_a_raise_may_be_repeated(self, adapter):
        one = adapter("one")
        assert one.raise_token(7) == accepted(7)
        assert one.raise_token(7) == accepted(7)
        assert one.write(7, "a") == accepted(7)

    def test_before_the_raise_the_old_holder_still_writes(self, adapter):
        """The window that no fence closes: the store has not heard of 8."""
        one, two = adapter("one"), adapter("two")
        assert two.read()["token"] == "0"
        assert one.write(7, "a", "old, and accepted") == accepted(7)
        assert two.raise_token(8) == accepted(8)
        assert two.read()["value"] == "old, and accepted"

    def test_one_operation_is_applied_once(self, adapter):
        one, two = adapter("one"), adapter("two")
        assert one.write(7, "a", "first") == accepted(7)
        assert one.write(7, "a", "first") == accepted(7)
        assert one.read()["writes"] == 1
        # It did happen; who asks later still is told so.
        assert two.raise_token(8) == accepted(8)
        assert one.write(7, "a", "first") == accepted(8)
        assert one.read()["writes"] == 1

    def test_a_refused_operation_leaves_no_mark(self, adapter):
        one, two = adapter("one"), adapter("two")
        assert two.raise_token(8) == accepted(8)
        assert one.write(7, "a", "stale") == refused(8)
        assert one.write(9, "a", "again the holder") == accepted(9)
        assert one.read()["writes"] == 1

    @pytest.mark.parametrize("wait", [0, 0.001, 0.003, 0.01])
    def test_a_retry_after_an_unknown_outcome_is_applied_once(
        self, adapter, wait
    ):
        """Wherever the first client was when it died."""
        one = adapter("one")
        assert one.raise_token(7) == accepted(7)
        one.send_write(7, "a", "first")
        time.sleep(wait)
        one.kill()
        again = adapter("one")
        assert again.write(7, "a", "first") == accepted(7)
        state = again.read()
        assert (state["writes"], state["value"]) == (1, "first")

    def test_a_writer_paused_before_its_write_is_refused(self, adapter, store):
        """The pause that no lease can see: after the check, before the write."""
        one, two = adapter("one"), adapter("two")
        for trial in range(1, own_lock.TRIALS + 1):
            old, new = 2 * trial, 2 * trial + 1
            assert one.write(old, f"{trial}-a", "first") == accepted(old)
            one.pause()
            one.send_write(old, f"{trial}-b", "stale")
            assert two.raise_token(new) == accepted(new)
            assert two.write(new, f"{trial}-c", "second") == accepted(new)
            one.resume()
            assert one.answer() == refused(new)
            assert two.read()["value"] == "second"
        own_lock.keep_fence(store.name, own_lock.TRIALS)

    def test_without_the_fence_the_same_write_lands(self, adapter):
        one, two = adapter("one"), adapter("two")
        assert two.write(8, "a", "second") == accepted(8)
        assert one.write(7, "b", "stale", fenced=False)["result"] == "accepted"
        state = two.read()
        assert (state["value"], state["token"], state["holder"]) == (
            "stale", "8", "two",
        )

    def test_concurrent_writers_lose_nothing_and_never_go_back(self, adapter):
        writers = [adapter(f"w{n}") for n in range(WRITERS)]

        def work(index):
            log = []
            for n in range(WRITES):
                # Each holder comes back now and then, with a higher token.
                token = 1 + index + WRITERS * (n // 5)
                sent = time.monotonic()
                answer = writers[index].write(token, f"{index}-{n}", f"{token}")
                log.append((sent, time.monotonic(), token, answer))
                state = writers[index].read()
                # Each value is the token it came with: one step, or they part.
                assert state["value"] == state["token"], state
            return log

        with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
            log = [row for rows in pool.map(work, range(WRITERS)) for row in rows]
        kept = [row for row in log if row[3]["result"] == "accepted"]
        assert {row[3]["result"] for row in log} <= {"accepted", "refused"}
        state = writers[0].read()
        assert state["writes"] == len(kept)
        assert int(state["token"]) == max(token for _, _, token, _ in kept)
        assert state["value"] == state["token"]
        for sent, _, token, _ in kept:
            known = [t for _, received, t, _ in kept if received < sent]
            assert token >= max(known, default=0), "a write went behind the fence"

    @pytest.mark.parametrize("line", BAD_REQUESTS.values(), ids=BAD_REQUESTS)
    def test_a_bad_request_is_refused_with_what_was_expected(self, adapter, line):
        one = adapter("one")
        one.send_text(line)
        answer = one.answer()
        assert answer["result"] == "error"
        assert answer["error"] and "\n" not in answer["error"]
        assert one.write(7, "a") == accepted(7)

    def test_an_unreachable_store_is_an_unknown_outcome(self, store):
        request = {"op": "read", "resource": "r"}
        done = subprocess.run(
            [str(store.program), self.unreachable(store)],
            input=json.dumps(request) + "\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        answer = json.loads(done.stdout)
        assert (answer["result"], done.returncode) == ("unknown", 0)
        assert answer["error"]

    def unreachable(self, store):
        """The store's URL with a port where nobody listens."""
        scheme, _, rest = store.url.partition("://")
        user, at, rest = rest.rpartition("@")
        _, _, path = rest.partition("/")
        return f"{scheme}://{user}{at}127.0.0.1:1/{path}"


class DrillClaims:
    """`tenure drill --store` with this store's adapter."""

    def drill(self, store, tmp_path, *more):
        return process.run(
            "drill", "--store", store.url, "--store-path", str(store.folder),
            *more, folder=tmp_path, seconds=300,
        )

    def test_the_drill_fails_without_the_fence(self, store, tmp_path):
        done = self.drill(store, tmp_path, "--unfenced")
        assert done.returncode == 1, done.stdout + done.stderr

    def test_the_drill_passes_with_it(self, store, tmp_path):
        """In the soak every drill; in CI the pause, the drill itself."""
        every = ["--all"] if own_lock.TRIALS >= 20 else []
        done = self.drill(store, tmp_path, "-o", "json", *every)
        drills = json.loads(done.stdout)["drills"]
        outcomes = {drill["name"]: drill["outcome"] for drill in drills}
        own_lock.keep(f"drills-{store.name}", outcomes)
        assert set(outcomes.values()) == {"passed"}, done.stdout + done.stderr
        assert done.returncode == 0, done.stderr
        if every:
            self.pause_again(store, tmp_path, own_lock.TRIALS)

    def pause_again(self, store, tmp_path, trials):
        """Each contends for a Lease and writes to a resource of its own."""
        with concurrent.futures.ThreadPoolExecutor(own_lock.AT_ONCE) as pool:
            runs = list(pool.map(
                lambda n: self.drill(store, tmp_path, "--lease", f"again-{n}"),
                range(trials),
            ))
        bad = [run.stdout + run.stderr for run in runs if run.returncode != 0]
        assert not bad, f"{len(bad)} of {trials}, such as {bad[0]}"
        own_lock.keep(f"pauses-{store.name}", trials)


class RestoreClaims:
    def test_a_floor_lifts_the_generation_over_an_older_snapshot(
        self, adapter, dev, tmp_path, started
    ):
        """An API server restored from a snapshot hands out lower numbers; what
        the store last accepted, reported as a floor, mends that."""

        def run(name, server):
            made = Sidecar(
                tmp_path, name,
                ["--kubeconfig", str(server.kubeconfig), "--lease", "job"]
                + ["--absent-lease", "take"],
            )
            started.append(made)
            return made

        early = run("early", dev)
        early.wait("held")
        snapshot = dev.lease("job")
        early.signal(signal.SIGTERM)
        assert early.process.wait() == 0
        for n in range(200):  # the cluster lives on: revisions go up
            snapshot_of_other = {"metadata": {"name": f"other-{n}"}, "spec": {}}
            made = dev.request("POST", self.LEASES, snapshot_of_other)
            assert made.status == 201, made
        late = run("late", dev)
        high = int(late.wait("held")["generation"])
        writer = adapter(late.status()["identity"])
        assert writer.write(high, "a", "before the restore") == accepted(high)
        late.kill()

        restored = DevServer(tmp_path, "restored")
        started.append(restored)
        for field in ("uid", "resourceVersion", "creationTimestamp"):
            snapshot["metadata"].pop(field, None)
        made = restored.request("POST", self.LEASES, snapshot)
        assert made.status == 201, made
        after = run("after", restored)
        low = int(after.wait("held")["generation"])
        assert low < high, "the restored server knew more than its snapshot"
        again = adapter(after.status()["identity"])
        assert again.write(low, "b", "refused, although held") == refused(high)

        floor = again.read()["token"]
        assert after.control("floor", floor).status == 200
        lifted = self.above(after, int(floor))
        assert again.raise_token(lifted) == accepted(lifted)
        assert again.write(lifted, "c", "after the restore") == accepted(lifted)
        assert writer.write(high, "d", "stale") == refused(lifted)

    LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"

    def above(self, sidecar, floor):
        found = []

        def higher():
            found[:] = [sidecar.generation()]
            return found[0] > floor

        eventually(higher, what="a generation above the floor")
        return found[0]
