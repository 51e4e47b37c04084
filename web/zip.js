/**
 * Writes a ZIP archive. The same files give the same bytes, because there are no real dates. A file is compressed if
 * that makes it smaller.
 */
import { deflateRawSync } from 'node:zlib';
import { crc32 } from './import/crc32.js';

/** Date of every file: 1 January 1980, the first date of the format. */
const DATE = 0x21;
/** Flag: names are UTF-8. */
const FLAGS = 0x800;

/**
 * Compresses a file, for use in one or more archives.
 * @param {string} name
 * @param {Uint8Array} bytes
 */
export function pack(name, bytes) {
  const deflated = deflateRawSync(bytes, { level: 9 });
  const smaller = deflated.length < bytes.length;
  const data = smaller ? deflated : bytes;
  const path = Buffer.from(name);
  // Fields that the local header and the central directory share.
  const said = Buffer.alloc(26);
  said.writeUInt16LE(20, 0); // the ZIP version needed to read the file
  said.writeUInt16LE(FLAGS, 2);
  said.writeUInt16LE(smaller ? 8 : 0, 4);
  said.writeUInt16LE(DATE, 8);
  said.writeUInt32LE(crc32(bytes), 10);
  said.writeUInt32LE(data.length, 14);
  said.writeUInt32LE(bytes.length, 18);
  said.writeUInt16LE(path.length, 22);
  return { path, said, data };
}

/** @param {ReturnType<typeof pack>[]} files */
export function zip(files) {
  /** @type {Uint8Array[]} */
  const parts = [];
  /** @type {Uint8Array[]} */
  const list = [];
  let at = 0;
  for (const { path, said, data } of files) {
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    list.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), said, place, path);
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), said, path, data);
    at += 4 + said.length + path.length + data.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}
