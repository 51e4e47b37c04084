/** Writes the table of programs in docs/presets.md from the tables of web/import/settings/. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ours } from './import/settings/ours.js';
import { programs } from './import/settings/programs.js';

const DOCUMENT = fileURLToPath(new URL('../docs/presets.md', import.meta.url));
/** Names of empty lists. */
const NONE = 'none';

/** @param {string[]} names */
const codes = (names) => (names.length > 0 ? names.map((name) => `\`${name}\``).join(' ') : NONE);

/** The rows of the table: program, version, keys of settings, keys without a counterpart, our samplers that it lacks. */
export function tableOfPrograms() {
  const samplers = Object.keys(ours).filter((name) => !ours[name].of && !ours[name].gate);
  const rows = programs.map(({ id, name, version, rows: keys, cannot = {}, ignored = [] }) => {
    const settings = keys.filter(({ setting }) => setting);
    const lacks = samplers.filter((one) => !settings.some(({ setting }) => setting === one));
    return `| ${[
      `${name} (\`${id}\`)`,
      version,
      codes(settings.map(({ key }) => key)),
      codes([...Object.keys(cannot), ...ignored]),
      codes(lacks),
    ].join(' | ')} |\n`;
  });
  return (
    '| program | source | its keys that are read and written | its keys without a counterpart here | our samplers that it lacks |\n' +
    `|---|---|---|---|---|\n${rows.join('')}`
  );
}

/** The document with the present table. @param {string} text */
export const withTable = (text) =>
  text.replace(/\| program \|.*\n\|---.*\n(\|.*\n)*/, () => tableOfPrograms());

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8')));
