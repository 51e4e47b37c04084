/** Rewrites the memory limit of a WebAssembly module. */

/** Number of the memory section in the specification. */
const MEMORY = 5;

/** Encodes a number below 2^32 as LEB128. @param {number} value */
function leb(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}

/** @param {Uint8Array} bytes @param {number} at */
function readLeb(bytes, at) {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[at++];
    value += (byte % 128) * factor;
    if (byte < 128) return { value, at };
  }
}

/**
 * Returns a module with another memory limit, in pages of 64 KiB. `most` returns the limit for the module's initial
 * size `least`.
 * @param {Uint8Array} bytes
 * @param {(least: number) => number} most
 */
export function withMemory(bytes, most) {
  let at = 8;
  for (;;) {
    const id = bytes[at];
    const { value: size, at: body } = readLeb(bytes, at + 1);
    const end = body + size;
    if (id === MEMORY) {
      // The bytes after the section's size: the number of memories (1), the flags, and the initial size.
      const { value: least } = readLeb(bytes, body + 2);
      const memory = [1, 1, ...leb(least), ...leb(most(least))];
      const section = [MEMORY, ...leb(memory.length), ...memory];
      return Uint8Array.from([...bytes.subarray(0, at), ...section, ...bytes.subarray(end)]);
    }
    at = end;
  }
}
