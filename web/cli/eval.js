/** `logitscope eval`: computes the cross-entropy of a model on a text. */
import { UsageError } from './flags.js';
import { columns, printJson } from './terminal.js';
import { readDocuments, wholeNumber } from './documents.js';

/**
 * Returns the sum of -ln p over ids[1:], in nats. A text longer than the context is read in parts that do not
 * overlap; a part does not see the ones before it.
 * @param {any} scope
 * @param {number[]} ids
 */
function surprisalOf(scope, ids) {
  const length = scope.info.context_length;
  let nats = 0;
  for (let start = 0; start < ids.length - 1; start += length) {
    const end = Math.min(start + length, ids.length - 1);
    for (let i = start; i < end; i++) {
      scope.feed(ids.slice(start, i + 1));
      nats += scope.surprisal(ids[i + 1]);
    }
  }
  return nats;
}

/**
 * Returns the first bytes of a text, without an incomplete character at the end.
 * @param {string} text
 * @param {number} bytes
 */
function firstBytes(text, bytes) {
  const cut = new TextEncoder().encode(text).subarray(0, bytes);
  return new TextDecoder().decode(cut, { stream: true });
}

/** @type {import('./flags.js').Command} */
export const evaluate = {
  summary: 'cross-entropy and bits per byte of a model on a text',
  settings: false,
  operands: 'FILE',
  operandOf: ['text'],
  flags: [
    { name: 'text', kind: 'text', help: 'a text file; documents end with <|endoftext|>' },
    { name: 'documents', kind: 'number', help: 'only the first so many documents' },
    { name: 'bytes', kind: 'number', help: 'only the first so many bytes of each document' },
  ],

  check({ text, documents, bytes }) {
    if (text === undefined) throw new UsageError('FILE is missing, or --text');
    wholeNumber('--documents', documents, 1);
    wholeNumber('--bytes', bytes, 1);
  },

  run(scope, { model, text, documents, bytes, json }, { stdout }) {
    const all = readDocuments('--text', text);
    const texts = all
      .slice(0, wholeNumber('--documents', documents, all.length))
      .map((document) => (bytes ? firstBytes(document, bytes) : document));
    let nats = 0;
    let tokens = 0;
    let size = 0;
    for (const document of texts) {
      const ids = Array.from(scope.encode(document));
      nats += surprisalOf(scope, ids);
      tokens += ids.length - 1;
      size += new TextEncoder().encode(document).length;
    }
    if (!tokens) throw new UsageError('--text holds no token to predict');
    const result = {
      documents: texts.length,
      tokens,
      bytes: size,
      nats_per_token: nats / tokens,
      perplexity: Math.exp(nats / tokens),
      bits_per_byte: nats / Math.LN2 / size,
    };
    if (json) {
      printJson(stdout, { model, text, ...result });
      return;
    }
    const rows = Object.entries(result).map(([name, value]) => [
      name,
      Number.isInteger(value) ? String(value) : value.toFixed(4),
    ]);
    stdout.write(`${columns(rows)}\n`);
  },
};
