/**
 * LM Studio: preset files (fields of operation). It runs llama.cpp's samplers. Source: its public files, since no
 * document lists the keys; lmstudio-js 6ec11db.
 */
import { phrase } from '../../engine/errors.js';
import { rowsAs, stateAs } from './derived.js';
import { isObject, readObject, refused } from './forms.js';
import { USUAL, llamaEffects, llamaRows, stagesOf } from './llama-cpp.js';
import { active } from './ours.js';

/** @import { State } from './read.js' */
/** @import { Pairs } from './forms.js' */

const PREDICTION = 'llm.prediction.';
/** Fields and llama.cpp's flags. @type {Record<string, string>} */
const NAMES = {
  [`${PREDICTION}temperature`]: 'temp',
  [`${PREDICTION}topKSampling`]: 'top_k',
  [`${PREDICTION}topPSampling`]: 'top_p',
  [`${PREDICTION}minPSampling`]: 'min_p',
  [`${PREDICTION}repeatPenalty`]: 'repeat_penalty',
  [`${PREDICTION}llama.presencePenalty`]: 'presence_penalty',
  [`${PREDICTION}llama.frequencyPenalty`]: 'frequency_penalty',
  [`${PREDICTION}llama.locallyTypicalSampling`]: 'typical',
  [`${PREDICTION}llama.xtcProbability`]: 'xtc_probability',
  [`${PREDICTION}llama.xtcThreshold`]: 'xtc_threshold',
  [`${PREDICTION}llama.logitBias`]: 'logit_bias',
};
const MIROSTAT = `${PREDICTION}llama.mirostatSampling`;
const DEFAULTS = { [`${PREDICTION}repeatPenalty`]: 1.1 };
/** Fields without a box to tick. */
const PLAIN = [`${PREDICTION}temperature`, `${PREDICTION}topKSampling`];
/** Values of a field with an empty box. @type {Record<string, any>} */
const OFF = { temp: 1, top_k: 0, top_p: 1, repeat_penalty: 1, typical: 1, logit_bias: [] };

/** Order and effects of Mirostat. @param {State} state */
function order({ all, settings, note, drop }) {
  const mirostat = all[MIROSTAT];
  if (!settings.mirostat) return ['logit_bias', ...stagesOf(USUAL, note)];
  settings.mirostat_tau = mirostat.targetEntropy ?? 5;
  settings.mirostat_eta = mirostat.learningRate ?? 0.1;
  const stages = ['logit_bias', 'temperature', 'mirostat'];
  for (const setting of active(settings))
    if (!stages.includes(setting)) drop(setting, phrase('settings_mirostat', { setting }));
  return stages;
}

const isField = (/** @type {any} */ field) => isObject(field) && typeof field.key === 'string';

/** @param {string} text @returns {Pairs} */
function parse(text) {
  if (/^[ \t]*(model|base|config)[ \t]*:/m.test(text) && !/^\s*\{/.test(text))
    throw refused('settings_model_yaml', { program: 'LM Studio' });
  const object = readObject(text);
  const parts = [object.operation, object.load].map((part) =>
    isObject(part) && Array.isArray(part.fields) ? part.fields.filter(isField) : [],
  );
  return parts.flat().map(({ key, value }) => {
    const boxed = isObject(value) && 'checked' in value;
    return [key, boxed ? (value.checked ? value.value : null) : value];
  });
}

const inner = stateAs(NAMES);

/** @type {import('./read.js').Program} */
export const lmStudio = {
  id: 'lm-studio',
  name: 'LM Studio',
  version: 'lmstudio-js 6ec11db',
  rows: [
    ...rowsAs(llamaRows, NAMES, DEFAULTS).map((row) => ({
      ...row,
      none: OFF[NAMES[row.key]] ?? 0,
    })),
    {
      key: MIROSTAT,
      setting: 'mirostat',
      kind: 'any',
      default: { version: 0 },
      none: { version: 0 },
      from: (value) => Number(value?.version ?? 0),
      to: (version, settings) => ({
        version,
        targetEntropy: settings.mirostat_tau ?? 5,
        learningRate: settings.mirostat_eta ?? 0.1,
      }),
    },
  ],
  always: { convention: 'llama.cpp', repetition_window: 64 },
  order,
  finish: (state) => llamaEffects(inner(state)),
  cannot: { [`${PREDICTION}structured`]: phrase('settings_reason_constraint') },
  ignored: [`${PREDICTION}llama.tailFreeSampling`],
  idle: { [`${PREDICTION}structured`]: [{ type: 'none' }] },
  other:
    `systemPrompt maxPredictedTokens stopStrings toolCallStopStrings contextOverflowPolicy tools promptTemplate
promptPreprocessing contextPrefill llama.cpuThreads speculativeDecoding.draftModel reasoning.parsing rawTools
toolNaming speculativeDecoding.numDraftTokensExact speculativeDecoding.minDraftLengthToConsider logProbs
speculativeDecoding.minContinueDraftingProbability vision.imageResizeSettings seed`
      .split(/\s+/)
      .map((key) => PREDICTION + key),
  parse,
  plain: (key) => (key.startsWith('llm.load.') ? `${PREDICTION}seed` : key),
  format: (pairs) =>
    `${JSON.stringify(
      {
        identifier: '@local:logitscope',
        name: 'logitscope',
        changed: false,
        operation: {
          fields: pairs.map(([key, value]) => ({
            key,
            value: PLAIN.includes(key) ? value : { checked: true, value },
          })),
        },
        load: { fields: [] },
      },
      null,
      2,
    )}\n`,
  sure(text, object, fileName) {
    if (!object)
      return /^[ \t]*base[ \t]*:/m.test(text) &&
        /^[ \t]*(config|metadataOverrides)[ \t]*:/m.test(text)
        ? 0.8
        : Number(/(^|\/)model\.ya?ml$/.test(fileName)) * 0.8;
    return [object.operation, object.load].some(
      (part) => isObject(part) && Array.isArray(part.fields),
    )
      ? 1
      : 0;
  },
};
