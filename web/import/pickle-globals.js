/**
 * The complete list of Python names that a pickle may use. Each has a function of ours that makes plain data; no code
 * from the file and no Python code runs.
 */
import { viewOf } from './byte-file.js';
import { valuesOf } from './tensor.js';

/** A Python name that a pickle uses, such as `collections.OrderedDict`. */
export class Global {
  /**
   * @param {string} name with its module
   * @param {object} does functions that return undefined if the arguments are wrong
   * @param {(...given: any[]) => any} [does.call] the name called as a function
   * @param {(...given: any[]) => any} [does.make] a new object of the class with that name
   * @param {string} [type] element type of a storage or dtype
   */
  constructor(name, { call, make }, type) {
    this.name = name;
    this.call = call;
    this.make = make;
    this.type = type;
  }
}

/** An object with named attributes, such as Python's argparse.Namespace. @extends {Map<any, any>} */
export class Namespace extends Map {
  /** @param {any} state a dict, or a pair of dicts: the second has the values of __slots__ */
  build(state) {
    const parts = Array.isArray(state) && state.length === 2 ? state : [state];
    if (!parts.every((part) => part instanceof Map || (part === null && parts.length === 2)))
      return false;
    for (const part of parts) for (const [key, value] of part ?? []) this.set(key, value);
    return true;
  }
}

/** A tensor of PyTorch before its check: torch.js compares it with its storage. */
export class TorchTensor {
  /**
   * @param {any} storage the answer to a persistent id
   * @param {any} offset in elements
   * @param {any} shape
   * @param {any} strides in elements
   */
  constructor(storage, offset, shape, strides) {
    this.storage = storage;
    this.offset = offset;
    this.shape = shape;
    this.strides = strides;
  }
}

/** An object of a class that the user's script defines, such as GPTConfig: the name of the class and the fields. */
export class OwnRecord extends Namespace {
  /** @param {string} name of the class, with its module */
  constructor(name) {
    super();
    this.name = name;
  }

  /** @param {any} key @param {any} value */
  set(key, value) {
    this.hasTensors ||= value instanceof TorchTensor || value instanceof NumpyArray;
    return super.set(key, value);
  }

  hasTensors = false;
}

/** Modules in which a training script defines its own classes. */
const OWN_MODULES = ['__main__', 'model', 'config'];

/** A class that the user's script defines. Its objects are read as plain fields; none of its code runs. */
export class OwnClass extends Global {
  /** @param {string} name with its module */
  constructor(name) {
    super(name, { make: (...given) => (given.length ? undefined : new OwnRecord(name)) });
  }
}

/** Returns the class of this name if a script can have defined it, else null. @param {string} module @param {string} name */
export const ownClass = (module, name) =>
  OWN_MODULES.includes(module) && /^[A-Za-z]\w{0,79}$/.test(name)
    ? new OwnClass(`${module}.${name}`)
    : null;

/** Element types by the code that a NumPy dtype has without its byte order. @type {Record<string, string>} */
const NUMPY_TYPES = {
  f8: 'F64',
  f4: 'F32',
  f2: 'F16',
  i8: 'I64',
  i4: 'I32',
  i2: 'I16',
  i1: 'I8',
  u8: 'U64',
  u4: 'U32',
  u2: 'U16',
  u1: 'U8',
  b1: 'BOOL',
  c8: 'C64',
  c16: 'C128',
};

/** NumPy's description of an element type. */
export class DType {
  order = '|';

  /** @param {string} code such as f4 */
  constructor(code) {
    this.code = code;
  }

  get type() {
    return NUMPY_TYPES[this.code] ?? this.code;
  }

  /** @param {any} state version, byte order, then parts that only dtypes of records have */
  build(state) {
    if (!Array.isArray(state) || !['<', '>', '|', '='].includes(state[1])) return false;
    if (state[2] !== null || state[3] !== null || state[4] !== null) return false;
    this.order = state[1];
    return true;
  }
}

/** An array of NumPy before its check: checkpoint.js compares its shape with its bytes. */
export class NumpyArray {
  /** @type {any} */
  shape = [0];
  dtype = new DType('f8');
  fortran = false;
  bytes = new Uint8Array();

  /** @param {any} state version, shape, dtype, Fortran order, bytes */
  build(state) {
    if (!Array.isArray(state) || !(state[2] instanceof DType)) return false;
    const [, shape, dtype, fortran, bytes] = state;
    if (!(bytes instanceof Uint8Array)) return false;
    Object.assign(this, { shape, dtype, fortran: fortran === true, bytes });
    return true;
  }
}

/**
 * Returns the number or text of a NumPy scalar.
 * @param {DType} dtype
 * @param {Uint8Array} bytes
 */
function numpyScalar(dtype, bytes) {
  if (!(dtype instanceof DType) || !(bytes instanceof Uint8Array)) return undefined;
  return scalarOf(dtype, bytes);
}

/**
 * @param {DType} dtype
 * @param {Uint8Array} bytes
 * @returns {number | bigint | string | boolean | undefined} undefined if the type is unknown here
 */
export function scalarOf({ code, order }, bytes) {
  const size = Number(code.slice(1));
  const little = order !== '>';
  if (code[0] === 'U' && bytes.length === 4 * size) return textOfUtf32(bytes, little);
  if (bytes.length !== size) return undefined;
  const view = viewOf(bytes);
  if (code === 'f8') return view.getFloat64(0, little);
  if (code === 'i8' || code === 'u8') {
    const value = code === 'i8' ? view.getBigInt64(0, little) : view.getBigUint64(0, little);
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  if (code === 'S1' || !(code in NUMPY_TYPES) || code[0] === 'c') return undefined;
  const [value] = valuesOf(NUMPY_TYPES[code], bytes, !little) ?? [];
  return code === 'b1' ? value !== 0 : value;
}

/** @param {Uint8Array} bytes @param {boolean} little */
export function textOfUtf32(bytes, little) {
  const view = viewOf(bytes);
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const code = view.getUint32(at, little);
    if (code > 0x10ffff) return undefined;
    text += String.fromCodePoint(code);
  }
  return text.replace(/\0+$/, '');
}

/**
 * Makes bytes from a text with one character for each byte: pickle protocol 2 writes bytes in this way.
 * @param {any} text @param {any} encoding
 */
function latin1(text, encoding) {
  if (typeof text !== 'string' || encoding !== 'latin1') return undefined;
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0xff) return undefined;
    bytes[i] = code;
  }
  return bytes;
}

/** @param {any} [pairs] */
function mapOf(pairs) {
  if (pairs === undefined) return new Map();
  if (
    !Array.isArray(pairs) ||
    !pairs.every((it) => Array.isArray(it) && it.length === 2 && typeof it[0] !== 'object')
  )
    return undefined;
  return new Map(/** @type {any} */ (pairs));
}

/** @param {any} code */
const dtypeOf = (code) =>
  typeof code === 'string' && /^[a-zA-Z]\d{0,8}$/.test(code) ? new DType(code) : undefined;

/** @param {any} [values] */
const setOf = (values = []) => (Array.isArray(values) ? new Set(values) : undefined);
/** @param {any} [bytes] */
const bytesOf = (bytes = new Uint8Array()) => (bytes instanceof Uint8Array ? bytes : undefined);
/** @param {any} storage @param {any} offset @param {any} shape @param {any} strides */
const tensorOf = (storage, offset, shape, strides) =>
  new TorchTensor(storage, offset, shape, strides);

/** @param {any} bytes @param {any} dtype @param {any} shape @param {any} order */
function fromBuffer(bytes, dtype, shape, order) {
  const array = new NumpyArray();
  return array.build([1, shape, dtype, order === 'F', bytes]) ? array : undefined;
}

/** Names of PyTorch's storage classes, with the type of their elements. */
const STORAGES = {
  Double: 'F64',
  Float: 'F32',
  Half: 'F16',
  BFloat16: 'BF16',
  Long: 'I64',
  Int: 'I32',
  Short: 'I16',
  Char: 'I8',
  Byte: 'U8',
  Bool: 'BOOL',
  ComplexFloat: 'C64',
  ComplexDouble: 'C128',
};

const DTYPES = 'float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool'.split(' ');

/** @type {[string, ConstructorParameters<typeof Global>[1]][]} */
const FUNCTIONS = [
  ['collections.OrderedDict', { call: mapOf, make: mapOf }],
  ['torch._utils._rebuild_tensor', { call: tensorOf }],
  ['torch._utils._rebuild_tensor_v2', { call: tensorOf }],
  [
    'torch._utils._rebuild_parameter',
    { call: (data) => (data instanceof TorchTensor ? data : undefined) },
  ],
  ['torch.Size', { call: (sizes = []) => (Array.isArray(sizes) ? sizes : undefined) }],
  [
    'torch.device',
    {
      call: (type, ...index) =>
        typeof type === 'string' && index.every((n) => typeof n === 'number')
          ? [type, ...index].join(':')
          : undefined,
    },
  ],
  ['argparse.Namespace', { make: () => new Namespace() }],
  ['mingpt.utils.CfgNode', { make: () => new Namespace() }],
  ['types.SimpleNamespace', { call: (...given) => (given.length ? undefined : new Namespace()) }],
  ['_codecs.encode', { call: latin1 }],
  ['numpy.ndarray', {}],
  ['numpy.dtype', { call: dtypeOf }],
  ...['numpy.core', 'numpy._core'].flatMap(
    (core) =>
      /** @type {typeof FUNCTIONS} */ ([
        [`${core}.multiarray._reconstruct`, { call: () => new NumpyArray() }],
        [`${core}.multiarray.scalar`, { call: numpyScalar }],
        [`${core}.numeric._frombuffer`, { call: fromBuffer }],
      ]),
  ),
  ...['builtins', '__builtin__'].flatMap(
    (module) =>
      /** @type {typeof FUNCTIONS} */ ([
        [`${module}.set`, { call: setOf }],
        [`${module}.frozenset`, { call: setOf }],
        [`${module}.bytes`, { call: bytesOf }],
        [`${module}.bytearray`, { call: bytesOf }],
      ]),
  ),
];

/** @type {Map<string, Global | string>} */
export const GLOBALS = new Map();
for (const [name, does] of FUNCTIONS) GLOBALS.set(name, new Global(name, does));
for (const [name, type] of Object.entries(STORAGES))
  GLOBALS.set(`torch.${name}Storage`, new Global(`torch.${name}Storage`, {}, type));
// A PyTorch dtype in a configuration becomes its name, such as "torch.float32".
for (const name of DTYPES) GLOBALS.set(`torch.${name}`, `torch.${name}`);
