/**
 * A server for tests, like that of the Python bench: below a random folder it serves the site and, beside the page,
 * ask/, which answers questions to a model of this repository. It counts the questions. `hold` delays the answers.
 * `end` closes the server, as if its program stopped.
 */
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
};
const TOKEN = 'a-token-of-this-test-0123456789abcdef';

/** The bytes of all tokens: for each its length (uint32, little-endian), then its bytes. @param {Uint8Array[]} pieces */
export function packPieces(pieces) {
  return Buffer.concat(
    pieces.flatMap((piece) => [Buffer.from(Uint32Array.of(piece.length).buffer), piece]),
  );
}

/** @param {import('../web/engine/index.js').Logitscope} scope */
export function sourceOf(scope) {
  const { vocab_size, context_length, bos_token_id, eos_token_id } = /** @type {any} */ (
    scope.info
  );
  const pieces = Array.from({ length: vocab_size }, (_, id) => scope.piece(id).bytes);
  return {
    info: {
      name: 'verbs of mine',
      vocab_size,
      context_length,
      bos_token_id,
      eos_token_id,
      complete: true,
    },
    pieces,
    encode: (/** @type {string} */ text) => scope.encode(text),
    logits(/** @type {ArrayLike<number>} */ ids) {
      scope.feed(ids);
      return scope.logits();
    },
  };
}

/**
 * @param {string} site folder of the built site
 * @param {import('../web/engine/index.js').Logitscope} scope
 * @param {{ prompt: string, settings: object }} first
 */
export async function serveAsked(site, scope, first) {
  const source = sourceOf(scope);
  const asked = /** @type {Record<string, any[]>} */ ({
    info: [],
    pieces: [],
    encode: [],
    logits: [],
  });
  const state = { hold: Promise.resolve(), origins: /** @type {unknown[]} */ ([]) };
  const answers = {
    'info.json': () => Buffer.from(JSON.stringify({ ...source.info, ...first })),
    pieces: () => packPieces(source.pieces),
    encode: (/** @type {Buffer} */ body) => Buffer.from(source.encode(body.toString()).buffer),
    logits(/** @type {Buffer} */ body) {
      const ids = new Uint32Array(new Uint8Array(body).buffer);
      return Buffer.from(source.logits(ids).buffer);
    },
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
    const path = pathname.replace(`/${TOKEN}/`, '');
    const own = [undefined, `http://${request.headers.host}`].includes(request.headers.origin);
    if (pathname === path || !own) return response.writeHead(403).end();
    const [, what = ''] = /^ask\/(.*)$/.exec(path) ?? [];
    try {
      if (!what) {
        const file = normalize(path || 'index.html');
        const type = TYPES[/** @type {keyof typeof TYPES} */ (extname(file))];
        const bytes = await readFile(join(site, file));
        return response
          .writeHead(200, { 'content-type': type ?? 'application/octet-stream' })
          .end(bytes);
      }
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      asked[what.replace('.json', '')].push(what === 'encode' ? body.toString() : body);
      await state.hold;
      response.end(answers[/** @type {keyof typeof answers} */ (what)](body));
    } catch (error) {
      const { code, key, values, message } = /** @type {any} */ (error);
      const known = key ? { code, key, values } : { code: 'asked', message };
      response.writeHead(what ? 400 : 404).end(JSON.stringify(known));
    }
  });
  const listen = (/** @type {number} */ port) =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)));
  await listen(0);
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    asked,
    state,
    address: `http://127.0.0.1:${port}/${TOKEN}/`,
    async end() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    begin: () => listen(port),
  };
}
