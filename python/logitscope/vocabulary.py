"""The tokens of a learner's own model: `encode` and `decode` in the forms that courses have.

Functions, the dicts `stoi` and `itos`, and tokenizers of tiktoken, minbpe, tokenizers, transformers
and sentencepiece. A piece is the bytes of one token.
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .arrays import ids_of
from .errors import LogitscopeError, is_number, must_be, refuse, show

#: Most tokens of a vocabulary, the same as in the page.
VOCABULARY_MAX = 2**18


def vocabulary_of(encode: Any, decode: Any) -> Tuple[Any, Any]:
    """Returns `encode` and `decode` of the arguments: of one tokenizer with both, or of nanoGPT's
    dict with `stoi` and `itos`. Refuses the two dicts in the wrong order."""
    if decode is None and isinstance(encode, dict) and "stoi" in encode and "itos" in encode:
        return encode["stoi"], encode["itos"]
    if decode is None and isinstance(encode, dict):
        raise must_be("decode", "a_decoder", None)
    from_ids = isinstance(encode, list) or isinstance(encode, dict) and all(map(is_number, encode))
    if from_ids and isinstance(decode, dict) and all(isinstance(key, str) for key in decode):
        refuse("invalid_argument", "swapped")
    return encode, encode if decode is None else decode


def check_size(vocabulary: Any, vocab_size: int) -> None:
    """Refuses a dict or list with more tokens than the model gives logits. A smaller one is
    padded."""
    if not isinstance(vocabulary, (dict, list, tuple)):
        return
    ids = vocabulary.values() if isinstance(vocabulary, dict) else ()
    keys = [id for each in (vocabulary, ids) for id in each if is_number(id)]
    n = 1 + max(keys, default=-1) if isinstance(vocabulary, dict) else len(vocabulary)
    if n > vocab_size:
        refuse("invalid_argument", "vocabulary_larger", n=n, limit=vocab_size)


def encoder_of(encode: Any) -> Callable[[str], Any]:
    """Returns a function that encodes a text as ids."""
    if isinstance(encode, dict):
        return lambda text: _spell(encode, text)
    # In tiktoken and minbpe, the name of a special token in a text is plain text.
    for name in ("encode_ordinary", "encode"):
        method = getattr(encode, name, None)
        if callable(method):
            return _told(method)
    if callable(encode):
        return _told(encode)
    raise must_be("encode", "an_encoder", encode)


def _told(encode: Callable[[str], Any]) -> Callable[[str], Any]:
    """Names the text when the learner's encode raises KeyError, as for an unknown character."""

    def encoded(text: str) -> Any:
        try:
            return encode(text)
        except (KeyError, IndexError) as error:
            told = f"{type(error).__name__}: {error}"
            values = {"value": show(text), "error": told}
            raise LogitscopeError("unknown_token", "not_encoded", values) from error

    return encoded


def ids_in(result: Any, vocab_size: int) -> List[int]:
    """Checks and returns the ids from an encoder. The class Encoding of the library tokenizers has
    them in `ids`."""
    return ids_of("ids", getattr(result, "ids", result), vocab_size)


def _spell(stoi: Dict[str, Any], text: str) -> List[Any]:
    for at, character in enumerate(text):
        if character not in stoi:
            refuse("unknown_token", "no_character", value=show(character), at=at)
    return [stoi[character] for character in text]


def piece_of(decode: Any) -> Callable[[int], Any]:
    """Returns a function that gives the text or the bytes of one token."""
    if isinstance(decode, (dict, list, tuple)):
        return lambda id: decode[id]
    single = getattr(decode, "decode_single_token_bytes", None)  # tiktoken
    if callable(single):
        return single
    vocab = getattr(decode, "vocab", None)  # minbpe
    if isinstance(vocab, dict) and isinstance(vocab.get(0), bytes):
        method = decode.decode
        return lambda id: vocab[id] if id in vocab else method([id])
    for name in ("id_to_token", "convert_ids_to_tokens", "id_to_piece"):
        method = getattr(decode, name, None)
        if callable(method):
            return _spelled(method, _is_byte_level(decode))
    method = getattr(decode, "decode", None)
    if callable(method):
        return lambda id: method([id])
    if callable(decode):
        return lambda id: _decoded(decode, id)
    raise must_be("decode", "a_decoder", decode)


def _decoded(decode: Callable[[Any], Any], id: int) -> Any:
    """Calls a function that takes a list of ids, or one id."""
    try:
        return decode([id])
    except TypeError:
        try:
            text = decode(id)
        except Exception:
            text = None
        if isinstance(text, (str, bytes)):
            return text
        raise


def pieces(decode: Any, vocab_size: int) -> List[bytes]:
    """Returns the bytes of each token.

    If `decode` refuses the last ids of the vocabulary, these are unused rows of the embedding
    (nanoGPT has 50,304 rows for 50,257 tokens), and each is named by its id. If it refuses an
    earlier id, its exception is raised.
    """
    piece = piece_of(decode)
    found: List[bytes] = []
    fault: Optional[Exception] = None
    for id in range(vocab_size):
        try:
            text = piece(id)
            if isinstance(text, str):
                text = text.encode("utf-8", "replace")
            if not isinstance(text, (bytes, bytearray)):
                raise must_be("decode", "a_text_or_bytes", text)
        except Exception as error:
            if not found:
                raise
            fault = fault or error
            text = f"\u27e8{id}\u27e9".encode()
        else:
            if fault is not None:
                raise fault
        found.append(bytes(text))
    return found


def special_id(tokenizer: Any, *names: str) -> Optional[int]:
    """Returns the id of a special token, from the first of these attributes that the tokenizer has;
    None if it has none."""
    for name in names:
        id = getattr(tokenizer, name, None)
        if isinstance(id, int) and not isinstance(id, bool) and id >= 0:
            return id
    return None


def _byte_letters() -> Dict[str, int]:
    """Returns the byte for each character of GPT-2's files: printable bytes are themselves, the
    others start at U+0100."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {chr(byte): byte for byte in printable}
    letters.update({chr(256 + n): byte for n, byte in enumerate(others)})
    return letters


_LETTERS = _byte_letters()


def _is_byte_level(tokenizer: Any) -> bool:
    """Returns true for a byte-level BPE of the libraries tokenizers or transformers."""
    if hasattr(tokenizer, "byte_decoder"):  # a tokenizer of transformers that is written in Python
        return True
    fast = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(fast, "to_str"):
        return False
    decoder = json.loads(fast.to_str()).get("decoder") or {}
    steps = decoder.get("decoders", [decoder])
    return any(step.get("type") == "ByteLevel" for step in steps)


def _spelled(token: Callable[[int], Optional[str]], byte_level: bool) -> Callable[[int], bytes]:
    """Returns a function that turns the spelling of a token into its bytes. Files spell bytes as
    GPT-2's characters, or as U+2581 and <0x0A>."""

    def piece(id: int) -> bytes:
        text = token(id)
        if not isinstance(text, str):
            raise must_be("decode", "a_text_or_bytes", text)
        if byte_level and all(letter in _LETTERS for letter in text):
            return bytes(_LETTERS[letter] for letter in text)
        byte = re.fullmatch(r"<0x([0-9A-Fa-f]{2})>", text)
        if byte and not byte_level:
            return bytes.fromhex(byte[1])
        return (text if byte_level else text.replace("\u2581", " ")).encode()

    return piece


def given_pieces(tokens: Any, vocab_size: int) -> List[bytes]:
    """Returns the bytes of the tokens that the caller lists. Without a list, the name of a token is
    its id."""
    if tokens is None:
        return [str(id).encode() for id in range(vocab_size)]
    if isinstance(tokens, Sequence) and len(tokens) != vocab_size:
        refuse("invalid_argument", "tokens_count", n=len(tokens), limit=vocab_size)
    check_size(tokens, vocab_size)
    return pieces(tokens, vocab_size)
