/** Tokens as a reader can see them: spaces, line breaks and partial UTF-8 made visible. */
import { html, svg } from 'lit';
import { t } from '../locale/locale.js';

/** What shows nothing by itself; some of it turns the text around it. */
const UNSEEN = /[\s\p{Cc}\p{Bidi_C}]/u;
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFEFC]/;

const MARKS = /** @type {Record<string, string>} */ ({ ' ': '␣', '\n': '↵', '\r': '␍', '\t': '⇥' });

/**
 * @typedef {{ text: string, special: boolean, id: number, bytes?: ArrayLike<number> }} Token
 */

/** @param {number} n */
const hex = (n) => n.toString(16).toUpperCase().padStart(2, '0');

/** A character by its number; each is one of 16 bits. @param {string} character */
const byNumber = (character) => `⟨${hex(character.charCodeAt(0))}⟩`;

/** Text to be read: what would turn others or show as a box stands by its number. @param {string} text */
export const unturned = (text) =>
  text.replace(/[\p{Bidi_C}\p{Cc}]/gu, (each) => ('\n\r\t'.includes(each) ? each : byNumber(each)));

/** A name within a line, which its own direction does not turn. @param {string} text */
export const isolated = (text) => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

/**
 * The visible text of a token in parts: [{ text, mark }]; `mark` is true for what stands for
 * whitespace, control characters or bytes.
 * @param {Token} token
 * @param {boolean} [prose] whether spaces stand as spaces, since the whole is read as text
 */
function visibleParts(token, prose = false) {
  if (token.text.includes('\uFFFD') && token.bytes)
    return [{ text: `⟨${bytesOf(token)}⟩`, mark: true }];
  if (token.text === '') return [{ text: `⟨${token.id}⟩`, mark: true }];
  /** @type {{ text: string, mark: boolean }[]} */
  const parts = [];
  for (const character of token.text) {
    const unseen = UNSEEN.test(character) ? byNumber(character) : null;
    const space = prose && character === ' ';
    const mark = space ? null : (MARKS[character] ?? unseen);
    const last = parts.at(-1);
    const text = mark ?? (space ? '\u00A0' : character); // one that stays at the end of a line
    if (last && last.mark === Boolean(mark)) last.text += text;
    else parts.push({ text, mark: Boolean(mark) });
  }
  return parts;
}

/**
 * The bytes of a token in hexadecimal.
 * @param {{ text: string, bytes?: ArrayLike<number> }} token
 */
export function bytesOf({ text, bytes = new TextEncoder().encode(text) }) {
  return Array.from(bytes, hex).join(' ');
}

/**
 * The visible text as a plain string.
 * @param {Token} token
 * @param {number} [limit] characters shown at most
 */
export function visible(token, limit = Infinity) {
  const text = visibleParts(token)
    .map((part) => part.text)
    .join('');
  const characters = [...text];
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : text;
}

/**
 * A token's name for a screen reader: without marks, which are read out at length.
 * @param {Token} token
 * @param {number} [eos]
 */
export function spoken(token, eos) {
  if (token.id === eos) return t('text.end.long');
  return isolated(unturned(token.text.trim())) || visible(token);
}

/** Some text to stand within a sentence, like a token's name. @param {string} text */
export function spokenText(text) {
  return text && spoken({ id: NaN, text, special: false });
}

/**
 * @param {Token} token
 * @param {boolean} [prose] whether spaces stand as spaces, since the whole is read as text
 */
export function visibleHtml(token, prose = false) {
  return visibleParts(token, prose).map(({ text, mark }) =>
    mark ? html`<span class="space" aria-hidden="true">${text}</span>` : text,
  );
}

/**
 * @param {Token} token
 * @param {number} limit
 */
export function visibleSvg(token, limit) {
  let left = limit;
  return visibleParts(token).map(({ text, mark }) => {
    const characters = [...text];
    const shown =
      characters.length > left ? `${characters.slice(0, Math.max(0, left - 1)).join('')}…` : text;
    left = Math.max(0, left - characters.length);
    if (shown === '…' && left === 0 && characters.length === 0) return svg``;
    return mark ? svg`<tspan class="space">${shown}</tspan>` : svg`<tspan>${shown}</tspan>`;
  });
}
