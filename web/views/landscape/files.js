/** Files that a user can save from the landscape: the picture as SVG, and a film of the moving knob. */
import { t } from '../../locale/locale.js';
import { ticksOf } from './axis.js';
import { linesOf } from './ladder.js';
import { Loop } from './loop.js';
import { crossingWords } from './phrases.js';
import { alsoActive, alsoWords } from './segments.js';
import { tailOf } from './sentence.js';

/**
 * @typedef {object} Scene
 * @property {import('./content.js').Content} content
 * @property {import('./lines.js').Lines} lines
 * @property {import('./display.js').Display | null} display
 * @property {import('./display.js').Prose} prose
 */

/** @param {import('./lines.js').Lines} lines */
const nameOf = ({ knob }) => `landscape-${knob.row?.name}`;

/**
 * Returns the prompt and the text before the drawn token.
 * @param {import('./content.js').Content} content @param {import('./display.js').Prose} prose
 */
function beginningOf({ past }, { prompt }) {
  return prompt + past.map(({ text }) => text).join('');
}

export class Files {
  /** The film that is being recorded; null if none. @type {import('./film.js').Film | null} */
  film = null;
  #host;
  /** Gives the lines their usual movement back. */
  #leave = () => {};

  /** @param {import('lit').ReactiveElement & { table: import('../../engine/types.js').TableRow[] }} host */
  constructor(host) {
    this.#host = host;
  }

  /** @param {Scene} scene @returns {Promise<import('../../base/svg-file.js').Shot | null>} */
  async picture({ content, lines, display, prose }) {
    const { reader } = content;
    const { row, share } = lines.knob;
    if (!reader?.reading || !row || !display) return null;
    const { rivers, look } = display.picture;
    if (!rivers) return null;
    const { trace, drawn } = reader.reading;
    const words = content.wordsUntil(prose.eos).map(({ text }) => text);
    const prompt = beginningOf(content, prose);
    const { drawScene } = await import('./save.js');
    const svg = drawScene({
      rivers,
      names: { nameOf: content.names.of, others: t('landscape.rest'), size: trace.vocab_size },
      course: reader.course,
      look,
      share,
      u: lines.u,
      drawn: drawn.id,
      prompt,
      words,
      about: crossingWords(lines),
      also: alsoWords(alsoActive(lines.knob.settings, this.#host.table, row.name)),
      axis: ticksOf(row),
      ladder:
        content.rungs.length > 0
          ? linesOf(row, lines.knob.value, content.rungs, content.wordsUntil(prose.eos))
          : [],
    });
    return { name: nameOf(lines), title: `${tailOf(prompt)}${words.join('')}`, svg };
  }

  /**
   * Moves the knob through its range and records a film of it. Returns null if a film is being recorded already.
   * @param {() => Scene} sceneNow
   */
  async record(sceneNow) {
    const { Film } = await import('./film.js');
    const { lines, display } = sceneNow();
    if (!display || this.film) return null;
    lines.stop();
    const film = new Film(this.#host.renderRoot, display.picture.look);
    const usual = lines.run;
    lines.run = /** @type {any} */ (new Loop(lines.knob.value));
    lines.play();
    this.film = film;
    this.#leave = () => (lines.run = usual);
    const name = nameOf(lines);
    const stop = () => {
      lines.goHome();
      this.drop();
    };
    return { canvas: film.canvas, stop, ended: film.ended.then((blob) => blob && { name, blob }) };
  }

  /** Records a frame; after the last frame, ends the film. @param {Scene} scene */
  takeFrame({ content, lines, display, prose }) {
    if (!this.film || !display) return;
    this.film.take({
      look: display.picture.look,
      share: lines.knob.share,
      u: lines.u,
      prompt: beginningOf(content, prose),
      words: content.wordsUntil(prose.eos).map(({ text }) => text),
      about: crossingWords(lines, 4),
    });
    if (lines.playing || content.reader?.busy || display.isSentenceStale(content)) return;
    this.film.end();
    this.#forget();
  }

  /** Ends the film without a file. */
  drop() {
    this.film?.drop();
    this.#forget();
  }

  #forget() {
    if (!this.film) return;
    this.film = null;
    this.#leave();
    this.#host.requestUpdate();
  }
}
