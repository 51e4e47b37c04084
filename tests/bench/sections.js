/**
 * Figures of one kind of processor say little of another, so that a file of figures has a section
 * for each kind. Writing one replaces it and leaves the others as they are.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { drawPlot } from './plots.js';

const here = fileURLToPath(new URL('./', import.meta.url));

/** Maker and family, such as "Intel Xeon"; where the system does not say, the architecture. */
function processor() {
  const model = cpus()[0]?.model ?? '';
  return /\S+ \S+/.exec(model.replace(/\((R|TM)\)/gi, ''))?.[0] ?? process.arch;
}

/** A plot's name with the processor in it: name-intel-xeon.svg. @param {string} file */
const ofProcessor = (file) =>
  file.replace(/(?=\.svg$)/, `-${processor().toLowerCase().replace(/\W+/g, '-')}`);

/**
 * The text with this section in the place of the one with the same title, or in the order of titles.
 * @param {string} text
 * @param {string} title
 * @param {string} body
 */
export function withSection(text, title, body) {
  const [intro, ...sections] = text.trimEnd().split(/\n\n(?=## )/);
  const others = sections.filter((section) => section.split('\n')[0] !== `## ${title}`);
  return `${[intro, ...[...others, `## ${title}\n\n${body}`].sort()].join('\n\n')}\n`;
}

/**
 * Writes the section of this processor.
 * @param {string} file beside this one
 * @param {string} intro what stands above the sections
 * @param {string[]} blocks
 */
export function writeSection(file, intro, blocks) {
  const path = `${here}${file}`;
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const sections = /\n\n## [^]*/.exec(before)?.[0] ?? '';
  writeFileSync(path, withSection(intro + sections, processor(), blocks.join('\n\n')));
}

/** Writes the plot of this processor; gives what shows it. @param {import('./plots.js').Plot} plot */
export function writePlot(plot) {
  const file = ofProcessor(plot.file);
  writeFileSync(`${here}${file}`, drawPlot(plot));
  return `![${plot.title}](${file})`;
}
