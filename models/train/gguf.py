"""Writes and reads GGUF version 3: metadata and F32, F16 and Q8_0 tensors, as ggml defines them."""

import struct

import numpy

ALIGNMENT = 32
FILE_TYPES = {"F32": 0, "F16": 1, "Q8_0": 7}  # general.file_type
TENSOR_TYPES = {"F32": 0, "F16": 1, "Q8_0": 8}
Q8_BLOCK = 32

# Value types of the metadata: id and struct format.
_SCALARS = {
    "u8": (0, "<B"),
    "i8": (1, "<b"),
    "u16": (2, "<H"),
    "i16": (3, "<h"),
    "u32": (4, "<I"),
    "i32": (5, "<i"),
    "f32": (6, "<f"),
    "bool": (7, "<?"),
    "u64": (10, "<Q"),
    "i64": (11, "<q"),
    "f64": (12, "<d"),
}
_STRING, _ARRAY = 8, 9
_FORMATS = {code: form for code, form in _SCALARS.values()}


def quantize_q8_0(values):
    """float32 (n,) to blocks of 32: a float16 scale, max|x| / 127, and 32 int8. Rounds half away
    from zero, by the unrounded scale, as ggml does."""
    blocks = values.astype(numpy.float32).reshape(-1, Q8_BLOCK)
    scale = numpy.abs(blocks).max(axis=1) / numpy.float32(127)
    inverse = numpy.divide(1, scale, out=numpy.zeros_like(scale), where=scale > 0)
    scaled = (blocks * inverse[:, None]).astype(numpy.float64)
    quants = numpy.copysign(numpy.floor(numpy.abs(scaled) + 0.5), scaled).astype(numpy.int8)
    packed = numpy.empty(len(blocks), dtype=[("scale", "<f2"), ("quants", "i1", Q8_BLOCK)])
    packed["scale"], packed["quants"] = scale.astype("<f2"), quants
    return packed.tobytes()


def dequantize_q8_0(data):
    packed = numpy.frombuffer(data, dtype=[("scale", "<f2"), ("quants", "i1", Q8_BLOCK)])
    return (
        packed["scale"].astype(numpy.float32)[:, None] * packed["quants"].astype(numpy.float32)
    ).reshape(-1)


def tensor_type(name, array, file_type):
    """Vectors and the position table stay F32 whatever the file's type, as in the field's own
    files."""
    if array.ndim < 2 or name.startswith("position_embd"):
        return "F32"
    if file_type == "Q8_0" and array.shape[-1] % Q8_BLOCK:
        raise ValueError(
            f"{name}: a row of {array.shape[-1]} values is not a multiple of {Q8_BLOCK}"
        )
    return file_type


def _tensor_bytes(array, kind):
    if kind == "Q8_0":
        return quantize_q8_0(array.reshape(-1))
    return numpy.ascontiguousarray(array, dtype="<f4" if kind == "F32" else "<f2").tobytes()


def _string(text):
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def _value(kind, value):
    """A metadata value: kind is a scalar's name, "string", or "[kind]" for an array."""
    if kind == "string":
        return struct.pack("<I", _STRING) + _string(value)
    if kind.startswith("["):
        element = kind[1:-1]
        code = _STRING if element == "string" else _SCALARS[element][0]
        head = struct.pack("<IIQ", _ARRAY, code, len(value))
        if element == "string":
            return head + b"".join(_string(item) for item in value)
        return head + b"".join(struct.pack(_SCALARS[element][1], item) for item in value)
    code, form = _SCALARS[kind]
    return struct.pack("<I", code) + struct.pack(form, value)


def _pad(size):
    return -size % ALIGNMENT


def write(path, metadata, tensors, file_type):
    """metadata: [(key, kind, value)]; tensors: {name: float32 array}, rows first, as PyTorch holds
    them."""
    metadata = metadata + [("general.file_type", "u32", FILE_TYPES[file_type])]
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    head += b"".join(_string(key) + _value(kind, value) for key, kind, value in metadata)
    bodies, offset = [], 0
    for name, array in tensors.items():
        kind = tensor_type(name, array, file_type)
        body = _tensor_bytes(array, kind)
        shape = array.shape[::-1]  # GGUF counts the fastest-varying dimension first
        head += _string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        head += struct.pack("<IQ", TENSOR_TYPES[kind], offset)
        body += bytes(_pad(len(body)))
        bodies.append(body)
        offset += len(body)
    with open(path, "wb") as file:
        file.write(head + bytes(_pad(len(head))))
        file.writelines(bodies)


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values[0] if len(values) == 1 else values

    def string(self):
        size = self.take("<Q")
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-8")

    def value(self, code):
        if code == _STRING:
            return self.string()
        if code == _ARRAY:
            element, count = self.take("<IQ")
            return [self.value(element) for _ in range(count)]
        return self.take(_FORMATS[code])


def read(path):
    """(metadata as {key: value}, tensors as {name: float32 array}). For files that one trusts: this
    project's own."""
    with open(path, "rb") as file:
        reader = _Reader(file.read())
    magic, version, n_tensors, n_values = reader.take("<4sIQQ")
    if magic != b"GGUF" or version not in (2, 3):
        raise ValueError(f"{path} is not a GGUF file of version 2 or 3")
    metadata = {}
    for _ in range(n_values):
        key = reader.string()
        metadata[key] = reader.value(reader.take("<I"))
    table = []
    for _ in range(n_tensors):
        name = reader.string()
        dimensions = reader.take("<I")
        shape = [reader.take("<Q") for _ in range(dimensions)]
        table.append((name, shape[::-1], *reader.take("<IQ")))
    start = reader.at + _pad(reader.at)
    return metadata, {
        name: _tensor(reader.data, start + offset, shape, kind)
        for name, shape, kind, offset in table
    }


def _tensor(data, offset, shape, kind):
    count = int(numpy.prod(shape))
    if kind == TENSOR_TYPES["Q8_0"]:
        values = dequantize_q8_0(data[offset : offset + count // Q8_BLOCK * (Q8_BLOCK + 2)])
    else:
        values = numpy.frombuffer(
            data, "<f4" if kind == TENSOR_TYPES["F32"] else "<f2", count, offset
        )
    return values.astype(numpy.float32).reshape(shape)
