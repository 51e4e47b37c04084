"""The shared library: the exports of `src/wasm.c` through ctypes, its structs, and its faults.

C has one fault, one set of settings and one exchange (its buffer for inputs). So each sequence of
calls that uses them runs under `LOCK`. A call of C releases Python's own lock.
"""

from __future__ import annotations

import ctypes
import os
import re
import threading
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int32, c_size_t
from ctypes import c_uint8, c_uint32, c_void_p
from typing import Any, Dict, NoReturn, Tuple

from .errors import DATA, LogitscopeError, Phrase, refuse

LOCK = threading.RLock()
FILE = "_engine.so"


#: The types of fields, by their name in C.
_TYPES: Dict[str, Any] = {
    "double": c_double,
    "float": c_float,
    "_Bool": c_uint8,
    "uint8_t": c_uint8,
    "uint32_t": c_uint32,
    "int32_t": c_int32,
    "size_t": c_size_t,
    "char": c_char,
    "const char *": c_char_p,
    "const char *const *": POINTER(c_char_p),
}


def _type_of(name: str) -> Any:
    array = re.fullmatch(r"(.*)\[(\d*)\]", name)
    if array:
        return _type_of(array[1]) * int(array[2] or 1)
    if "*" in name and name not in _TYPES:
        of = _TYPES.get(name[len("const ") : -2])
        return POINTER(of) if of else c_void_p
    return c_uint32 if name.startswith("enum ") else _TYPES[name]


def _declare(name: str) -> Any:
    fields = [(field, _type_of(type)) for field, type in DATA["structs"][name]]
    made = type(name, (Structure,), {"_fields_": fields})
    _TYPES[f"struct {name}"] = made
    return made


#: The structs that Python or JavaScript reads, by their name in C. The build takes the fields from
#: C; a struct comes after those that it contains or points to.
STRUCTS: Dict[str, Any] = {name: _declare(name) for name in DATA["structs"]}

_AT, _SIZE, _U32, _F64, _TEXT = c_void_p, c_size_t, c_uint32, c_double, c_char_p

#: The C functions that Python calls: the type of the result, then the types of the arguments.
_CALLS: Dict[str, Tuple[Any, ...]] = {
    "memory_allocate": (_AT, _SIZE),
    "memory_release": (None, _AT),
    "memory_exchange": (_AT, _SIZE),
    "fault_name": (_TEXT,),
    "fault_key": (_TEXT,),
    "fault_form": (_TEXT,),
    "fault_kind": (_U32, _U32),
    "fault_number": (_F64, _U32),
    "fault_text": (_TEXT, _U32),
    "kernels_choose": (None, _U32),
    "model_close": (None, _AT),
    "model_begin": (_AT, _AT, _SIZE, _F64, _U32),
    "model_image": (_AT, _AT),
    "model_finish": (_U32, _AT),
    "tokenizer_encode": (c_int32, _AT, _AT, _SIZE, _U32, _U32, _AT, _SIZE),
    "tokenizer_decode": (c_int32, _AT, _AT, _SIZE, _U32, _AT, _SIZE),
    "tokenizer_piece": (_AT, _AT, _U32),
    "session_open": (_AT, _AT, _U32),
    "session_copy": (_U32, _AT, _AT),
    "session_close": (None, _AT),
    "session_feed": (_AT, _AT, _AT, _SIZE, _U32),
    "session_logits": (_AT, _AT),
    "session_hidden": (_AT, _AT),
    "session_timeline": (_AT, _AT),
    "session_length": (_SIZE, _AT),
    "warp_row": (_AT, _U32),
    "settings_reset": (None,),
    "settings_set": (_U32, _U32, _F64),
    "settings_order": (None, _AT, _U32),
    "settings_bias": (_U32, _AT, _U32),
    "settings_breakers": (_U32, _AT, _U32),
    "settings_ends": (_U32, _AT, _U32),
    "settings_banned": (_U32, _AT, _U32),
    "settings_own": (None, _AT, _U32),
    "settings_second": (None, _AT),
    "settings_forced": (None, _F64),
    "settings_allowed": (None, _AT),
    "settings_step": (None, _F64, _F64),
    "settings_check": (_U32, _SIZE),
    "warp_next": (_F64, _F64),
    "watermark_read": (None, _U32, _AT, _SIZE, _AT),
    "lexicon_open": (_AT, _AT),
    "lexicon_close": (None, _AT),
    "constraint_open": (_AT, _AT, _AT, _SIZE),
    "constraint_close": (None, _AT),
    "constraint_follow": (_AT, _AT, _AT, _SIZE),
    "chain_open": (_AT, _SIZE, _SIZE),
    "chain_close": (None, _AT),
    "chain_apply": (_AT, _AT, _AT, _AT, _SIZE, _SIZE),
    "chain_logits": (_AT, _AT),
    "chain_probabilities": (None, _AT, _AT, _SIZE),
    "chain_sample": (_AT, _AT, _AT, _AT, _SIZE, _F64, _U32),
    "chain_draw": (_AT, _AT, _F64),
    "chain_draw_gumbel": (_AT, _AT, _F64, _F64),
    "chain_describe": (_AT, _AT, _U32),
    "draw_random": (_F64, _F64, _F64),
    "measure_distinct": (_F64, _AT, _SIZE, _SIZE),
    "measure_surprisal": (None, _AT, _SIZE, _AT, _SIZE, _AT),
}


class _Calls:
    """The C functions as attributes, without the prefix of their names."""

    def __init__(self, path: str) -> None:
        if not os.path.exists(path):
            refuse("load_failed", "no_compiled", name=FILE)
        library = ctypes.CDLL(path)
        for name, (result, *arguments) in _CALLS.items():
            call = getattr(library, f"export_{name}")
            call.restype, call.argtypes = result, arguments
            setattr(self, name, call)

    def __getattr__(self, name: str) -> Any:  # tells type checkers that any name is possible
        raise AttributeError(name)


class Handles:
    """Handles of the objects that one engine has opened in C; 0 for none. A finalizer frees
    them."""

    def __init__(self) -> None:
        self.model = self.chain = self.constraint = self.lexicon = 0

    def free(self) -> None:
        """Frees the objects. The order matters: each may use those after it."""
        for name in ("chain", "constraint", "lexicon", "model"):
            handle = getattr(self, name)
            setattr(self, name, 0)
            getattr(C, f"{name}_close")(handle)


C = _Calls(os.path.join(os.path.dirname(os.path.abspath(__file__)), FILE))


def text_of(data: bytes) -> str:
    """Decodes UTF-8; invalid bytes become U+FFFD."""
    return data.decode("utf-8", "replace")


def utf8(text: str) -> bytes:
    """Encodes a text as UTF-8; lone surrogates become U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def fail() -> NoReturn:
    """Raises the last error of C."""
    values: Dict[str, Any] = {}
    for i, part in enumerate(C.fault_form().decode().split(" ")):
        name, _, form = part.partition(":")
        kind = C.fault_kind(i) if form else 0
        if kind == 1:
            number = C.fault_number(i)
            values[name] = int(number) if number.is_integer() else number
        elif kind == 2:
            text = text_of(C.fault_text(i))
            values[name] = Phrase(text) if form == "k" else text
    raise LogitscopeError(C.fault_name().decode(), C.fault_key().decode(), values)


def need(pointer: Any) -> int:
    """Returns a handle or pointer from C. If it is null, raises the last error of C."""
    return pointer if pointer else fail()


def exchange(size: int) -> int:
    """Returns the address of C's buffer for inputs, the exchange, with at least `size` bytes."""
    return need(C.memory_exchange(size))


def write(at: int, data: Any) -> None:
    """Copies bytes or an array (ctypes, NumPy, the module `array`) to an address."""
    if isinstance(data, ctypes.Array):
        ctypes.memmove(at, data, ctypes.sizeof(data))
    else:
        data = data if isinstance(data, bytes) else data.tobytes()
        ctypes.memmove(at, data, len(data))
