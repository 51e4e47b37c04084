"""Supports the Python styles of various courses: tensors, arrays or lists, parameter names, random number
generators, strategy objects. harness.py calls this file; it knows no correct answers."""

import ast
import inspect
import math
import operator
import re
import sys

# For each parameter: other names that courses use.
OF_SAMPLERS = {
    "logits": "scores",
    "history": "token_ids prev_ids prev_token_ids previous_ids full_ids ids generated generated_ids"
    " input_ids prev_tokens tokens seen",
    "temperature": "T t tau temp",
    "repetition_penalty": "rep_penalty rho alpha theta",
}
OF_LOOPS = {
    "model": "lm net",
    "prompt_ids": "prompt ids idx input_ids context prompt_tokens tokens start_ids token_ids",
    "max_new_tokens": "max_tokens num_tokens n_tokens new_tokens num_new_tokens steps n length",
    "eos_token_id": "eos_id eos eos_token stop_id stop_token stop_token_id end_id",
    "context_length": "block_size max_seq_len ctx_len max_context",
    "rng": "make_rng generator gen g random_state",
    "temperature": OF_SAMPLERS["temperature"],
    "repetition_penalty": "penalty r " + OF_SAMPLERS["repetition_penalty"],
    "top_k": "k",
    "top_p": "p",
}
GLOBALS = {
    "eos_token_id": ("EOS_TOKEN_ID", "EOS_ID", "EOS", "EOS_TOKEN", "eos_token_id", "eos_id"),
    "context_length": ("BLOCK_SIZE", "MAX_SEQ_LEN", "CONTEXT_LENGTH", "block_size", "max_seq_len"),
}
NEUTRAL = {"temperature": 1, "top_k": 0, "top_p": 1, "repetition_penalty": 1}
SEEDS = 1000


def known(name, names):
    """Returns the usual name of a parameter."""
    return next((own for own, others in names.items() if name in others.split()), name)


def known_names(given, names, short=()):
    """Returns all known parameter names, for an error about an unknown one."""
    others = [other for all in names.values() for other in all.split()]
    return ", ".join(dict.fromkeys([*given, *short, *names, *others])) + ", or a setting"


def imported(name):
    return sys.modules.get(name)


def kind_of():
    """Returns the library whose types the file uses for logits: `torch`, `numpy` or `list`. It does
    not change after the file is loaded."""
    return next((name for name in ("torch", "numpy") if imported(name)), "list")


def wanted(parameter, kind):
    """Returns the type that a parameter's annotation asks for; without an annotation, the type of
    the whole file."""
    note = parameter.annotation
    note = note if isinstance(note, str) else getattr(note, "__name__", "") + str(note)
    if note == "_empty" or parameter.annotation is parameter.empty:
        return kind
    if "Tensor" in note and imported("torch"):
        return "torch"
    if "ndarray" in note or "NDArray" in note:
        return "numpy" if imported("numpy") else kind
    plain = re.search(r"\b([Ll]ist|[Ss]equence|[Ii]terable|tuple|Tuple|set|Set)\b", note)
    return "list" if plain else kind


def handed(values, kind, whole=False, rows=False):
    """Converts values to a type. `whole` is true for ids; `rows` is true to make a batch of one
    row."""
    if kind == "torch":
        torch = imported("torch")
        made = torch.tensor(values, dtype=torch.long if whole else torch.float32)
        return made[None] if rows else made
    if kind == "numpy":
        numpy = imported("numpy")
        made = numpy.array(values, dtype=numpy.int64 if whole else numpy.float32)
        return made[None] if rows else made
    return [list(values)] if rows else list(values)


def shape_of(value):
    return tuple(getattr(value, "shape", ()))


def listed(value):
    """Converts a tensor, array, list or tuple to a list; returns None for any other value."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        return None
    return list(value)


def is_row(value):
    """Returns true if a value is a batch of one row."""
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], (list, tuple))


class Ranks:
    """Finds out if a function takes one row or a batch: tries both, and keeps the first without an
    error."""

    ALL = {"logits": [(False, False), (True, True), (True, False)], "ids": [(False,), (True,)]}
    # Matches errors of a function that needs an argument with more dimensions.
    SHAPES = re.compile(r"dimension|indices|unpack|0-d|iterate|subscriptable|size of tensor")

    def __init__(self, of, kind):
        self.all = self.ALL[of] if kind != "list" else self.ALL[of][:1]
        self.kept = None

    def call(self, run):
        if self.kept:
            return run(*self.kept)
        first = None
        for rows in self.all:
            try:
                result = run(*rows)
            except Exception as error:
                if first is None or self.SHAPES.search(str(first)):
                    first = error
                continue
            if any(rows):
                self.kept = rows
            return result
        raise first


# Random numbers. While a loop is graded, the libraries draw with the grader's numbers, so that the drawn ids can be
# compared. A draw from probabilities begins with the most probable token.


def seed_of(value):
    """Returns a seed as an integer for a message; -1 if it is none."""
    try:
        value = operator.index(value)
    except TypeError:
        return -1
    return value if abs(value) < 2**53 else -1


class Stream:
    """The sequence of numbers in [0, 1) for one seed."""

    def __init__(self, seed=None):
        self.begin(seed)

    def begin(self, seed):
        self.seed = seed
        self.step = 0

    def next(self):
        step, self.step = self.step, self.step + 1
        RUN.drawn = True
        seed = self.seed if self.seed is None else seed_of(self.seed)
        return RUN.ask({"ask": "number", "seed": seed, "step": step})["number"]

    def uniform(self):
        """Returns a number for code that compares it with cumulative sums. It stays a little below
        1, because rounding can make the last sum less than 1."""
        RUN.uniform = True
        return min(self.next() + 2**-22, 1 - 2**-20)

    def pick(self, weights):
        weights = [float(x) for x in weights]
        whole = math.fsum(weights)
        if not 0 < whole < math.inf or min(weights) < 0:
            raise RuntimeError(f"nothing can be drawn from probabilities that add up to {whole}")
        u = self.next() * whole
        order = sorted(range(len(weights)), key=lambda i: (-weights[i], i))
        mass = 0
        for i in order:
            mass += weights[i]
            if mass > u:
                return i
        return max((i for i in order if weights[i] > 0), key=order.index)


class Run:
    """One graded call of a loop, and its random numbers."""

    def __init__(self, ask, seed, log):
        self.ask = ask
        self.seed = seed
        self.log = log
        self.drawn = self.uniform = False
        # The generator that torch.manual_seed and similar functions set.
        self.shared = Stream()

    def seeded(self, seed):
        """Notes a seed. Before the first draw, only one seed is noted, because a loop may seed
        several libraries."""
        seeds = self.log["seeds"]
        if len(seeds) < SEEDS and (self.drawn or not seeds):
            seeds.append(int(seed))


RUN = None


def seeding(real):
    def seed(value=None, *args, **named):
        made = real(value, *args, **named) if value is not None else real()
        if RUN and value is not None:
            RUN.seeded(value)
            RUN.shared.begin(value)
        return made

    return seed


def chosen(stream, population, weights):
    count = population if isinstance(population, int) else len(population)
    at = stream.pick([1] * count if weights is None else weights)
    return at if isinstance(population, int) else population[at]


def patch_random(random):
    real = random.Random

    class Random(real):
        def __new__(cls, seed=None):
            return super().__new__(cls)

        def __init__(self, seed=None):
            super().__init__(seed)
            self.stream = Stream(seed)
            if RUN and seed is not None:
                RUN.seeded(seed)

        def seed(self, value=None, version=2):
            super().seed(value, version)
            if RUN and value is not None and hasattr(self, "stream"):
                RUN.seeded(value)
                self.stream.begin(value)

        def random(self):
            return self.stream.uniform() if RUN else super().random()

        def choices(self, population, weights=None, *, cum_weights=None, k=1):
            if not RUN:
                return super().choices(population, weights, cum_weights=cum_weights, k=k)
            if cum_weights is not None:
                weights = [b - a for a, b in zip([0, *cum_weights], cum_weights)]
            return [chosen(self.stream, list(population), weights) for _ in range(k)]

    class Shared(Random):
        stream = property(lambda self: RUN.shared if RUN else Stream(), lambda self, _: None)

    random.Random = Random
    shared = Shared()
    for name in ("seed", "random", "choices", "uniform"):
        setattr(random, name, getattr(shared, name))


def numpy_draws(numpy):
    """The draws of numpy.random on a stream of the grader's numbers, by name."""

    def choice(stream, a, size=None, replace=True, p=None, *_, **__):
        population = int(a) if numpy.ndim(a) == 0 else numpy.asarray(a)
        weights = None if p is None else numpy.asarray(p, dtype=numpy.float64)
        if weights is not None and abs(weights.sum() - 1) > 1e-5:
            raise ValueError("probabilities do not sum to 1")
        one = lambda: chosen(stream, population, weights)
        if size is None:
            return numpy.int64(one()) if isinstance(population, int) else one()
        return numpy.array([one() for _ in range(int(numpy.prod(size)))]).reshape(size)

    def numbers(stream, size=None, *_, **__):
        if size is None:
            return stream.uniform()
        return numpy.array([stream.uniform() for _ in range(int(numpy.prod(size)))]).reshape(size)

    def multinomial(stream, n, pvals, size=None):
        counts = numpy.zeros(len(pvals), dtype=numpy.int64)
        for _ in range(n):
            counts[stream.pick(pvals)] += 1
        return counts

    return {"choice": choice, "random": numbers, "multinomial": multinomial}


def patch_numpy(numpy):
    own = numpy.random
    own_calls = numpy_draws(numpy)

    def called(name, real, stream_of):
        def call(self, *args, **named):
            return own_calls[name](stream_of(self), *args, **named) if RUN else real(self, *args, **named)

        return call

    real_generator = own.Generator

    class Generator(real_generator):
        def __init__(self, bits, seed=None):
            super().__init__(bits)
            self.stream = Stream(seed)

    for name in own_calls:
        real = getattr(real_generator, name)
        setattr(Generator, name, called(name, real, lambda self: self.stream))

    class RandomState(own.RandomState):
        def __init__(self, seed=None):
            super().__init__(seed)
            self.stream = Stream(seed)
            if RUN and seed is not None:
                RUN.seeded(seed)

    for name in (*own_calls, "random_sample", "rand"):
        real = getattr(own.RandomState, name)
        like = "random" if name in ("random_sample", "rand") else name
        setattr(RandomState, name, called(like, real, lambda self: self.stream))

    def default_rng(seed=None):
        if isinstance(seed, Generator):
            return seed
        if RUN and isinstance(seed, (int, numpy.integer)):
            RUN.seeded(seed)
        return Generator(own.PCG64(seed), None if seed is None else int(seed))

    shared = {"choice": "choice", "random": "random", "random_sample": "random", "rand": "random"}
    for name, like in {**shared, "multinomial": "multinomial"}.items():
        real = getattr(own, name)

        def call(*args, real=real, like=like, **named):
            return own_calls[like](RUN.shared, *args, **named) if RUN else real(*args, **named)

        setattr(own, name, call)
    own.seed = seeding(own.seed)
    own.Generator = Generator
    own.default_rng = default_rng
    own.RandomState = RandomState


def patch_torch(torch):
    real = {name: getattr(torch, name) for name in ("multinomial", "rand")}

    class Generator(torch.Generator):
        def manual_seed(self, seed):
            super().manual_seed(seed)
            if RUN:
                RUN.seeded(seed)
            self.stream = Stream(int(seed))
            return self

    def stream_of(generator):
        if generator is None:
            return RUN.shared
        if not hasattr(generator, "stream"):
            generator.stream = Stream()
        return generator.stream

    def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
        if not RUN or (num_samples != 1 and not replacement):
            return real["multinomial"](input, num_samples, replacement, generator=generator)
        stream = stream_of(generator)
        rows = input.detach().reshape(-1, input.shape[-1]).tolist()
        ids = [[stream.pick(row) for _ in range(num_samples)] for row in rows]
        made = torch.tensor(ids, device=input.device)
        return made.reshape(*input.shape[:-1], num_samples)

    def rand(*size, generator=None, **named):
        made = real["rand"](*size, **named)
        if not RUN:
            return made
        stream = stream_of(generator)
        return made.apply_(lambda _: stream.uniform())

    torch.multinomial = multinomial
    torch.Tensor.multinomial = multinomial
    torch.rand = rand
    torch.Generator = Generator
    torch.manual_seed = torch.random.manual_seed = seeding(torch.manual_seed)


PATCHES = {"random": patch_random, "numpy": patch_numpy, "torch": patch_torch}
PATCHED = set()


def patch(name):
    module = imported(name)
    if module and name not in PATCHED:
        PATCHED.add(name)
        PATCHES[name](module)


def names_of(text):
    """Returns the modules that a text imports. If it is not valid Python (such as a cell with
    magics), its lines are searched."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return set(re.findall(r"(?m)^\s*(?:import|from)\s+(\w+)", text))
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    of = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.split(".")[0] for name in plain + of}


def prepare(texts):
    """Replaces functions of the libraries, before the file imports them by name."""
    for name in PATCHES:
        if any(name in names_of(text) for text in texts):
            try:
                __import__(name)
            except Exception:  # loading the file raises the same error again
                continue
            patch(name)


def finish():
    """Replaces functions of libraries that other modules have imported meanwhile."""
    for name in PATCHES:
        patch(name)


def generator_of(kind, seed, factory):
    """Makes a generator of the grader's numbers. If it is called with a seed, `factory` makes
    another one."""
    numpy, random = imported("numpy"), imported("random")
    base, bits = random.Random if random else object, ()
    if kind == "torch":
        base = imported("torch").Generator
    elif kind == "numpy":
        base, bits = numpy.random.Generator, (numpy.random.PCG64(0),)
    generator = type("Generator", (base,), {"__call__": lambda self, seed: factory(seed)})(*bits)
    generator.stream = Stream(seed)
    return generator


# The small model of the grader, for lists, arrays and tensors. It counts how often rows before the last one are read.

VIEWS = (
    "__getitem__ squeeze unsqueeze select view reshape flatten narrow detach clone float double to cpu"
    " contiguous copy atleast_1d atleast_2d"
).split()
ASKED = "__get__ size dim numel stride ndimension __len__ __repr__ __format__ type".split()


class Rows(list):
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


def early(places):
    """Returns how many positions before the last one are read; -1 is the last."""
    found = set(places.reshape(-1).tolist())
    return len(found - {-1})


def tensors(values, places, log):
    torch = imported("torch")

    class Positions(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            name = getattr(func, "__name__", "")
            plain = lambda x: x.whole if isinstance(x, cls) else x
            each = lambda x: type(x)(map(plain, x)) if type(x) in (list, tuple) else plain(x)
            result = func(*map(each, args), **{k: each(v) for k, v in (kwargs or {}).items()})
            if name in ASKED:
                return result
            own = next((x for x in args if isinstance(x, cls)), None)
            if own is None or name not in VIEWS:
                log["early"] += sum(early(x.places) for x in args if isinstance(x, cls))
                return result
            return watched(result, func(own.places, *args[1:]))

    def watched(values, places):
        if not early(places):
            return values
        made = values.as_subclass(Positions)
        made.whole, made.places = values, places
        return made

    return watched(values, places)


def arrays(values, places, log):
    numpy = imported("numpy")
    plain = lambda x: numpy.asarray(x) if isinstance(x, Positions) else x

    class Positions(numpy.ndarray):
        places = None

        def __getitem__(self, at):
            own = numpy.asarray(self)[at]
            return own if self.places is None else watched(own, self.places[at])

        def __array_ufunc__(self, ufunc, method, *inputs, **named):
            for x in inputs:
                log["early"] += early(x.places) if getattr(x, "places", None) is not None else 0
            return getattr(ufunc, method)(*map(plain, inputs), **named)

        def __array_function__(self, func, types, args, named):
            if self.places is not None and func.__name__ not in VIEWS:
                log["early"] += early(self.places)
            return func(*map(plain, args), **named)

    def watched(values, places):
        if not isinstance(values, numpy.ndarray) or not early(places):
            return values
        made = values.view(Positions)
        made.places = places
        return made

    return watched(values, places)


class Model:
    """The model as learners call it: model(ids) returns logits for each position, in the type and
    the dimensions of the ids."""

    training = False
    device = "cpu"

    def __init__(self, toy, ask, log, kind, endless):
        self._toy, self._ask, self._log, self._kind = toy, ask, log, kind
        self._endless = endless
        self._looked = set()
        self.vocab_size = toy["vocab_size"]

    def __getattr__(self, name):
        own = {"max_seq_len": "context_length", "block_size": "context_length"}.get(name, name)
        if own not in ("context_length", "eos_token_id"):
            raise AttributeError(f"the model has no attribute {name}")
        self._looked.add(own)
        return self._toy[own]

    def eval(self, *_):
        return self

    train = to = cpu = eval

    def parameters(self):
        return iter([handed([0.0], self._kind)])

    def logits(self, given):
        rank = len(shape_of(given)) or 1
        flat = listed(given if rank == 1 else given[0])
        flat = list(given) if flat is None else flat
        if is_row(flat):
            rank, flat = 2, flat[0]
        log, longest = self._log, self._toy["context_length"]
        ids = [int(i) for i in flat[: 4096 if self._endless else longest + 1]]
        log["windows"].append(ids)
        torch = imported("torch")
        if torch:
            log["graph"] = log.get("graph", 0) + bool(torch.is_grad_enabled())
        told = self._ask(
            {"ask": "window", "ids": ids, "length": len(flat), "endless": self._endless}
        )
        if "error" in told:
            raise ValueError(told["error"])
        picked = [[number(x) for x in row] for row in told["rows"]]
        return self._given(picked, rank, type(given))

    def __call__(self, given, *_, **__):
        return self.logits(given)

    forward = __call__

    def _given(self, rows, rank, of):
        torch, numpy = imported("torch"), imported("numpy")
        last = len(rows) - 1
        if torch and (of is torch.Tensor or self._kind == "torch"):
            values = torch.tensor(rows, dtype=torch.float32)
            places = torch.tensor([at - last - 1 for at in range(len(rows))])[:, None]
            values, places = (x[None] if rank == 2 else x for x in (values, places.expand_as(values)))
            return tensors(values, places, self._log)
        if numpy and (of is numpy.ndarray or self._kind == "numpy"):
            values = numpy.array(rows, dtype=numpy.float32)
            places = numpy.array([at - last - 1 for at in range(len(rows))])[:, None]
            places = numpy.broadcast_to(places, values.shape)
            values, places = (x[None] if rank == 2 else x for x in (values, places))
            return arrays(values, places, self._log)
        made = Rows([list(row) for row in rows], self._log)
        return [made] if rank == 2 else made


def number(x):
    return {"-inf": -math.inf, "inf": math.inf, "nan": math.nan}.get(x, x) if isinstance(x, str) else x


# Strategy objects of a course: Greedy(), Temperature(tau), TopK(k, tau), TopP(p, tau).

STRATEGIES = {
    "greedy": r"greedy|argmax",
    "temperature": r"temperature|temp",
    "top_k": r"topk",
    "top_p": r"topp|nucl\w+",
}


class Skipped(Exception):
    """Raised if a function has no parameter for a setting."""


def strategy_class(which, module):
    """Returns the class of a strategy; None if there is none."""
    ending = r"(strategy|sampling|sampler|decoding|search)?$"
    form = f"(?:{STRATEGIES.get(which, '(?!)')}){ending}"
    classes = [each for each in module.values() if inspect.isclass(each)]
    named = lambda each: each.__name__.replace("_", "").lower()
    return next((each for each in classes if re.match(form, named(each))), None)


def strategy_of(settings, module):
    temperature, k, p = settings["temperature"], settings["top_k"], settings["top_p"]
    if settings["repetition_penalty"] != 1:
        raise Skipped("repetition_penalty")
    if k and p != 1 and temperature != 0:
        raise Skipped("top_k with top_p")
    which = "greedy" if temperature == 0 else "top_k" if k else "top_p" if p != 1 else "temperature"
    own = strategy_class(which, module)
    if own is None:
        raise LookupError(f"it has no strategy class for {which}")
    given = {}
    for parameter in inspect.signature(own).parameters.values():
        asked = known(parameter.name, OF_LOOPS)
        if asked in settings:
            given[parameter.name] = settings[asked]
        elif parameter.default is parameter.empty:
            names = known_names(NEUTRAL, {name: OF_LOOPS[name] for name in NEUTRAL})
            raise TypeError(
                f"the parameter {parameter.name} of {own.__name__} is unknown, known are {names}"
            )
    if temperature not in (0, 1) and not any(known(x, OF_LOOPS) == "temperature" for x in given):
        raise Skipped("temperature")
    return own(**given)


def sampler_of(settings, kind):
    """Returns a sampler for loops that take one as an argument: it draws without any stage."""
    for name, value in NEUTRAL.items():
        if settings[name] != value:
            raise Skipped(name)

    def sampler(logits):
        values = listed(logits)
        values = values[0] if is_row(values) else values
        best = max(values)
        return RUN.shared.pick([math.exp(x - best) for x in values])

    return sampler


class Call:
    """A decode loop as a course defines it: its arguments, and the rules that it does not have."""

    def __init__(self, function, module, kind):
        self.function, self.module, self.kind = function, module, kind
        self.ranks = Ranks("ids", kind)
        self.parameters = {
            known(p.name, OF_LOOPS): p
            for p in inspect.signature(function).parameters.values()
            if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        }
        names = self.parameters
        # A loop as in the grader's documentation has `settings`, or makes its generator with `rng`.
        rng = names.get("rng")
        self.as_documented = "settings" in names or (
            rng is not None and rng.name in ("rng", "make_rng") and rng.annotation is rng.empty
        )
        self.handed = next((x for x in ("sampler", "strategy") if x in names), None)

    def arguments(self, given, rows):
        settings, made = given["settings"], {}
        if not self.as_documented and not self.handed:
            for name, neutral in NEUTRAL.items():
                if name not in self.parameters and settings[name] != neutral:
                    raise Skipped(name)
        for asked, parameter in self.parameters.items():
            empty = parameter.default is parameter.empty
            optional = parameter.default is None or "None" in str(parameter.annotation)
            if asked == "prompt_ids":
                kind = wanted(parameter, "torch" if self.kind == "torch" else "list")
                value = handed(given["prompt_ids"], kind, whole=True, rows=rows)
            elif asked == "strategy":
                value = strategy_of(settings, self.module)
            elif asked == "sampler":
                value = sampler_of(settings, self.kind)
            elif asked in given:
                value = given[asked]
                if asked == "eos_token_id" and value < 0 and optional:
                    value = None
            elif asked in settings:
                value = settings[asked]
                if optional and asked in NEUTRAL and value == NEUTRAL[asked]:
                    value = None
            elif empty:
                names = known_names(given, OF_LOOPS)
                raise TypeError(f"its parameter {parameter.name} is unknown, known are {names}")
            else:
                continue
            made[parameter.name] = value
        return made

    def blind(self, model):
        """Returns the rules that this loop does not have, because its course does not teach
        them."""
        if self.as_documented:
            return []
        has = lambda name: (
            name in self.parameters
            or name in model._looked
            or any(each in self.module for each in GLOBALS[name])
        )
        crop = ["crop"] if self.handed and not has("context_length") else []
        return crop + ([] if has("eos_token_id") else ["end"])

    def without_prompt(self, ids, prompt, log):
        """Removes the prompt from a result that begins with it and has more ids than the loop has
        drawn. A loop as in the grader's documentation must not return the prompt."""
        whole = len(ids) > len(log["windows"]) and ids[: len(prompt)] == prompt
        return ids[len(prompt) :] if whole and not self.as_documented else ids
