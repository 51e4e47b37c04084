/** The weight formats that a conversion can write. Blocks are rounded as in ggml's reference code, in float32. */

const { fround } = Math;

/** Rounds to the nearest integer; a half goes to the even one. @param {number} x */
export const roundEven = (x) => {
  const down = Math.floor(x);
  const rest = x - down;
  return rest > 0.5 || (rest === 0.5 && down % 2 !== 0) ? down + 1 : down;
};

/**
 * Returns the bits of the IEEE 754 half-precision number nearest to x, ties to even.
 * @param {number} x
 * @returns {number}
 */
export const toHalf = (x) => {
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(x);
  if (Number.isNaN(x)) return 0x7e00;
  if (magnitude < 2 ** -14) return sign | roundEven(magnitude * 2 ** 24);
  if (magnitude >= 65520) return sign | 0x7c00;
  let exponent = Math.floor(Math.log2(magnitude));
  if (2 ** exponent > magnitude) exponent--; // corrects a log2 that was rounded up
  if (2 ** (exponent + 1) <= magnitude) exponent++;
  // If the mantissa rounds up to 2048, the sum carries into the exponent, which is right.
  return sign | (((exponent + 14) << 10) + roundEven(magnitude * 2 ** (10 - exponent)));
};

/** @param {number} half @returns {number} */
export const fromHalf = (half) => {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
};

/** Rounds to the nearest integer; a half goes away from zero, as in C's roundf. @param {number} x */
const round = (x) => (x < 0 ? -Math.floor(0.5 - x) : Math.floor(x + 0.5));

/** @param {Float32Array} data @returns {Uint8Array} */
const encodeF32 = (data) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** @param {Float32Array} data @returns {Uint8Array} */
const encodeF16 = (data) => new Uint8Array(Uint16Array.from(data, toHalf).buffer);

/** As quantize_row_q8_0_ref of ggml: the scale is the largest magnitude divided by 127. @param {Float32Array} data */
const encodeQ8 = (data) => {
  const bytes = new Uint8Array((data.length / 32) * 34);
  const view = new DataView(bytes.buffer);
  for (let from = 0, at = 0; from < data.length; from += 32, at += 34) {
    let largest = 0;
    for (let i = 0; i < 32; i++) largest = Math.max(largest, Math.abs(data[from + i]));
    const scale = fround(largest / 127);
    const inverse = scale ? fround(1 / scale) : 0;
    view.setUint16(at, toHalf(scale), true);
    for (let i = 0; i < 32; i++) view.setInt8(at + 2 + i, round(fround(data[from + i] * inverse)));
  }
  return bytes;
};

/**
 * As quantize_row_q4_0_ref of ggml: the element of largest magnitude gets the code 0, which means -8.
 * @param {Float32Array} data
 */
const encodeQ4 = (data) => {
  const bytes = new Uint8Array((data.length / 32) * 18);
  const view = new DataView(bytes.buffer);
  const code = (/** @type {number} */ x) => Math.min(15, Math.trunc(fround(x + 8.5)));
  for (let from = 0, at = 0; from < data.length; from += 32, at += 18) {
    let peak = 0;
    for (let i = 0; i < 32; i++)
      if (Math.abs(data[from + i]) > Math.abs(peak)) peak = data[from + i];
    const scale = fround(peak / -8);
    const inverse = scale ? fround(1 / scale) : 0;
    view.setUint16(at, toHalf(scale), true);
    for (let i = 0; i < 16; i++) {
      const low = code(fround(data[from + i] * inverse));
      bytes[at + 2 + i] = low | (code(fround(data[from + 16 + i] * inverse)) << 4);
    }
  }
  return bytes;
};

/**
 * For each format: ggml's numbers for the tensor type and the file type, values and bytes in a block, and the
 * function that encodes whole blocks.
 * @type {Record<'F32' | 'F16' | 'Q8_0' | 'Q4_0', { number: number, fileType: number, values: number, bytes: number,
 *   encode: (data: Float32Array) => Uint8Array }>}
 */
export const FORMATS = {
  F32: { number: 0, fileType: 0, values: 1, bytes: 4, encode: encodeF32 },
  F16: { number: 1, fileType: 1, values: 1, bytes: 2, encode: encodeF16 },
  Q8_0: { number: 8, fileType: 7, values: 32, bytes: 34, encode: encodeQ8 },
  Q4_0: { number: 2, fileType: 2, values: 32, bytes: 18, encode: encodeQ4 },
};
