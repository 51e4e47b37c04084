"""Compares this package with the JavaScript one: numbers, texts, ids and sentences, bit for bit.

peer.js prints cases with their results. `make test` tries 1,000 random chains, `make test-long`
100,000.
"""

import array
import base64
import hashlib
import json
import os
import struct
import subprocess
import unittest

import report

import logitscope
from logitscope.errors import Phrase, number_text, sentence_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONG = os.environ.get("LONG") == "1"
CASES = 100_000 if LONG else 1000
MASK = 2**64 - 1


def plain(it):
    """Returns a number that peer.js has written as a word: NaN or an infinity."""
    return float(it["float"].replace("Infinity", "inf")) if list(it) == ["float"] else it


def peer():
    """Yields the lines that peer.js prints."""
    command = ["node", "tests/python/peer.js", str(CASES), os.environ.get("SEED", "1")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            yield json.loads(line, object_hook=plain)
    if process.returncode:
        raise AssertionError(f"peer.js ended with {process.returncode}")


def hash_of(trace, drawn):
    """Returns the same hash as peer.js: of all numbers, then all texts, then the whole result."""
    numbers, texts = [], list(trace.warnings)

    def add(it):
        if it is None:
            numbers.append(-1)
        elif isinstance(it, str):
            texts.append(it)
        elif isinstance(it, list):
            for each in it:
                add(each)
        else:
            numbers.append(it)

    rest = trace.rest
    add([trace.vocab_size, rest.count, rest.p_raw, rest.p, rest.kept, trace.kept])
    add([trace.kept_mass_raw, trace.entropy, trace.perplexity, trace.raw_entropy])
    add([trace.raw_perplexity, trace.underflowed])
    add(trace.green and [trace.green.p_raw, trace.green.p])
    for it in trace.stages:
        add([it.name, it.value, it.active, it.changed, it.kept, it.removed, it.mass_removed])
        add([it.top_p_mass, it.entropy, it.perplexity, it.after])
    for it in trace.tokens:
        add([it.id, it.text, it.special, it.rank, it.logit, it.warped, it.p_raw, it.p, it.logprob])
        add([it.stage_p, it.removed_by, it.green])
    add([drawn.id, drawn.u, drawn.p, drawn.p_raw, drawn.logprob, drawn.rank, drawn.mu])
    digest = hashlib.sha256(struct.pack(f"<{len(numbers)}d", *numbers))
    digest.update("\n".join(texts).encode())
    digest.update(trace.logits.tobytes())
    digest.update(trace.p.tobytes())
    return digest.hexdigest()[:16]


class Fnv:
    """The 64-bit FNV-1a hash, as in tests/node/digest.js."""

    def __init__(self):
        self.hash = 0xCBF29CE484222325

    def add(self, form, *values):
        for byte in struct.pack(f"<{len(values)}{form}", *values):
            self.hash = (self.hash ^ byte) * 0x100000001B3 & MASK


def add_trace(fnv, trace, names):
    def place(name):
        return 0 if name is None else 1 + [s.name for s in trace.stages].index(name)

    rest = trace.rest
    fnv.add("I", trace.kept, rest.count, rest.kept, trace.underflowed)
    fnv.add("d", rest.p_raw, rest.p, trace.entropy, trace.perplexity)
    fnv.add("d", trace.raw_entropy, trace.raw_perplexity, trace.kept_mass_raw)
    for s in trace.stages:
        numbers = [names.index(s.name), s.active, s.changed, s.kept, s.removed, place(s.after)]
        fnv.add("I", *numbers)
        fnv.add("d", s.value, s.mass_removed, s.top_p_mass, s.entropy, s.perplexity)
    for t in trace.tokens:
        fnv.add("I", t.id, t.rank, place(t.removed_by))
        fnv.add("f", t.logit, t.warped)
        fnv.add("d", t.p_raw, t.p, *t.stage_p)


def digest(scope, series, names, seed):
    """Returns the same digest as tests/node/digest.js."""
    fnv = Fnv()
    for i, asked in enumerate(series):
        settings = {**asked, "seed": seed + i}
        ids = scope.encode("Tomorrow she")
        for step in range(40):
            scope.feed(ids)
            fnv.add("f", *scope.logits().tolist())
            add_trace(fnv, scope.distribution(step=step, **settings), names)
            drawn = scope.draw(step=step, **settings)
            fnv.add("I", drawn.id, drawn.rank)
            fnv.add("d", drawn.p, drawn.p_raw, drawn.logprob)
            if drawn.mu is not None:
                fnv.add("d", drawn.mu)
                settings["mirostat_mu" if settings.get("mirostat") else "adaptive_mean"] = drawn.mu
            ids.append(drawn.id)
    return f"{fnv.hash:016x}"


def data_of(it):
    """Returns a result in the form of JSON, without fields that are None."""
    if isinstance(it, list):
        return [data_of(each) for each in it]
    if isinstance(it, bytes):
        return list(it)
    if hasattr(it, "__dataclass_fields__"):
        it = {name: getattr(it, name) for name in it.__dataclass_fields__}
    if isinstance(it, dict):
        return {name: data_of(each) for name, each in it.items()}
    return it


class SameBytes(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.scopes = {}
        cls.lines = {}
        cls.cases = 0
        cls.wrong = []
        for line in peer():
            if line["kind"] == "case":
                cls.check_case(line)
            else:
                cls.lines.setdefault(line["kind"], []).append(line)

    @classmethod
    def check_case(cls, line):
        """Runs one random chain at once, because there are too many cases to keep in memory."""
        logits = array.array("f", base64.b64decode(line["logits"]))
        settings = line["settings"]
        try:
            reading = logitscope.read_from(logits, **line["choice"], **settings)
            found = {"result": hash_of(reading.trace, reading.drawn)}
        except logitscope.LogitscopeError as error:
            found = {"fault": [error.code, error.key, str(error)]}
        expected = {key: line[key] for key in ("result", "fault") if key in line}
        cls.cases += 1
        if found != expected and len(cls.wrong) < 5:
            cls.wrong.append((settings, line["choice"], expected, found))

    def scope(self, model):
        if model not in self.scopes:
            self.scopes[model] = logitscope.load(os.path.join(ROOT, model))
        return self.scopes[model]

    def expect(self, found, expected, about=None):
        """Compares two results. A field that is missing in JavaScript must be None here."""
        found = data_of(found)
        if isinstance(expected, dict) and isinstance(found, dict):
            for name in {*found, *expected}:
                self.expect(found.get(name), expected.get(name), (about, name))
        elif isinstance(expected, list) and isinstance(found, list):
            self.assertEqual(len(found), len(expected), about)
            for one, other in zip(found, expected):
                self.expect(one, other, about)
        elif found != found:
            self.assertNotEqual(expected, expected, about)
        else:
            self.assertEqual(found, expected, about)

    def test_random_chains(self):
        self.assertEqual(self.cases, CASES)
        self.assertEqual(self.wrong, [])

    def test_texts(self):
        """Generates texts with 33 settings and each of three models; every step must be equal."""
        self.assertEqual(len(self.lines["text"]), 99)
        for line in self.lines["text"]:
            scope = self.scope(line["model"])
            generation = scope.generate(**line["options"])
            steps = list(generation)
            for step in steps:
                step.ms = None
            about = (line["model"], line["options"])
            self.expect(steps, line["steps"], about)
            result = data_of(generation.result)
            del result["steps"]
            self.expect(result, line["text"], about)
            if "marks" in line:
                ids = [*result["prompt_ids"], *result["ids"], *result["ids"]]
                given = {**line["options"]}
                for name in ("prompt", "seed", "max_new_tokens"):
                    del given[name]
                self.expect(logitscope.detect(scope, ids, **given), line["marks"], about)

    def test_tokens_and_scores(self):
        for line in self.lines["tokens"]:
            scope, text = self.scope(line["model"]), line["text"]
            self.assertEqual(scope.encode(text, bos=False), line["ids"])
            self.assertEqual(scope.decode(scope.encode(text)), line["decoded"])
            prompt = {"verbs": "Tomorrow she", "stories": "The soup was too"}
            name = os.path.basename(line["model"])[:-5]
            self.expect(scope.score(prompt.get(name, "ROMEO:"), text), line["score"])
            self.expect([scope.piece(p["id"]) for p in line["pieces"]], line["pieces"])
            info = {**line["info"], "variant": scope.info.variant}
            for name in ("streams", "chat_template", "chat_templates", "session_bytes"):
                del info[name]
            self.expect({**data_of(scope.info), "session_bytes": None}, info)

    def test_laws(self):
        scope = self.scope("models/verbs.gguf")
        self.assertEqual(len(self.lines["law"]), 9)
        for line in self.lines["law"]:
            if "fault" not in line:
                self.expect(scope.law(**line["asked"]), line["law"], line["asked"])
                continue
            with self.assertRaises(logitscope.LogitscopeError) as raised:
                scope.law(**line["asked"])
            self.assertEqual([raised.exception.code, str(raised.exception)], line["fault"])

    def test_digests(self):
        [line] = self.lines["digests"]
        for variant in ("simd", "scalar") if LONG else ("simd",):
            scope = logitscope.load(os.path.join(ROOT, "models/verbs.gguf"), variant=variant)
            names = [row.name for row in logitscope.table]
            found = [
                digest(scope, line["series"], line["order"], 42),
                digest(scope, line["later"], names, 42 + len(line["series"])),
            ]
            self.assertEqual(found, line["digests"], variant)
        self.assertEqual(line["digests"][0], "5aa484ccb5ab9439")

    def test_presets_and_table(self):
        [line] = self.lines["presets"]
        self.assertEqual(logitscope.presets, line["presets"])
        self.assertEqual(logitscope.conventions, line["conventions"])
        self.assertEqual(logitscope.strategies, line["strategies"])
        [line] = self.lines["table"]
        self.expect(list(logitscope.table), line["table"])

    def test_numbers_in_sentences(self):
        for number, text in self.lines["numbers"][0]["numbers"]:
            self.assertEqual(number_text(number), text)

    def test_sentences(self):
        def phrases(values):
            return {
                name: Phrase(value["key"], phrases(value["values"]))
                if isinstance(value, dict)
                else value
                for name, value in values.items()
            }

        with open(os.path.join(ROOT, "tests/node/refusals.json"), encoding="utf-8") as file:
            refusals = json.load(file)
        self.assertGreater(len(refusals), 100)
        for key, values, sentence in refusals:
            self.assertEqual(sentence_of(key, phrases(values)), sentence)


if __name__ == "__main__":
    report.main()
