/** Runs Debian's Jupyter Notebook with the Python package, and a notebook of one cell in Chromium. */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../cleanup.js';
import { root } from './bench.js';
import { until } from './program.js';
import { freePort } from './webkit.js';

const TOKEN = 'c0ffee';

/**
 * Starts a notebook server; resolves with the path of the notebook, to be put after a host's name.
 * @param {string} archive the page's files, site.zip of the package
 * @param {string} code the only cell
 */
export async function startJupyter(archive, code) {
  const folder = await mkdtemp(join(tmpdir(), 'logitscope-jupyter-'));
  await cp(join(root, 'build/python'), folder, { recursive: true });
  await cp(archive, join(folder, 'logitscope/site.zip'));
  const cell = {
    cell_type: 'code',
    execution_count: null,
    metadata: {},
    outputs: [],
    source: code,
  };
  const kernelspec = { display_name: 'Python 3', language: 'python', name: 'python3' };
  const notebook = { cells: [cell], metadata: { kernelspec }, nbformat: 4, nbformat_minor: 4 };
  await writeFile(join(folder, 'bench.ipynb'), JSON.stringify(notebook));
  const port = await freePort();
  const options = {
    token: TOKEN,
    port,
    port_retries: 0,
    notebook_dir: folder,
    allow_root: 'True',
    allow_remote_access: 'True',
    open_browser: 'False',
  };
  const flags = Object.entries(options).map(([name, value]) => `--NotebookApp.${name}=${value}`);
  const env = { ...process.env, HOME: folder, PYTHONPATH: folder };
  const server = spawn('/usr/bin/jupyter-notebook', flags, { cwd: folder, env });
  atExit(async () => {
    const ended = new Promise((resolve) => server.once('close', resolve));
    server.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  server.stdout.resume();
  await until(server.stderr, /(is running at)/);
  return `:${port}/notebooks/bench.ipynb?token=${TOKEN}`;
}

/** Waits for the kernel and runs the cell. @param {import('playwright-core').Page} page */
export async function runCell(page) {
  await page.waitForFunction(() => globalThis.Jupyter?.notebook?.kernel?.is_connected?.());
  await page.evaluate(() => globalThis.Jupyter.notebook.execute_all_cells());
}

/**
 * Runs code in the kernel; resolves with the JSON that it prints.
 * @param {import('playwright-core').Page} page
 * @param {string} code
 */
export async function askKernel(page, code) {
  const printed = await page.evaluate(
    (text) =>
      new Promise((resolve, reject) => {
        let found = '';
        const output = ({ msg_type, content }) => {
          if (msg_type === 'stream') found += content.text;
          if (msg_type === 'error') reject(new Error(content.evalue));
        };
        // Waits until the kernel is idle, since its output may come after its reply.
        const idle = ({ content }) => content.execution_state === 'idle' && resolve(found);
        globalThis.Jupyter.notebook.kernel.execute(
          text,
          { iopub: { output, status: idle } },
          { silent: false, store_history: false },
        );
      }),
    code,
  );
  return JSON.parse(printed);
}
