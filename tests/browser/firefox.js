/** Runs Firefox headless by WebDriver BiDi, over Node's WebSocket. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onPath, until } from './program.js';

const PROGRAMS = ['firefox-esr', 'firefox'];
const LISTENING = /WebDriver BiDi listening on (ws:\S+)/;

/** Returns the reason why Firefox cannot run here, or null. */
export function missing() {
  if (!PROGRAMS.some(onPath)) return 'Firefox is not installed';
  return typeof WebSocket === 'function' ? null : 'this Node has no WebSocket';
}

/** Connects to Firefox; the number of a command identifies its answer. @param {string} url */
async function connect(url) {
  const socket = new WebSocket(`${url}/session`);
  /** @type {Map<number, (answer: any) => void>} */
  const waiting = new Map();
  let last = 0;
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(data);
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  };
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`no connection to ${url}`));
  });
  socket.onclose = () => {
    for (const answer of waiting.values())
      answer({ type: 'error', message: 'Firefox closed the connection' });
  };
  /** @param {string} method @param {object} params */
  return async (method, params) => {
    const answer = await new Promise((resolve) => {
      waiting.set(++last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
    if (answer.type !== 'success') throw new Error(`${method}: ${answer.message}`);
    return answer.result;
  };
}

/** Starts Firefox with a profile of its own. @param {string[]} args */
async function start(args) {
  const profile = await mkdtemp(join(tmpdir(), 'logitscope-firefox-'));
  const child = spawn(
    /** @type {string} */ (PROGRAMS.find(onPath)),
    ['--headless', '--no-remote', '--profile', profile, ...args],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = new Promise((resolve) => {
    child.once('close', resolve);
  });
  return {
    stderr: child.stderr,
    async close() {
      child.kill('SIGKILL');
      await ended;
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/**
 * Shows a page at an address, without WebDriver. Under WebDriver, a worker that starts eight workers stood still in one
 * start of four (Firefox 153).
 * @param {string} address
 */
export async function show(address) {
  const { stderr, close } = await start([address]);
  stderr.resume();
  return { close };
}

/**
 * Opens a page at an address; its `evaluate` runs an expression, awaits it and returns its string.
 * @param {string} address
 */
export async function open(address) {
  const { stderr, close } = await start(['--remote-debugging-port', '0']);
  try {
    const call = await connect(await until(stderr, LISTENING));
    const { capabilities } = await call('session.new', { capabilities: {} });
    const {
      contexts: [{ context }],
    } = await call('browsingContext.getTree', {});
    await call('browsingContext.navigate', { context, url: address, wait: 'complete' });
    return {
      version: capabilities.browserVersion,
      /** @param {string} expression @returns {Promise<string>} */
      async evaluate(expression) {
        const { result, exceptionDetails } = await call('script.evaluate', {
          expression,
          target: { context },
          awaitPromise: true,
        });
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return result.value;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
