"""Tests the Python package: C structs, types, arrays, threads, memory, the wheel."""

import array
import base64
import copy
import gc
import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

import numpy as np
import report

import logitscope
from logitscope import library, settings
from logitscope.transformers import LogitsProcessor
from logitscope.types import Settings

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = os.path.dirname(logitscope.__file__)
VERBS = os.path.join(ROOT, "models/verbs.gguf")
LONG = os.environ.get("LONG") == "1"


def run(*command, **options):
    given = {"cwd": ROOT, "check": True, "capture_output": True, "text": True, **options}
    return subprocess.run(command, **given).stdout


class Declarations(unittest.TestCase):
    def test_structs_have_the_layout_of_c(self):
        lines, expected = [], []
        for name, struct in library.STRUCTS.items():
            for field, _ in struct._fields_:
                place = getattr(struct, field)
                lines.append(f"offsetof(struct {name}, {field})")
                expected.append(place.offset)
                if (name, field) != ("chain_trace", "stages"):  # no size: an array of any length
                    lines.append(f"sizeof ((struct {name} *)0)->{field}")
                    expected.append(place.size)
        self.assertEqual(len(library.STRUCTS), 12)
        headers = "chain constraint model_file session settings speculate tokenizer warp".split()
        includes = "".join(f'#include "{name}.h"\n' for name in headers)
        prints = "".join(f'printf("%d ", (int)({line}));' for line in lines)
        code = f"#include <stdio.h>\n#include <stddef.h>\n{includes}int main(void) {{{prints}}}"
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "layout")
            run("gcc", "-std=c11", "-Isrc", "-x", "c", "-", "-o", program, input=code)
            self.assertEqual([int(word) for word in run(program).split()], expected)

    def test_every_setting_has_a_type(self):
        self.assertEqual(set(Settings.__annotations__), set(settings.NAMES))

    def test_version(self):
        with open(os.path.join(ROOT, "package.json"), encoding="utf-8") as file:
            self.assertEqual(logitscope.__version__, json.load(file)["version"])


class Arrays(unittest.TestCase):
    def test_all_forms_of_logits_and_ids_give_equal_results(self):
        numbers = [1.5, -2.25, 3.0, 0.125]
        forms = [
            numbers,
            tuple(numbers),
            array.array("f", numbers),
            array.array("d", numbers),
            memoryview(array.array("f", numbers)),
            np.array(numbers),
            np.array(numbers, dtype=np.float32),
            np.array(numbers * 2, dtype=np.float16).reshape(2, 4)[1],
            np.array([[n, 0] for n in numbers], dtype=np.float32)[:, 0],
        ]
        for history in ([2, 0], (2, 0), np.array([2, 0]), np.array([2, 0], dtype=np.uint8)):
            for logits in forms:
                trace = logitscope.warp(logits, history=history, repetition_penalty=1.5, top_k=2)
                self.assertEqual(trace.logits.dtype, np.float32)
                self.assertEqual(trace.logits.tolist(), [1.0, -np.inf, 2.0, -np.inf])
                self.assertEqual(trace.p.dtype, np.float64)
                self.assertEqual(trace.p.sum(), 1)

    def test_refusals(self):
        bad = {
            "logits must be one row, a list of numbers, got an array of shape 1 x 1 x 27": (
                np.zeros((1, 1, 27))
            ),
            'logits must be a list of numbers, got "12"': "12",
            'logits must be a list of numbers, got "x" at 1': [1, "x"],
            "logits must be a list of numbers, got true at 0": [True, 1],
            "logits must be a list of numbers, got None": None,
            "logits must hold at least one number, got none": [],
            "the logit of token 1 must be finite or -Infinity, got NaN": [1, float("nan")],
            "the logit of token 0 must be finite or -Infinity, got 1e+39": np.array([1e39, 1]),
        }
        for sentence, logits in bad.items():
            with self.assertRaises(logitscope.LogitscopeError) as caught:
                logitscope.warp(logits)
            self.assertEqual(str(caught.exception), sentence)
        with self.assertRaises(ValueError) as caught:
            logitscope.warp([1, 2], history=[2])
        error = pickle.loads(pickle.dumps(copy.copy(caught.exception)))
        self.assertEqual((error.code, error.key), ("unknown_token", "id_between"))
        self.assertEqual(error.values, {"limit": 1, "id": 2})

    def test_without_numpy(self):
        code = """if True:
            import sys
            sys.modules['numpy'] = None
            import logitscope
            scope = logitscope.load('models/verbs.gguf')
            text = scope.write('Tomorrow she', seed=42, temperature=0.7)
            trace = logitscope.warp([1, 2, 3], top_k=2)
            print(text.ids, trace.p.tolist(), trace.logits.typecode, len(scope.logits()))
            try: logitscope.warp([1e39])
            except ValueError as error: print(error)"""
        with_it = logitscope.load(VERBS).write("Tomorrow she", seed=42, temperature=0.7)
        p = logitscope.warp([1, 2, 3], top_k=2).p.tolist()
        refusal = "the logit of token 0 must be finite or -Infinity, got 1e+39"
        expected = f"{with_it.ids} {p} f 64\n{refusal}\n"
        self.assertEqual(run(sys.executable, "-c", code), expected)


class Sessions(unittest.TestCase):
    def test_a_generation_is_busy_until_its_loop_ends(self):
        scope = logitscope.load(VERBS)
        for step in scope.generate("Tomorrow she", seed=42):
            with self.assertRaises(logitscope.LogitscopeError) as caught:
                scope.feed([0])
            self.assertEqual(caught.exception.code, "busy")
            trace = scope.distribution()
            self.assertIn(step.id, [token.id for token in trace.tokens])
            break
        scope.feed([0])
        generation = scope.generate("Tomorrow she", seed=42)
        first = next(generation)
        generation.close()
        self.assertEqual(generation.result.ids, [first.id])
        self.assertEqual(generation.result.finish_reason, "aborted")

    def test_fork_and_close(self):
        scope = logitscope.load(VERBS)
        ids = scope.encode("Tomorrow she")
        with scope.session() as session:
            session.feed(ids)
            fork = session.fork()
            self.assertEqual(fork.timeline(), ids)
            self.assertEqual(fork.logits().tobytes(), session.logits().tobytes())
            self.assertEqual(fork.feed([*ids, 24]).reused, len(ids))
        with self.assertRaises(logitscope.LogitscopeError) as caught:
            session.logits()
        self.assertEqual(str(caught.exception), "the session is closed")
        scope.close()
        for call in (fork.logits, scope.logits, lambda: scope.encode("she"), scope.session):
            self.assertRaises(logitscope.LogitscopeError, call)

    def test_memory_is_freed(self):
        def resident():
            gc.collect()
            with open("/proc/self/statm", encoding="utf-8") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def use(n):
            for _ in range(n):
                scope = logitscope.load(VERBS)
                scope.session().feed([0])
                next(scope.generate([0], top_k=3))

        use(5)
        before = resident()
        use(60)
        self.assertLess(resident() - before, 20e6)  # if they stayed, 60 engines would need 100 MB

    def test_threads_give_the_results_of_one(self):
        def texts(seed):
            scope = logitscope.load(VERBS)
            return [scope.write("Tomorrow she", seed=seed, top_k=seed + 2).ids for _ in range(20)]

        alone = [texts(i) for i in range(4)]
        found = [None] * 4
        threads = [
            threading.Thread(target=lambda i=i: found.__setitem__(i, texts(i))) for i in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, alone)

    def test_own_sampler(self):
        seen = []

        def best(logits, given, history):
            seen.append((given["temperature"], history))
            return np.where(logits == logits.max(), logits, -np.inf)

        scope = logitscope.load(VERBS)
        text = scope.write("Tomorrow she", own=best, temperature=0.5)
        self.assertEqual(text.ids, scope.write("Tomorrow she", temperature=0).ids)
        self.assertEqual(seen[0], (0.5, text.prompt_ids))
        texts = scope.tokens()
        self.assertEqual(list(texts), [scope.piece(id).text for id in range(len(texts))])
        self.assertIs(scope.tokens(), texts)
        for result, sentence in {
            "own must give a list of numbers, got 7": 7,
            "own must give a logit for each of the 2 tokens, got 1": [1],
        }.items():
            with self.assertRaises(logitscope.LogitscopeError) as caught:
                logitscope.warp([1, 2], own=lambda *_, sentence=sentence: sentence)
            self.assertEqual(str(caught.exception), result)

    def test_files_that_are_no_models(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(VERBS, "rb") as file:
                data = file.read()
            cut = os.path.join(folder, "cut.gguf")
            with open(cut, "wb") as file:
                file.write(data[:1000])
            empty = os.path.join(folder, "empty.gguf")
            with open(empty, "wb"):
                pass
            codes = []
            for source in (cut, empty, folder, "nope.gguf", b"PK", data[: len(data) // 2], 7):
                with self.assertRaises(logitscope.LogitscopeError) as caught:
                    logitscope.load(source)
                codes.append(caught.exception.code)
        self.assertEqual(
            codes,
            ["bad_file", "bad_file", "load_failed", "load_failed"]
            + ["bad_file", "bad_file", "invalid_argument"],
        )
        self.assertEqual(logitscope.load(data, context=8).info.context_length, 8)
        self.assertEqual(logitscope.load(VERBS, session=False).encode(" she"), [0, 18])


class Processor(unittest.TestCase):
    def test_equals_generate(self):
        """Runs a loop like that of transformers: it must draw the tokens of `generate` and keep its
        traces."""
        scope = logitscope.load(VERBS)
        for asked in (
            {"temperature": 0.8, "top_p": 0.9, "repetition_penalty": 1.2},
            {"mirostat": 2, "mirostat_tau": 2.0},
            {"adaptive_target": 0.3, "temperature": 1.2},
            {"xtc_probability": 0.5, "temperature": 1.5},
        ):
            prompt = scope.encode("Tomorrow she")
            steps = list(scope.generate(prompt, seed=5, max_new_tokens=6, end_tokens=[], **asked))
            processor = LogitsProcessor(decode=lambda id: scope.piece(id).text, seed=5, **asked)
            for _ in range(2):  # the second run must drop the traces of the first
                rows = [list(prompt), list(prompt)]
                for i, step in enumerate(steps):
                    scope.feed(rows[0])
                    scores = np.stack([scope.logits()] * 2)
                    warped = processor(np.array(rows), scores)
                    self.assertEqual(warped.shape, scores.shape)
                    drawn = logitscope.draw_from(warped[1], seed=5, step=i)
                    self.assertEqual(drawn.id, step.id, asked)
                    self.assertEqual(drawn.p, step.p, asked)
                    for row in rows:
                        row.append(step.id)
            self.assertEqual(len(processor.traces), 6)
            trace = processor.traces[5][1]
            self.assertIsNone(trace.p)
            self.assertEqual(trace.kept, steps[5].kept)
            self.assertTrue(trace.tokens[0].text)

    def test_impossible_tokens_become_minus_infinity(self):
        warped = LogitsProcessor()([[0]], np.array([[0.0, -40.0, -20.0]]))
        self.assertEqual(warped.tolist(), [[0.0, -np.inf, -20.0]])
        with self.assertRaises(logitscope.LogitscopeError):
            LogitsProcessor(topp=1)


class Torch(unittest.TestCase):
    @unittest.skipUnless(LONG, "only in make test-long")
    def test_tensors(self):
        import torch

        logits = torch.tensor([1.5, -2.25, 3.0], requires_grad=True)
        expected = logitscope.warp([1.5, -2.25, 3.0], top_k=2, history=[2], repetition_penalty=2)
        ids = torch.tensor([2])
        for given in (logits, logits.bfloat16(), logits.half(), logits.double()):
            trace = logitscope.warp(given, top_k=2, history=ids, repetition_penalty=2)
            self.assertEqual(trace.p.tolist(), expected.p.tolist())
        for kind in (torch.float32, torch.bfloat16):
            scores = torch.tensor([[1.5, -2.25, 3.0]], dtype=kind)
            warped = LogitsProcessor(top_k=2)(torch.tensor([[2]]), scores)
            self.assertEqual(warped.dtype, kind)
            self.assertEqual(warped.tolist(), [[1.5, -np.inf, 3.0]])


class Grade(unittest.TestCase):
    def grade(self, *arguments, **options):
        return subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, **options)

    def test_without_node_one_sentence(self):
        bare = {"PATH": "/nowhere", "PYTHONPATH": os.path.dirname(PACKAGE)}
        done = self.grade(sys.executable, "-m", "logitscope.grade", "top_p.py", env=bare)
        self.assertEqual(done.returncode, 2)
        self.assertIn("grading needs Node and the npm package", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        sources = {**bare, "PYTHONPATH": os.path.join(ROOT, "python")}
        done = self.grade(sys.executable, "-m", "logitscope.grade", "top_p.py", env=sources)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("pip install ./python", done.stderr)

    def test_the_repository_around_the_current_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            inner = os.path.join(folder, "a", "b")
            os.makedirs(inner)
            os.makedirs(os.path.join(folder, "web"))
            for name in ("web/cli.js", "package.json", "node"):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write("#!/bin/sh\necho \"$@\"\n")
            os.chmod(os.path.join(folder, "node"), 0o755)
            package = os.path.join(folder, "installed", "logitscope")
            shutil.copytree(PACKAGE, package)
            shutil.move(os.path.dirname(package), f"{folder}-installed")
            self.addCleanup(shutil.rmtree, f"{folder}-installed")
            env = {"PATH": f"{folder}:/bin", "PYTHONPATH": f"{folder}-installed"}
            command = (sys.executable, "-m", "logitscope.grade", "mine.py")
            done = subprocess.run(command, cwd=inner, env=env, capture_output=True, text=True)
            script = os.path.join(os.path.realpath(folder), "web/cli.js")
            self.assertEqual(done.stdout, f"{script} grade mine.py --python {sys.executable}\n")

    @unittest.skipUnless(LONG, "only in make test-long")
    def test_marks_are_those_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "top_p.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write("def top_p(logits, p):\n    return logits\n")
            own, cli = (sys.executable, "-m", "logitscope.grade"), ("node", "web/cli.js", "grade")
            for form in ("--json", "--gradescope"):
                flags = [path, "--as", "top_p", form]
                ours = self.grade(*own, *flags)
                theirs = self.grade(*cli, *flags, "--python", sys.executable)
                self.assertIn('"score"', theirs.stdout)
                for field in ("stdout", "stderr", "returncode"):
                    self.assertEqual(getattr(ours, field), getattr(theirs, field))


class Wheel(unittest.TestCase):
    def test_wheel_runs_and_names_its_files(self):
        with tempfile.TemporaryDirectory() as folder:
            build = "python/build_package.py"
            path = run(sys.executable, build, "wheel", folder, PACKAGE).strip()
            with zipfile.ZipFile(path) as archive:
                archive.extractall(folder)
                [record] = [name for name in archive.namelist() if name.endswith("/RECORD")]
                rows = archive.read(record).decode().splitlines()
                self.assertEqual(len(rows), len(archive.namelist()))
                for row in rows[:-1]:
                    name, digest, size = row.split(",")
                    data = archive.read(name)
                    sha = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode()
                    self.assertEqual((digest, int(size)), (f"sha256={sha.rstrip('=')}", len(data)))
            code = "import logitscope as l; print(l.warp([1, 2], top_k=1).p[1], l.__file__)"
            printed = run(sys.executable, "-c", code, env={**os.environ, "PYTHONPATH": folder})
            self.assertEqual(printed.split()[0], "1.0")
            self.assertTrue(printed.split()[1].startswith(folder))

    @unittest.skipUnless(LONG, "only in make test-long")
    def test_source_distribution_builds_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            code = "import build_package, sys; print(build_package.build_sdist(sys.argv[1]))"
            path = {**os.environ, "PYTHONPATH": "python"}
            name = run(sys.executable, "-c", code, folder, env=path).strip()
            run("tar", "-xzf", os.path.join(folder, name), "-C", folder)
            inside = os.path.join(folder, name[: -len(".tar.gz")])
            code = "import build_package; print(build_package.build_wheel('.'))"
            made = run(sys.executable, "-c", code, cwd=inside).strip()
            with zipfile.ZipFile(os.path.join(inside, made)) as archive:
                self.assertIn("logitscope/_engine.so", archive.namelist())


if __name__ == "__main__":
    report.main()
