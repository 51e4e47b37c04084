/** Settings against the engine's own table: neutral values, range checks in words, presets. */
import {
  fixed,
  hasMessage,
  list,
  measure,
  number,
  parse,
  percent,
  plain,
  t,
} from '../locale/locale.js';
import { spoken } from './visible.js';

/**
 * @typedef {import('../plots/trace.js').Settings} Settings
 * @typedef {import('../plots/trace.js').SettingRow} SettingRow
 */

/** The settings that the page offers, warpers in canonical order first. */
export const WARPERS = ['repetition_penalty', 'temperature', 'top_k', 'top_p'];
export const SHARED = ['repetition_window', 'min_tokens_to_keep'];

/** @param {SettingRow[]} table */
export function neutralSettings(table) {
  const rows = table.filter(({ name }) => [...WARPERS, ...SHARED].includes(name));
  return Object.fromEntries(rows.map(({ name, neutral }) => [name, neutral]));
}

/**
 * @param {SettingRow[]} table
 * @param {Settings} settings
 */
export function withNeutral(table, settings) {
  return { ...neutralSettings(table), ...settings };
}

/** @param {string} name a warper or shared parameter in the reader's words */
export function settingName(name) {
  const key = `warper.${name}`;
  return hasMessage(key) ? t(key) : name;
}

/**
 * What was typed for a setting: its value, or the one sentence that says why not.
 * @param {SettingRow} row
 * @param {string} text
 * @returns {{ value: number } | { error: string }}
 */
export function readSetting(row, text) {
  const value = parse(text);
  const name = capitalise(settingName(row.name));
  if (!Number.isFinite(value)) return { error: t('error.number', { name, value: text.trim() }) };
  if (row.kind === 'integer' && !Number.isInteger(value))
    return { error: t('error.integer', { name, value }) };
  const { minimum, maximum } = row;
  if (value >= minimum && value <= maximum && (row.minimum_included || value > minimum))
    return { value };
  if (maximum < Number.MAX_SAFE_INTEGER)
    return { error: t('error.between', { name, minimum, maximum, value }) };
  return {
    error: t(row.minimum_included ? 'error.least' : 'error.above', { name, minimum, value }),
  };
}

/**
 * A whole number from 0 to 2^53 - 1 for the seed, or the sentence that says why not.
 * @param {string} text
 * @returns {{ value: number } | { error: string }}
 */
export function readSeed(text) {
  const name = t('draw.seed');
  const value = parse(text);
  if (!Number.isFinite(value)) return { error: t('error.number', { name, value: text.trim() }) };
  if (!Number.isInteger(value)) return { error: t('error.integer', { name, value }) };
  if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return { value };
  return {
    error: t('error.between', { name, minimum: 0, maximum: Number.MAX_SAFE_INTEGER, value }),
  };
}

/**
 * A value in words, for a slider's aria-valuetext.
 * @param {SettingRow} row
 * @param {number} value
 */
export function valueInWords(row, value) {
  if (row.name === 'temperature' && value === 0) return t('words.greedy');
  if (row.name === 'repetition_window' && value === 0) return t('words.all');
  if (row.warper && value === row.neutral) return t('words.off', { value: plain(value) });
  return plain(value);
}

/**
 * The name of the preset that equals the settings, or ''.
 * @param {SettingRow[]} table
 * @param {Settings} settings
 * @param {{ name: string, settings: Settings }[]} presets
 */
export function matchPreset(table, settings, presets) {
  const neutral = neutralSettings(table);
  const found = presets.find((preset) =>
    Object.entries({ ...neutral, ...preset.settings }).every(
      ([name, value]) => settings[name] === value,
    ),
  );
  return found?.name ?? '';
}

/**
 * A strategy's settings in words, such as "top-p 0.9, penalty 1.2".
 * @param {Settings} settings
 */
export function describeSettings(settings) {
  if (settings.temperature === 0) return t('strategy.greedy');
  const parts = Object.entries(settings).map(([name, value]) =>
    hasMessage(`strategy.${name}`) ? t(`strategy.${name}`, { value }) : `${name} ${number(value)}`,
  );
  return parts.join(', ');
}

/**
 * What a stage did, as one or two sentences; `before` is the entropy that entered it. Digits are
 * added until a change of entropy can be seen.
 * @param {import('../plots/trace.js').Stage} stage
 * @param {number} before
 */
export function describeStage(stage, before) {
  if (stage.name === 'logit_bias' && !stage.active) return t('chain.effect.bias.none');
  if (!stage.active) return t('chain.effect.off', { value: stage.value });
  if (!stage.changed) return describeIdle(stage);
  const [from, to] = tellApart(before, stage.entropy);
  const entropy = t('chain.effect.entropy', { before: from, after: to });
  if (stage.name === 'temperature' && stage.value === 0)
    return `${t('chain.effect.greedy')} ${entropy}`;
  if (stage.removed === 0) return entropy;
  const params = { n: stage.removed, mass: percent(stage.mass_removed), kept: stage.kept };
  return `${t('chain.effect.removed', params)} ${entropy}`;
}

/**
 * Two entropies with as many digits as it takes to see that they differ, six decimals at most.
 * @param {number} a
 * @param {number} b
 */
function tellApart(a, b) {
  if (measure(a) !== measure(b)) return [measure(a), measure(b)];
  let decimals = 3;
  while (decimals < 6 && fixed(a, decimals) === fixed(b, decimals)) decimals++;
  return [fixed(a, decimals), fixed(b, decimals)];
}

/** @param {import('../plots/trace.js').Stage} stage */
function describeIdle(stage) {
  if (stage.after) return t('chain.effect.after', { stage: settingName(stage.after) });
  if (stage.name === 'repetition_penalty') return t('chain.effect.nothing.penalty');
  if (stage.name === 'temperature') return t('chain.effect.nothing.temperature');
  return t('chain.effect.nothing');
}

/** How many tokens a sentence names. */
const NAMED = 5;

/**
 * How the result differs from the canonical order's, in sentences that name the tokens.
 * @param {import('./order.js').Difference} difference
 * @param {number} eos
 */
export function describeDifference({ only, lost, shifted }, eos) {
  /** @param {import('../plots/trace.js').TraceToken} token */
  const name = (token) => t('order.token', { token: spoken(token, eos) });
  /** @param {import('../plots/trace.js').TraceToken[]} tokens */
  const names = (tokens) => {
    const more = tokens.length - NAMED;
    const named = tokens.slice(0, NAMED).map(name);
    return list(more > 0 ? [...named, t('order.more', { n: more })] : named);
  };
  const sentences = [];
  if (only.length > 0) sentences.push(t('order.only', { tokens: names(only) }));
  if (lost.length > 0) sentences.push(t('order.lost', { tokens: names(lost) }));
  if (shifted) {
    const { token, p } = shifted;
    sentences.push(
      t('order.shifted', { token: name(token), p: percent(token.p), before: percent(p) }),
    );
  }
  return sentences.length > 0 ? sentences.join(' ') : t('order.same');
}

/** @param {string} text */
export function capitalise(text) {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
