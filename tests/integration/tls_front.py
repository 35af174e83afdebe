"""TLS and bearer tokens in front of `tenure dev`, which has neither: so that
certificates and tokens can be changed under a running sidecar."""

import json
import socket
import ssl
import threading

UNAUTHORIZED = json.dumps(
    {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": "Unauthorized",
        "reason": "Unauthorized",
        "code": 401,
    }
).encode()


class TlsFront:
    """Thread safety: the fields may be set at any time; they hold for what
    comes after."""

    def __init__(self, behind, certificate, key):
        self.tokens = set()
        self.silent = False  # accept connections and never say a word
        self.refused = 0  # requests answered 401
        self.handshakes_failed = 0
        self._behind = behind
        self.use(certificate, key)
        self._open = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def use(self, certificate, key):
        """For handshakes from now on."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._context = context

    def cut(self):
        """Ends every connection there is."""
        with self._lock:
            for one in self._open:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def stop(self):
        self._listener.close()
        self.cut()

    def _accept(self):
        while True:
            try:
                raw, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(raw,), daemon=True).start()

    def _serve(self, raw):
        with self._lock:
            self._open.add(raw)
        try:
            if self.silent:
                while raw.recv(4096):
                    pass
                return
            try:
                made = self._context.wrap_socket(raw, server_side=True)
            except (ssl.SSLError, OSError):
                self.handshakes_failed += 1
                return
            with made, socket.create_connection(self._behind) as back:
                with self._lock:
                    self._open |= {made, back}
                threading.Thread(
                    target=_copy, args=(back, made), daemon=True
                ).start()
                self._forward(made, back)
        except OSError:
            pass
        finally:
            raw.close()

    def _forward(self, made, back):
        """Requests, each looked at; answers are copied by the other thread."""
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                part = made.recv(65536)
                if not part:
                    return
                data += part
            head, _, rest = data.partition(b"\r\n\r\n")
            fields = {}
            for line in head.split(b"\r\n")[1:]:
                name, _, value = line.partition(b":")
                fields[name.strip().lower()] = value.strip()
            token = fields.get(b"authorization", b"").removeprefix(b"Bearer ")
            if token.decode() not in self.tokens:
                self.refused += 1
                made.sendall(
                    b"HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json"
                    b"\r\nConnection: close\r\nContent-Length: "
                    + str(len(UNAUTHORIZED)).encode()
                    + b"\r\n\r\n"
                    + UNAUTHORIZED
                )
                return
            length = int(fields.get(b"content-length", b"0"))
            while len(rest) < length:
                rest += made.recv(65536)
            back.sendall(head + b"\r\n\r\n" + rest[:length])
            data = rest[length:]


def _copy(source, target):
    try:
        while part := source.recv(65536):
            target.sendall(part)
    except OSError:
        pass
    for one in (source, target):
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
