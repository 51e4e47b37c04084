/** The words in the picture of the stages: names, and the way of a token through the chain. */
import { effectOf } from '../../base/stage-words.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { spoken } from '../../base/visible.js';
import { briefPercent, fixed, hasMessage, number, percent, plain, t } from '../../locale/locale.js';
import { MODEL } from '../../plots/stages.js';
import { fitsTwoLines } from './fit.js';

/** @import { River, Band, Column } from '../../plots/stages.js' */
/** @import { Trace } from '../../plots/trace.js' */

/** Returns the name of a column. @param {Column} column */
export const nameOfColumn = ({ name }) => (name === MODEL ? t('stages.model') : settingName(name));

/**
 * Returns the name of a column, or its short name if the name does not fit into two lines.
 * @param {Column} column @param {number} room in pixels @param {string} font
 */
export function fittedName(column, room, font) {
  const name = nameOfColumn(column);
  const short = `stages.short.${column.name}`;
  return hasMessage(short) && !fitsTwoLines(name, room, font) ? t(short) : name;
}

/**
 * Returns a stage's value as text; '' if the value is no number.
 * @param {Trace} trace @param {Column} column @param {boolean} turns
 */
export function valueOfColumn({ stages }, { index }, turns) {
  const stage = stages[index];
  if (!stage || !turns) return '';
  return stage.active ? plain(stage.value) : t('stages.off');
}

/** Returns the title of a column, such as "top-k 40". @param {Trace} trace @param {Column} column @param {boolean} turns */
export const titleOf = (trace, column, turns) =>
  `${nameOfColumn(column)} ${valueOfColumn(trace, column, turns)}`.trim();

/**
 * Returns the words below a column: the number of tokens that the stage keeps, or its effect.
 * @param {Trace} trace
 * @param {Column} column
 * @param {unknown} neutral
 */
export function footOf(trace, { index }, neutral) {
  const stage = trace.stages[index];
  if (!stage) return t('stages.tokens', { n: trace.vocab_size });
  if (stage.active && stage.removed > 0) return t('stages.keeps', { n: number(stage.kept) });
  return effectOf(trace, index, neutral)?.brief ?? '';
}

/**
 * Describes the way of a band through the chain in one sentence. null means the band of all other tokens.
 * @param {Trace} trace
 * @param {River} river
 * @param {Band | null} band
 * @param {{ turns: (name: string) => boolean, eos: number }} how
 */
export function pathOf(trace, river, band, { turns, eos }) {
  const { columns, rest, bands } = river;
  const name = band
    ? t('order.token', { token: spoken(band.token, eos) })
    : t('stages.others', { n: trace.vocab_size - bands.length });
  const gone = band?.token.removed_by ?? null;
  const parts = [];
  for (const [c, column] of columns.entries()) {
    const share = band ? band.p[c] : rest[c];
    const title = titleOf(trace, column, turns(column.name));
    if (gone === column.name) {
      parts.push(t('distribution.removed', { stage: title }));
      break;
    }
    const from = column.name === MODEL ? 'stages.path.model' : 'stages.path';
    parts.push(t(from, { p: percent(share), stage: title }));
  }
  return `${capitalise(name)}: ${parts.join(' → ')}`;
}

/**
 * Describes the draw in one sentence.
 * @param {import('../../plots/trace.js').Drawn | null} drawn
 * @param {number} eos
 */
export function drawOf(drawn, eos) {
  if (!drawn) return '';
  const params = { token: spoken(drawn, eos), p: briefPercent(drawn.p) };
  if (drawn.u === null || drawn.u === undefined) return t('stages.drawn', params);
  return t('stages.draws', { ...params, u: fixed(drawn.u, 4) });
}

/**
 * Describes a stage in one sentence: its effect, or the reason why it has none.
 * @param {Trace} trace @param {Column} column @param {unknown} neutral @param {boolean} turns
 */
export function sentenceOf(trace, column, neutral, turns) {
  const effect = effectOf(trace, column.index, neutral);
  if (!effect) return t('stages.model.about');
  return `${capitalise(titleOf(trace, column, turns))}: ${effect.sentence}`;
}
