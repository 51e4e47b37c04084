/** The names of rivers, each where it fits into its river. */
import { groundOf, placeLabels } from '../../plots/landscape.js';

/**
 * @typedef {import('../../plots/landscape.js').Rivers} Rivers
 * @typedef {import('./paint.js').Look} Look
 * @typedef {import('./paint.js').Named} Named
 *
 * @typedef {{ nameOf: (id: number, twice: boolean) => string, others: string,
 *   size: number }} Words `size`: the size of the vocabulary
 */

/** The sizes to try for names, and for the ground's name, in 1/16 rem. */
const NAME_SIZES = [30, 24, 19, 15, 13, 11.5];
const GROUND_SIZES = [17, 15, 13, 11.5];
/** The number of rivers that may have names. */
export const NAMED = 40;

/**
 * @param {CanvasRenderingContext2D} context measures the names
 * @param {Rivers} laid
 * @param {Words} words
 * @param {Look} look
 * @returns {Named[]}
 */
export function layNames(context, laid, { nameOf, others, size }, look) {
  const { rivers } = laid;
  const { unit, family, width, height } = look;
  const short = rivers.map(({ id }, rank) => (rank < NAMED ? nameOf(id, false) : ''));
  const named = rivers.map((river, rank) => {
    const twice =
      short[rank] !== '' && short.indexOf(short[rank]) !== short.lastIndexOf(short[rank]);
    return { river, rank, name: twice ? nameOf(river.id, true) : short[rank] };
  });
  const left = size - rivers.length;
  const ground = {
    river: groundOf(laid),
    rank: -1,
    name: left > 0 ? others : '',
  };
  const place = (
    /** @type {(typeof named)} */ all,
    /** @type {number[]} */ sizes,
    weight = 500,
  ) => {
    context.font = `${weight} 100px ${family}`;
    const asked = all.map(({ river, name, rank }) => ({
      river,
      // The name of the ground keeps a distance from the edge.
      wide: context.measureText(name).width / 100 + (rank < 0 ? 2 : 0),
      level: rank < 0,
    }));
    const fitting = sizes.filter((each) => each < 16 || each * unit <= height / 9);
    return placeLabels(
      asked,
      { width, height },
      fitting.map((each) => each * unit),
    );
  };
  const said = named.filter(({ name }) => name !== '');
  const labels = new Map(place(said, NAME_SIZES).map((label, i) => [said[i].river.id, label]));
  const [low] = ground.name === '' ? [null] : place([ground], GROUND_SIZES, 400);
  return [
    ...named.map((each) => ({ ...each, label: labels.get(each.river.id) ?? null })),
    { ...ground, label: low },
  ];
}
