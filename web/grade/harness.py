"""Runs beside a learner's Python functions: takes calls as lines of JSON and answers with what the
functions return. The twin of harness.js, which says what each call is; a removed logit travels as
the string "-inf"."""

import importlib.util
import inspect
import json
import linecache
import math
import os
import re
import site
import sys
import traceback
import types

SAID = 500
SEEDS = 1000
# Cell magics that run what follows them.
TIMED = ("%%time", "%%timeit", "%%capture", "%%prun")

# What a parameter of that name is given; the names that courses use for the same thing.
OTHER_NAMES = {
    "token_ids": "history",
    "prev_ids": "history",
    "prev_token_ids": "history",
    "previous_ids": "history",
    "full_ids": "history",
    "ids": "history",
    "T": "temperature",
    "tau": "temperature",
    "prompt": "prompt_ids",
    "max_tokens": "max_new_tokens",
    "eos_id": "eos_token_id",
    "make_rng": "rng",
}
SHORT_NAMES = {"p": "_p", "k": "_k", "penalty": "_penalty"}


class Settings(dict):
    """The settings by key or attribute; `read` names those that were looked at."""

    def __init__(self, given):
        super().__init__(given)
        self.read = set()

    def __getitem__(self, name):
        if isinstance(name, str) and len(self.read) < 100:
            self.read.add(name[:100])
        return super().__getitem__(name)

    def get(self, name, otherwise=None):
        return self[name] if name in self else otherwise

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(f"there is no setting {name}")


def number(x):
    return {"-inf": -math.inf, "inf": math.inf, "nan": math.nan}.get(x, x) if isinstance(x, str) else x


def word(x):
    """A number as JSON can carry it."""
    if x == "-inf":
        return x
    if isinstance(x, bool) or not isinstance(x, (int, float)):
        try:
            x = float(x.item()) if hasattr(x, "item") else math.nan
        except Exception:
            x = math.nan
    if math.isnan(x):
        return "nan"
    return ("inf" if x > 0 else "-inf") if math.isinf(x) else float(x)


def plain(value, most):
    """Numbers that a line can carry; what is no list at all is described."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return {"result": [word(x) for x in value[:most]], "length": len(value)}
    return {"result": "None" if value is None else f"a value of type {type(value).__name__}"}


def message(error):
    """What was raised, in words, with the line of the learner's file."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SystemExit):
        said = "it called exit"
    frames = traceback.extract_tb(error.__traceback__)
    places = [(f.filename, f.lineno) for f in frames if f.filename in SOURCES]
    if isinstance(error, SyntaxError):
        said = f"SyntaxError: {error.msg}"
        places = [(error.filename, error.lineno)] if error.filename in SOURCES else []
    if isinstance(error, ModuleNotFoundError):
        said = f"{said} in {sys.executable}"
    said = said if len(said) <= SAID else said[:SAID] + "…"
    if not places or not places[-1][1]:
        return said
    name, line = places[-1]
    return f"{said} ({'' if name == FILE else name[1:-1] + ', '}line {line})"


def find(module, name, strict):
    names = [name, f"{name}_filter", f"apply_{name}"]
    for each in names:
        if callable(module.get(each)):
            return module[each]
    own = [f for f in module.values() if inspect.isfunction(f) and f.__module__ == "learner"]
    if len(own) == 1 and not strict:
        return own[0]
    cell = f"; a cell fails: {CELL_FAULT}" if CELL_FAULT else ""
    raise LookupError(f"it has no function named {name}{cell}")


def arguments(function, name, given):
    """The arguments, by the names of the parameters."""
    settings = given["settings"]
    named = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        asked = OTHER_NAMES.get(parameter.name, parameter.name)
        ending = SHORT_NAMES.get(parameter.name)
        if ending:
            asked = name if name.endswith(ending) else {"p": "top_p", "k": "top_k"}.get(
                parameter.name, "repetition_penalty"
            )
        if asked in given:
            value = given[asked]
        elif asked in settings:
            value = settings[asked]
        elif parameter.default is not parameter.empty:
            continue
        else:
            known = ", ".join([*given, "or a setting"])
            raise TypeError(f"its parameter {parameter.name} is unknown, known are {known}")
        named[parameter.name] = value
    return named


def numbers(values):
    """As the file wants them: an array of NumPy if it imports that, else a list."""
    numpy = sys.modules.get("numpy")
    return numpy.array(values, dtype=numpy.float32) if numpy else list(values)


def warp(function, name, given):
    logits = [number(x) for x in given["logits"]]
    own = numbers(logits)
    settings = Settings(given["settings"])
    passed = {
        "logits": own,
        "settings": settings,
        "history": list(given["history"]),
        "step": given.get("step"),
        "coin": given.get("coin"),
        "bits": given.get("bits"),
        "second": numbers(given["second"]) if given.get("second") else None,
    }
    answer = plain(function(**arguments(function, name, passed)), len(logits))
    after = [float(x) for x in own] if len(own) == len(logits) else None
    return {**answer, "changed": after != logits, "read": sorted(settings.read)}


class Rows(list):
    """A row for each position; counts the reads of those before the last."""

    def __init__(self, rows, log):
        super().__init__(rows)
        self.log = log

    def __getitem__(self, at):
        places = range(len(self))[at]
        taken = list(places) if isinstance(at, slice) else [places]
        self.log["early"] += sum(place < len(self) - 1 for place in taken)
        return super().__getitem__(at)

    def __iter__(self):
        return (self[at] for at in range(len(self)))


class Model:
    def __init__(self, toy, limit, log):
        self.rows = [[number(x) for x in row] for row in toy["rows"]]
        self.vocab_size = toy["vocab_size"]
        self.context_length = self.max_seq_len = toy["context_length"]
        self.eos_token_id = toy["eos_token_id"]
        self.limit = limit
        self.log = log

    def logits(self, given):
        ids = [int(i) for i in list(given)[: self.context_length + 1]]
        log = self.log
        log["windows"].append(ids)
        torch = sys.modules.get("torch")
        if torch:
            log["graph"] = log.get("graph", 0) + bool(torch.is_grad_enabled())
        if len(log["windows"]) > self.limit:
            raise RuntimeError(f"the model was asked {len(log['windows'])} times: does the loop end?")
        if not ids:
            raise ValueError("the model was asked without a token")
        if len(ids) > self.context_length:
            raise ValueError(
                f"the model sees {self.context_length} tokens at most, got {len(given)}"
            )
        rows = self.rows
        picked = [
            rows[(5 * ids[at] + 3 * ids[0] + at) % len(rows)] for at in range(len(ids))
        ]
        return Rows([numbers(row) for row in picked], log)

    __call__ = logits


def generate(function, name, given):
    log = {"windows": [], "early": 0, "seeds": []}
    settings = Settings(given["settings"])
    streams = {int(seed): stream for seed, stream in given["streams"].items()}

    def rng(seed):
        if len(log["seeds"]) < SEEDS:
            log["seeds"].append(seed)
        known = streams.get(seed)
        stream = known or next(iter(streams.values()))
        step = 0 if known else 17

        def draw():
            nonlocal step
            step += 1
            return stream[(step - 1) % len(stream)]

        return draw

    most = settings["max_new_tokens"] + 8
    model = Model(given["toy"], most, log)
    passed = {
        "model": model,
        "prompt_ids": list(given["prompt"]),
        "settings": settings,
        "rng": rng,
        "eos_token_id": model.eos_token_id,
        "context_length": model.context_length,
    }
    try:
        return {**plain(function(**arguments(function, name, passed)), most), "log": log}
    except (Exception, SystemExit) as error:
        return {"error": message(error), "log": log}


def code_of(text, name):
    """The code of a cell; lines for the notebook's own program (%, !) are left out."""
    try:
        return compile(text, name, "exec")
    except SyntaxError:
        first, _, rest = text.lstrip().partition("\n")
        if first.startswith("%%"):
            text = rest if first.split()[0] in TIMED else ""
        text = re.sub(r"(?m)^([ \t]*)(?:[%!].*|\S+\?\??[ \t]*)$", r"\1pass", text)
        return compile(text, name, "exec")


def run_cells(source, module):
    """Runs the code cells of a notebook; one that fails ends that cell alone."""
    global CELL_FAULT
    notebook = json.loads(source)
    about = notebook.get("metadata", {})
    language = about.get("language_info", about.get("kernelspec", {}))
    language = language.get("language") or language.get("name", "python")
    if not language.lower().startswith(("python", "ipython")):
        raise ValueError(f"it is a notebook in {language}: Python is graded")
    sheets = notebook.get("worksheets", [notebook])
    cells = [cell for sheet in sheets for cell in sheet["cells"] if cell["cell_type"] == "code"]
    module["display"] = print
    for at, cell in enumerate(cells, 1):
        text = "".join(cell.get("source", cell.get("input", "")))
        name = f"<cell {at}>"
        SOURCES.append(name)
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        try:
            exec(code_of(text, name), module)
        except (Exception, SystemExit) as error:
            CELL_FAULT = CELL_FAULT or message(error)


def decoded(source):
    """The text of a file, as Python reads it."""
    try:
        return importlib.util.decode_source(source)
    except UnicodeDecodeError as error:
        fault = error
    except SyntaxError as error:
        try:
            source.decode()
            raise error
        except UnicodeDecodeError as first:
            fault = first
    line = source.count(b"\n", 0, fault.start) + 1
    byte = f"0x{source[fault.start]:02x}"
    raise SyntaxError(
        f"byte {byte} in line {line} is no {fault.encoding}: save the file as UTF-8, "
        "or name its encoding in the first line"
    )


def load():
    learner = types.ModuleType("learner")
    learner.__file__ = FILE
    # Classes look their module up.
    sys.modules["learner"] = learner
    module = vars(learner)
    with open(FILE, "rb") as file:
        source = file.read()
    for folder in sys.argv[2:]:
        site.addsitedir(folder)
    sys.path.insert(0, os.path.dirname(FILE))
    if FILE.lower().endswith(".ipynb"):
        run_cells(source, module)
    elif source[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise SyntaxError("it is UTF-16, which Python does not read: save it as UTF-8")
    else:
        # A byte order mark and a coding line count as in any Python file.
        exec(compile(decoded(source), FILE, "exec"), module)
    return module


def main():
    module = None
    function = name = None
    for line in sys.stdin:
        given = json.loads(line)
        answer = {}
        try:
            if given["call"] == "load":
                module = load() if module is None else module
                name = given["name"]
                function = find(module, name, given.get("strict"))
            else:
                run = warp if given["call"] == "warp" else generate
                answer = run(function, name, given)
        except (Exception, SystemExit) as error:
            answer = {"error": message(error)}
        ANSWERS.write(json.dumps({"id": given["id"], **answer}, allow_nan=False) + "\n")
        ANSWERS.flush()


FILE = sys.argv[1]
# The names that lines of the learner's code have, and the first fault of a notebook's cells.
SOURCES = [FILE]
CELL_FAULT = None
# What the file prints is no part of the answers.
ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
main()
