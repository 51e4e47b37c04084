/**
 * A contender that shows the highest speed of any engine: in WebAssembly it reads as many bytes as a model's weights, and
 * does nothing else. It reads vector words in several streams, since one stream is slower on some processors. Its unit is one pass over all
 * bytes.
 */
import { timeOf } from './timing.js';

const PAGE = 65536;
const STREAMS = 4;
const STEP = 16;

/** @param {number} n @returns {number[]} unsigned LEB128 */
function leb(n) {
  return n < 128 ? [n] : [(n & 127) | 128, ...leb(n >>> 7)];
}

/** @param {number} id @param {number[]} body */
const section = (id, body) => [id, ...leb(body.length), ...body];

/**
 * Assembles (module (memory (export "m") pages) (func (export "r") (param $n i32) (result i32) ...)). Each iteration
 * reads one word of each of four streams and xors it into the stream's local, 1 to 4; local 5 counts to $n.
 * @param {number} pages @param {number} bytes bytes in a stream
 */
function assemble(pages, bytes) {
  const load = (/** @type {number} */ k) => [
    0x20,
    1 + k,
    0x20,
    5,
    0xfd,
    0x00,
    4,
    ...leb(k * bytes),
    0xfd,
    0x51,
    0x21,
    1 + k,
  ];
  const body = [
    2,
    4,
    0x7b,
    1,
    0x7f,
    0x03,
    0x40,
    ...load(0),
    ...load(1),
    ...load(2),
    ...load(3),
    0x20,
    5,
    0x41,
    STEP,
    0x6a,
    0x22,
    5,
    0x20,
    0,
    0x49,
    0x0d,
    0,
    0x0b,
    0x20,
    1,
    0x20,
    2,
    0xfd,
    0x51,
    0x20,
    3,
    0xfd,
    0x51,
    0x20,
    4,
    0xfd,
    0x51,
    0xfd,
    0x1b,
    0,
    0x0b,
  ];
  return new Uint8Array([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(1, [1, 0x60, 1, 0x7f, 1, 0x7f]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, ...leb(pages)]),
    ...section(7, [2, 1, 0x6d, 2, 0, 1, 0x72, 0, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
  ]);
}

export class MemoryReader {
  #read;
  #bytes; // of one stream

  /** @param {(bytes: number) => number} read @param {number} bytes */
  constructor(read, bytes) {
    this.#read = read;
    this.#bytes = bytes;
  }

  /** @param {{ bytes: number }} options */
  static async open({ bytes }) {
    const each = Math.ceil(bytes / STREAMS / STEP) * STEP;
    const pages = Math.ceil((each * STREAMS) / PAGE);
    const { instance } = await WebAssembly.instantiate(assemble(pages, each));
    const { m, r } = /** @type {any} */ (instance.exports);
    new Uint8Array(m.buffer).fill(1); // otherwise all pages would map to one page of zeros
    return new MemoryReader(r, each);
  }

  /** @param {import('./contender.js').Work} _work @param {number} least */
  sample(_work, least) {
    return timeOf(() => void this.#read(this.#bytes), least);
  }

  close() {}
}
