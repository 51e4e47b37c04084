/** Logitscope itself: flags of its command line, settings of its JSON. Every setting has its own name. */
import { phrase, show } from '../../engine/errors.js';
import { conventions } from '../../engine/presets.js';
import { isObject, plainKey, readFlags, readObject, refused, writeFlags } from './forms.js';
import { ours } from './ours.js';
import { escaped, texts, unescaped } from './parts.js';

/** @import { Row } from './read.js' */
/** @import { Pairs } from './forms.js' */

const SAMPLERS = Object.keys(ours).filter((name) => !ours[name].of && !ours[name].gate);
const LISTS = ['dry_sequence_breakers', 'banned_words'];
/** Short names of samplers in an order. @type {Record<string, string>} */
const SHORT = {
  contrastive: 'contrastive_beta',
  dry: 'dry_multiplier',
  dynatemp: 'dynatemp_range',
  smoothing: 'smoothing_factor',
  xtc: 'xtc_probability',
  adaptive_p: 'adaptive_target',
  green_list: 'green_bias',
  synthid: 'synthid_depth',
};

/** Biases as { id: bias }, or as flags "ID=BIAS". @param {unknown} value */
function biases(value) {
  const pairs = isObject(value)
    ? Object.entries(value)
    : [value].flat().map((one) => {
        const [, ids, bias] = /^(\d+(?: \d+)*)=(.+)$/.exec(String(one)) ?? [];
        return [ids, /^(false|-Infinity)$/.test(bias) ? false : Number(bias)];
      });
  const odd = pairs.find(
    ([ids, bias]) =>
      !/^\d+( \d+)*$/.test(String(ids)) ||
      (bias !== false && (typeof bias !== 'number' || !Number.isFinite(bias))),
  );
  if (odd) throw refused('settings_biases', { value: show(value) });
  return Object.fromEntries(pairs);
}

/** @type {Row[]} */
const rows = [
  ...Object.entries(ours).map(([name, { neutral, whole }]) => {
    const number = whole ? /** @type {const} */ ('whole') : /** @type {const} */ ('number');
    /** @type {Row} */
    const row = { key: name, setting: name, default: neutral, kind: number };
    if (typeof neutral === 'number') return row;
    return {
      ...row,
      kind: /** @type {const} */ ('any'),
      from: name === 'logit_bias' ? biases : (/** @type {unknown} */ value) => texts(name, value),
    };
  }),
  { key: 'convention', kind: 'text', default: 'transformers' },
  { key: 'order', kind: 'any' },
];

/** @param {import('./read.js').State} state */
function order({ all, settings, note }) {
  if (!(all.convention in conventions))
    throw refused('settings_text', { key: 'convention', value: show(all.convention) });
  if (all.convention !== 'transformers') settings.convention = all.convention;
  if (all.order === undefined) return SAMPLERS;
  const names = texts('order', typeof all.order === 'string' ? all.order.split(',') : all.order);
  const stages = names.map((name) => plainKey(name.trim())).map((name) => SHORT[name] ?? name);
  for (const name of stages.filter((one) => !SAMPLERS.includes(one)))
    note(phrase('settings_stage_unknown', { key: show(name), program: 'Logitscope' }));
  return stages.filter((name) => SAMPLERS.includes(name));
}

/** @param {string} text @returns {Pairs} */
function parse(text) {
  if (/^\s*\{/.test(text)) {
    const object = readObject(text);
    return Object.entries(isObject(object.settings) ? object.settings : object);
  }
  const [first = []] = readFlags(text, undefined, (word) => /(^|\/)logitscope$/.test(word));
  return first.map(([key, value]) => [
    key,
    LISTS.includes(plainKey(key)) && typeof value === 'string' ? unescaped(value) : value,
  ]);
}

/** The words of a flag. @param {string} key @param {unknown} value */
function wordsOf(key, value) {
  if (LISTS.includes(key))
    return /** @type {unknown[]} */ (value).map((one) => escaped(String(one)));
  if (key === 'logit_bias')
    return Object.entries(/** @type {object} */ (value)).map(([ids, bias]) => `${ids}=${bias}`);
  return value;
}

/** @type {import('./read.js').Program} */
export const logitscope = {
  id: 'logitscope',
  name: 'Logitscope',
  version: '1.0',
  rows,
  order,
  other:
    `draw top seed end_tokens preset own model prompt* stop* max_new_tokens json negative_prompt constraint*
forced_first chat system date variant context samples metric suite seeds link ndjson top_logprobs server kind`.split(
      /\s+/,
    ),
  parse,
  plain: plainKey,
  also: ({ convention = 'transformers', order: stages }) => [
    .../** @type {Pairs} */ (convention === 'transformers' ? [] : [['convention', convention]]),
    .../** @type {Pairs} */ (
      stages === undefined || stages.join() === SAMPLERS.join() ? [] : [['order', stages.join(',')]]
    ),
  ],
  format: (pairs) =>
    writeFlags(
      'logitscope generate',
      pairs.map(([key, value]) => [`--${key.replaceAll('_', '-')}`, wordsOf(key, value)]),
    ),
  sure(text, object) {
    if (!object) return /(^|\/|\s)logitscope\s+\w+\s[^]*--/.test(text) ? 1 : 0;
    const settings = isObject(object.settings) ? object.settings : object;
    const stages = Array.isArray(settings.order) ? settings.order : [];
    if (stages.some((name) => SAMPLERS.includes(name))) return 1;
    return typeof settings.convention === 'string' ? 1 : 0;
  },
};
