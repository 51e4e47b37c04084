/** The probability of one text in its tokens: a picture of all prefixes, and sentences that compare it with greedy. */
import { html, nothing, svg } from 'lit';
import { visible } from '../../base/visible.js';
import { briefPercent, number, t } from '../../locale/locale.js';
import { countBegins, layoutPrefixes, prefixP, sharedLength } from './prefixes.js';

/**
 * @typedef {import('./prefixes.js').Text & { text: string, rank: number | null }} Ranked
 *
 * @typedef {object} Why
 * @property {{ sentences: Ranked[], greedy: Ranked }} law
 * @property {number} at index of the text
 * @property {(index: number) => number} colourOf a text's colour; -1 without one
 * @property {number} width in pixels
 * @property {number} unit pixels per 1/16 rem
 * @property {(index: number) => void} choose
 */

/** Least height of a box of its own and of one with a word, and least width of a column, in 1/16 rem. */
const [THIN, WORD, NARROW] = [3, 14, 56];
/** Least width of a column with a number in words, in 1/16 rem. */
const FIRST = 80;
/** Mean width of a letter, in 1/16 rem. */
const LETTER = 7.2;

/** True if a text's token i is its end token, which writes nothing. @param {Ranked} text @param {number} i */
const endsAt = ({ text, tokens }, i) => i === tokens.length - 1 && !text.endsWith(tokens[i].text);

/** The word of a text's token; the end has a name, white space a sign. @param {Ranked} text @param {number} i */
function wordOf(text, i) {
  if (endsAt(text, i)) return t('sentences.end');
  const token = text.tokens[i];
  return token.text.trim() || visible({ ...token, special: false });
}

/** The first n tokens of a text as one. @param {Ranked} text @param {number} n */
function beginning(text, n) {
  const written = endsAt(text, n - 1) ? n - 1 : n;
  const words = text.tokens.slice(0, written).map((token) => token.text);
  return [words.join('').trim(), ...(written < n ? [`(${t('sentences.end')})`] : [])].join(' ');
}

/** A text as the reader sees it. @param {Ranked} text */
const wordsOf = ({ text }) => text.trim() || t('sentences.nothing');

/** The probability of a text as the product of its tokens'. @param {Ranked & { p: number }} text @param {string} [colour] */
export function renderPath(text, colour = '') {
  const { tokens, p } = text;
  const steps = tokens.map((token, i) => `${wordOf(text, i)} ${briefPercent(token.p)}`).join(' × ');
  return html`<p class="path ${colour}" translate="no">${steps} = ${briefPercent(p)}</p>`;
}

/** @param {Why} why */
export function renderWhy(why) {
  const { law, at } = why;
  const text = law.sentences[at];
  return html`<section class="why" aria-labelledby="why">
    <h4 id="why">${t('sentences.why.title', { text: wordsOf(text), p: briefPercent(text.p) })}</h4>
    <p class="because" aria-live="polite">${because(law, at)}</p>
    <div class="prefixes scroll" tabindex="0" role="region" aria-label=${t('sentences.prefixes')}>${renderPrefixes(why)}</div>
    ${renderPath(text)}
  </section>`;
}

/** Compares a text with greedy; greedy's own with the most probable. @param {Why['law']} law @param {number} at */
function because({ sentences, greedy }, at) {
  const other = sentences[at].rank === greedy.rank ? sentences[0] : sentences[at];
  if (other.rank === greedy.rank) return t('sentences.why.same');
  const n = sharedLength(greedy, other) + 1;
  const [ahead, behind] = [greedy, other].map((text) => {
    const first = prefixP(text, n);
    return {
      text: wordsOf(text),
      first: beginning(text, n),
      p: briefPercent(first),
      n: number(countBegins(sentences, text.ids.slice(0, n))),
      share: briefPercent(text.p / first),
    };
  });
  const words = [t('sentences.why.greedy', ahead), t('sentences.why.other', behind)];
  return [...words, ...(other.p > greedy.p ? [t('sentences.why.lost')] : [])].join(' ');
}

/** @param {Why} why */
function renderPrefixes({ law, at, colourOf, width, unit, choose }) {
  const { sentences, greedy } = law;
  const own = sentences[at];
  const rival = greedy.rank && sentences[greedy.rank - 1] ? greedy.rank - 1 : at;
  const height = 400 * unit;
  const boxes = layoutPrefixes(sentences, { thin: (THIN * unit) / height, keep: [at, rival] });
  const columns = Math.max(...boxes.map(({ depth }) => depth)) + 1;
  const column = Math.max(NARROW * unit, width / columns);
  const begins = (
    /** @type {number} */ text,
    /** @type {Ranked} */ whole,
    /** @type {number} */ n,
  ) => text >= 0 && sharedLength(whole, sentences[text]) >= n;
  const isChosen = (/** @type {{ depth: number, text: number }} */ { depth, text }) =>
    begins(text, own, depth + 1);
  const path = boxes.filter(isChosen); // painted last, so that its outline is whole
  const others = boxes.filter((box) => !isChosen(box));
  /** @param {import('./prefixes.js').Box} box */
  const renderBox = ({ depth, from, p, text, last }) => {
    const [x, y, high] = [depth * column, from * height, p * height];
    const chosen = isChosen({ depth, text });
    const colour = chosen
      ? colourOf(at)
      : colourOf(begins(text, sentences[rival], depth + 1) ? rival : last ? text : -1);
    const fill = colour >= 0 ? `c${colour}` : chosen ? 'own' : text < 0 ? 'rest' : 'pale0';
    const word = text < 0 ? t('sentences.rest') : wordOf(sentences[text], depth);
    const fits = high >= WORD * unit && word.length * LETTER + 12 <= column / unit;
    const whole = text < 0 ? word : beginning(sentences[text], depth + 1);
    return svg`<g class="box ${chosen ? 'chosen' : ''}" @click=${() => text >= 0 && choose(text)}>
      <title>${t('sentences.box', { text: whole, p: briefPercent(p) })}</title>
      <rect class=${fill} x=${x} y=${y} width=${column} height=${Math.max(high, 0.5)}></rect>
      ${fits ? svg`<text class="${/^(c|own)/.test(fill) ? 'name' : 'word'} ${text < 0 || last ? 'end' : ''}" x=${x + 6 * unit} y=${y + Math.min(high / 2, height)} dy=".35em">${word}</text>` : nothing}</g>`;
  };
  return html`<svg width=${columns * column} height=${height + 22 * unit} font-size=${13 * unit} aria-hidden="true">
    ${[...others, ...path].map(renderBox)}
    ${Array.from({ length: columns }, (_, i) => svg`<text class="tick" x=${i * column} y=${height + 16 * unit}>${i || column < FIRST * unit ? number(i + 1) : t('sentences.first')}</text>`)}
  </svg>`;
}
