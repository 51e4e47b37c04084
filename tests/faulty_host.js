/**
 * A host of model files with the faults of real hosts: it cuts connections, is slow, redirects,
 * ignores ranges, and sends wrong lengths and tags.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { closed } from './cleanup.js';

/**
 * @typedef {object} Behaviour
 * @property {number} [cut] bytes after which each connection is cut
 * @property {number} [cuts] number of connections to cut
 * @property {number} [pause] ms between pieces
 * @property {boolean} [noRanges]
 * @property {number} [length] announced instead of the true length
 * @property {string | null} [tag] sent instead of the true one, from the second answer on
 * @property {boolean} [noTag]
 * @property {string} [modified] the date of the last change
 * @property {boolean} [rangeless] answers a range with the beginning of the file and no Content-Range
 * @property {number} [flip] the byte that differs from the second answer on
 * @property {boolean} [unsized] the first answer has no length
 * @property {number} [linkedSize] announced by the redirect instead of the true one
 * @property {string} [sum] announced by the redirect instead of the true one
 * @property {number} [status] of every answer
 */

const PIECE = 1 << 14;

/**
 * Serves `files` by path; under /redirect/ each is one redirect away.
 * @param {Record<string, Uint8Array>} files
 */
export async function openHost(files) {
  /** @type {Behaviour} */
  let behaviour = {};
  /** @type {{ path: string, method: string, headers: import('node:http').IncomingHttpHeaders }[]} */
  const requests = [];
  const server = createServer(async (request, response) => {
    const { url = '/', method = 'GET', headers } = request;
    const path = decodeURIComponent(url.slice(1));
    requests.push({ path, method, headers });
    const open = {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag, Content-Range',
    };
    const far = path.startsWith('redirect/');
    let bytes = files[far ? path.slice('redirect/'.length) : path];
    if (!bytes || behaviour.status) {
      response.writeHead(bytes ? Number(behaviour.status) : 404, open).end();
      return;
    }
    const sum = createHash('sha256').update(bytes).digest('hex');
    if (far) {
      response.writeHead(302, {
        ...open,
        location: `/${url.slice('/redirect/'.length)}`,
        'x-linked-size': behaviour.linkedSize ?? bytes.length,
        'x-linked-etag': `"${behaviour.sum ?? sum}"`,
      });
      response.end();
      return;
    }
    const tag = `"${(requests.length > 1 && behaviour.tag) || `t${sum}`}"`;
    const [, from] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? [];
    const current = !headers['if-range'] || headers['if-range'] === tag;
    const start = from && current && !behaviour.noRanges ? Number(from) : 0;
    if (start >= bytes.length && start > 0) {
      response.writeHead(416, { ...open, 'content-range': `bytes */${bytes.length}` }).end();
      return;
    }
    response.writeHead(start ? 206 : 200, {
      ...open,
      ...(!(behaviour.unsized && requests.length === 1) && {
        'content-length': (behaviour.length ?? bytes.length) - start,
      }),
      ...(start &&
        !behaviour.rangeless && {
          'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}`,
        }),
      ...(!behaviour.noTag && { etag: tag }),
      ...(behaviour.modified && { 'last-modified': behaviour.modified }),
    });
    if (method === 'HEAD') return void response.end();
    if (behaviour.flip !== undefined && requests.length > 1) {
      bytes = bytes.slice();
      bytes[behaviour.flip] ^= 255;
    }
    let sent = 0;
    const gone = once(response, 'close');
    const cut = (behaviour.cuts ?? 0) > 0 ? (behaviour.cut ?? Infinity) : Infinity;
    if (behaviour.cuts) behaviour.cuts--;
    const from0 = behaviour.rangeless ? 0 : start;
    const end = from0 + bytes.length - start;
    for (let at = from0; at < end && !response.destroyed; at += PIECE) {
      if (sent >= cut) return void response.destroy();
      const piece = bytes.subarray(at, Math.min(at + PIECE, end));
      sent += piece.length;
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), gone]);
      if (behaviour.pause) await wait(behaviour.pause);
    }
    if (behaviour.length === undefined) response.end();
    else response.destroy();
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return closed({
    url: `http://127.0.0.1:${port}/`,
    requests,
    files,
    /** Sets the behaviour from now on. @param {Behaviour} next */
    behave(next) {
      behaviour = next;
      requests.length = 0;
    },
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  });
}
