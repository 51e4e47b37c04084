/**
 * The pictures of <logit-sentences>: each says which law to ask for, and makes bands, ticks and words of it.
 * `ways`: every token cooled and every text sharpened. `knob`: one setting over its range. `right`: right and wrong
 * texts over the temperature. `mask`: drawn under a mask, and the model's own law of the same texts.
 */
import { briefPercent, number, plain, t } from '../../locale/locale.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { constraintTo } from '../../engine/right-texts.js';

/**
 * @typedef {import('./layout.js').Band} Band
 * @typedef {import('../../engine/types.js').TableRow} TableRow
 *
 * The question that a picture answers. `row`: the knob; `rules`: the model's grammar; `allowed`: texts.
 * @typedef {object} Asked
 * @property {string} name
 * @property {Record<string, any>} settings with a temperature above 0
 * @property {Record<string, any>} options mass and limits of the law
 * @property {TableRow} row
 * @property {any} rules
 * @property {string[]} allowed
 *
 * @typedef {Asked & { law: any, words: (text: any) => string }} Shown
 *
 * @typedef {object} Tick
 * @property {number} column
 * @property {string} words
 *
 * @typedef {object} Picture
 * @property {(asked: Asked) => { settings: object, options: object }} ask
 * @property {(shown: Shown) => import('./layout.js').Scene & { ticks: Tick[], heads: [string, string], middle: number | null,
 *   sides?: boolean }} scene middle: the column of the law itself; sides: numbers stand beside the picture
 * @property {(shown: Shown, column: number) => string} place a column in words
 * @property {(shown: Shown, column: number) => string} [more] more about a column
 * @property {(shown: Shown) => string[]} ends sentences below the picture
 * @property {(shown: Shown, column: number) => { heads: string[], row: (text: any) => string[], rest: string[] }} table columns after
 *   the text and its p
 */

/** Columns on each side of the middle, and doublings of the power there: power 1 to 16. */
const STEPS = 32;
const DOUBLINGS = 4;
const POWERS = Array.from({ length: STEPS + 1 }, (_, i) => 2 ** ((DOUBLINGS * i) / STEPS));
const RAISED = /** @type {Record<number, string>} */ ({ 2: 'p²', 4: 'p⁴', 8: 'p⁸', 16: 'p¹⁶' });
/** Columns of a knob with real values, and of the temperatures of right and wrong. */
const FINE = 128;
const HOTTEST = 2.5;
const HEATS = Array.from({ length: 47 }, (_, i) => (i + 4) / 20);
/** Independent draws of which distinct right texts are counted. */
const DRAWS = 100;
/** Columns between the two laws of a mask. */
const BETWEEN = 32;

const short = (/** @type {number} */ value, digits = 3) => plain(Number(value.toPrecision(digits)));
const ownTemperature = (/** @type {Shown} */ { settings }) => settings.temperature;

/** The band of each text, the most probable first. @param {Shown} shown @param {(text: any) => ArrayLike<number>} shares @returns {Band[]} */
const bandsOf = ({ law, words }, shares) =>
  law.sentences.map((/** @type {any} */ it, /** @type {number} */ index) => ({
    index,
    shares: shares(it),
    words: words(it),
    fill: '',
  }));

/** The band of all other texts. @param {Band[]} bands @param {number} columns @param {string} [fill] @returns {Band} */
function restOf(bands, columns, fill = 'rest') {
  const shares = new Float64Array(columns).fill(1);
  for (const band of bands)
    for (let column = 0; column < columns; column++) shares[column] -= band.shares[column];
  const words = fill === 'rest' ? t('sentences.rest') : '';
  return { index: -1, shares: shares.map((share) => Math.max(0, share)), words, fill };
}

/** Greedy and the most probable text in words. @param {Shown} shown */
const endsOf = ({ law: { greedy, sentences }, words }) => [
  t('sentences.greedy', {
    text: words(greedy),
    p: briefPercent(greedy.p),
    rank: greedy.rank
      ? number(greedy.rank)
      : t('sentences.beyond', { n: number(sentences.length) }),
  }),
  t('sentences.mode', { text: words(sentences[0]), p: briefPercent(sentences[0].p) }),
];

/** The name of the middle: the law under the settings. @param {Shown} shown */
const itself = (shown) => t('sentences.itself', { t: short(ownTemperature(shown)) });

/** @type {Picture} */
const ways = {
  ask: ({ settings, options }) => ({
    settings,
    options: {
      ...options,
      knob: {
        name: 'temperature',
        values: POWERS.map((power) => settings.temperature / power).reverse(),
      },
      powers: POWERS,
    },
  }),
  scene(shown) {
    const columns = 2 * STEPS + 1;
    const bands = bandsOf(shown, ({ along, sharpened }) =>
      Float64Array.from([...along, ...sharpened.slice(1)]),
    );
    const ticks = [-16, -8, -4, -2, 1, 2, 4, 8, 16].map((power) => ({
      column: STEPS + (Math.sign(power) * Math.log2(Math.abs(power)) * STEPS) / DOUBLINGS,
      words:
        power < 0
          ? `T ${short(ownTemperature(shown) / -power, 2)}`
          : (RAISED[power] ?? itself(shown)),
    }));
    return {
      bands: [...bands, restOf(bands, columns)],
      columns,
      spans: [
        [0, STEPS, STEPS],
        [STEPS, 2 * STEPS, STEPS],
      ],
      between: 'lines',
      curves: [],
      ticks,
      heads: [t('sentences.cool'), t('sentences.sharpen')],
      middle: STEPS,
    };
  },
  place(shown, column) {
    if (column === STEPS) return itself(shown);
    if (column > STEPS) return t('sentences.at.power', { power: short(POWERS[column - STEPS]) });
    return t('sentences.at.temperature', {
      t: short(ownTemperature(shown) / POWERS[STEPS - column]),
    });
  },
  ends: endsOf,
  table: () => ({
    heads: [t('sentences.head.cooled'), t('sentences.head.sharpened')],
    row: ({ along, sharpened }) => [along[0], sharpened[STEPS]].map((share) => briefPercent(share)),
    rest: ['', ''],
  }),
};

/** The values of a long row of whole numbers, closer at the low end, since there the texts change. */
const WHOLE = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 32, 64];

/** The values of a knob, lowest first. @param {TableRow} row */
function valuesOf({ kind, low, high }) {
  if (kind === 'integer' && high > WHOLE[WHOLE.length - 1] / 2)
    return WHOLE.filter((value) => value >= low && value <= high);
  const n = kind === 'integer' ? high - low : FINE;
  return Array.from({ length: n + 1 }, (_, i) => low + ((high - low) * i) / n);
}

/** @param {TableRow} row @param {number} value */
const atValue = (row, value) => `${settingName(row.name)} ${short(value)}`;

/** @type {Picture} */
const knob = {
  ask: ({ settings, options, row }) => ({
    settings: { ...settings, [row.name]: row.neutral },
    options: { ...options, knob: { name: row.name, values: valuesOf(row) } },
  }),
  scene(shown) {
    const { row, settings } = shown;
    const values = valuesOf(row);
    const last = values.length - 1;
    const bands = bandsOf(shown, ({ along }) => along);
    const own = settings[row.name] ?? row.neutral;
    const gaps = values.map((value) => Math.abs(value - own));
    const middle = gaps.indexOf(Math.min(...gaps));
    const inside = gaps[middle] <= (row.high - row.low) / (2 * FINE);
    const marks =
      last > WHOLE.length ? [0, 1, 2, 3, 4].map((i) => (last * i) / 4) : [...values.keys()];
    return {
      bands: [...bands, restOf(bands, values.length)],
      columns: values.length,
      spans: [[0, last, last / 2]],
      between: row.effect === 'cut' && row.name !== 'xtc_probability' ? 'steps' : 'lines',
      curves: [],
      ticks: marks.map((column) => ({ column, words: short(values[column]) })),
      heads: [capitalise(settingName(row.name)), ''],
      middle: inside ? middle : null,
    };
  },
  place: ({ row }, column) => atValue(row, valuesOf(row)[column]),
  more({ row, law }, column) {
    const countAt = (/** @type {number} */ at) =>
      law.sentences.filter((/** @type {any} */ { along }) => along[at] > 0).length;
    const values = valuesOf(row);
    const counts = values.map((_, at) => countAt(at));
    const of = Math.max(...counts);
    if (row.effect !== 'cut' || Math.min(...counts) === of) return '';
    const setting = atValue(row, values[column]);
    return t('sentences.cut', { setting, n: number(counts[column]), of: number(of) });
  },
  ends: endsOf,
  table({ row, law }, at) {
    const values = valuesOf(row);
    const last = values.length - 1;
    const columns = [...new Set([0, Math.round(last / 4), Math.round(last / 2), at, last])];
    columns.sort((a, b) => a - b);
    return {
      heads: columns.map((column) => capitalise(atValue(row, values[column]))),
      row: ({ along }) => columns.map((column) => briefPercent(along[column])),
      rest: columns.map((column) => briefPercent(law.rest_along[column])),
    };
  },
};

/** Right and wrong texts among the draws at a column. @param {Shown} shown @param {number} column */
const drawnAt = ({ law: { right } }, column) => ({
  t: short(HEATS[column]),
  n: number(DRAWS),
  right: plain(Number((DRAWS * right.along[column]).toFixed(2))),
  distinct: plain(Number(right.distinct_along[column].toFixed(1))),
});

/** The lead of `right`: at the chosen column, else at the settings' own temperature. @param {Shown} shown @param {number | null} column */
export const leadOfRight = ({ law: { right }, settings }, column) =>
  t('sentences.lead.right', {
    right: briefPercent(column === null ? right.p : right.along[column]),
    t: short(column === null ? settings.temperature : HEATS[column]),
    texts: number(right.texts),
  });

/** @type {Picture} */
const right = {
  ask: ({ settings, options, rules }) => ({
    settings,
    options: {
      ...options,
      mass: Math.min(options.mass, 0.9), // the grammar gives the exact total of the others
      limit: 1000,
      grammar: rules,
      draws: DRAWS,
      knob: { name: 'temperature', values: HEATS },
    },
  }),
  scene(shown) {
    const { law } = shown;
    const columns = HEATS.length;
    const all = bandsOf(shown, ({ along }) => along);
    const isRight = (/** @type {Band} */ { index }) => law.sentences[index].right;
    const paint = (/** @type {Band[]} */ bands, /** @type {string} */ fill) =>
      bands.map((band, i) => ({ ...band, fill: `${fill} ${fill}${i % 2}` }));
    const good = paint(all.filter(isRight), 'right');
    const bad = paint(
      all.filter((band) => !isRight(band)),
      'wrong',
    );
    const total = {
      index: -1,
      words: '',
      fill: '',
      shares: law.right.along.map((/** @type {number} */ p) => 1 - p),
    };
    const goodRest = restOf([total, ...good], columns, 'right others');
    const others = [{ ...total, shares: law.right.along }, ...bad];
    const badRest = { ...restOf(others, columns, 'wrong others'), words: t('sentences.wrong') };
    const now = HEATS.findIndex((heat) => Math.abs(heat - ownTemperature(shown)) < 0.025);
    return {
      bands: [badRest, ...bad.reverse(), goodRest, ...good.reverse()],
      columns,
      spans: [[0, columns - 1, columns - 1]], // away from the numbers of the curves
      between: 'smooth',
      curves: [
        {
          kind: 'edge',
          values: law.right.along,
          count: law.right.along.map((/** @type {number} */ p) => DRAWS * p),
          digits: 2,
        },
        {
          kind: 'distinct',
          values: law.right.distinct_along.map((/** @type {number} */ n) => n / DRAWS),
          count: law.right.distinct_along,
          digits: 1,
        },
      ],
      ticks: [0.2, 0.5, 1, 1.5, 2, HOTTEST].map((heat) => ({
        column: Math.round(heat * 20) - 4,
        words: `T ${plain(heat)}`,
      })),
      heads: [t('sentences.right.head', { n: number(DRAWS) }), ''],
      middle: now < 0 ? HEATS.indexOf(1) : now,
    };
  },
  place: (_, column) => t('sentences.at.temperature', { t: short(HEATS[column]) }),
  more: (shown, column) => t('sentences.right.at', drawnAt(shown, column)),
  ends(shown) {
    const { distinct_along } = shown.law.right;
    const most = distinct_along.indexOf(Math.max(...distinct_along));
    return [t('sentences.right.most', drawnAt(shown, most))];
  },
  table({ law }, at) {
    const columns = at === HEATS.length - 1 ? [at] : [at, HEATS.length - 1];
    const shares = (/** @type {ArrayLike<number>} */ along) =>
      columns.map((column) => briefPercent(along[column]));
    return {
      heads: [
        t('sentences.head.verdict'),
        ...columns.map((column) => t('sentences.head.hot', { t: short(HEATS[column]) })),
      ],
      row: ({ right, along }) => [
        t(right ? 'sentences.right' : 'sentences.wrong'),
        ...shares(along),
      ],
      rest: [
        t('sentences.right.share', { p: briefPercent(law.right.p) }),
        ...shares(law.rest_along),
      ],
    };
  },
};

/** The share of a text under the mask and in the model's own law of the allowed texts. @param {any} text */
const underMask = ({ beside: [masked, given] }) => [masked[0], given[0]];

/** @type {Picture} */
const mask = {
  ask: ({ settings, options, allowed }) => ({
    settings,
    options: allowed.length
      ? {
          ...options,
          alongside: [
            { settings: { ...settings, constraint: constraintTo(allowed) } },
            { condition: constraintTo(allowed) },
          ],
        }
      : options,
  }),
  scene(shown) {
    const columns = BETWEEN + 1;
    const all = bandsOf(shown, (text) => {
      const [masked, given] = underMask(text);
      return Float64Array.from({ length: columns }, (_, column) => {
        const at = column / BETWEEN;
        return masked + (given - masked) * at * at * (3 - 2 * at);
      });
    });
    return {
      bands: all.filter(({ index }) => Math.max(...underMask(shown.law.sentences[index])) > 0),
      columns,
      spans: [[0, BETWEEN, BETWEEN / 2]],
      between: 'lines',
      curves: [],
      ticks: [],
      heads: [t('sentences.mask.drawn'), t('sentences.mask.given')],
      middle: null,
      sides: true,
    };
  },
  place: (_, column) => t(column > BETWEEN / 2 ? 'sentences.mask.given' : 'sentences.mask.drawn'),
  ends: () => [t('sentences.mask.about')],
  table: () => ({
    heads: [t('sentences.mask.drawn'), t('sentences.mask.given')],
    row: (text) => underMask(text).map((share) => briefPercent(share)),
    rest: ['', ''],
  }),
};

/** @type {Record<string, Picture>} */
export const PICTURES = { ways, knob, right, mask };

/** Settings that no knob of a law can be: a state, a mark, another distribution, or no effect on p. */
const UNFIT = [
  'mirostat',
  'adaptive_target',
  'guidance_scale',
  'contrastive_beta',
  'renormalize_logits',
];

/** The rows of settings that can be the knob. @param {readonly TableRow[]} table */
export const knobsOf = (table) =>
  table.filter(
    ({ name, kind, sampler, effect }) =>
      sampler &&
      (kind === 'real' || kind === 'integer') &&
      effect !== 'mark' &&
      !UNFIT.includes(name),
  );

/** A text with this p shows on both sides of a mask. */
const OFTEN = 1e-3;

/**
 * Two texts for which mask and law differ most: the most probable one, and one with a probable first word that few of
 * its texts keep.
 * @param {any[]} texts the most probable first
 */
export function tellingTexts([mode, ...all]) {
  const often = all.filter(({ p }) => p >= OFTEN);
  const others = often.length ? often : all;
  let best = { gap: -1, text: mode };
  for (const text of others) {
    const at = text.ids.findIndex(
      (/** @type {number} */ id, /** @type {number} */ i) => id !== mode.ids[i],
    );
    const [own, its] = [mode, text].map(({ tokens }) => tokens[at]?.p ?? 0);
    const gap = its / (own + its) - text.p / (mode.p + text.p);
    if (gap > best.gap && text.text.trim() && text.tokens.length > at + 1) best = { gap, text };
  }
  return [mode, best.text].map(({ text }) => text.trim());
}
