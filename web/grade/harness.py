"""Runs beside a learner's Python functions: reads calls as lines of JSON and answers with the returned
values. It is the Python version of harness.js; a removed logit is the string "-inf"."""

import builtins

if __name__ == "__main__":
    # Runs this file again in its own namespace, whose built-in functions no other code can change.
    namespace = {"__name__": "harness", "__file__": __file__, "__builtins__": dict(vars(builtins))}
    with open(__file__, encoding="utf-8") as file:
        exec(compile(file.read(), __file__, "exec"), namespace)
    raise SystemExit

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

SAID = 600

spec = importlib.util.spec_from_file_location(
    "logitscope_course", os.path.join(os.path.dirname(os.path.abspath(__file__)), "course.py")
)
course = importlib.util.module_from_spec(spec)
spec.loader.exec_module(course)

# Cell magics that run the rest of the cell as Python.
TIMED = ("%%time", "%%timeit", "%%capture", "%%prun")

SHORT_NAMES = {"p": "_p", "k": "_k", "penalty": "_penalty"}


class Settings(dict):
    """The settings by key or attribute. `read` has the names that the function has read."""

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


def word(x):
    """Prepares a number for JSON, which has no infinities and NaN."""
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
    """Returns a list of numbers, or a description of any other value."""
    values = course.listed(value)
    if values is not None:
        return {"result": [word(x) for x in values[:most]], "length": len(values)}
    return {"result": "None" if value is None else f"a value of type {type(value).__name__}"}


def message(error):
    """Returns the message of an error, with the line of the learner's file."""
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


def parameters_of(function):
    return inspect.signature(function).parameters if inspect.isfunction(function) else ()


def find(module, name, strict):
    for each in [name, f"{name}_filter", f"apply_{name}"]:
        if callable(module.get(each)):
            return module[each]
    if name == "generate" and "model" in parameters_of(module.get("sample")):
        return module["sample"]
    own = [f for f in module.values() if inspect.isfunction(f) and f.__module__ == "learner"]
    objects = course.strategy_class(name, module)
    if objects and any("strategy" in parameters_of(f) for f in own):
        raise LookupError(
            f"it has no function named {name}: its strategy class {objects.__name__} is graded "
            "in its loop, with --as generate"
        )
    if len(own) == 1 and not strict:
        return own[0]
    cell = f"; a cell fails: {CELL_FAULT}" if CELL_FAULT else ""
    raise LookupError(f"it has no function named {name}{cell}")


def arguments(function, name, given, rows):
    """Returns the arguments of a sampler by parameter name, then its logits and its history.
    `rows`: for logits and history, true to pass a batch of one row."""
    settings = given["settings"]
    named, own, seen = {}, None, None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        asked = parameter.name
        if asked not in given:
            asked = course.known(asked, course.OF_SAMPLERS)
        ending = SHORT_NAMES.get(parameter.name)
        if ending:
            asked = name if name.endswith(ending) else {"p": "top_p", "k": "top_k"}.get(
                parameter.name, "repetition_penalty"
            )
        if asked in given:
            value = given[asked]
            if asked == "history":
                kind = course.wanted(parameter, "torch" if KIND == "torch" else "list")
                value = course.handed(value, kind, whole=True, rows=rows[1] and kind != "list")
                seen = value
            elif asked in ("logits", "second") and value is not None:
                kind = course.wanted(parameter, KIND)
                value = course.handed(value, kind, rows=rows[0])
                own = value if asked == "logits" else own
        elif asked in settings:
            value = settings[asked]
        elif parameter.default is not parameter.empty:
            continue
        else:
            known = course.known_names(given, course.OF_SAMPLERS, SHORT_NAMES)
            raise TypeError(f"its parameter {parameter.name} is unknown, known are {known}")
        named[parameter.name] = value
    return named, own, seen


def is_other(value, before):
    """Returns true if a list, tensor or array has changed."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if value and isinstance(value[0], (list, tuple)):
        value = value[0]
    return value is not None and (*value,) != before


def warp(tested, name, given):
    logits = [course.number(x) for x in given["logits"]]
    settings = Settings(given["settings"])
    second = given.get("second")
    passed = {
        "logits": logits,
        "settings": settings,
        "history": given["history"],
        "step": given.get("step"),
        "coin": given.get("coin"),
        "bits": given.get("bits"),
        "second": [course.number(x) for x in second] if second else None,
    }

    if given.get("tokens"):
        passed["tokens"] = given["tokens"]

    # The learner's code can reach every object here, so tuples keep the original values.
    before, past = (*logits,), (*given["history"],)
    own = seen = None

    def run(*rows):
        nonlocal own, seen
        named, own, seen = arguments(tested.function, name, passed, rows)
        value = tested.function(**named)
        value = course.listed(value) if rows[0] else value
        return value[0] if rows[0] and course.is_row(value) else value

    answer = plain(tested.ranks.call(run), len(before))
    changed, rewrote = is_other(own, before), is_other(seen, past)
    read = sorted(settings.read)
    return {**answer, "changed": changed, "rewrote": rewrote, "read": read}


def generate(tested, name, given, ask):
    """Calls a loop. `ask` sends a question to the grader, which has the model and the random
    numbers."""
    log = {"windows": [], "early": 0, "seeds": []}
    settings = Settings(given["settings"])
    toy, prompt = given["toy"], given["prompt"]
    call = tested.call
    most = settings["max_new_tokens"] + 8
    before, rewrote = (*prompt,), False

    def factory(seed):
        if len(log["seeds"]) < course.SEEDS:
            log["seeds"].append(seed)
        return course.Stream(seed).next

    for asked, names in course.GLOBALS.items():
        for own in names:
            if isinstance(tested.module.get(own), int):
                tested.module[own] = toy[asked]

    def run(*rows):
        nonlocal rewrote
        log.update(windows=[], early=0, seeds=[])
        log.pop("graph", None)
        ask({"ask": "again"})
        course.RUN = course.Run(ask, settings["seed"], log)
        model = course.Model(toy, ask, log, KIND, bool(call.handed))
        passed = {
            "model": model,
            "prompt_ids": prompt,
            "settings": settings,
            "rng": course.generator_of(KIND, settings["seed"], factory),
            "eos_token_id": toy["eos_token_id"],
            "context_length": toy["context_length"],
        }
        given_to = call.arguments(passed, rows[0])
        try:
            value = tested.function(**given_to)
        finally:
            log["blind"] = call.blind(model)
            log["uniform"], log["drawn"] = course.RUN.uniform, course.RUN.drawn
            course.RUN = None
        named = call.parameters.get("prompt_ids")
        rewrote = named is not None and is_other(given_to[named.name], before)
        values = course.listed(value)
        values = values[0] if course.is_row(values) else values
        return value if values is None else call.without_prompt(values, prompt, log)

    try:
        return {**plain(call.ranks.call(run), most), "rewrote": rewrote, "log": log}
    except course.Skipped as error:
        return {"result": [], "length": 0, "log": {**log, "skipped": str(error)}}
    except (Exception, SystemExit) as error:
        return {"error": message(error), "log": log}


class TestedFunction:
    """The function to grade, and the way to call it."""

    def __init__(self, module, name, strict):
        self.module = module
        self.function = find(module, name, strict)
        self.ranks = course.Ranks("logits", KIND)
        self.call = course.Call(self.function, module, KIND) if name == "generate" else None


def code_of(text, name):
    """Compiles a cell without its magics and shell commands (%, !)."""
    try:
        return compile(text, name, "exec")
    except SyntaxError:
        first, _, rest = text.lstrip().partition("\n")
        if first.startswith("%%"):
            text = rest if first.split()[0] in TIMED else ""
        text = re.sub(r"(?m)^([ \t]*)(?:[%!].*|\S+\?\??[ \t]*)$", r"\1pass", text)
        return compile(text, name, "exec")


def run_cells(source, module):
    """Runs the code cells of a notebook. An error ends only its own cell."""
    global CELL_FAULT
    notebook = json.loads(source)
    about = notebook.get("metadata", {})
    language = about.get("language_info", about.get("kernelspec", {}))
    language = language.get("language") or language.get("name", "python")
    if not language.lower().startswith(("python", "ipython")):
        raise ValueError(f"it is a notebook in {language}: Python is graded")
    sheets = notebook.get("worksheets", [notebook])
    cells = [cell for sheet in sheets for cell in sheet["cells"] if cell["cell_type"] == "code"]
    texts = ["".join(cell.get("source", cell.get("input", ""))) for cell in cells]
    course.prepare(texts)
    module["display"] = print
    for at, text in enumerate(texts, 1):
        name = f"<cell {at}>"
        SOURCES.append(name)
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        try:
            exec(code_of(text, name), module)
        except (Exception, SystemExit) as error:
            CELL_FAULT = CELL_FAULT or message(error)


def decoded(source):
    """Decodes the bytes of a file as Python does."""
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
    # Some modules look for the learner's module in sys.modules, for example dataclasses.
    sys.modules["learner"] = learner
    module = vars(learner)
    with open(FILE, "rb") as file:
        source = file.read()
    for folder in sys.argv[2:]:
        site.addsitedir(folder)
    sys.path.insert(0, os.path.dirname(FILE))
    global KIND
    if FILE.lower().endswith(".ipynb"):
        run_cells(source, module)
    elif source[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise SyntaxError("it is UTF-16, which Python does not read: save it as UTF-8")
    else:
        # A byte order mark or a coding line sets the encoding, as in every Python file.
        text = decoded(source)
        course.prepare([text])
        exec(compile(text, FILE, "exec"), module)
    course.finish()
    KIND = course.kind_of()
    return module


def main(warp=warp, generate=generate, message=message, dumps=json.dumps, loads=json.loads):
    module = None
    tested = name = tokens = None
    read, write = sys.stdin.readline, os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1).write
    # Output of the learner's code must not mix with the answers.
    os.dup2(2, 1)

    def send(told):
        write(dumps(told, allow_nan=False) + "\n")

    for line in iter(read, ""):
        given = loads(line)
        id = given.pop("id")
        answer = {}

        def ask(question):
            send({"id": id, **question})
            return loads(read())

        try:
            if given["call"] == "load":
                module = load() if module is None else module
                name = given["name"]
                tested = TestedFunction(module, name, given.get("strict"))
            elif given["call"] == "warp":
                # The texts of the tokens come with the first call that has them.
                tokens = given.setdefault("tokens", tokens)
                answer = warp(tested, name, given)
            else:
                answer = generate(tested, name, given, ask)
        except (Exception, SystemExit) as error:
            answer = {"error": message(error)}
        send({"id": id, **answer})


FILE = sys.argv[1]
# File names that tracebacks show for the learner's code, and the first error in a cell of a notebook.
SOURCES = [FILE]
CELL_FAULT = None
# Type of the logits: list, numpy or torch.
KIND = "list"
# Remove these modules, so that the learner's code does not find them.
for own in ("__main__", "json", "json.decoder", "json.encoder", "json.scanner"):
    del sys.modules[own]
sys.modules["__main__"] = types.ModuleType("__main__")
main()
