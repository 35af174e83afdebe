"""examples/readers: no language writes without a clear and present yes."""

import signal
import time

import false_sidecar as says
import pytest
from false_sidecar import FalseSidecar
from fenced_store import FencedStore
from reader_programs import LANGUAGES, Writer, built, over_tcp
from waiting import eventually

RENEW_DEADLINE = 2.0  # of the fast preset: no claim is longer


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


@pytest.fixture
def command(language, tmp_path_factory, worker_id):
    base = tmp_path_factory.getbasetemp()
    return built(language, base if worker_id == "master" else base.parent)


@pytest.fixture
def store(started):
    made = FencedStore()
    started.append(made)
    return made


@pytest.fixture
def false(language, tmp_path, started):
    made = FalseSidecar(tmp_path, over_tcp(language))
    started.append(made)
    return made


@pytest.fixture
def writer(command, tmp_path, store, started):
    """Starts one: writer(address of a sidecar)."""

    def start(address, *mode):
        made = Writer(command, tmp_path, address, store.address, *mode)
        started.append(made)
        return made

    return start


@pytest.fixture
def holder(sidecar):
    """A sidecar that holds."""
    made = sidecar("holder", "--absent-lease", "take")
    made.wait("held")
    return made


def tcp(holder):
    host, port = holder.tcp_address()
    return f"{host}:{port}"


def address(language, holder):
    return tcp(holder) if over_tcp(language) else holder.status_socket


def asks_until(writer, start):
    return eventually(lambda: (said := writer.say("ask")).startswith(start) and said)


def test_writes_with_the_generation_and_is_refused_once_that_is_stale(
    language, writer, store, holder
):
    one = writer(address(language, holder))
    assert one.say("write early").startswith("not written")
    generation = int(writes_until(one, "first", "wrote").split()[1])
    assert set(store.accepted) == {(generation, "first")}
    assert generation <= int(holder.wait("held")["generation"])
    store.raise_to(generation + 1000)
    writes_until(one, "second", "stale")
    assert {value for _, value in store.accepted} == {"first"}
    asks_until(writer(tcp(holder)), "held")  # each of them knows TCP


def test_a_frozen_sidecar_ends_in_no_write(language, writer, store, holder):
    one = writer(address(language, holder))
    writes_until(one, "before", "wrote")
    holder.signal(signal.SIGSTOP)
    frozen = time.monotonic()
    # Until the end of the claim it had, it may write; not from then on.
    time.sleep(max(0.0, frozen + RENEW_DEADLINE - time.monotonic()))
    assert one.say("write after") == "not written: past the time it was told"
    assert one.say("ask") == "not held: no answer within a second"
    assert one.say("write after").startswith("not written")
    assert {value for _, value in store.accepted} == {"before"}
    holder.signal(signal.SIGCONT)
    writes_until(one, "again", "wrote")
    holder.kill()
    assert one.say("ask").startswith("not held")
    assert one.say("write killed").startswith("not written")


def writes_until(writer, value, start):
    """Asks before each try: on a busy machine a claim may end in between."""

    def attempt():
        writer.say("ask")
        return (said := writer.say(f"write {value}")).startswith(start) and said

    return eventually(attempt)


def refuses(writer, store, false, act, why=""):
    """With `act`, after a claim that was good for an hour; and says why."""
    false.act = says.whole(says.held())
    asks_until(writer, "held 42")
    before = len(store.accepted)
    assert writer.say("write good") == "wrote 42"
    assert len(store.accepted) == before + 1
    false.act = act
    asked = false.asked

    def refused():
        said = [writer.say("ask"), writer.say("write bad")]
        assert said[0].startswith("not held"), (act, said)
        assert said[1].startswith("not written"), (act, said)
        # A busy machine may be the first reason.
        return false.asked > asked and said[0].endswith(why)

    eventually(refused)
    assert len(store.accepted) == before + 1


def test_every_answer_but_a_clear_yes_ends_in_no_write(writer, store, false):
    one = writer(false.address)
    standby = says.answer(409, says.document("standby"))
    refuses(one, store, false, says.whole(standby), "standby")
    uncertain = says.answer(503, says.document("uncertain"))
    refuses(one, store, false, says.whole(uncertain), "uncertain")
    for status in (204, 301, 400, 404, 500):
        odd = says.answer(status, says.document("held"))
        refuses(one, store, false, says.whole(odd))
    for reply in says.NOTHING_CLEAR:
        refuses(one, store, false, says.whole(reply))
    refuses(one, store, false, says.endless)


def test_silence_drips_and_a_refused_connection_end_in_no_write(writer, store, false):
    one = writer(false.address)
    for act in (says.silent, says.dripping):
        refuses(one, store, false, act, "no answer within a second")
    false.act = says.whole(says.held())
    asks_until(one, "held 42")
    false.close()
    assert one.say("ask").startswith("not held")
    assert one.say("write refused").startswith("not written")
    assert {value for _, value in store.accepted} == {"good"}


def test_time_is_counted_from_before_asking_and_then_ends(writer, store, false):
    one = writer(false.address)
    # Answered in time, but with less left than the answer took.
    slow = says.late(0.6, says.held(left=500))
    refuses(one, store, false, slow, "past the time it was told")
    false.act = says.whole(says.held(left=1000))
    asks_until(one, "held")
    time.sleep(1.0)
    assert one.say("write late") == "not written: past the time it was told"
    assert {value for _, value in store.accepted} == {"good"}


def test_an_event_is_only_a_cue_to_ask(writer, false):
    one = writer(false.address, "watch")
    one.hear_until("held 42")
    eventually(false.streams)
    # The claim is good for an hour: it is the event that makes it ask. What the
    # event says itself, a generation of 99, is not believed.
    false.act = says.whole(says.answer(409, says.document("standby")))
    false.feed()
    one.hear_until("not held: standby")
    false.act = says.whole(says.held("43"))
    eventually(false.streams)
    false.feed()
    one.hear_until("held 43")
    assert "held 99" not in one.heard


def test_the_end_of_the_stream_is_a_cue_and_it_is_opened_again(writer, false):
    one = writer(false.address, "watch")
    one.hear_until("held 42")
    eventually(false.streams)
    false.close()
    one.hear_until("not held")
    false.act = says.whole(says.held("43"))
    false.open()
    one.hear_until("held 43")


def test_loss_is_noticed_without_an_event(language, writer, holder):
    one = writer(address(language, holder), "watch")
    first = int(one.hear_until("held").split()[1])
    holder.signal(signal.SIGSTOP)
    one.hear_until("not held")
    holder.signal(signal.SIGCONT)
    assert int(one.hear_until("held").split()[1]) >= first
    holder.kill()
    one.hear_until("not held")
