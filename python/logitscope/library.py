"""The shared library: the exports of `src/wasm.c` through ctypes, its structs, and its faults.

C has one fault, one set of settings and one exchange (its buffer for inputs). So each sequence of
calls that uses them runs under `LOCK`. A call of C releases Python's own lock.
"""

from __future__ import annotations

import ctypes
import os
import threading
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int32, c_size_t
from ctypes import c_uint8, c_uint32, c_void_p
from typing import Any, Dict, List, NoReturn, Tuple, Type

from .errors import LogitscopeError, Phrase, refuse

LOCK = threading.RLock()
FILE = "_engine.so"


class ModelFile(Structure):
    """The C struct model_file of src/model_file.h, up to n_chat_templates."""

    _fields_ = [
        ("parameters", c_double),
        ("bytes", c_double),
        ("vocab_size", c_uint32),
        ("context_length", c_uint32),
        ("n_layer", c_uint32),
        ("n_head", c_uint32),
        ("n_head_kv", c_uint32),
        ("n_embd", c_uint32),
        ("n_ff", c_uint32),
        ("file_type", c_uint32),
        ("bos_id", c_int32),
        ("eos_id", c_int32),
        ("architecture", c_char_p),
        ("tokenizer_kind", c_char_p),
        ("name", c_char * 128),
        ("weight_bytes", c_double),
        ("session_bytes", c_double),
        ("model_context_length", c_uint32),
        ("pre", c_char_p),
        ("end_ids", POINTER(c_uint32)),
        ("n_end_ids", c_uint32),
        ("chat_templates", c_void_p),
        ("n_chat_templates", c_uint32),
    ]


class TokenizerPiece(Structure):
    """The C struct tokenizer_piece of src/tokenizer.h."""

    _fields_ = [
        ("data", c_void_p),
        ("length", c_size_t),
        ("special", c_uint8),
        ("strips", c_uint8),
    ]


class SessionFed(Structure):
    """The C struct session_fed of src/session.h."""

    _fields_ = [("evaluated", c_uint32), ("reused", c_uint32)]


class WarpRow(Structure):
    """The C struct warp_row of src/warp.h, up to effect."""

    _fields_ = [
        ("name", c_char_p),
        ("kind", c_uint32),
        ("group", c_char_p),
        ("stage", c_char_p),
        ("neutral", c_double),
        ("minimum", c_double),
        ("maximum", c_double),
        ("minimum_included", c_uint8),
        ("maximum_included", c_uint8),
        ("choices", POINTER(c_char_p)),
        ("low", c_double),
        ("high", c_double),
        ("step", c_double),
        ("usual", c_double),
        ("effect", c_char_p),
    ]


class WarpBias(Structure):
    """The C struct warp_bias of src/settings.h."""

    _fields_ = [("id", c_uint32), ("bias", c_double)]


class ConstraintMask(Structure):
    """The C struct constraint_mask of src/constraint.h."""

    _fields_ = [
        ("allowed", c_void_p),
        ("count", c_uint32),
        ("complete", c_uint32),
        ("bytes", c_uint32 * 8),
        ("rule", c_char * 64),
    ]


class ChainStage(Structure):
    """The C struct chain_stage of src/chain.h."""

    _fields_ = [
        ("stage", c_uint32),
        ("active", c_uint32),
        ("changed", c_uint32),
        ("kept", c_uint32),
        ("removed", c_uint32),
        ("after", c_uint32),
        ("value", c_double),
        ("mass_removed", c_double),
        ("top_p_mass", c_double),
        ("entropy", c_double),
        ("perplexity", c_double),
    ]


class ChainToken(Structure):
    """The C struct chain_token of src/chain.h."""

    _fields_ = [
        ("id", c_uint32),
        ("rank", c_uint32),
        ("removed_by", c_uint32),
        ("logit", c_float),
        ("warped", c_float),
        ("green", c_uint32),
        ("p_raw", c_double),
        ("p", c_double),
        ("logprob", c_double),
    ]


class ChainTrace(Structure):
    """The C struct chain_trace of src/chain.h; `stages` has n_stages elements."""

    _fields_ = [
        ("vocab_size", c_uint32),
        ("n_stages", c_uint32),
        ("n_tokens", c_uint32),
        ("kept", c_uint32),
        ("rest_count", c_uint32),
        ("rest_kept", c_uint32),
        ("underflowed", c_uint32),
        ("has_green", c_uint32),
        ("rest_p_raw", c_double),
        ("rest_p", c_double),
        ("entropy", c_double),
        ("perplexity", c_double),
        ("raw_entropy", c_double),
        ("raw_perplexity", c_double),
        ("kept_mass_raw", c_double),
        ("green_p_raw", c_double),
        ("green_p", c_double),
        ("tokens", POINTER(ChainToken)),
        ("stage_p", POINTER(c_double)),
        ("stages", ChainStage * 1),
    ]


class ChainDrawn(Structure):
    """The C struct chain_drawn of src/chain.h."""

    _fields_ = [
        ("id", c_uint32),
        ("rank", c_uint32),
        ("p", c_double),
        ("p_raw", c_double),
        ("logprob", c_double),
        ("p_before", c_double),
    ]


class ChainSample(Structure):
    """The C struct chain_sample of src/chain.h."""

    _fields_ = [("drawn", ChainDrawn), ("kept", c_uint32), ("entropy", c_double)]


#: All C structs that Python reads or writes. A test compares the offsets of their fields with C.
STRUCTS: List[Type[Structure]] = [
    ModelFile,
    TokenizerPiece,
    SessionFed,
    WarpRow,
    WarpBias,
    ConstraintMask,
    ChainStage,
    ChainToken,
    ChainTrace,
    ChainDrawn,
    ChainSample,
]

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
