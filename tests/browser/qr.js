/**
 * Reads a QR code without errors. It is written from ISO/IEC 18004, not from the page's encoder, and so can test it.
 */

/**
 * For versions 1 to 20: the codewords for error correction in a block, and the number of blocks
 * (tables 7 and 9 of the standard).
 */
const BLOCKS = {
  L: [
    [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28],
    [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8],
  ],
  M: [
    [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26],
    [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16],
  ],
  Q: [
    [13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30],
    [1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20],
  ],
  H: [
    [17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28],
    [1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25],
  ],
};
const LEVELS = /** @type {const} */ (['M', 'L', 'H', 'Q']);
const FORMAT_MASK = 0x5412;

/** The masks of the standard: a module at (x, y) is inverted if the result is true. */
const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/**
 * Returns the modules that an SVG path fills. The path has only the commands M, h and v.
 * @param {string} path @param {number} size
 */
export function modulesOf(path, size) {
  const modules = Array.from({ length: size }, () => new Uint8Array(size));
  for (const [, x, y, wide] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    modules[Number(y)].fill(1, Number(x), Number(x) + Number(wide));
  return modules;
}

/** Returns the centres of alignment patterns along one axis. @param {number} version @param {number} size */
function alignments(version, size) {
  if (version === 1) return [];
  const n = Math.floor(version / 7) + 2;
  const step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (n * 2 - 2)) * 2;
  return [6, ...Array.from({ length: n - 1 }, (_, i) => size - 7 - (n - 2 - i) * step)];
}

/** Returns a function that is true at modules that hold no data. @param {number} version @param {number} size */
function fixedAt(version, size) {
  const centres = alignments(version, size);
  const last = centres.length - 1;
  return (x, y) => {
    const finder = (x < 9 && y < 9) || (x < 9 && y >= size - 8) || (x >= size - 8 && y < 9);
    const timing = x === 6 || y === 6;
    const number = version >= 7 && ((x < 6 && y >= size - 11) || (x >= size - 11 && y < 6));
    const aligned = centres.some((cx, i) =>
      centres.some((cy, j) => {
        const corner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
        return !corner && Math.abs(x - cx) <= 2 && Math.abs(y - cy) <= 2;
      }),
    );
    return finder || timing || number || aligned;
  };
}

/** Reads the bits in the zigzag order of the standard. */
function bitsOf(modules, version, mask) {
  const size = modules.length;
  const fixed = fixedAt(version, size);
  const bits = [];
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const upward = ((right + 1) & 2) === 0;
    for (let i = 0; i < size; i++)
      for (const x of [right, right - 1]) {
        const y = upward ? size - 1 - i : i;
        if (!fixed(x, y)) bits.push(modules[y][x] ^ Number(MASKS[mask](x, y)));
      }
  }
  return bits;
}

/** Undoes the interleaving of blocks and drops their codewords for error correction. */
function dataOf(codewords, version, level) {
  const [each, count] = BLOCKS[level].map((row) => row[version - 1]);
  const data = codewords.length - each * count;
  const short = Math.floor(data / count);
  const long = count - (data % count);
  const blocks = Array.from({ length: count }, () => []);
  let at = 0;
  for (let i = 0; i <= short; i++)
    for (let k = 0; k < count; k++) if (i < short || k >= long) blocks[k].push(codewords[at++]);
  return blocks.flat();
}

/** Two modes of the standard: characters, and the number of bits that code groups of 1, 2 and 3 characters. */
const DIGITS = { mode: 1, characters: '0123456789', bits: [4, 7, 10], length: 10 };
const LETTERS = {
  mode: 2,
  characters: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:',
  bits: [6, 11],
  length: 9,
};

/** Reads characters that a number codes in groups. @param {(n: number) => number} take @param {number} wide extra bits of the length */
function readGroups({ characters, bits, length }, take, wide) {
  let text = '';
  for (let left = take(length + wide); left > 0; ) {
    const n = Math.min(left, bits.length);
    let value = take(bits[n - 1]);
    let group = '';
    for (let i = 0; i < n; i++) {
      group = characters[value % characters.length] + group;
      value = Math.floor(value / characters.length);
    }
    text += group;
    left -= n;
  }
  return text;
}

/** Returns the text of a code of version 20 or less. @param {Uint8Array[]} modules */
export function readCode(modules) {
  const size = modules.length;
  const version = (size - 17) / 4;
  let format = 0;
  // Reads the first of the two copies of the format bits, from the highest bit.
  for (const x of [0, 1, 2, 3, 4, 5, 7, 8]) format = format * 2 + modules[8][x];
  for (const y of [7, 5, 4, 3, 2, 1, 0]) format = format * 2 + modules[y][8];
  format = (format ^ FORMAT_MASK) >> 10;
  const level = LEVELS[format >> 3];
  const bits = bitsOf(modules, version, format & 7);
  const codewords = Array.from({ length: Math.floor(bits.length / 8) }, (_, i) =>
    parseInt(bits.slice(8 * i, 8 * i + 8).join(''), 2),
  );
  const stream = dataOf(codewords, version, level).flatMap((byte) =>
    [...byte.toString(2).padStart(8, '0')].map(Number),
  );
  let at = 0;
  const take = (n) => parseInt(stream.slice(at, (at += n)).join(''), 2);
  const bytes = [];
  const wide = version < 10 ? 0 : 2;
  for (let mode = take(4); mode; mode = at + 4 <= stream.length ? take(4) : 0) {
    const grouped = [DIGITS, LETTERS].find((each) => each.mode === mode);
    if (grouped) bytes.push(...Buffer.from(readGroups(grouped, take, wide)));
    else if (mode === 7)
      take(8); // the character set: UTF-8
    else if (mode === 4) for (let n = take(version < 10 ? 8 : 16); n > 0; n--) bytes.push(take(8));
    else throw new Error(`mode ${mode}`);
  }
  return Buffer.from(bytes).toString();
}
