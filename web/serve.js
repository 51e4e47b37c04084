/** A server for static files, for the Makefile and the tests. It serves only files inside one folder. */
import { open, realpath } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

const TYPES = /** @type {Record<string, string>} */ ({
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
});

/** Matches file names with a hash of the content. Such a file never changes. */
const HASHED = /-[0-9a-f]{8}\.js$/;

/**
 * Serves a folder. By default, only this computer can connect. Resolves to the address and a function that stops the
 * server. `route` may return another file for a path.
 * @param {string} folder
 * @param {number} [port]
 * @param {(path: string) => string | undefined} [route]
 * @param {string} [host] an address of this machine; 0.0.0.0 or :: for all addresses
 * @param {Record<string, string>} [headers] of every answer
 */
export function serve(folder, port = 0, route = () => undefined, host = '127.0.0.1', headers = {}) {
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(request, response, folder, route).catch(() => response.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = /** @type {import('node:net').AddressInfo} */ (server.address());
      const close = () =>
        new Promise((done) => {
          server.close(done);
          server.closeAllConnections();
        });
      let name = host.includes(':') ? `[${host}]` : host;
      if (host === '127.0.0.1') name = 'localhost';
      resolve({ url: `http://${name}:${address.port}/`, close });
    });
  });
}

/**
 * Sends one answer. Rejects if the client disconnects early; the file is closed in any case.
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {string} folder
 * @param {(path: string) => string | undefined} route
 */
async function answer({ method, url = '/', headers }, response, folder, route) {
  const path = method === 'GET' || method === 'HEAD' ? pathOf(url) : null;
  const file = path && (route(path) ?? (await findInside(folder, path)));
  const handle = file ? await open(file).catch(() => null) : null;
  const found = await handle?.stat();
  if (!file || !handle || !found?.isFile()) {
    await handle?.close();
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
    return;
  }
  // Do not send an unchanged file again, so that the browser keeps its compiled code.
  const tag = `"${found.size}-${found.mtimeMs}"`;
  const known = headers['if-none-match'] === tag;
  response.writeHead(known ? 304 : 200, {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    ...(known ? {} : { 'content-length': found.size }),
    'cache-control': HASHED.test(file) ? 'max-age=31536000, immutable' : 'no-cache',
    etag: tag,
    'x-content-type-options': 'nosniff',
    // With this header, a sandboxed frame, which has no origin, can run the site. Public hosts send it too.
    'access-control-allow-origin': '*',
  });
  if (method === 'GET' && !known) await pipeline(handle.createReadStream(), response);
  else await handle.close().then(() => response.end());
}

/**
 * Returns the file path in an address; null if it is malformed, outside the folder or hidden (`.git`).
 * @param {string} url
 */
function pathOf(url) {
  try {
    const path = normalize(decodeURIComponent(url.split(/[?#]/)[0]));
    const hidden = path.split(sep).some((name) => name.startsWith('.'));
    return path.startsWith(sep) && !path.includes('\0') && !hidden ? path : null;
  } catch {
    return null;
  }
}

/**
 * Opens the file at a path, following symbolic links; null if it is outside the folder.
 * @param {string} folder
 * @param {string} path
 */
async function findInside(folder, path) {
  const asked = join(folder, path.endsWith(sep) ? `${path}index.html` : path);
  const [inside, file] = await Promise.all(
    [folder, asked].map((each) => realpath(each).catch(() => null)),
  );
  return inside !== null && file?.startsWith(inside + sep) ? file : null;
}

const USAGE = `usage: node web/serve.js
Serves dist/, which \`make serve\` builds, until Ctrl+C.
  PORT  the port (8080)
  HOST  the address to listen on (127.0.0.1: this machine only; 0.0.0.0: all addresses)
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [argument] = process.argv.slice(2);
  if (argument !== undefined) {
    const known = argument === '--help' || argument === '-h';
    if (!known) process.stderr.write(`unexpected argument ${JSON.stringify(argument)}\n`);
    (known ? process.stdout : process.stderr).write(USAGE);
    process.exit(known ? 0 : 1);
  }
  const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');
  const { PORT = '8080' } = process.env;
  const port = /^\d+$/.test(PORT) && Number(PORT) < 65536 ? Number(PORT) : null;
  if (port === null) {
    process.stderr.write(`PORT must be a whole number below 65536, got ${JSON.stringify(PORT)}\n`);
    process.exit(1);
  }
  try {
    const { url } = await serve(dist, port, undefined, process.env.HOST);
    process.stdout.write(`Logitscope is at ${url}\n`);
  } catch (error) {
    process.stderr.write(
      `port ${port} cannot be used: ${error instanceof Error ? error.message : error}; set PORT to another\n`,
    );
    process.exitCode = 1;
  }
}
