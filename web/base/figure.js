/** Makes a standalone SVG file of a chart on the page. */

import { NOT_XML } from './svg-file.js';

const SVG = 'http://www.w3.org/2000/svg';
/** CSS properties to copy to the file. A property with its initial value is left out. */
const PROPERTIES = {
  fill: '',
  'fill-opacity': '1',
  stroke: 'none',
  'stroke-width': '1px',
  'stroke-dasharray': 'none',
  'stroke-linejoin': 'miter',
  opacity: '1',
  'font-size': '',
  'font-weight': '400',
  'paint-order': 'normal',
};

/**
 * Returns a copy of the chart with styles as attributes, a background, a title above and its conditions below.
 * @param {SVGSVGElement} figure
 * @param {{ title: string, lines: string[] }} about
 */
export function standAlone(figure, { title, lines }) {
  const { fontFamily, color } = getComputedStyle(figure);
  const paper = groundOf(figure);
  const box = figure.getBoundingClientRect();
  const unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const margin = 12 * unit;
  const [width, height] = [box.width + 2 * margin, box.height];
  const size = 13 * unit;
  const heads = wrapText(title, Math.floor((width - 2 * margin) / (16 * unit * 0.6)));
  const wrapped = lines.flatMap((line) =>
    wrapText(line, Math.floor((width - 2 * margin) / (size * 0.56))),
  );
  const head = (12 + 22 * heads.length) * unit;
  const total = height + head + (wrapped.length * 1.4 + 1.2) * size;
  const root = makeElement('svg', {
    xmlns: SVG,
    width,
    height: total,
    viewBox: `0 0 ${width} ${total}`,
    'font-family': fontFamily,
    'font-size': size,
  });
  const name = makeElement('title', {});
  name.textContent = title;
  const chart = makeElement('g', { transform: `translate(${margin} ${head})` });
  chart.append(...withInlineStyles(figure).childNodes);
  root.append(name, makeElement('rect', { width, height: total, fill: paper }), chart);
  const bold = { fill: color, 'font-weight': 650, 'font-size': 16 * unit };
  heads.forEach((line, i) => root.append(makeText(line, margin, 22 * (i + 1) * unit, bold)));
  wrapped.forEach((line, i) =>
    root.append(makeText(line, margin, head + height + (i + 1) * 1.4 * size, { fill: color })),
  );
  return new XMLSerializer().serializeToString(root).replace(NOT_XML, '\ufffd');
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function makeElement(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    if (key !== 'xmlns') element.setAttribute(key, String(value));
  return element;
}

/**
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {Record<string, string | number>} attributes
 */
function makeText(text, x, y, attributes) {
  const element = makeElement('text', { x, y, ...attributes });
  element.textContent = text;
  return element;
}

/**
 * Returns a copy with styles as attributes, without parts that only the page needs.
 * @param {SVGSVGElement} figure
 */
function withInlineStyles(figure) {
  const copy = /** @type {SVGSVGElement} */ (figure.cloneNode(true));
  const from = figure.querySelectorAll('*');
  const pointers = copy.querySelectorAll('.pointer');
  [...copy.querySelectorAll('*')].forEach((element, i) => {
    const style = getComputedStyle(from[i]);
    const shared = element.closest('defs') !== null; // keeps its id: other elements refer to it
    for (const { name } of [...element.attributes])
      if (/^(class|role|aria-|data-|tabindex|style)/.test(name) || (name === 'id' && !shared))
        element.removeAttribute(name);
    // The page's style sheet positions elements with CSS transforms.
    if (style.transform !== 'none') element.setAttribute('transform', style.transform);
    const wanted = element.localName === 'g' ? { opacity: '1' } : PROPERTIES;
    for (const [property, usual] of Object.entries(wanted)) {
      const value = style.getPropertyValue(property);
      if (value && value !== usual) element.setAttribute(property, value);
    }
  });
  for (const element of pointers) element.remove();
  for (const comment of commentsOf(copy)) comment.remove();
  return copy;
}

/** Returns the colour of the background behind an element. @param {Element} element */
function groundOf(element) {
  for (let at = element; at; ) {
    const { backgroundColor } = getComputedStyle(at);
    if (!/^rgba\(.*, 0\)$|^transparent$/.test(backgroundColor)) return backgroundColor;
    at = at.parentElement ?? /** @type {ShadowRoot} */ (at.getRootNode()).host;
  }
  return 'Canvas';
}

/** Returns all comment nodes; Lit inserts them. @param {Node} root */
function commentsOf(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  const found = [];
  while (walker.nextNode()) found.push(/** @type {Comment} */ (walker.currentNode));
  return found;
}

/**
 * @param {string} text
 * @param {number} most characters per line
 */
function wrapText(text, most) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1];
    if (last && last.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines;
}
