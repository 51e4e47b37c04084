/**
 * A checksum of 128 bits over a stream of bytes. It detects damage but no attack, since a program
 * that can write to the cache can also write checksums. Each step is a bijection, so a change within
 * four bytes is always detected.
 */
const FACTOR = 0x9e3779b1;

/** @param {number} lane @param {number} word */
function mix(lane, word) {
  const x = lane ^ word;
  return Math.imul((x << 13) | (x >>> 19), FACTOR);
}

export class Checksum {
  /** Number of bytes added. */
  length = 0;
  #lanes = [1, 2, 3, 4];
  /** The bytes after the last complete block of 16. */
  #rest = new Uint8Array(16);

  /** @param {Uint8Array} bytes */
  add(bytes) {
    const filled = this.length % 16;
    this.length += bytes.length;
    let at = 0;
    if (filled) {
      at = Math.min(16 - filled, bytes.length);
      this.#rest.set(bytes.subarray(0, at), filled);
      if (filled + at < 16) return;
      this.#mix(this.#rest);
    }
    const end = at + ((bytes.length - at) & ~15);
    if (end > at) this.#mix(bytes.subarray(at, end));
    this.#rest.set(bytes.subarray(end));
  }

  /** @param {Uint8Array} bytes their number is a multiple of 16 */
  #mix(bytes) {
    const { buffer, byteOffset, length } = bytes.byteOffset % 4 ? bytes.slice() : bytes;
    const words = new Int32Array(buffer, byteOffset, length / 4);
    let [a, b, c, d] = this.#lanes;
    for (let i = 0; i < words.length; i += 4) {
      a = mix(a, words[i]);
      b = mix(b, words[i + 1]);
      c = mix(c, words[i + 2]);
      d = mix(d, words[i + 3]);
    }
    this.#lanes = [a, b, c, d];
  }

  /** The checksum so far. */
  get text() {
    const rest = new Checksum();
    rest.#lanes = [...this.#lanes];
    const last = new Uint8Array(16);
    last.set(this.#rest.subarray(0, this.length % 16));
    rest.#mix(last);
    return [this.length, ...rest.#lanes.map((lane) => lane >>> 0)]
      .map((n) => n.toString(16))
      .join('-');
  }
}
