/**
 * e^x and the natural logarithm with the same bits on every host: src/elementary.c in JavaScript. `Math.exp` and
 * `Math.log` may differ between hosts in the last bit.
 */

/** ln 2 in two parts, so that a small integer times the first part is exact. */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;

const words = new DataView(new ArrayBuffer(8));

/** 2^n for -1022 <= n <= 1023. @param {number} n */
function powerOfTwo(n) {
  words.setUint32(0, (n + 1023) << 20);
  words.setUint32(4, 0);
  return words.getFloat64(0);
}

/** e^x, about 1 ulp off for |x| <= 700; 0 below -708. @param {number} x */
export function exp(x) {
  if (!(x >= -708)) return x < -708 ? 0 : x;
  if (x > 709) return Infinity;
  const magic = 6755399441055744; // 1.5 * 2^52: adding it rounds to an integer
  const n = x * Math.LOG2E + magic - magic;
  const r = x - n * LN2_HIGH - n * LN2_LOW;
  let p = 1;
  for (let k = 14; k >= 1; k--) p = (p * r) / k + 1;
  return p * powerOfTwo(n);
}

/** The minimax polynomial of fdlibm's e_log.c. */
const LOG = [
  0.14798198605116586, 0.15313837699209373, 0.1818357216161805, 0.22222198432149784,
  0.2857142874366239, 0.3999999999940942, 0.6666666666666735,
];

/** The natural logarithm, about 1 ulp off; log(0) = -Infinity; NaN for a negative x. @param {number} x */
export function log(x) {
  if (!(x > 0)) return x === 0 ? -Infinity : Number.NaN;
  if (x === Infinity) return x;
  const subnormal = x < 2.2250738585072014e-308;
  words.setFloat64(0, subnormal ? x * 18014398509481984 : x); // 2^54
  const high = words.getUint32(0);
  let n = (high >>> 20) - 1023 - (subnormal ? 54 : 0);
  words.setUint32(0, (high & 0xfffff) | 0x3ff00000);
  let m = words.getFloat64(0);
  if (m > Math.SQRT2) {
    m *= 0.5;
    n++;
  }
  const f = m - 1;
  const s = f / (2 + f);
  const z = s * s;
  let p = LOG[0];
  for (let i = 1; i < LOG.length; i++) p = p * z + LOG[i];
  const half = 0.5 * f * f;
  return n * LN2_HIGH - (half - (s * (half + p * z) + n * LN2_LOW) - f);
}

const f = Math.fround;

/** e^x in float32, as the weights of tokens need it. @param {number} x a float32 */
export function expFloat(x) {
  if (!(x >= f(-87.3))) return x < f(-87.3) ? 0 : x;
  if (x > f(88.3)) return Infinity;
  const magic = 12582912;
  const n = f(f(f(x * f(Math.LOG2E)) + magic) - magic);
  const r = f(f(x - f(n * f(0.693359375))) - f(n * f(-2.1219444e-4)));
  let p = f(1.98756915e-4);
  for (const c of [
    1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1,
  ])
    p = f(f(p * r) + f(c));
  const y = f(f(f(p * f(r * r)) + r) + 1);
  return f(y * powerOfTwo(n));
}
