/**
 * Finds comments that begin with What, Who, Whether or Where. A comment should begin with a noun or a verb. `make lint`
 * runs it on JavaScript, C, CSS, Python, shell and make files.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const SKIPPED = ['node_modules', 'build', 'dist', '.git'];
const WORD = '(?:What|Who|Whom|Whose|Whatever|Whether|Where|Wherever)\\b';
/** Matches only the first line of a comment, not its continuation lines. */
const SLASHES = `/\\*[\\s*]*${WORD}|(?<!^\\s*//.*\\n\\s*)//\\s*${WORD}`;
const HASHES = `(?<!^\\s*#.*\\n\\s*)#+[ \\t]+${WORD}|"""\\s*${WORD}`;
const slashes = new RegExp(SLASHES, 'gm');
const hashes = new RegExp(HASHES, 'gm');

/** @param {string} folder @returns {string[]} */
function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.includes(entry.name) ? [] : sourcesIn(path);
    return /(\.(m?js|cjs|ts|css|c|h|py|sh)|Makefile)$/.test(entry.name) ? [path] : [];
  });
}

let found = 0;
for (const path of sourcesIn(root)) {
  const text = readFileSync(path, 'utf8');
  for (const { index, 0: opening } of text.matchAll(
    /\.(py|sh)$|file$/.test(path) ? hashes : slashes,
  )) {
    const line = text.slice(0, index + opening.length).split('\n').length;
    console.log(`${path.slice(root.length)}:${line}: ${opening.split(/\s/).at(-1)}`);
    found++;
  }
}
if (found) console.log(`${found} comments do not open with their noun`);
process.exitCode = found ? 1 : 0;
