"""Answers the page's questions about a learner's own model: any callable from ids to logits.

The class `Asked` answers four questions. The logits are those of the callable, unchanged as
float32.
"""

from __future__ import annotations

import itertools
import os
import struct
import sys
import threading
import traceback
from array import array
from typing import Any, Callable, Dict, List, Optional, Sequence

from .arrays import float32s, ids_of, np
from .checks import check_integer
from .errors import LogitscopeError, is_number, must_be, refuse
from .settings import Resolved
from .vocabulary import (
    VOCABULARY_MAX,
    check_size,
    encoder_of,
    given_pieces,
    ids_in,
    pieces,
    special_id,
    vocabulary_of,
)

_HERE = os.path.dirname(__file__)
#: Most tokens of a text, the same as in the page.
LONGEST = 2**18
#: Most characters of the learner's exception that the page shows.
_TOLD_MAX = 500
#: Names of attributes that tell how many tokens a model can see.
_CONTEXT = (
    "block_size config.block_size context_length config.context_length cfg.context_length "
    "max_seq_len params.max_seq_len config.max_seq_len n_positions config.n_positions "
    "config.max_position_embeddings config.sequence_len n_ctx config.n_ctx"
).split()
#: Names of embeddings that have one row for each position.
_POSITIONS = "position_embedding_table pos_emb transformer.wpe wpe".split()


class Superseded(Exception):
    """Raised for a question that waited, when a newer question of its kind replaces it."""


class Turns:
    """Lets one question run at a time. Of the questions that may be superseded, only the newest
    waits."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = False
        self._newest = 0

    def run(self, question: Callable[[], Any], supersedes: bool) -> Any:
        """Runs `question` when no other question runs. Raises `Superseded` if a newer one replaces
        it."""
        with self._changed:
            if supersedes:
                self._newest += 1
                self._changed.notify_all()
            mine = self._newest
            self._changed.wait_for(
                lambda: not self._running or (supersedes and mine != self._newest)
            )
            if supersedes and mine != self._newest:
                raise Superseded
            self._running = True
        try:
            return question()
        finally:
            with self._changed:
                self._running = False
                self._changed.notify_all()


def _find(model: Any, path: str) -> Any:
    for name in path.split("."):
        model = model.get(name) if isinstance(model, dict) else getattr(model, name, None)
    return model


def context_of(model: Any) -> int:
    """Returns the number of tokens that a model can see, from its attributes; LONGEST if no
    attribute tells."""
    sizes = [_find(model, path) for path in _CONTEXT]
    sizes += [getattr(_find(model, path), "num_embeddings", None) for path in _POSITIONS]
    known = [n for n in sizes if isinstance(n, int) and not isinstance(n, bool) and n > 0]
    return min(known[0], LONGEST) if known else LONGEST


def _name_of(model: Any) -> str:
    name = getattr(model, "__name__", type(model).__name__)
    return name if isinstance(name, str) and name.isidentifier() else "model"


def _is_module(model: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def _run_module(model: Any, ids: List[int]) -> Any:
    """Calls an nn.Module with ids (1, T): without gradients, in eval mode, on the model's device.
    Afterwards, even after an exception, each submodule is in its old mode."""
    torch = sys.modules["torch"]
    own = next(itertools.chain(model.parameters(), model.buffers()), None)
    modes = [(part, part.training) for part in model.modules()]
    try:
        model.eval()
        with torch.no_grad():
            device = "cpu" if own is None else own.device
            return model(torch.tensor([ids], dtype=torch.long, device=device))
    finally:
        for part, training in modes:
            part.training = training


def last_row(result: Any) -> Any:
    """Returns the last row of logits from a model's result: (V,), (T, V) or (1, T, V), alone, first
    in a tuple as in nanoGPT, or as `.logits` in transformers."""
    if isinstance(result, tuple) and result and not is_number(result[0]):
        result = result[0]
    if isinstance(result, dict) and "logits" in result:
        result = result["logits"]
    result = getattr(result, "logits", result)
    shape = getattr(result, "shape", None)
    if shape is None:  # a nested list has no shape
        row, shape = result, []
        while isinstance(row, (list, tuple)):
            shape.append(len(row))
            row = row[-1] if row else None
    if not 1 <= len(shape) <= 3 or 0 in shape or (len(shape) == 3 and shape[0] != 1):
        raise must_be("the model's answer", "logits_of_one_text", result)
    for _ in shape[1:]:
        result = result[-1]
    return result


def _check_finite(row: Any) -> None:
    if np is not None and not (np.isnan(row) | (np.asarray(row) == np.inf)).any():
        return
    for id, value in enumerate(row.tolist()):
        if value != value or value == float("inf"):
            refuse("not_finite", "logit_finite", id=id, value=value)


def _little(numbers: Any, code: str) -> bytes:
    """Converts numbers to little-endian bytes."""
    if not isinstance(numbers, array):
        numbers = array(code, numbers.tobytes() if hasattr(numbers, "tobytes") else numbers)
    if sys.byteorder == "big":
        numbers = array(code, numbers)
        numbers.byteswap()
    return numbers.tobytes()


def words_of(data: bytes) -> List[int]:
    """Reads ids from little-endian uint32."""
    if len(data) % 4:
        raise must_be("ids", "a_list_of_ids", f"{len(data)} bytes")
    return list(struct.unpack(f"<{len(data) // 4}I", data))


class Asked:
    """Answers the page's questions about a learner's model. Several threads may ask; one question
    runs at a time."""

    def __init__(
        self,
        row: Callable[[List[int]], Any],
        encode: Callable[[str], Any],
        tokens: Callable[[int], List[bytes]],
        info: Dict[str, Any],
        first: Sequence[int] = (0,),
    ) -> None:
        """`row` returns the logits after ids. `tokens` returns the bytes of all tokens; its
        argument, the size of the vocabulary, is the number of logits after the ids `first`."""
        self._row = row
        self._encode = encode
        self._turns = Turns()
        self._told = ""
        logits = float32s("logits", last_row(row(list(first))))
        self._size = len(logits)
        if self._size > VOCABULARY_MAX:
            refuse("unsupported", "vocabulary_size", n=self._size, limit=VOCABULARY_MAX)
        _check_finite(logits)
        for name in ("bos_token_id", "eos_token_id"):
            if info[name] is not None:
                check_integer(name, info[name], 0, self._size - 1)
        self.info = {**info, "vocab_size": self._size, "complete": True}
        self._pieces = tokens(self._size)

    def answer(self, what: str, body: bytes = b"") -> Any:
        """Answers a question: 'info' (a dict), 'pieces', 'encode' of UTF-8, or 'logits' of uint32
        ids (bytes). Raises Superseded, LogitscopeError, exceptions of the learner's code."""
        questions: Dict[str, Callable[[bytes], Any]] = {
            "info": lambda _: self.info,
            "pieces": lambda _: b"".join(
                struct.pack("<I", len(piece)) + piece for piece in self._pieces
            ),
            "encode": lambda text: _little(self.encode(text.decode("utf-8", "replace")), "I"),
            "logits": lambda ids: _little(self.logits(words_of(ids)), "f"),
        }
        return self._turns.run(lambda: questions[what](body), what == "logits")

    def encode(self, text: str) -> List[int]:
        return ids_in(self._encode(text), self._size)

    def logits(self, ids: List[int]) -> Any:
        """Returns the logits (vocab_size,) after ids. The model sees only the last `context_length`
        ids."""
        ids = ids_of("ids", ids, self._size)[-self.info["context_length"] :]
        row = float32s("logits", last_row(self._row(ids)))
        if len(row) != self._size:
            refuse("invalid_argument", "logits_count", n=len(row), limit=self._size)
        _check_finite(row)
        return row

    def tell(self, error: BaseException) -> str:
        """Returns a sentence about an exception, for the page. The traceback of a learner's
        exception is also printed, once."""
        if isinstance(error, LogitscopeError):
            return str(error)
        at = error.__traceback__
        while at and at.tb_next and os.path.dirname(at.tb_frame.f_code.co_filename) == _HERE:
            at = at.tb_next  # skip this package's frames
        printed = "".join(traceback.format_exception(type(error), error, at))
        if printed != self._told:
            self._told = printed
            print(printed, end="", file=sys.stderr, flush=True)
        words = " ".join(traceback.format_exception_only(type(error), error)[-1].split())
        return words[:_TOLD_MAX]


def settings_for_page(resolved: Resolved, given: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the settings that are not neutral, as values that JSON can hold."""
    from .settings import CANONICAL, TABLE

    chosen = {
        row.name: resolved.values[row.name]
        for row in TABLE
        if resolved.values[row.name] != row.neutral
    }
    if resolved.order != CANONICAL:
        chosen["order"] = resolved.order
    if resolved.draw != "inverse":
        chosen["draw"] = resolved.draw
    if "seed" in given:
        chosen["seed"] = resolved.seed
    if isinstance(resolved.negative_prompt, str):
        chosen["negative_prompt"] = resolved.negative_prompt
    for name, value in chosen.items():
        if isinstance(value, float) and value in (float("inf"), -float("inf")):
            refuse("invalid_argument", "not_in_page", name=name, value=value)
    return {**chosen, **resolved.gates}


def ask_model(
    model: Any,
    encode: Any,
    decode: Any = None,
    *,
    prompt: str,
    context_length: Optional[int],
    name: Optional[str],
    bos_token_id: Optional[int],
    eos_token_id: Optional[int],
    settings: Dict[str, Any],
) -> Asked:
    """Makes the object that answers questions about a learner's model. `bench` documents the
    arguments."""
    if not callable(model):
        raise must_be("model", "a_model", model)
    if not isinstance(prompt, str):
        raise must_be("prompt", "a_string", prompt)
    encode, decode = vocabulary_of(encode, decode)
    length = context_of(model) if context_length is None else context_length
    info = {
        "name": name or _name_of(model),
        "context_length": check_integer("context_length", length, 1, LONGEST),
        "bos_token_id": bos_token_id
        if bos_token_id is not None
        else special_id(encode, "bos_token_id", "bos_id"),
        "eos_token_id": eos_token_id
        if eos_token_id is not None
        else special_id(encode, "eos_token_id", "eot_token", "eos_id"),
        "prompt": prompt,
        "settings": settings,
    }
    encoder = encoder_of(encode)
    first = ids_in(encoder(prompt), 2**32) or [info["bos_token_id"] or 0]

    def row(ids: List[int]) -> Any:
        return _run_module(model, ids) if _is_module(model) else model(ids)

    def tokens(n: int) -> List[bytes]:
        check_size(encode, n)
        check_size(decode, n)
        ids_in(first, n)
        return pieces(decode, n)

    return Asked(row, encoder, tokens, info, first[-info["context_length"] :])


def ask_logits(
    logits: Any, tokens: Any, *, history: Sequence[int], settings: Dict[str, Any]
) -> Asked:
    """Makes the object that answers with the same given logits after every text."""
    row = float32s("logits", last_row(logits))
    _check_finite(row)
    before = ids_of("history", history, len(row))
    if not before:  # the page reads at least one token; penalties change the least probable least
        before = [min(range(len(row)), key=row.__getitem__)]
    info = {
        "name": "logits",
        "context_length": LONGEST,
        "bos_token_id": None,
        "eos_token_id": None,
        "prompt": "",
        "settings": settings,
    }
    return Asked(lambda _: row, lambda _: before, lambda n: given_pieces(tokens, n), info)
