/**
 * A file of figures has a section for each kind of processor, since figures of one kind say little about
 * another. A written section replaces its old one and leaves the others.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { drawPlot } from './plots.js';

const here = fileURLToPath(new URL('./', import.meta.url));

/** Maker and family, such as "Intel Xeon", or the architecture if the system does not tell. */
function processor() {
  const model = cpus()[0]?.model ?? '';
  return /\S+ \S+/.exec(model.replace(/\((R|TM)\)/gi, ''))?.[0] ?? process.arch;
}

/** Returns a plot's name with the processor: name-intel-xeon.svg. @param {string} file */
const ofProcessor = (file) =>
  file.replace(/(?=\.svg$)/, `-${processor().toLowerCase().replace(/\W+/g, '-')}`);

/**
 * Returns the text with this section instead of the one with its title, or inserted in order of titles.
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

/** Writes the plot of this processor; returns the Markdown that shows it. @param {import('./plots.js').Plot} plot */
export function writePlot(plot) {
  const file = ofProcessor(plot.file);
  writeFileSync(`${here}${file}`, drawPlot(plot));
  return `![${plot.title}](${file})`;
}
