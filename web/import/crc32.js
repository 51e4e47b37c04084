/**
 * The CRC-32 sum of archives, pictures and texts, as in zlib. It processes eight bytes at once, because checkpoints
 * are large.
 */

const TABLES = tables();

function tables() {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value;
  });
  const all = [first];
  for (let i = 1; i < 8; i++)
    all.push(all[i - 1].map((value) => first[value & 0xff] ^ (value >>> 8)));
  return all;
}

/** @param {Uint8Array} bytes */
export function crc32(bytes) {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES;
  let crc = -1;
  let i = 0;
  for (const end = bytes.length - 7; i < end; i += 8) {
    crc ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    crc =
      t7[crc & 0xff] ^
      t6[(crc >>> 8) & 0xff] ^
      t5[(crc >>> 16) & 0xff] ^
      t4[crc >>> 24] ^
      t3[bytes[i + 4]] ^
      t2[bytes[i + 5]] ^
      t1[bytes[i + 6]] ^
      t0[bytes[i + 7]];
  }
  for (; i < bytes.length; i++) crc = t0[(crc ^ bytes[i]) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}
