/** A static server for dist/, for the makefile and the tests: files only, from one folder only. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = /** @type {Record<string, string>} */ ({
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.wasm': 'application/wasm',
});

/**
 * Serves `folder` on `port` (0: any free one); resolves with the address and a function that stops.
 * `route` may answer a path with another file, or undefined.
 * @param {string} folder
 * @param {number} [port]
 * @param {(path: string) => string | undefined} [route]
 */
export function serve(folder, port = 0, route = () => undefined) {
  const server = createServer(async (request, response) => {
    const path = pathOf(request.url ?? '/');
    const file =
      path === null
        ? null
        : (route(path) ?? join(folder, path.endsWith('/') ? `${path}index.html` : path));
    const found =
      file && (request.method === 'GET' || request.method === 'HEAD')
        ? await stat(file).catch(() => null)
        : null;
    if (!file || !found?.isFile()) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
      return;
    }
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'content-length': found.size,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      // As hosts of public pages do: sandboxed frames, which have no origin, may then run the site.
      'access-control-allow-origin': '*',
    });
    if (request.method === 'HEAD') response.end();
    else
      createReadStream(file)
        .on('error', () => response.destroy())
        .pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => {
      const address = /** @type {import('node:net').AddressInfo} */ (server.address());
      const close = () =>
        new Promise((done) => {
          server.close(done);
          server.closeAllConnections();
        });
      resolve({ url: `http://localhost:${address.port}/`, close });
    });
  });
}

/**
 * The path of an address, or null for one that leaves the folder or is malformed.
 * @param {string} url
 */
function pathOf(url) {
  try {
    const path = normalize(decodeURIComponent(url.split(/[?#]/)[0]));
    return path.startsWith(sep) && !path.includes('\0') && !path.split(sep).includes('..')
      ? path
      : null;
  } catch {
    return null;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');
  const port = Number(process.env.PORT ?? 8080);
  try {
    const { url } = await serve(dist, port);
    process.stdout.write(`Logitscope is at ${url}\n`);
  } catch (error) {
    process.stderr.write(
      `port ${port} cannot be used: ${error instanceof Error ? error.message : error}; set PORT to another\n`,
    );
    process.exitCode = 1;
  }
}
