"""The HTTP server of `bench`: the page and its four questions, for a browser on this machine.

It listens on 127.0.0.1 alone. Every address begins with a random token, the files come from a table
in memory, and no header lets another origin read an answer. docs/SECURITY.md lists the bounds.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, Dict, NamedTuple, Optional, Set

from .asked import LONGEST, Asked, Superseded

_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "wasm": "application/wasm",
}
_BYTES = "application/octet-stream"


class _Question(NamedTuple):
    method: str
    limit: int  # most bytes of the question's body
    type: str  # media type of the answer


#: The questions below `ask/`. A text of the page has at most 65,536 UTF-16 units, of at most 3
#: bytes each.
_QUESTIONS = {
    "info.json": _Question("GET", 0, _TYPES["json"]),
    "pieces": _Question("GET", 0, _BYTES),
    "encode": _Question("POST", 3 * 65536, _BYTES),
    "logits": _Question("POST", 4 * LONGEST, _BYTES),
}
#: A connection is closed after this many seconds without a byte from the client.
_PATIENCE = 30


class _Refused(Exception):
    def __init__(self, status: int, sentence: str) -> None:
        self.status, self.sentence = status, sentence
        super().__init__(sentence)


class _Answer(NamedTuple):
    body: bytes
    type: str
    status: int = 200
    keep: str = "no-store"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE
    server: "Server"
    server_version, sys_version = "logitscope", ""

    def _handle(self) -> None:
        try:
            answer = self._find()
        except _Refused as refused:
            self.close_connection = True  # the body of the request may be unread
            text = refused.sentence + "\n"
            answer = _Answer(text.encode(), _TYPES["txt"], refused.status)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Cache-Control", answer.keep)
        if answer.status == 200:  # else a notebook could not tell a refusal from no server
            self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    # All methods come here, so that every refusal has our own answer.
    do_GET = do_POST = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = _handle

    def _find(self) -> _Answer:
        self._check_host()
        start, _, path = self.path.partition("?")[0].lstrip("/").partition("/")
        if not hmac.compare_digest(start.encode("utf-8", "replace"), self.server.token.encode()):
            raise _Refused(404, "not found")
        folder, _, name = path.partition("/")
        question = _QUESTIONS.get(name) if folder == "ask" else None
        self._check_origin(question is not None)
        if question is not None:
            self._check_method(question.method)
            return self._ask(name.partition(".")[0], question)
        self._check_method("GET")
        body = self.server.files.get(path or "index.html")
        if body is None:
            raise _Refused(404, "not found")
        kind = _TYPES.get((path or "index.html").rpartition(".")[2], _BYTES)
        return _Answer(body, kind, keep="private, max-age=3600")

    def _one(self, name: str) -> Optional[str]:
        values = self.headers.get_all(name) or []
        if len(values) > 1:
            raise _Refused(400, f"one header {name} at most")
        return values[0] if values else None

    def _check_host(self) -> None:
        """Refuses another name of this machine in the header Host: after a changed DNS entry,
        another website could use that name."""
        if self._one("Host") not in self.server.hosts:
            raise _Refused(403, "the header Host must name this server")

    def _check_origin(self, asks: bool) -> None:
        """Refuses questions from other websites. They may show the page in a frame, but not read
        answers."""
        origin, site = self._one("Origin"), self._one("Sec-Fetch-Site")
        if origin is not None and origin != f"http://{self._one('Host')}":
            raise _Refused(403, "another origin")
        shown = not asks and self._one("Sec-Fetch-Mode") == "navigate"
        if site not in (None, "same-origin", "none") and not shown:
            raise _Refused(403, "another site")

    def _check_method(self, method: str) -> None:
        if self.command != method:
            raise _Refused(405, f"only {method}")

    def _ask(self, what: str, question: _Question) -> _Answer:
        body = self._read_body(question.limit) if question.method == "POST" else b""
        source = self.server.source
        try:
            result = source.answer(what, body)
        except Superseded:
            fault = {"code": "superseded", "key": "superseded", "values": {}}
        except Exception as error:
            fault = {"code": "asked", "message": source.tell(error)}
        else:
            if isinstance(result, dict):
                result = json.dumps(result, allow_nan=False).encode()
            return _Answer(result, question.type)
        return _Answer(json.dumps(fault).encode(), _TYPES["json"], 400)

    def _read_body(self, limit: int) -> bytes:
        length = self._one("Content-Length")
        if length is None or self._one("Transfer-Encoding") is not None:
            raise _Refused(411, "a Content-Length is needed")
        length = length.strip(" \t")
        if not (length.isascii() and length.isdigit() and len(length) < 20):
            raise _Refused(400, "Content-Length must be a number")
        if int(length) > limit:
            raise _Refused(413, f"at most {limit} bytes")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise _Refused(400, "the body ended early")
        return body

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing, because the terminal shows the learner's own output."""


class Server(ThreadingHTTPServer):
    """Serves the answers about a model and the files of the page, until `close`."""

    allow_reuse_address = False
    daemon_threads = True

    def __init__(self, source: Asked, files: Dict[str, bytes]) -> None:
        self.source, self.files = source, files
        self._connections: Set[socket.socket] = set()
        #: 256 random bits, in characters that an address can have as they are.
        self.token = secrets.token_urlsafe(32)
        super().__init__(("127.0.0.1", 0), _Handler)
        port = self.server_address[1]
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.url = f"http://127.0.0.1:{port}/{self.token}/"
        self._thread = threading.Thread(target=self.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    def server_bind(self) -> None:
        TCPServer.server_bind(self)  # that of HTTPServer looks up the host's name, which is slow

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores errors of a client that has closed its connection."""

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def close(self) -> None:
        """Stops listening and ends every connection; a browser keeps some of them open."""
        self.shutdown()
        self.server_close()
        for connection in list(self._connections):
            with contextlib.suppress(OSError):  # its thread may have closed it
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()
