/** The hosts of contenders: the running Node, and Chromium. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { openChromium, root } from './chromium.js';
import { openContender } from './contender.js';
import { Torch } from './torch.js';

/**
 * Returns the milliseconds of a process that starts, prints one token and ends.
 * @param {Record<string, string | number>} query
 */
function coldNode({ model, prompt }) {
  const began = performance.now();
  const args = [
    join(root, 'web/cli.js'),
    'generate',
    '--model',
    String(model),
    '--prompt',
    String(prompt),
    '--max-new-tokens',
    '1',
    '--temperature',
    '0',
  ];
  return new Promise((resolve, reject) => {
    spawn(process.execPath, args, { stdio: 'ignore' })
      .on('error', reject)
      .on('close', (code) =>
        code
          ? reject(new Error(`the command line ended with ${code}`))
          : resolve(performance.now() - began),
      );
  });
}

const node = {
  name: 'node',
  version: process.version,
  peers: /** @type {string[]} */ ([]),
  openPage: async () => ({
    open: (/** @type {any} */ kind, /** @type {any} */ options) =>
      kind === 'torch' ? Torch.open(options) : openContender(kind, options),
    close() {},
  }),
  cold: coldNode,
  close() {},
};

/** @param {string} name */
export async function openHost(name) {
  if (name === 'node') return node;
  const chromium = await openChromium();
  return chromium && { name, peers: ['wllama'], ...chromium };
}
