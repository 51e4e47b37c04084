/** `logitscope info`: prints data of a model file. */
import { columns, inLine, printJson } from './terminal.js';

/** Printed if the file does not name its pre-tokenizer. */
const UNSTATED = 'not stated, split as default';

/** @type {import('./flags.js').Command} */
export const info = {
  summary: 'say what a model file holds',
  settings: false,
  operands: 'MODEL',
  operandOf: ['model'],
  flags: [],
  sessionless: true,

  run(scope, { model, json }, { stdout }) {
    if (json) {
      printJson(stdout, { model, ...scope.info });
      return;
    }
    const rows = Object.entries(scope.info).map(([name, value]) => [
      name,
      inLine(
        String(value ?? (name === 'pre' && scope.info.tokenizer === 'gpt2' ? UNSTATED : 'none')),
      ),
    ]);
    stdout.write(`${columns(rows)}\n`);
  },
};
