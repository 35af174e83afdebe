"""What no client should send, to every socket. The sidecar goes on renewing and
answering, and neither its descriptors nor its memory grow."""

import random
import resource
import socket
import time

import pytest
from http_socket import Connection, ask, connect
from waiting import eventually

SEED = 20261129
SURFACES = ("status", "control", "tcp", "probe")


def address_of(one, surface):
    return {
        "status": one.status_socket,
        "control": one.control_socket,
        "tcp": one.tcp_address(),
        "probe": one.probe_address(),
    }[surface]


def path_of(surface):
    return "/livez" if surface == "probe" else "/v1/generation"


@pytest.fixture
def one(sidecar):
    made = sidecar("one", "--absent-lease", "take")
    made.wait("held")
    return made


@pytest.fixture(autouse=True)
def goes_on_as_before(one):
    """After whatever a test sent: same term, and nothing is kept."""
    generation = one.generation()
    files = one.process.open_files()
    yield
    assert one.generation() == generation
    # Idle waits end what a test left open.
    eventually(lambda: one.process.open_files() <= files + 2, 90, "files closed")
    for surface in SURFACES:
        assert ask(address_of(one, surface), "GET", path_of(surface)).status == 200


def send_and_read(address, data, wait=2.0):
    """What comes back until the other side closes or `wait` is over."""
    answer = b""
    with connect(address, wait) as made:
        try:
            made.sendall(data)
            made.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it hung up before we were done
        try:
            while part := made.recv(65536):
                answer += part
        except (TimeoutError, ConnectionError):
            pass
    return answer


@pytest.mark.parametrize("surface", SURFACES)
def test_random_bytes(one, surface):
    rng = random.Random(SEED)
    for _ in range(100):
        data = rng.randbytes(rng.randrange(1, 3000))
        answer = send_and_read(address_of(one, surface), data)
        assert b" 200 " not in answer.split(b"\r\n")[0], data


@pytest.mark.parametrize("surface", SURFACES)
def test_a_request_with_one_byte_changed(one, surface):
    rng = random.Random(SEED)
    good = f"GET {path_of(surface)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    for _ in range(200):
        data = bytearray(good)
        data[rng.randrange(len(data))] = rng.randrange(256)
        answer = send_and_read(address_of(one, surface), bytes(data), 0.5)
        assert answer == b"" or answer.startswith(b"HTTP/1."), bytes(data)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize(
    "head",
    [
        "X: " + "a" * 20_000,
        "\r\n".join(f"X-{i}: y" for i in range(5_000)),
        "Host: localhost\r\nHost: localhost",
        "Host: localhost\r\nContent-Length: 99999999999999999999",
        "Host: localhost\r\nContent-Length: -1",
        "Host: localhost\r\nContent-Length: 5\r\nContent-Length: 6",
        "Host: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 3",
        "Host: localhost\r\n folded: yes",
        "Host: localhost\r\nno colon here",
        "Host: localhost\r\nX: \x00\x01",
    ],
    ids=["long", "many", "twohosts", "hugelength", "minus", "twolengths",
         "smuggle", "folded", "nocolon", "control"],
)
def test_a_header_out_of_bounds_is_refused(one, surface, head):
    data = f"POST {path_of(surface)} HTTP/1.1\r\n{head}\r\n\r\n".encode("latin-1")
    answer = send_and_read(address_of(one, surface), data)
    assert answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5", b"HTTP/1.0 4")) or not answer


@pytest.mark.parametrize("surface", SURFACES)
def test_a_body_out_of_bounds_is_refused(one, surface):
    path = "/v1/work" if surface == "control" else path_of(surface)
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
    answer = send_and_read(address_of(one, surface), head.encode() + b"x" * 1_000_000)
    assert b" 200 " not in answer.split(b"\r\n")[0]


@pytest.mark.parametrize("surface", SURFACES)
def test_half_a_request_and_silence_is_given_up(one, surface):
    with connect(address_of(one, surface), 40) as made:
        made.sendall(b"GET /v1/generation HTTP/1.1\r\nHost: loc")
        began = time.monotonic()
        answer = b""
        try:
            while part := made.recv(4096):
                answer += part
        except ConnectionError:
            pass
        assert time.monotonic() - began < 30
        assert b" 200 " not in answer


def test_slow_clients_hold_up_nobody(one):
    slow = [connect(one.status_socket) for _ in range(60)]
    try:
        for index in range(40):
            for made in slow:
                try:
                    made.sendall(b"GET /v1/status HTTP/1.1\r\nHost: l"[index:index + 1])
                except OSError:
                    pass
            # The wait is bounded by `get`: five seconds, on a busy machine.
            assert one.get("/v1/generation").status == 200
    finally:
        for made in slow:
            made.close()


def test_readers_that_never_read_are_dropped(one):
    stuck = [connect(one.status_socket) for _ in range(20)]
    try:
        for made in stuck:
            made.setblocking(False)
            try:
                for _ in range(2000):
                    made.send(b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n")
            except OSError:
                pass
        assert one.get("/v1/generation").status == 200
    finally:
        for made in stuck:
            made.close()


def test_event_streams_nobody_reads(one):
    streams = []
    try:
        for _ in range(40):  # more than the server keeps
            made = connect(one.status_socket)
            made.sendall(b"GET /v1/watch HTTP/1.1\r\nHost: localhost\r\n\r\n")
            streams.append(made)
        time.sleep(1.5)  # a few events each
        assert one.get("/v1/generation").status == 200
    finally:
        for made in streams:
            made.close()


@pytest.mark.parametrize("surface", SURFACES)
def test_10000_connections(one, surface):
    address = address_of(one, surface)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = min(before[1], 20_000)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, before[1]))
    opened = []
    try:
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        for _ in range(10_000):
            made = socket.socket(family, socket.SOCK_STREAM)
            made.setblocking(False)
            try:
                made.connect(address)
            except BlockingIOError:
                pass  # in progress, or the backlog is full
            except OSError:
                made.close()
                continue
            opened.append(made)
        # The other listeners, and the term, do not notice.
        others = [name for name in SURFACES if name != surface]
        for name in others:
            assert ask(address_of(one, name), "GET", path_of(name)).status == 200
    finally:
        for made in opened:
            made.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    eventually(
        lambda: served(address, path_of(surface)), 30, f"{surface} serves again"
    )


def served(address, path):
    try:
        return ask(address, "GET", path, timeout=2.0).status == 200
    except OSError:
        return False


@pytest.mark.parametrize("surface", ("status", "tcp"))
def test_10000_requests_on_one_connection(one, surface):
    with Connection(address_of(one, surface)) as kept:
        for _ in range(10_000):
            assert kept.ask("GET", "/v1/generation").status == 200


def test_a_browser_is_refused(one):
    address = one.tcp_address()
    for headers in (
        {"Host": "evil.example"},
        {"Host": "localhost.evil.example"},
        {"Origin": "http://localhost:7421"},
    ):
        reply = ask(address, "GET", "/v1/generation", headers)
        assert reply.status == 403, headers


def test_unknown_paths_and_methods(one):
    for path in ("/", "/v1", "/v1/", "/v1/statuses", "/../etc", "/%00", "//v1/status"):
        assert one.get(path).status == 404, path
    for method in ("DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "BREW"):
        reply = ask(one.status_socket, method, "/v1/status")
        assert reply.status in (405, 501, 400), method
