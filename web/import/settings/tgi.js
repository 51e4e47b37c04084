/**
 * TGI (text-generation-inference): bodies of /generate and /v1/chat/completions. Source: 3.3.7, router/src,
 * server/text_generation_server/utils/tokens.py.
 */
import { phrase } from '../../engine/errors.js';
import { isObject, plainKey, readObject, writeJson } from './forms.js';

/** @import { Row, State } from './read.js' */
/** @import { Pairs } from './forms.js' */

const DRAWN = ['temperature', 'top_k', 'top_p', 'typical_p'];
/** A number below 1 and above 0, as the program demands. @type {[number, number]} */
const INSIDE = [Number.MIN_VALUE, 1 - 2 ** -53];

/** @param {State} state */
function finish({ all, given, settings, note }) {
  if (given.has('presence_penalty')) {
    if (all.messages === undefined)
      note(
        phrase('settings_ignored', {
          key: 'presence_penalty',
          value: all.presence_penalty,
          program: 'TGI',
        }),
      );
    else {
      settings.repetition_penalty = all.presence_penalty + 2;
      note(phrase('settings_presence_as_repetition', { value: settings.repetition_penalty }));
    }
  }
  const draws =
    all.do_sample ||
    (settings.temperature ?? 1) !== 1 ||
    (settings.top_k ?? 0) !== 0 ||
    (settings.top_p ?? 1) < 1 ||
    (settings.typical_p ?? 1) < 1;
  if (!draws) settings.temperature = 0;
  if (given.has('seed')) note(phrase('settings_seed'));
}

/** Greedy text has no key that would make the program draw. */
const unlessGreedy = (/** @type {any} */ value, /** @type {Record<string, any>} */ settings) =>
  settings.temperature === 0 ? undefined : value;

/** @type {Row[]} */
const rows = [
  {
    key: 'temperature',
    setting: 'temperature',
    default: 1,
    range: [Number.MIN_VALUE, Number.MAX_VALUE],
    to: unlessGreedy,
  },
  { key: 'top_k', setting: 'top_k', kind: 'whole', default: 0, to: unlessGreedy },
  { key: 'top_p', setting: 'top_p', default: 1, range: INSIDE, to: unlessGreedy },
  { key: 'typical_p', setting: 'typical_p', default: 1, range: INSIDE, to: unlessGreedy },
  { key: 'repetition_penalty', setting: 'repetition_penalty', default: 1 },
  { key: 'do_sample', kind: 'switch', default: false },
  { key: 'presence_penalty' },
  { key: 'messages', kind: 'any' },
  { key: 'seed', kind: 'whole' },
];

/** @param {Record<string, any>} settings @returns {Pairs} */
const also = (settings) =>
  DRAWN.every((name) => settings[name] === undefined) ? [['do_sample', true]] : [];

/** @type {import('./read.js').Program} */
export const tgi = {
  id: 'tgi',
  name: 'TGI',
  version: '3.3.7',
  rows,
  order: ['repetition_penalty', ...DRAWN],
  finish,
  cannot: {
    frequency_penalty: phrase('settings_reason_share'),
    watermark: phrase('settings_reason_watermark'),
    grammar: phrase('settings_reason_constraint'),
    response_format: phrase('settings_reason_constraint'),
    best_of: phrase('settings_reason_beams'),
  },
  ignored: ['logit_bias'],
  idle: { frequency_penalty: [0], watermark: [false], best_of: [1], logit_bias: [{}] },
  other:
    `inputs prompt model stream max_new_tokens max_tokens return_full_text stop stop_sequences truncate details
decoder_input_details top_n_tokens adapter_id n user tools tool_choice tool_prompt logprobs top_logprobs
stream_options guideline suffix`.split(/\s+/),
  parse(text) {
    const { parameters, ...object } = readObject(text);
    return [...Object.entries(object), ...(isObject(parameters) ? Object.entries(parameters) : [])];
  },
  plain: plainKey,
  also,
  format: (pairs) =>
    writeJson([
      ['inputs', ''],
      ['parameters', Object.fromEntries(pairs)],
    ]),
  sure(_text, object) {
    if (!object) return 0;
    if ('inputs' in object) return isObject(object.parameters) ? 0.95 : 0.5;
    return isObject(object.parameters) ? 0.6 : 0;
  },
};
