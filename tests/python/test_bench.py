"""Tests the Python bench, which shows the page over a model in Python: server, refusals, models."""

import contextlib
import http.client
import importlib.machinery
import io
import json
import os
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import zipfile
from unittest import mock

import numpy as np
import report

import logitscope
from logitscope import bench_page
from logitscope.asked import Asked, Superseded, Turns, ask_logits, ask_model
from logitscope.server import Server
from logitscope.vocabulary import pieces

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONG = os.environ.get("LONG") == "1"
SITE = os.environ.get("LOGITSCOPE_SITE") or os.path.join(ROOT, "build/site")
CHARACTERS = "\n abcdefghijklmnopqrstuvwxyzé"
STOI = {character: id for id, character in enumerate(CHARACTERS)}
ITOS = dict(enumerate(CHARACTERS))
V = len(CHARACTERS)
FILES = {"index.html": b"<!doctype html>", "main.js": b"//", "a.wasm": b"\0asm"}


def model(ids):
    """Logits (T, V) that depend on every id: a sum of rows of random tables."""
    tables = np.random.default_rng(5).normal(size=(8, V, V)).astype(np.float32)
    places = np.arange(len(ids)) % 8
    return np.cumsum(tables[places, ids], axis=0, dtype=np.float32)


def source(call=model, encode=STOI, decode=ITOS, **options):
    given = {
        "prompt": "a cat",
        "context_length": None,
        "name": None,
        "bos_token_id": None,
        "eos_token_id": None,
        "settings": {},
    }
    return ask_model(call, encode, decode, **{**given, **options})


def floats(data):
    return np.frombuffer(data, "<f4")


def split(data):
    """Returns the parts of an answer to `pieces`, each after its length in four bytes."""
    found, at = [], 0
    while at < len(data):
        (n,) = struct.unpack_from("<I", data, at)
        found.append(data[at + 4 : at + 4 + n])
        at += 4 + n
    return found


class Open:
    """An open server. Its requests look like those of the bench's page, unless headers differ."""

    def __init__(self, asked, files=FILES):
        self.server = Server(asked, files)
        self.port = self.server.server_address[1]
        self.home = f"/{self.server.token}/"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()

    def request(self, method, path, body=None, headers=None, host=None):
        """Returns status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with contextlib.closing(connection):
            connection.putrequest(method, path, skip_host=True)
            own = {"Host": host or f"127.0.0.1:{self.port}"}
            for name, value in {**own, **(headers or {})}.items():
                connection.putheader(name, value)
            if body is not None and "Content-Length" not in (headers or {}):
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def ask(self, what, body=None, **options):
        method = "GET" if body is None else "POST"
        return self.request(method, f"{self.home}ask/{what}", body, **options)


class Answers(unittest.TestCase):
    def test_every_question_over_a_callable_of_numpy(self):
        settings = {"temperature": 0.7}
        with Open(source(settings=settings, context_length=12, name="cats")) as door:
            status, headers, body = door.ask("info.json")
            self.assertEqual(status, 200)
            self.assertEqual(headers["Cache-Control"], "no-store")
            self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")
            self.assertEqual(
                json.loads(body),
                {
                    "name": "cats",
                    "vocab_size": V,
                    "context_length": 12,
                    "bos_token_id": None,
                    "eos_token_id": None,
                    "complete": True,
                    "prompt": "a cat",
                    "settings": settings,
                },
            )
            self.assertNotIn("Access-Control-Allow-Origin", headers)
            found = split(door.ask("pieces")[2])
            self.assertEqual(found, [character.encode() for character in CHARACTERS])
            random.seed(3)
            for _ in range(100):
                text = "".join(random.choices(CHARACTERS, k=random.randint(1, 30)))
                words = door.ask("encode", text.encode())[2]
                ids = list(struct.unpack(f"<{len(words) // 4}I", words))
                self.assertEqual(ids, [STOI[character] for character in text])
                row = door.ask("logits", words)[2]
                self.assertEqual(row, model(ids[-12:])[-1].astype("<f4").tobytes())

    def test_the_page_comes_from_a_table(self):
        with Open(source()) as door:
            for path, body in {"": b"<!doctype html>", "?source=asked": b"<!doctype html>"}.items():
                status, headers, found = door.request("GET", door.home + path)
                self.assertEqual((status, found), (200, body))
                self.assertEqual(headers["Content-Type"], "text/html; charset=utf-8")
            self.assertEqual(
                door.request("GET", f"{door.home}a.wasm")[1]["Content-Type"], "application/wasm"
            )
            for path in ("nope.js", "../" + door.home, "..%2fmain.js", "/main.js", "ask/", "ask"):
                self.assertEqual(door.request("GET", door.home + path)[0], 404, path)

    def test_exceptions_of_the_model_are_told_once(self):
        def bad(ids):
            if ids[-1] == STOI["x"]:
                raise IndexError("index 27 is\nout of range" + "!" * 600)
            return np.full(V + (ids[-1] == STOI["y"]), np.nan if ids[-1] == STOI["z"] else 0.5)

        printed = io.StringIO()
        told = {}
        with Open(source(bad)) as door, contextlib.redirect_stderr(printed):
            for letter in "xxyz":
                status, _, body = door.ask("logits", struct.pack("<I", STOI[letter]))
                self.assertEqual(status, 400)
                told[letter] = json.loads(body)
            self.assertEqual(door.ask("logits", struct.pack("<I", V))[0], 400)
            self.assertEqual(door.ask("logits", b"123")[0], 400)
            unknown = json.loads(door.ask("encode", "a b!".encode())[2])
        self.assertEqual(told["x"]["code"], "asked")
        self.assertEqual(len(told["x"]["message"]), 500)
        self.assertTrue(told["x"]["message"].startswith("IndexError: index 27 is out of range!"))
        sentence = f"the model gave {V + 1} logits, and {V} for its first text"
        self.assertEqual(told["y"]["message"], sentence)
        sentence = "the logit of token 0 must be finite or -Infinity, got NaN"
        self.assertEqual(told["z"]["message"], sentence)
        sentence = '"!" at 3 is not in stoi, the characters of the model'
        self.assertEqual(unknown["message"], sentence)
        self.assertEqual(printed.getvalue().count("Traceback"), 1)
        self.assertIn("in bad", printed.getvalue())
        self.assertNotIn("asked.py", printed.getvalue())

    def test_the_newest_waiting_question_wins(self):
        turns, began, end = Turns(), threading.Event(), threading.Event()
        done = []

        def ask(name, supersedes=True):
            def question():
                began.set()
                end.wait(20)
                return name

            try:
                done.append(turns.run(question, supersedes))
            except Superseded:
                done.append(f"not {name}")

        def start(*given):
            before = turns._newest, len(turns._changed._waiters)
            thread = threading.Thread(target=ask, args=given)
            thread.start()
            return thread, before

        first, _ = start("first")
        began.wait(20)
        second, _ = start("second")
        while not turns._changed._waiters:
            pass
        kept, _ = start("kept", False)
        while len(turns._changed._waiters) < 2:
            pass
        third, _ = start("third")
        second.join(20)
        self.assertEqual(done, ["not second"])
        end.set()
        for thread in (first, kept, third):
            thread.join(20)
        self.assertEqual(sorted(done[1:]), ["first", "kept", "third"])


class Door(unittest.TestCase):
    def test_refusals(self):
        home = "127.0.0.1"
        with Open(source()) as door:
            own = f"http://{home}:{door.port}"
            good = {"Origin": own, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}
            one = struct.pack("<I", 2)
            self.assertEqual(door.ask("logits", one, headers=good)[0], 200)
            local = f"localhost:{door.port}"
            headers = {"Origin": f"http://{local}"}
            self.assertEqual(door.ask("logits", one, host=local, headers=headers)[0], 200)
            evil = f"evil.example:{door.port}"
            for host in ("evil.example", evil, home, f"{home}:1", " ", "[::1]"):
                self.assertEqual(door.ask("logits", one, host=host)[0], 403, host)
            secure = f"https://{home}:{door.port}"
            for origin in ("null", "http://evil.example", secure, f"http://{home}"):
                status, headers, _ = door.ask("logits", one, headers={"Origin": origin})
                self.assertEqual(status, 403, origin)
                self.assertNotIn("Access-Control-Allow-Origin", headers)
                self.assertEqual(door.request("GET", door.home, headers={"Origin": origin})[0], 403)
            for site in ("cross-site", "same-site", "?"):
                headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
                self.assertEqual(door.ask("info.json", headers=headers)[0], 403, site)
                self.assertEqual(door.request("GET", door.home, headers=headers)[0], 200, site)
                headers["Sec-Fetch-Mode"] = "no-cors"
                path = f"{door.home}main.js"
                status, found, _ = door.request("GET", path, headers=headers)
                self.assertEqual(status, 403, site)
                self.assertNotIn("Cross-Origin-Resource-Policy", found)  # so notebook.js finds it
            token = door.server.token
            for path in ("/", "/ask/info.json", f"/{token[:-1]}/", f"/{token}x/ask/info.json", "*"):
                self.assertEqual(door.request("GET", path)[0], 404, path)
            for method in ("PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "POST"):
                self.assertEqual(door.request(method, door.home)[0], 405, method)
                self.assertEqual(door.request(method, f"{door.home}ask/info.json")[0], 405, method)
            self.assertEqual(door.ask("logits")[0], 405)
            self.assertEqual(door.request("BREW", door.home)[0], 501)

    def test_bodies(self):
        with Open(source()) as door:
            path = f"{door.home}ask/"
            self.assertEqual(door.request("POST", path + "logits")[0], 411)
            lengths = {"4 ": 200, "+4": 400, "-4": 400, "4,4": 400, "9" * 30: 400}
            for length, status in lengths.items():
                headers = {"Content-Length": length}
                found = door.request("POST", path + "logits", struct.pack("<I", 2), headers)
                self.assertEqual(found[0], status, length)
            chunked = {"Transfer-Encoding": "chunked", "Content-Length": "4"}
            self.assertEqual(door.request("POST", path + "logits", b"1234", chunked)[0], 411)
            for name, limit in {"encode": 3 * 65536, "logits": 4 * 2**18}.items():
                headers = {"Content-Length": str(limit + 1)}
                self.assertEqual(door.request("POST", path + name, b"", headers)[0], 413)
            ids = np.zeros(2**18, "<u4").tobytes()
            self.assertEqual(door.ask("logits", ids)[0], 200)
            host = f"Host: 127.0.0.1:{door.port}\r\n"
            for request, status in {
                f"GET {door.home} HTTP/1.1\r\n{host}Host: evil.example\r\n\r\n": 400,
                f"GET /\u00e9\u4e00/ HTTP/1.1\r\n{host}\r\n": 404,
                f"GET {door.home} HTTP/1.1\r\n\r\n": 403,
                f"GET http://127.0.0.1:{door.port}{door.home} HTTP/1.1\r\n{host}\r\n": 404,
            }.items():
                with socket.create_connection(("127.0.0.1", door.port), 20) as one:
                    one.sendall(request.encode())
                    self.assertIn(f" {status} ", one.makefile("r").readline(), request)

    def test_only_this_machine_and_only_while_open(self):
        with Open(source()) as door:
            self.assertEqual(door.server.server_address[0], "127.0.0.1")
            self.assertGreaterEqual(len(door.server.token), 43)
            with Open(source()) as other:
                self.assertNotEqual(door.server.token, other.server.token)
                self.assertEqual(other.request("GET", door.home)[0], 404)
            with self.assertRaises(OSError):
                socket.create_connection(("127.0.0.2", door.port), 5)
            kept = http.client.HTTPConnection("127.0.0.1", door.port, timeout=20)
            self.addCleanup(kept.close)
            kept.request("GET", f"{door.home}ask/info.json")
            self.assertEqual(len(json.loads(kept.getresponse().read())), 8)
        with self.assertRaises(OSError):  # closes a connection from before, too
            kept.sock.sendall(b"GET / HTTP/1.1\r\n")
            if not kept.sock.recv(1):
                raise ConnectionResetError
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", door.port), 5)


class Site(unittest.TestCase):
    @unittest.skipUnless(os.path.isdir(SITE), "the site is not built")
    def test_the_built_page_is_served_and_connects_to_its_own_server_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "site.zip")
            build = os.path.join(ROOT, "python/build_package.py")
            subprocess.run([sys.executable, build, "site", path, SITE], check=True)
            self.assertLess(os.path.getsize(path), 1.8e6)
            with mock.patch.object(bench_page, "_SITE", path):
                bench = logitscope.bench(model, STOI, ITOS, browser=False, block=False)
        self.assertIn(b"<logit-scope", bench._single)
        self.assertNotIn(b'data-file="models/', bench._single)
        found = bench._server.files
        with bench:
            door = Open.__new__(Open)
            door.port, door.home = bench._server.server_address[1], f"/{bench._server.token}/"
            for name in ("index.html", "page.css", "main.js", "worker.js", "logitscope.wasm"):
                status, _, body = door.request("GET", door.home + name)
                self.assertEqual((status, body), (200, found[name]), name)
            index = found["index.html"].decode()
            [policy] = re.findall("connect-src [^;]*;", index)
            self.assertEqual(policy, "connect-src 'self';")
            fetched = set(re.findall(r'(?:href|src)="(\w[^":]*)"', index))
            self.assertEqual(fetched - set(found), set())
            for name in ("models/verbs.gguf", "sw.js", "logitscope.html"):
                self.assertEqual(door.request("GET", door.home + name)[0], 404, name)


class Forms(unittest.TestCase):
    def test_results_of_models(self):
        row = model([3, 4, 5])
        for result in (
            row,
            row[-1],
            row[None],
            (row[None], None),
            (row[-1:], 0.5),
            row.tolist(),
            [row.tolist()],
            types.SimpleNamespace(logits=row[None]),
            {"logits": row},
            row.astype(np.float64),
        ):
            asked = source(lambda ids, result=result: result)
            self.assertEqual(asked.answer("logits", b"\1\0\0\0"), row[-1].tobytes())
        for result in (row[None].repeat(2, 0), np.float32(1), None, np.zeros((0, V)), "logits", []):
            with self.assertRaises(logitscope.LogitscopeError):
                source(lambda ids, result=result: result)

    def test_lengths_of_models(self):
        class Config:
            block_size = 4

        cases = {
            4: types.SimpleNamespace(block_size=4),
            5: types.SimpleNamespace(config=types.SimpleNamespace(n_positions=5)),
            6: types.SimpleNamespace(config={"context_length": 6}),
            7: types.SimpleNamespace(params=types.SimpleNamespace(max_seq_len=7)),
            8: types.SimpleNamespace(pos_emb=types.SimpleNamespace(num_embeddings=8)),
            2**18: types.SimpleNamespace(config=Config),
        }
        cases[2**18].config = None
        seen = []
        for length, facts in cases.items():

            class Model:
                def __call__(self, ids):
                    seen.append(len(ids))
                    return model(ids)

            own = Model()
            own.__dict__.update(facts.__dict__)
            asked = source(own)
            self.assertEqual(asked.info["context_length"], length)
            asked.logits([1] * 10)
            self.assertEqual(seen[-1], min(10, length))
        self.assertEqual((source().info["name"], source(own).info["name"]), ("model", "Model"))
        self.assertEqual(source(lambda ids: model(ids)).info["name"], "model")
        self.assertEqual(source(own, context_length=3).info["context_length"], 3)

    def test_vocabularies(self):
        class Tiktoken:
            eot_token = 1

            def encode_ordinary(self, text):
                return [0] * len(text)

            def encode(self, text):
                raise AssertionError("special tokens in a text are text")

            def decode_single_token_bytes(self, id):
                return [b"\xff", b"<end>"][id]  # an IndexError for any other id, as in tiktoken

        class Fast:
            """A byte-level tokenizer as in the library tokenizers."""

            def encode(self, text):
                return types.SimpleNamespace(ids=[0, 1])

            def to_str(self):
                return json.dumps({"decoder": {"type": "ByteLevel"}})

            def id_to_token(self, id):
                return ["\u0120caf", "\u00c3", "\u00a9", "<|end of text|>"][id]

        class Pieces:
            """A tokenizer like that of sentencepiece."""

            def encode(self, text):
                return [0]

            def id_to_piece(self, id):
                return ["\u2581the", "<0x0A>", "</s>", "\u00e9"][id]

        class Minbpe:
            vocab = {0: b"\xc3", 1: b"\xa9"}

            def encode(self, text):
                return [0, 1]

            def decode(self, ids):
                return {2: "<|end|>"}[ids[0]]

        unused = ["⟨2⟩".encode(), "⟨3⟩".encode()]
        self.assertEqual(pieces(Tiktoken(), 4), [b"\xff", b"<end>", *unused])
        self.assertEqual(pieces(Fast(), 4), [b" caf", b"\xc3", b"\xa9", b"<|end of text|>"])
        self.assertEqual(pieces(Pieces(), 4), [b" the", b"\n", b"</s>", "é".encode()])
        self.assertEqual(pieces(Minbpe(), 3), [b"\xc3", b"\xa9", b"<|end|>"])
        self.assertEqual(pieces(lambda ids: CHARACTERS[ids[0]], 3), [b"\n", b" ", b"a"])
        with self.assertRaises(ZeroDivisionError):
            pieces(lambda ids: str(1 / (ids[0] - 1)), 3)
        self.assertEqual(pieces(lambda id: CHARACTERS[id], 3), [b"\n", b" ", b"a"])
        meta = source(model, {"vocab_size": V, "stoi": STOI, "itos": ITOS}, None)
        self.assertEqual(meta.answer("pieces"), source().answer("pieces"))
        self.assertEqual(meta.encode("cat"), [STOI[letter] for letter in "cat"])
        padded = source(lambda ids: [0.0] * (V + 2))
        self.assertEqual(split(padded.answer("pieces"))[-1], f"⟨{V + 1}⟩".encode())
        asked = source(lambda ids: [[0.0] * 4], Tiktoken(), None)
        self.assertEqual((asked.info["eos_token_id"], asked.encode("abc")), (1, [0, 0, 0]))
        asked = source(lambda ids: [[0.0] * 4], Fast(), None)
        self.assertEqual(asked.encode("abc"), [0, 1])

    def test_refused_arguments(self):
        bad = {
            "model must be a function from ids to logits, or an nn.Module, got 7": (7, STOI, ITOS),
            "decode must be a function from ids to a text, a dict such as itos, or a tokenizer, "
            "got None": (model, STOI, None),
            "encode must be a function from a text to ids, a dict such as stoi, or a tokenizer, "
            "got 7": (model, 7, ITOS),
            "the page shows at most 262144 tokens, and the model has 262145": (
                lambda ids: np.zeros(2**18 + 1),
                STOI,
                ITOS,
            ),
            f"the vocabulary has {V} tokens, and the model gives 5 logits": (
                lambda ids: np.zeros(5),
                STOI,
                ITOS,
            ),
            "the logit of token 2 must be finite or -Infinity, got NaN": (
                lambda ids: [0.0, 1.0, float("nan")] + [0.0] * V,
                STOI,
                ITOS,
            ),
            "encode maps ids to characters and decode characters to ids: give stoi, then itos": (
                model,
                ITOS,
                STOI,
            ),
            "encode has refused the text \"a cat\": KeyError: 'c'": (
                model,
                lambda text: [{"a": 2, " ": 1}[character] for character in text],
                ITOS,
            ),
            "a token id must be an integer between 0 and 4, got 20": (
                lambda ids: np.zeros(5),
                lambda text: [20],
                lambda ids: "x",
            ),
        }
        for sentence, given in bad.items():
            with self.assertRaises(logitscope.LogitscopeError) as caught:
                source(*given)
            self.assertIn(sentence, str(caught.exception))
        for options in ({"context_length": 0}, {"eos_token_id": V}, {"prompt": 7}):
            with self.assertRaises(logitscope.LogitscopeError):
                source(**options)

    def test_given_logits(self):
        rows = np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32)
        asked = ask_logits(rows, ["a", "b", "c", "d"], history=[2, 0], settings={})
        self.assertEqual(asked.answer("encode", b"any"), struct.pack("<2I", 2, 0))
        for ids in (b"", b"\1\0\0\0"):
            self.assertEqual(asked.answer("logits", ids), rows[-1].tobytes())
        self.assertEqual(split(asked.answer("pieces")), [b"a", b"b", b"c", b"d"])
        unnamed = ask_logits(rows, None, history=[], settings={})
        self.assertEqual(unnamed.encode(""), [int(rows[-1].argmin())])
        self.assertEqual(split(unnamed.answer("pieces")), [b"0", b"1", b"2", b"3"])
        with self.assertRaises(logitscope.LogitscopeError) as caught:
            ask_logits(rows, ["a"], history=[], settings={})
        self.assertEqual(str(caught.exception), "tokens has 1 items for 4 logits")


class Torch(unittest.TestCase):
    @unittest.skipUnless(LONG, "only in make test-long")
    def test_modules(self):
        import torch

        class Own(torch.nn.Module):
            """Like nanoGPT: returns (logits, loss), fails for texts longer than its block."""

            def __init__(self, kind):
                super().__init__()
                self.config = types.SimpleNamespace(block_size=8)
                self.wte = torch.nn.Embedding(V, 16)
                self.wpe = torch.nn.Embedding(8, 16)
                self.drop = torch.nn.Dropout(0.5)
                self.frozen = torch.nn.BatchNorm1d(16).eval()
                self.head = torch.nn.Linear(16, V)
                self.to(kind)

            def forward(self, ids, targets=None):
                assert not torch.is_grad_enabled() and not self.drop.training
                if ids[0, -1] == STOI["x"]:
                    raise ValueError("no x")
                x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1], device=ids.device))
                return self.head(self.drop(x).cumsum(1)), None

        for kind in (torch.float32, torch.bfloat16):
            own = Own(kind)
            with torch.no_grad():
                asked = source(own)
                own.drop.eval()
                expected = own(torch.tensor([[1, 2, 3]]))[0][0, -1].float().numpy()
                own.drop.train()
                self.assertEqual(asked.info["context_length"], 8)
                self.assertEqual(asked.logits([1, 2, 3]).tobytes(), expected.tobytes())
            asked.logits(list(range(20)))
            with self.assertRaises(ValueError):
                asked.logits([STOI["x"]])
            self.assertEqual(torch.is_grad_enabled(), True)
            modes = (own.training, own.drop.training, own.frozen.training)
            self.assertEqual(modes, (True, True, False))


@contextlib.contextmanager
def page(files):
    """Runs the package with these files as the page in its site.zip."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "site.zip")
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        with mock.patch.object(bench_page, "_SITE", path):
            yield


class Bench(unittest.TestCase):
    def open(self, *given, **options):
        out = io.StringIO()
        with mock.patch("webbrowser.open") as opened, contextlib.redirect_stdout(out):
            bench = logitscope.bench(*given, **{"block": False, **options})
        self.assertEqual(opened.call_args_list, [mock.call(bench.url)])
        self.assertIn(bench.url, out.getvalue())
        return bench

    def test_a_bench_opens_and_closes(self):
        asked = {"prompt": "a", "preset": "llama.cpp", "top_k": 3}
        with page(FILES), self.open(model, STOI, ITOS, **asked) as bench:
            self.assertRegex(bench.url, r"^http://127\.0\.0\.1:\d+/[\w-]{43}/\?source=asked$")
            settings = json.loads(json.dumps(bench._source.info["settings"]))
            self.assertEqual((settings["top_k"], "preset" in settings), (3, False))
            self.assertEqual(logitscope.warp([1, 2], **settings).kept, 2)
            self.assertIn(bench.url.replace("&", "&amp;"), bench._repr_html_())
        bench.close()
        self.assertIn("closed", repr(bench))

    def test_refused_settings_open_nothing(self):
        with page(FILES):
            for options in ({"topp": 1}, {"top_p": 2}, {"own": print}, {"height": 1}, {"block": 1}):
                with self.assertRaises(logitscope.LogitscopeError):
                    logitscope.bench(model, STOI, ITOS, **{"block": False, **options})
        with self.assertRaises(logitscope.LogitscopeError) as caught:
            with mock.patch.object(bench_page, "_SITE", "nowhere"):
                logitscope.bench(model, STOI, ITOS)
        sentence = "the page is not in this package: install the wheel of `make python`"
        self.assertEqual(str(caught.exception), sentence)

    def test_messages_of_a_notebook(self):
        sent, target = [], {}
        kernel = mock.Mock()
        kernel.comm_manager.register_target = target.__setitem__
        comm = mock.Mock(send=lambda data, buffers: sent.append((data, buffers)))
        with page({**FILES, "logitscope.html": b"<logit-scope guide>"}):
            with mock.patch.object(bench_page, "_kernel", lambda: kernel):
                bench = logitscope.bench(model, STOI, ITOS)
            token = bench._server.token
            target["logitscope"](comm, {"content": {"data": {"token": token}}})
            heard = comm.on_msg.call_args[0][0]
            bodies = {"info": b"", "encode": b"cat", "logits": b"\2\0\0\0", "page": b"", "x": b""}
            for ask, (what, body) in enumerate(bodies.items()):
                data = {"ask": ask, "what": what}
                heard({"content": {"data": data}, "buffers": [memoryview(body)]})
            bench.close()
            heard({"content": {"data": {"ask": 9, "what": "info"}}})
        self.assertEqual([data["ask"] for data, _ in sent], [0, 1, 2, 3, 4, 9])
        self.assertEqual(sent[0][0]["result"]["vocab_size"], V)
        self.assertEqual(sent[1][1], [struct.pack("<3I", *(STOI[one] for one in "cat"))])
        self.assertEqual(sent[2][1], [model([2])[-1].tobytes()])
        self.assertEqual([sent[i][0]["fault"]["code"] for i in (4, 5)], ["asked", "asked"])

    def test_an_anywidget_where_that_package_is(self):
        """Uses a stand-in for the package anywidget, which Debian does not have."""
        sent, kernel = [], mock.Mock()

        class AnyWidget:
            def __init__(self, **values):
                self.values = values

            def on_msg(self, heard):
                self.heard = heard

            def send(self, data, buffers):
                sent.append((data, buffers))

            def _repr_mimebundle_(self):
                made.append(self)
                return {"application/vnd.jupyter.widget-view+json": {}}

        made = []
        stand_in = types.ModuleType("anywidget")
        stand_in.AnyWidget = AnyWidget
        stand_in.__spec__ = importlib.machinery.ModuleSpec("anywidget", None)
        traitlets = mock.Mock()
        with page(FILES), mock.patch.object(bench_page, "_kernel", lambda: kernel):
            with logitscope.bench(model, STOI, ITOS) as bench:
                self.assertEqual(sorted(bench._repr_mimebundle_()), ["text/html", "text/plain"])
                with mock.patch.dict(sys.modules, anywidget=stand_in, traitlets=traitlets):
                    self.assertEqual(len(bench._repr_mimebundle_()), 1)
                [widget] = made
                self.assertEqual(widget.values["url"], bench.url)
                self.assertTrue(widget._esm.endswith("export default { render };\n"))
                widget.heard(widget, {"ask": 3, "what": "info"}, [])
                widget.heard(widget, {"ask": 4, "what": "logits"}, [memoryview(b"\2\0\0\0")])
        self.assertEqual(sent[0], ({"ask": 3, "result": bench._source.info}, []))
        self.assertEqual(sent[1], ({"ask": 4}, [model([2])[-1].tobytes()]))


if __name__ == "__main__":
    report.main()
