/** PyTorch as a contender, in Debian's Python. It is absent if PyTorch is not installed. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PYTHON = process.env.PYTHON ?? '/usr/bin/python3';
const script = fileURLToPath(new URL('./torch_sampler.py', import.meta.url));

export class Torch {
  #child;
  #answers;
  version = '';

  /** @param {string} logits @param {number[]} history */
  constructor(logits, history) {
    this.#child = spawn(PYTHON, [script, logits, ...history.map(String)], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child.on('error', () => {});
    this.#child.stdin.on('error', () => {});
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** @param {{ logits: string, history: number[] }} options */
  static async open({ logits, history }) {
    const torch = new Torch(logits, history);
    torch.version = (await torch.#answer()).version;
    return torch;
  }

  async #answer() {
    const { done, value } = await this.#answers.next();
    if (done) throw new Error(`${PYTHON} has no torch`);
    return JSON.parse(value);
  }

  /** @param {import('./contender.js').Work} work @param {number} least */
  async sample(work, least) {
    this.#child.stdin.write(
      `${JSON.stringify({ settings: /** @type {any} */ (work).settings, least })}\n`,
    );
    return (await this.#answer()).ms;
  }

  close() {
    this.#child.stdin.end();
  }
}
