/** Files of the landscape: the picture as SVG or PNG, and Play as a film. */
import { ticksOf } from './axis.js';
import { crossingWords } from './phrases.js';
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

export class Files {
  /** The film of the running Play; null if none. @type {import('./film.js').Film | null} */
  film = null;
  #host;

  /** @param {import('lit').ReactiveElement} host */
  constructor(host) {
    this.#host = host;
  }

  /** @param {'svg' | 'png'} kind @param {Scene} scene */
  async save(kind, { content: { reader }, lines, display, prose }) {
    const { row, share } = lines.knob;
    if (!reader?.reading || !row || !display) return;
    const { named, look } = display.picture;
    const picture = {
      named,
      course: reader.course,
      look,
      share,
      u: lines.u,
      drawn: reader.reading.drawn.id,
      title: `${prose.prompt}${reader.written?.text ?? ''}`,
      about: crossingWords(lines),
      axis: ticksOf(row),
    };
    const { savePicture } = await import('./save.js');
    savePicture(nameOf(lines), kind, picture);
  }

  /** Starts Play and its film, or stops Play. @param {() => Scene} sceneNow */
  async record(sceneNow) {
    const { lines } = sceneNow();
    if (lines.playing) return lines.stop();
    const { Film } = await import('./film.js');
    const { display } = sceneNow();
    if (!display) return;
    this.film = new Film(this.#host.renderRoot, display.picture.look);
    lines.play();
  }

  /** Records a frame; after the last frame, saves the film. @param {Scene} scene */
  takeFrame({ content, lines, display, prose }) {
    if (!this.film || !display) return;
    this.film.take({
      look: display.picture.look,
      share: lines.knob.share,
      u: lines.u,
      prompt: tailOf(prose.prompt),
      words: content.wordsUntil(prose.eos).map(({ text }) => text),
      about: crossingWords(lines, 4),
    });
    if (lines.playing || content.reader?.busy || display.isSentenceStale(content)) return;
    this.film.save(nameOf(lines));
    this.drop();
  }

  /** Ends the film without a file. */
  drop() {
    if (this.film) this.#host.requestUpdate();
    this.film = null;
  }
}
