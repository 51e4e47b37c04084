"""The state that all timelines of one engine share: the open model, its tokenizer, the chain.

Callers must check the arguments; `Logitscope` and `Session`, the public classes, do.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import settings
from .arrays import ids_of, read_ids, words
from .chain import Chain
from .errors import LogitscopeError, must_be, refuse, show, shown
from .library import C, STRUCTS, Handles, exchange, fail, need, text_of, utf8, write
from .settings import ROWS, Resolved
from .types import Info, Marks, Piece

#: llama.cpp's names for the numbers of general.file_type.
_FILE_TYPES = (
    "F32,F16,Q4_0,Q4_1,,,,Q8_0,Q5_0,Q5_1,Q2_K,Q3_K_S,Q3_K_M,Q3_K_L,Q4_K_S,Q4_K_M,Q5_K_S,Q5_K_M,"
    "Q6_K,,,Q2_K_S,,,,IQ4_NL,,,,,IQ4_XS,,BF16"
).split(",")
#: TOKENIZER_SPECIAL and TOKENIZER_AS_IT_IS of src/tokenizer.h.
_SPECIAL, _AS_IT_IS = 1, 2
#: TOKENIZER_TEXT_MAX of src/tokenizer.h, in bytes.
_TEXT_MAX = 1 << 26
#: MODEL_FILE_NO_SESSION of src/model_file.h.
NO_SESSION = 2**32 - 1


class Core:
    """A model (or none), its tokenizer, and the chain for its vocabulary."""

    def __init__(self, variant: str, cache: bool) -> None:
        self.variant = variant
        self.cache = cache
        self.context = 0
        self.info: Optional[Info] = None
        self.closed = False
        self.handles = Handles()
        self.chain = Chain(self)
        self._pieces: Dict[int, Piece] = {}
        self._texts: Optional[Tuple[str, ...]] = None
        self._breakers: Dict[str, List[List[int]]] = {}
        self._tokens: Dict[str, Optional[int]] = {}
        self._finalizer = weakref.finalize(self, self.handles.free)

    def choose_loops(self) -> None:
        """Selects the inner loops for sessions and chains that are opened from now on."""
        C.kernels_choose(0 if self.variant == "scalar" else 1)

    def open_model(self, source: Any, context: int) -> None:
        """Opens a GGUF file from its path or its bytes."""
        self.context = 0 if context == NO_SESSION else context
        if isinstance(source, (bytes, bytearray, memoryview)):
            self._open_image(bytes(source), context)
        elif isinstance(source, (str, os.PathLike)):
            try:
                with open(source, "rb") as file:
                    size = os.fstat(file.fileno()).st_size
                    if not size:
                        self._open_image(b"", context)
                        return
                    image = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
                self._open_image((ctypes.c_char * size).from_buffer(image), context)
            except OSError as error:
                name = os.fspath(source)
                reason = f"there is no file {name}"
                if not isinstance(error, FileNotFoundError):
                    reason = error.strerror or str(error)
                refuse(
                    "load_failed",
                    "load_failed_from",
                    setting="model",
                    address=show(name),
                    reason=reason,
                )
        else:
            raise must_be("model", "a_source", source)

    def _open_image(self, data: Union[bytes, Any], context: int) -> None:
        n = len(data)
        handle = need(C.model_begin(data, n, n, context))
        try:
            ctypes.memmove(need(C.model_image(handle)), data, n)
            if C.model_finish(handle):
                fail()
            self.handles.model = handle
            self.info = self._read_info(handle)
            self.chain.open(self.info.vocab_size, 0)
        except LogitscopeError:
            self.handles.model = 0
            self.info = None
            C.model_close(handle)
            raise

    def _read_info(self, handle: int) -> Info:
        c = STRUCTS["model_file"].from_address(handle)

        def text(value: Optional[bytes]) -> Optional[str]:
            return text_of(value) if value else None

        types = dict(enumerate(_FILE_TYPES))
        return Info(
            name=text_of(c.name),
            architecture=text(c.architecture),
            vocab_size=c.vocab_size,
            context_length=c.context_length,
            model_context_length=c.model_context_length,
            n_layer=c.n_layer,
            n_head=c.n_head,
            n_head_kv=c.n_head_kv,
            n_embd=c.n_embd,
            n_ff=c.n_ff,
            parameters=int(c.parameters),
            file_type=(types.get(c.file_type) or str(c.file_type)) if c.architecture else None,
            bytes=int(c.bytes),
            tokenizer=text(c.tokenizer_kind),
            pre=text(c.pre),
            bos_token_id=None if c.bos_id < 0 else c.bos_id,
            eos_token_id=None if c.eos_id < 0 else c.eos_id,
            end_token_ids=list(c.end_ids[: c.n_end_ids]) if c.n_end_ids else [],
            weight_bytes=int(c.weight_bytes),
            session_bytes=int(c.session_bytes),
            threads=1,
            variant=self.variant,
        )

    def need_open(self) -> None:
        if self.closed:
            refuse("closed", "instance_closed")

    def need_model(self) -> Info:
        """Returns the data of the model. Raises an error without a model or after `close`."""
        self.need_open()
        if self.info is None:
            refuse("no_model", "no_model")
        return self.info

    # Tokens

    def encode(
        self, text: str, bos: Any = "auto", special: bool = False, as_it_is: bool = False
    ) -> List[int]:
        """Returns the ids of a text. Raises `unknown_token` if the vocabulary cannot spell it."""
        self.need_model()
        if not isinstance(text, str):
            raise must_be("text", "a_string", text)
        data = utf8(text) if len(text) <= _TEXT_MAX else b""
        n = max(len(text), len(data))
        if n > _TEXT_MAX:
            refuse("too_long", "text_bytes", limit=_TEXT_MAX, n=n)
        flags = (_SPECIAL if special else 0) | (_AS_IT_IS if as_it_is else 0)
        at_ids = (len(data) + 3) & ~3
        how = {"auto": 0, True: 1, False: 2}[bos]
        capacity = len(data) + 2
        while True:
            at = exchange(at_ids + 4 * capacity)
            write(at, data)
            count = C.tokenizer_encode(
                self.handles.model, at, len(data), how, flags, at + at_ids, capacity
            )
            if count < 0:
                fail()
            if count <= capacity:
                return read_ids(at + at_ids, count)
            capacity = count

    def decode(self, ids: Sequence[int], special: bool) -> str:
        capacity = 0
        while True:
            at = exchange(4 * len(ids) + capacity)
            write(at, words(ids))
            text_at = at + 4 * len(ids)
            model = self.handles.model
            length = C.tokenizer_decode(model, at, len(ids), special, text_at, capacity)
            if length < 0:
                fail()
            if length <= capacity:
                return text_of(ctypes.string_at(text_at, length))
            capacity = length

    def piece(self, id: int) -> Piece:
        """Returns the text and bytes of a token. They are cached, because every trace needs
        them."""
        piece = self._pieces.get(id)
        if piece is None:
            piece = self._pieces[id] = self._read_piece(id)
        return piece

    def _read_piece(self, id: int) -> Piece:
        struct = STRUCTS["tokenizer_piece"]
        at = need(C.tokenizer_piece(self.handles.model, id))
        c = struct.from_address(at)
        text_at = ctypes.c_void_p.from_address(at + struct.data.offset)  # may have zeros
        data = ctypes.string_at(text_at, c.length)
        return Piece(id, text_of(data), data, bool(c.special))

    def texts(self) -> Tuple[str, ...]:
        """Returns the texts of all tokens. They are read once, and without their bytes."""
        if self._texts is None:
            ids = range(self.need_model().vocab_size)
            self._texts = tuple(self._read_piece(id).text for id in ids)
        return self._texts

    def token_of(self, text: str) -> Optional[int]:
        """Returns the id of the token with exactly this text; None if there is none. The tokenizer
        may still encode the text as several tokens."""
        if text not in self._tokens:
            pieces = map(self.piece, range(self.need_model().vocab_size))
            found = (piece.id for piece in pieces if piece.text == text and not piece.special)
            self._tokens[text] = next(found, None)
        return self._tokens[text]

    def spelling(self, text: str) -> List[int]:
        """Returns the ids of a text; an empty list if the vocabulary cannot spell it."""
        try:
            return self.encode(text, bos=False)
        except LogitscopeError as error:
            if error.code == "unknown_token":
                return []
            raise

    def need_tokenizer(self, name: str, value: Any, vocab_size: int) -> None:
        if not (self.info and self.info.tokenizer and self.info.vocab_size == vocab_size):
            refuse(
                "no_model", "needs_tokenizer", setting=name, n=vocab_size, value=shown(value)
            )

    # Settings that depend on the model

    def breakers(self, resolved: Resolved, vocab_size: int) -> List[List[int]]:
        """Returns the sequences of ids that break a repeat for DRY: those given as ids, and those
        found for each given text."""
        found: List[List[int]] = []
        if not resolved.values["dry_multiplier"]:
            return found
        for breaker in resolved.values["dry_sequence_breakers"]:
            if not isinstance(breaker, str):
                ids = breaker if isinstance(breaker, list) else [breaker]
                found.append([int(id) for id in ids])
                continue
            if not (self.info and self.info.tokenizer and self.info.vocab_size == vocab_size):
                refuse("no_model", "breakers_tokenizer", value=show(breaker))
            if breaker not in self._breakers:
                pieces = map(self.piece, range(vocab_size))
                ids = self.spelling(breaker)
                self._breakers[breaker] = [
                    *([piece.id] for piece in pieces if breaker in piece.text),
                    *([ids] if len(ids) > 1 else []),
                ]
            found += self._breakers[breaker]
        return found

    def ends(self, resolved: Resolved, vocab_size: int) -> List[int]:
        """Returns the tokens that end a text; none for logits of another vocabulary."""
        if resolved.ends is not None:
            return resolved.ends
        return self.info.end_token_ids if self.info and self.info.vocab_size == vocab_size else []

    # Measures

    def marks(self, ids: Any, resolved: Resolved) -> Marks:
        """Returns a value for each id and each watermark that is on."""
        ids = ids_of("ids", ids, 2**32)
        settings.apply(resolved, [], [], [], 0)

        def read(name: str) -> Optional[List[int]]:
            if not resolved.values[name]:
                return None
            at = exchange(8 * len(ids))
            write(at, words(ids))
            C.watermark_read(ROWS[name][0], at, len(ids), at + 4 * len(ids))
            return read_ids(at + 4 * len(ids), len(ids))

        return Marks(read("green_bias"), read("synthid_depth"), resolved.values)

    def close(self) -> None:
        self.info = None
        self.closed = True
        self._finalizer()
