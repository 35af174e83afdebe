"""A store over HTTP that is fenced: PUT with a Tenure-Generation field, refused
with 409 below the highest it has seen."""

import http.server
import threading


class FencedStore:
    def __init__(self):
        self.generation = 0
        self.accepted = []  # (generation, value)
        self._lock = threading.Lock()
        self._server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), self._request_class()
        )
        self.address = f"127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def _request_class(store):  # noqa: N805
        class Request(http.server.BaseHTTPRequestHandler):
            def do_PUT(self):  # noqa: N802
                length = int(self.headers["Content-Length"])
                value = self.rfile.read(length).decode()
                generation = int(self.headers["Tenure-Generation"])
                self.send_response(store.write(generation, value))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        return Request

    def write(self, generation, value):
        """Comparison and write are one step."""
        with self._lock:
            if generation < self.generation:
                return 409
            self.generation = generation
            self.accepted.append((generation, value))
            return 200

    def raise_to(self, generation):
        with self._lock:
            self.generation = max(self.generation, generation)

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
