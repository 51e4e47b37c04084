/**
 * A server of model files that imitates faults of real servers: cut connections, slow answers, redirects, ignored
 * ranges, wrong lengths and wrong ETags.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { closed } from './cleanup.js';

/**
 * @typedef {object} Behaviour
 * @property {number} [cut] bytes after which each connection is cut
 * @property {number} [cuts] number of connections that are cut
 * @property {number} [pause] ms between pieces of 16 KiB
 * @property {boolean} [noRanges] true if the server ignores Range
 * @property {number} [length] Content-Length, if it differs from the true length
 * @property {string | null} [tag] ETag from the second answer on; null or absent: the true one
 * @property {boolean} [noTag] true if no answer has an ETag
 * @property {string} [modified] Last-Modified
 * @property {boolean} [rangeless] true if a range gets the first bytes and no Content-Range
 * @property {number} [flip] index of a byte that is inverted from the second answer on
 * @property {boolean} [unsized] true if the first answer has no Content-Length
 * @property {number} [linkedSize] a wrong x-linked-size in the redirect
 * @property {string} [sum] a wrong SHA-256 in the redirect's x-linked-etag
 * @property {number} [status] status of every answer, without a body
 */

const PIECE = 1 << 14;

/**
 * Serves `files` by path. The path /redirect/PATH redirects to /PATH.
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
    /** Sets the behaviour and forgets earlier requests. @param {Behaviour} next */
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
