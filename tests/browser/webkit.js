/** Runs WebKit's MiniBrowser on a virtual display, by WebDriver over HTTP. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { atEnd } from '../cleanup.js';
import { onPath, until } from './program.js';

/** Returns the reason why WebKit cannot run here, or null. */
export function missing() {
  if (!onPath('WebKitWebDriver')) return 'WebKitWebDriver is not installed';
  return onPath('Xvfb') ? null : 'Xvfb is not installed';
}

/** Returns a port that is probably free. @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** @param {string} base */
function client(base) {
  /** @param {string} method @param {string} path @param {object} [body] */
  return async (method, path, body) => {
    const response = await fetch(base + path, { method, body: body && JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${path}: ${value.message || value.error}`);
    return value;
  };
}

/** @param {ReturnType<typeof client>} call */
async function ready(call) {
  for (let tries = 0; ; tries++) {
    try {
      return await call('GET', '/status');
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
  }
}

/**
 * Opens a page at an address; its `evaluate` runs an expression, awaits it and returns its string.
 * @param {string} address
 */
export async function open(address) {
  const xvfb = spawn(
    'Xvfb',
    ['-displayfd', '1', '-screen', '0', '1024x768x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  atEnd(() => xvfb.kill());
  const display = await until(xvfb.stdout, /(\d+)\n/);
  const port = await freePort();
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: `:${display}`, GDK_BACKEND: 'x11' },
  });
  const stop = () => [driver, xvfb].forEach((child) => child.kill());
  try {
    const call = client(`http://127.0.0.1:${port}`);
    await ready(call);
    const { sessionId, capabilities } = await call('POST', '/session', { capabilities: {} });
    const session = `/session/${sessionId}`;
    await call('POST', `${session}/timeouts`, { script: 120e3 });
    await call('POST', `${session}/url`, { url: address });
    return {
      version: capabilities.browserVersion,
      /** @param {string} expression @returns {Promise<string>} */
      async evaluate(expression) {
        const script = `const done = arguments[0];
          (${expression}).then((value) => done({ value }), (e) => done({ error: String(e) }));`;
        const { value, error } = await call('POST', `${session}/execute/async`, {
          script,
          args: [],
        });
        if (error) throw new Error(error);
        return value;
      },
      async close() {
        await call('DELETE', session);
        stop();
      },
    };
  } catch (error) {
    stop();
    throw error;
  }
}
