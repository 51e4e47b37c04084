"""The one class of error, and its sentences.

C or Python reports an error as a code, a key and values. The English sentence of each key is that
of the page and the command line: the build copies `web/engine/sentences.js` to `data.json`.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from numbers import Integral, Real
from typing import Any, Dict, NamedTuple, NoReturn, Optional


def _read_data() -> Dict[str, Any]:
    """Reads the file that the build writes. The folder of the sources has none."""
    try:
        with open(os.path.join(os.path.dirname(__file__), "data.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        lacks = "logitscope: this is the folder of the sources: pip install ./python installs them"
        if sys.argv[:1] != ["-m"]:
            raise ImportError(lacks) from None
        print(lacks, file=sys.stderr)  # for python -m, a sentence in place of a traceback
        sys.exit(2)


DATA: Dict[str, Any] = _read_data()

#: Sentences about features that exist only in the JavaScript package.
_OWN = {
    "constraint_grammar": 'constraint must be a dict with "grammar" in Python, got {value}',
    "one_row": "one row, a list of numbers",
    "not_here": "{name} is not in the Python package",
    "a_model": "a function from ids to logits, or an nn.Module",
    "an_encoder": "a function from a text to ids, a dict such as stoi, or a tokenizer",
    "a_decoder": "a function from ids to a text, a dict such as itos, or a tokenizer",
    "a_text_or_bytes": "a function that returns a text or bytes",
    "logits_of_one_text": "the logits of one text: (V,), (T, V) or (1, T, V)",
    "logits_count": "the model gave {n} logits, and {limit} for its first text",
    "tokens_count": "tokens has {n} items for {limit} logits",
    "no_character": "{value} at {at} is not in stoi, the characters of the model",
    "not_encoded": "encode has refused the text {value}: {error}",
    "vocabulary_larger": "the vocabulary has {n} tokens, and the model gives {limit} logits",
    "swapped": "encode maps ids to characters and decode characters to ids: give stoi, then itos",
    "vocabulary_size": "the page shows at most {limit} tokens, and the model has {n}",
    "not_in_page": "{name} cannot be {value} in the page",
    "no_page": "the page is not in this package: install the wheel of `make python`",
    "no_compiled": "{name} is missing beside the package: build it with `make python`",
}
SENTENCES: Dict[str, str] = {**DATA["sentences"], **_OWN}


class Phrase(NamedTuple):
    """A part of a sentence: a key of SENTENCES, with values for its placeholders."""

    key: str
    values: Dict[str, Any] = {}


class LogitscopeError(ValueError):
    """Every error of the engine.

    `code` is for programs, such as 'out_of_range'. `key` names the sentence and `values` holds a
    value for each of its placeholders, as in JavaScript. `str(error)` is the English sentence.
    """

    def __init__(self, code: str, key: str, values: Optional[Dict[str, Any]] = None) -> None:
        self.code = code
        self.key = key
        self.values = values or {}
        super().__init__(sentence_of(key, self.values))

    def __reduce__(self) -> Any:
        return LogitscopeError, (self.code, self.key, self.values)


def sentence_of(key: str, values: Dict[str, Any]) -> str:
    """Returns the English sentence of a key, without a full stop."""

    def fill(match: "re.Match[str]") -> str:
        value = values.get(match.group(1))
        if isinstance(value, Phrase):
            return sentence_of(value.key, {**values, **value.values})
        return number_text(value) if is_number(value) else str(value)

    return re.sub(r"\{(\w+)\}", fill, SENTENCES[key])


def is_number(value: object) -> bool:
    """Returns true for an int, a float or a number of NumPy, but not for True and False."""
    return isinstance(value, Real) and not isinstance(value, bool)


def number_text(value: Any) -> str:
    """Writes a number as JavaScript does, so that both packages have the same sentences."""
    if isinstance(value, Integral):
        return str(int(value))
    number = float(value)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    digits, _, exponent = f"{abs(number)!r}".partition("e")
    whole, _, part = digits.partition(".")
    part = "" if part == "0" else part
    point = len(whole) + int(exponent or 0)  # position of the decimal point in the digits
    digits = whole + part
    point -= len(digits) - len(digits.lstrip("0"))
    digits = digits.strip("0")
    n = len(digits)
    if n <= point <= 21:
        return sign + digits + "0" * (point - n)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return sign + digits[0] + ("." + digits[1:] if n > 1 else "") + power


def _json(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, bool):
        return json.dumps(value)
    if is_number(value):
        return number_text(value) if math.isfinite(value) else "null"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_json(str(k))}:{_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_json, value)) + "]"
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return f"an array of shape {' x '.join(map(str, shape)) or 'none'}"
    return "a function" if callable(value) else "an object"


def show(value: Any) -> str:
    """Writes a value for a sentence: strings in quotes, lists as JSON, long texts shortened."""
    try:
        text = _json(value)
    except RecursionError:
        text = "an object"
    return text if len(text) <= 60 else text[:57] + "..."


def shown(value: Any) -> Any:
    """Returns a number unchanged, and any other value as text for a sentence."""
    return value if is_number(value) else show(value)


def must_be(setting: Any, what: str, value: Any, at: Optional[int] = None) -> LogitscopeError:
    """Makes the error for a value of the wrong type. `what` is the key of a phrase, such as
    a_list_of_ids."""
    values = {"setting": setting, "what": Phrase(what), "value": shown(value)}
    if at is None:
        return LogitscopeError("invalid_argument", "must_be", values)
    return LogitscopeError("invalid_argument", "must_be_at", {**values, "at": at})


def refuse(code: str, key: str, **values: Any) -> NoReturn:
    raise LogitscopeError(code, key, values)
