/** A file on disk of which any part can be read. */
import { promises as fs } from 'node:fs';
import { openFile } from '../engine/node-files.js';
import { byteFile } from '../import/byte-file.js';

/**
 * Opens a file for the readers of checkpoints. Throws an Error with the reason if it cannot be read.
 * @param {string} path
 */
export async function byteFileOfPath(path) {
  const { size } = await openFile(path);
  return byteFile(path, size, async (from, to) => {
    const handle = await fs.open(path);
    try {
      const bytes = new Uint8Array(to - from);
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await handle.read(
          bytes,
          filled,
          bytes.length - filled,
          from + filled,
        );
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    } finally {
      await handle.close();
    }
  });
}
