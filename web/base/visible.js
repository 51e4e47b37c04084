/** Makes tokens visible: spaces, line breaks and incomplete characters become signs. */
import { html, svg } from 'lit';
import { t } from '../locale/locale.js';

/** Matches invisible characters. Some of them change the direction of the text around them. */
const UNSEEN = /[\s\p{Cc}\p{Bidi_C}]/u;
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFEFC]/;

const MARKS = /** @type {Record<string, string>} */ ({ ' ': '␣', '\n': '↵', '\r': '␍', '\t': '⇥' });

/**
 * @typedef {{ text: string, special: boolean, id: number, bytes?: ArrayLike<number> }} Token
 */

/** @param {number} n */
const hexOf = (n) => n.toString(16).toUpperCase().padStart(2, '0');

/** Returns the number of a character in hexadecimal, such as ⟨1B⟩. @param {string} character */
const byNumber = (character) => `⟨${hexOf(character.charCodeAt(0))}⟩`;

/**
 * Replaces control characters (except tabs and line ends), and characters that change the direction of the text, by
 * their numbers.
 * @param {string} text
 */
export const unturned = (text) =>
  text.replace(/[\p{Bidi_C}\p{Cc}]/gu, (each) => ('\n\r\t'.includes(each) ? each : byNumber(each)));

/**
 * Encloses a name that is written from right to left, so that it does not change the direction of its line.
 * @param {string} text
 */
export const isolated = (text) => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

/**
 * Splits a token's text into visible parts. `mark` is true for a sign that stands for white space, a control
 * character or a byte.
 * @param {Token} token
 * @param {boolean} [prose] true to leave spaces as they are
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
    const text = mark ?? (space ? '\u00A0' : character); // no-break, so it keeps its width at a line's end
    if (last && last.mark === Boolean(mark)) last.text += text;
    else parts.push({ text, mark: Boolean(mark) });
  }
  return parts;
}

/**
 * Returns the bytes of a token in hexadecimal.
 * @param {{ text: string, bytes?: ArrayLike<number> }} token
 */
export function bytesOf({ text, bytes = new TextEncoder().encode(text) }) {
  return Array.from(bytes, hexOf).join(' ');
}

/**
 * Joins the bytes of neighbouring tokens that together are a character, such as an emoji. Returns for each token the
 * text to show: the character at its first token, '' at the others, null for a token that needs nothing.
 * @param {Token[]} tokens
 */
export function joinBytes(tokens) {
  const shown = tokens.map(() => /** @type {string | null} */ (null));
  for (let from = 0, to = 0; from < tokens.length; from = to + 1) {
    for (to = from; tokens[to]?.text.includes('\uFFFD') && tokens[to].bytes; ) to++;
    if (to - from < 2) continue;
    const bytes = tokens.slice(from, to).flatMap((token) => Array.from(token.bytes ?? []));
    const text = new TextDecoder().decode(Uint8Array.from(bytes));
    if (!text.includes('\uFFFD')) shown.fill('', from, to).fill(text, from, from + 1);
  }
  return shown;
}

/**
 * Returns the visible form of a token as text.
 * @param {Token} token
 * @param {number} [limit] the most characters
 */
export function visible(token, limit = Infinity) {
  const text = visibleParts(token)
    .map((part) => part.text)
    .join('');
  const characters = [...text];
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : text;
}

/**
 * Returns a token's text as a screen reader should say it, without signs for spaces.
 * @param {Token} token
 * @param {number} [eos]
 */
export function spoken(token, eos) {
  if (token.id === eos) return t('text.end.long');
  return isolated(unturned(token.text.trim())) || visible(token);
}

/** Returns a text as a screen reader should say it; '' for ''. @param {string} text */
export function spokenText(text) {
  return text && spoken({ id: NaN, text, special: false });
}

/**
 * @param {Token} token
 * @param {boolean} [prose] true to leave spaces as they are
 */
export function visibleHtml(token, prose = false) {
  return visibleParts(token, prose).map(({ text, mark }) =>
    mark ? html`<span class="space" aria-hidden="true">${text}</span>` : text,
  );
}

/** Renders a token; the end token by its name. @param {Token} token @param {number} eos */
export function namedHtml(token, eos) {
  return token.id === eos ? endName() : visibleHtml(token);
}

/** Returns the name of the end token. */
export const endName = () => `‹${t('text.end')}›`;

/** Joins the texts of tokens; the end token is written as its name. @param {Token[]} tokens @param {number} eos */
export function joinTexts(tokens, eos) {
  return tokens.map(({ id, text }) => (id === eos ? ` ${endName()}` : text)).join('');
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
