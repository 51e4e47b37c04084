"""Writes and reads GGUF version 3: metadata and F32, F16, Q8_0 and Q5_1 tensors, as ggml defines
them."""

import struct

import numpy

ALIGNMENT = 32
FILE_TYPES = {"F32": 0, "F16": 1, "Q8_0": 7}  # general.file_type
TENSOR_TYPES = {"F32": 0, "F16": 1, "Q5_1": 7, "Q8_0": 8}
BLOCK = 32  # values of a block of Q5_1 and of Q8_0
BLOCK_BYTES = {"Q5_1": 24, "Q8_0": 34}

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
    blocks = values.astype(numpy.float32).reshape(-1, BLOCK)
    scale = numpy.abs(blocks).max(axis=1) / numpy.float32(127)
    inverse = numpy.divide(1, scale, out=numpy.zeros_like(scale), where=scale > 0)
    scaled = (blocks * inverse[:, None]).astype(numpy.float64)
    quants = numpy.copysign(numpy.floor(numpy.abs(scaled) + 0.5), scaled).astype(numpy.int8)
    packed = numpy.empty(len(blocks), dtype=[("scale", "<f2"), ("quants", "i1", BLOCK)])
    packed["scale"], packed["quants"] = scale.astype("<f2"), quants
    return packed.tobytes()


def dequantize_q8_0(data):
    packed = numpy.frombuffer(data, dtype=[("scale", "<f2"), ("quants", "i1", BLOCK)])
    return (
        packed["scale"].astype(numpy.float32)[:, None] * packed["quants"].astype(numpy.float32)
    ).reshape(-1)


_Q5_1 = [("scale", "<f2"), ("least", "<f2"), ("high", "<u4"), ("low", "u1", BLOCK // 2)]


def quantize_q5_1(values):
    """float32 (n,) to blocks of 32: the float16 step (max - min) / 31 and the float16 minimum, 32
    fifth bits, 32 times four bits, the second half of the block in the high ones. Rounds by the
    unrounded step, as ggml does."""
    blocks = values.astype(numpy.float32).reshape(-1, BLOCK)
    least = blocks.min(axis=1)
    scale = (blocks.max(axis=1) - least) / numpy.float32(31)
    inverse = numpy.divide(1, scale, out=numpy.zeros_like(scale), where=scale > 0)
    steps = (blocks - least[:, None]) * inverse[:, None]
    quants = (steps + numpy.float32(0.5)).astype(numpy.uint32).clip(0, 31)
    packed = numpy.empty(len(blocks), dtype=_Q5_1)
    packed["scale"], packed["least"] = scale.astype("<f2"), least.astype("<f2")
    packed["high"] = (quants >> 4 << numpy.arange(BLOCK, dtype=numpy.uint32)).sum(axis=1)
    low = quants & 15
    packed["low"] = low[:, : BLOCK // 2] | low[:, BLOCK // 2 :] << 4
    return packed.tobytes()


def dequantize_q5_1(data):
    packed = numpy.frombuffer(data, dtype=_Q5_1)
    low = numpy.concatenate([packed["low"] & 15, packed["low"] >> 4], axis=1)
    high = packed["high"][:, None] >> numpy.arange(BLOCK, dtype=numpy.uint32) & 1
    scale, least = (packed[name].astype(numpy.float32)[:, None] for name in ("scale", "least"))
    return ((low + 16 * high).astype(numpy.float32) * scale + least).reshape(-1)


def tensor_type(name, array, file_type, feed_forward):
    """The type of a tensor in the file. As in llama.cpp's files, vectors and the position table are
    always F32. The matrices of the feed-forward part can have another type than the others."""
    if array.ndim < 2 or name.startswith("position_embd"):
        return "F32"
    kind = feed_forward if ".ffn_" in name else file_type
    if kind in BLOCK_BYTES and array.shape[-1] % BLOCK:
        raise ValueError(
            f"{name}: a row of {array.shape[-1]} values is not a multiple of {BLOCK}"
        )
    return kind


def _tensor_bytes(array, kind):
    if kind == "Q8_0":
        return quantize_q8_0(array.reshape(-1))
    if kind == "Q5_1":
        return quantize_q5_1(array.reshape(-1))
    return numpy.ascontiguousarray(array, dtype="<f4" if kind == "F32" else "<f2").tobytes()


def _string(text):
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def _value(kind, value):
    """The bytes of a metadata value. `kind` is the name of a scalar type, "string", or "[kind]" for an array."""
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


def write(path, metadata, tensors, file_type, feed_forward=None):
    """Writes a file. metadata: [(key, kind, value)]; tensors: {name: float32 array}, with PyTorch's
    order of dimensions; feed_forward: type of the feed-forward matrices, None for file_type."""
    metadata = metadata + [("general.file_type", "u32", FILE_TYPES[file_type])]
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    head += b"".join(_string(key) + _value(kind, value) for key, kind, value in metadata)
    bodies, offset = [], 0
    for name, array in tensors.items():
        kind = tensor_type(name, array, file_type, feed_forward or file_type)
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
    """Returns (metadata as {key: value}, tensors as {name: float32 array}). It checks nothing, so use
    it only for files that this project wrote."""
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
    blocks = {TENSOR_TYPES[name]: count // BLOCK * size for name, size in BLOCK_BYTES.items()}
    if kind in blocks:
        dequantize = dequantize_q8_0 if kind == TENSOR_TYPES["Q8_0"] else dequantize_q5_1
        values = dequantize(data[offset : offset + blocks[kind]])
    else:
        values = numpy.frombuffer(
            data, "<f4" if kind == TENSOR_TYPES["F32"] else "<f2", count, offset
        )
    return values.astype(numpy.float32).reshape(shape)
