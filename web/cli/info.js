/** `logitscope info`: what a model file says about itself. */
import { columns, inLine, printJson } from './terminal.js';

/** @type {import('./flags.js').Command} */
export const info = {
  summary: 'say what a model file holds',
  settings: false,
  flags: [],

  run(scope, { model, json }) {
    if (json) {
      printJson({ model, ...scope.info });
      return;
    }
    const rows = Object.entries(scope.info).map(([name, value]) => [
      name,
      inLine(String(value ?? 'none')),
    ]);
    process.stdout.write(`${columns(rows)}\n`);
  },
};
