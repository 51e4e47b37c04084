/**
 * Writes files of figures with a section for each type of processor, since figures of one type say little about
 * another. A new section replaces the old section of its type only.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { drawPlot } from './plots.js';

const here = fileURLToPath(new URL('./', import.meta.url));

/** Returns maker and family, such as "Intel Xeon", or the architecture if the system has no name. */
function processor() {
  const model = cpus()[0]?.model ?? '';
  return /\S+ \S+/.exec(model.replace(/\((R|TM)\)/gi, ''))?.[0] ?? process.arch;
}

/** Returns a plot's file name with the processor: name-intel-xeon.svg. @param {string} file */
const ofProcessor = (file) =>
  file.replace(/(?=\.svg$)/, `-${processor().toLowerCase().replace(/\W+/g, '-')}`);

/**
 * Returns the text with a new section. It replaces the section with its title; sections are sorted by title.
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
 * @param {string} file in this folder
 * @param {string} intro text above the sections
 * @param {string[]} blocks
 * @param {string} [more] of the title
 */
export function writeSection(file, intro, blocks, more = '') {
  const path = `${here}${file}`;
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const sections = /\n\n## [^]*/.exec(before)?.[0] ?? '';
  writeFileSync(path, withSection(intro + sections, processor() + more, blocks.join('\n\n')));
}

/** Writes the plot of this processor; returns Markdown that shows the plot. @param {import('./plots.js').Plot} plot */
export function writePlot(plot) {
  const file = ofProcessor(plot.file);
  writeFileSync(`${here}${file}`, drawPlot(plot));
  return `![${plot.title}](${file})`;
}
