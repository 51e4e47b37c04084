/** Facts about settings that the engine's table does not have: lists for the chain's panel, and neutral values. */
import { CARRIED } from '../engine/presets.js';
import { sameValue } from './fields.js';

/** @import { Settings, SettingRow } from '../plots/trace.js' */

/** The samplers that every state includes, even if they are neutral. */
export const BASICS = ['repetition_penalty', 'temperature', 'top_k', 'top_p'];
/** The samplers that are always in the chain's panel. */
export const ALWAYS_SHOWN = ['temperature', 'top_k', 'top_p'];
/** The samplers that the chain's panel can add with one press. */
export const WANTED = [
  'min_p',
  'repetition_penalty',
  'dry_multiplier',
  'xtc_probability',
  'typical_p',
];
/** The samplers that read a second distribution. */
export const SECOND = ['guidance_scale', 'contrastive_beta'];
export const WATERMARKS = ['green_bias', 'synthid_depth'];
/** The parameters of each sampler beside its main setting. A stage's line shows the first one, a number. */
export const PARTS = /** @type {Record<string, string[]>} */ ({
  contrastive_beta: ['contrastive_alpha'],
  repetition_penalty: ['repetition_window', 'rep_pen_slope', 'prompt_ignore_length'],
  dry_multiplier: ['dry_base', 'dry_allowed_length', 'dry_penalty_last_n', 'dry_sequence_breakers'],
  xtc_probability: ['xtc_threshold'],
  mirostat: ['mirostat_tau', 'mirostat_eta'],
  adaptive_target: ['adaptive_decay'],
  dynatemp_range: ['dynatemp_exponent'],
  smoothing_factor: ['smoothing_curve'],
  frequency_penalty: ['penalty_decay', 'penalty_generated_only'],
  presence_penalty: ['penalty_generated_only'],
  exponential_decay_length_penalty: ['exponential_decay_start'],
  green_bias: ['green_fraction', 'green_context', 'green_self', 'watermark_key'],
  synthid_depth: ['synthid_context', 'watermark_key'],
});
/** Parameters that several samplers share. */
export const SHARED = ['repetition_window', 'min_tokens_to_keep'];

/** Groups of samplers by their effect. */
export const EFFECTS = ['flatten', 'cut', 'penalise', 'steer', 'mark'];

/**
 * Returns the names of settings in groups; the parameters of a sampler follow it. The last group (null) has settings
 * without a sampler.
 * @param {readonly { name: string, effect?: string }[]} rows
 */
export function groupSettings(rows) {
  const left = new Set(rows.map(({ name }) => name));
  const take = (/** @type {string[]} */ names) => names.filter((name) => left.delete(name));
  /** @type {{ group: string | null, names: string[] }[]} */
  const groups = EFFECTS.map((group) => {
    const inside = rows.filter(({ effect }) => effect === group);
    return { group, names: take(inside.flatMap(({ name }) => [name, ...(PARTS[name] ?? [])])) };
  });
  groups.push({ group: null, names: [...left] });
  return groups.filter(({ names }) => names.length > 0);
}

/**
 * Returns the neutral settings. Biases and states that are carried from draw to draw are left out, because they
 * belong to a text.
 * @param {SettingRow[]} table
 */
export function neutralSettings(table) {
  const rows = table.filter(({ name, kind }) => kind !== 'map' && !CARRIED.includes(name));
  return Object.fromEntries(rows.map(({ name, neutral }) => [name, neutral]));
}

/**
 * Returns the settings that are not neutral.
 * @param {SettingRow[]} table
 * @param {Settings} settings
 * @returns {Settings}
 */
export function activeSettings(table, settings) {
  const neutral = Object.fromEntries(table.map((row) => [row.name, row.neutral]));
  const active = Object.entries(settings).filter(
    ([name, value]) => (value ?? null) !== null && !sameValue(value, neutral[name]),
  );
  return Object.fromEntries(active);
}

/**
 * Returns the settings to write: those of BASICS and SHARED always, others only if they are not neutral.
 * @param {SettingRow[]} table
 * @param {Settings} settings
 */
export function spokenSettings(table, settings) {
  const active = activeSettings(table, settings);
  const rows = table.filter(
    ({ name }) => name in active || (name in settings && [...BASICS, ...SHARED].includes(name)),
  );
  return Object.fromEntries(rows.map(({ name }) => [name, settings[name]]));
}

/**
 * Returns the name of the preset that equals the settings and the order; '' if none does.
 * @param {SettingRow[]} table
 * @param {Settings} settings
 * @param {string[] | null} order null for the canonical order
 * @param {{ name: string, settings: Settings }[]} presets
 */
export function matchPreset(table, settings, order, presets) {
  const neutral = neutralSettings(table);
  const found = presets.find(({ settings: { order: own = null, ...preset } }) =>
    Object.entries({ ...neutral, ...preset }).every(
      ([name, value]) => sameValue(own, order) && sameValue(settings[name], value),
    ),
  );
  return found?.name ?? '';
}
