/**
 * Writes the tables that others take from C: the layout of structs, the sources of samplers, and their list in
 * docs/samplers.md. build.sh gives it the compiler's record layouts (-fdump-record-layouts-complete) on standard input.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** The structs that JavaScript and Python read or write; headers in src/ declare them. */
const STRUCTS = [
  'model_file',
  'tokenizer_piece',
  'session_fed',
  'warp_row',
  'warp_bias',
  'constraint_mask',
  'chain_stage',
  'chain_token',
  'chain_trace',
  'chain_drawn',
  'chain_sample',
  'speculate_verdict',
];

const LAYOUT = `/**
 * The fields of C's structs: offset in bytes in WebAssembly, and type in C. web/c-tables.js writes this file at each build
 * of the engine.
 */
`;
const SOURCES = `/**
 * The source of each sampler, year 0 for a page that changes, and its names in other programs. web/c-tables.js writes
 * this file from src/warp_table.c at each build of the engine.
 */

/** @type {Readonly<Record<string, { by: string, year: number, url: string, aliases: string }>>} */
export const SOURCES = Object.freeze({
`;

/**
 * Returns a constant for each field, and for the size. A list of structs at the end has no length here, since the list of
 * stages grows with each sampler.
 * @param {string} records
 * @param {string} struct
 */
function layoutOf(records, struct) {
  const [, record, size] =
    new RegExp(`^ +0 \\| struct ${struct}\n([^]*?)\\[sizeof=(\\d+)`, 'm').exec(records) ?? [];
  if (!record) throw new Error(`the compiler shows no struct ${struct}`);
  const row = (/** @type {string[]} */ field, /** @type {string} */ number, type = '') =>
    `export const ${field.join('_').toUpperCase()} = ${number};${type}\n`;
  // The fields of a struct within this struct are indented further.
  const fields = [...record.matchAll(/^ +(\d+) \| {3}(\S.*) (\w+)$/gm)].map(
    ([, offset, type, field]) =>
      row([struct, field], offset, ` // ${type.replace(/^(struct .*)\[\d+\]$/, '$1[]')}`),
  );
  if (!fields[fields.length - 1].endsWith('[]\n')) fields.push(row([struct, 'size'], size));
  return `\n/* struct ${struct} */\n${fields.join('')}`;
}

/** Returns a JavaScript literal with the quotes that the formatter of this repository demands. @param {string} text */
const quoted = (text) => (text.includes("'") ? `"${text}"` : `'${text}'`);

/** Reads the rows of the samplers. @param {string} table the text of src/warp_table.c */
function readSamplers(table) {
  const string = '"([^"]*)"';
  const source = new RegExp(`SOURCE\\(${string}, (\\d+),\\s+${string},\\s+${string}\\)`);
  const rows = table.split(/^ {4}\[SETTING_/m).filter((row) => row.includes('.apply ='));
  return rows.map((row) => {
    const [, name] = /\.name = "(\w+)"/.exec(row) ?? [];
    const [, stage = ''] = /\.stage = "(\w+)"/.exec(row) ?? [];
    const [, by, year, url, aliases] = source.exec(row) ?? [];
    if (!url) throw new Error(`the sampler ${name} has no SOURCE in src/warp_table.c`);
    return { name, stage, by, year: Number(year), url, aliases };
  });
}

/** @param {ReturnType<typeof readSamplers>[number]} sampler */
function propertyOf({ name, by, year, url, aliases }) {
  const facts = { by: quoted(by), year, url: quoted(url), aliases: quoted(aliases) };
  const lines = Object.entries(facts).map(([key, value]) => `    ${key}: ${value},\n`);
  return `  ${name}: {\n${lines.join('')}  },\n`;
}

/** @param {ReturnType<typeof readSamplers>[number]} sampler */
const lineOf = ({ name, stage, by, year, url }) =>
  `| \`${name}\` | ${stage && `\`${stage}\``} | [${by}${year ? ` ${year}` : ''}](${url}) |\n`;

const here = (/** @type {string} */ path) => new URL(path, import.meta.url);

/** Writes a file if its text is new. @param {string} path @param {string} text */
function write(path, text) {
  const file = here(path);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

const records = readFileSync(0, 'utf8');
const samplers = readSamplers(readFileSync(here('../src/warp_table.c'), 'utf8'));
const page = readFileSync(here('../docs/samplers.md'), 'utf8');
write('engine/layout.js', LAYOUT + STRUCTS.map((struct) => layoutOf(records, struct)).join(''));
write('engine/sampler-sources.js', `${SOURCES}${samplers.map(propertyOf).join('')}});\n`);
write(
  '../docs/samplers.md',
  page.replace(
    /(\| sampler \|.*\n.*\n)(\|.*\n)*/,
    (_, head) => head + samplers.map(lineOf).join(''),
  ),
);
