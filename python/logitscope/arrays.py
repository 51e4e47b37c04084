"""Arrays in and out: lists, NumPy arrays, tensors of torch, and anything with the buffer protocol.

With NumPy, results are NumPy arrays; without it they are arrays of the module `array`.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from typing import Any, List

from .errors import is_number, must_be, refuse

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

#: Smallest number that rounds to infinity as a float32: 2^128 (1 - 2^-25).
BEYOND_FLOAT32 = 2.0**128 * (1 - 2.0**-25)
_NUMBERS = "bBhHiIlLqQfd"
_IDS = "bBhHiIlLqQ"


def plain(name: str, values: Any, what: str) -> Any:
    """Returns numbers as a one-dimensional sequence: a NumPy array, an array or a list."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        if "bfloat16" in str(values.dtype):  # NumPy has none; float32 is exact
            values = values.float()
        values = values.numpy() if np is not None else values.tolist()
    if np is not None and isinstance(values, np.ndarray):
        if values.ndim > 1 and what == "a_list_of_numbers":
            raise must_be(name, "one_row", values)
        if values.ndim != 1 or values.dtype.kind not in "fiu":
            raise must_be(name, what, values)
        return values
    if isinstance(values, (str, bytes, bytearray)):
        raise must_be(name, what, values)
    if isinstance(values, (list, tuple, range)):
        for i, value in enumerate(values):
            if not is_number(value):
                raise must_be(name, what, value, i)
        return values
    try:
        view = memoryview(values)
    except TypeError:
        if isinstance(values, Sequence):
            return plain(name, list(values), what)
        raise must_be(name, what, values) from None
    if view.ndim != 1 or view.format not in list(_NUMBERS):
        raise must_be(name, what, values)
    return values if isinstance(values, array) else array(view.format, view.tolist())


def float32s(name: str, values: Any) -> Any:
    """Returns numbers (n,) as a contiguous array of float32. Raises `not_finite` if one is too
    large for float32; C refuses NaN and infinity."""
    given = plain(name, values, "a_list_of_numbers")
    if not len(given):
        refuse("empty", "no_numbers")
    if isinstance(given, array) and given.typecode == "f":
        return given
    if np is not None:
        if isinstance(given, np.ndarray) and given.dtype == np.float32:
            return np.ascontiguousarray(given)
        wide = np.asarray(given, dtype=np.float64)
        far = np.flatnonzero((np.abs(wide) >= BEYOND_FLOAT32) & (wide != -np.inf))
        if len(far):
            refuse("not_finite", "logit_finite", id=int(far[0]), value=float(wide[far[0]]))
        return wide.astype(np.float32)
    for i, value in enumerate(given):
        if abs(value) >= BEYOND_FLOAT32 and value != -float("inf"):
            refuse("not_finite", "logit_finite", id=i, value=value)
    return array("f", given)


def ids_of(name: str, values: Any, limit: int) -> List[int]:
    """Returns ids as a list. Raises `unknown_token` for an id that is not an integer from 0 to
    `limit` - 1."""
    given = plain(name, values, "a_list_of_ids")
    if np is not None and isinstance(given, np.ndarray):
        given = given.tolist()
    ids = list(given)
    for id in ids:
        if not (id == id and abs(id) != float("inf") and int(id) == id and 0 <= id < limit):
            refuse("unknown_token", "id_between", limit=limit - 1, id=id)
    return ids if all(type(id) is int for id in ids) else [int(id) for id in ids]


def words(ids: Sequence[int]) -> Any:
    """Converts ids to the uint32 that C reads."""
    return (ctypes.c_uint32 * len(ids))(*ids)


def read(at: int, count: int, code: str) -> Any:
    """Returns a copy of numbers in C's memory. `code` is their type code in the module `array`."""
    if np is not None:
        size = np.dtype(code).itemsize
        return np.frombuffer(bytearray(ctypes.string_at(at, count * size)), dtype=code)
    copy = array(code)
    copy.frombytes(ctypes.string_at(at, count * copy.itemsize))
    return copy


def read_ids(at: int, count: int) -> List[int]:
    return list((ctypes.c_uint32 * count).from_address(at)) if count else []
