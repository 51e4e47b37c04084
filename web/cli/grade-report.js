/** Writes the result of grading: as text in one language, as JSON, or as cells of a table. */
import { total } from '../grade/score.js';
import { shortest } from '../grade/shrink.js';
import { wordsOf } from './report-labels.js';
import { inLine, safe } from './terminal.js';

/** @import { Graded } from './grader.js' */

const LISTED = 12;

/** Turns infinities into texts, because JSON has none. @param {unknown} value @returns {any} */
function jsonable(value) {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (ArrayBuffer.isView(value)) return Array.from(/** @type {any} */ (value), jsonable);
  if (Array.isArray(value)) return value.map(jsonable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, jsonable(it)]));
}

/** Returns a cell that a spreadsheet does not take for a formula. @param {unknown} value */
export function cell(value) {
  const text = safe(String(value)).replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Writes reports in one language. */
export class Report {
  #words;

  /** @param {string} language */
  constructor(language) {
    this.#words = wordsOf(language);
  }

  /** @param {ArrayLike<number>} numbers */
  #listOf(numbers) {
    const shown = Array.from(numbers).slice(0, LISTED).map(shortest).join(' ');
    const more = numbers.length - LISTED;
    return `[${shown}${more > 0 ? this.#words.more(more) : ''}]`;
  }

  /** @param {any} input */
  #inputLines({ logits, prompt, toy, settings, history, second, step }) {
    const given = Object.entries(settings).map(
      ([name, value]) => `${name} ${JSON.stringify(value)}`,
    );
    const first = logits ? `logits ${this.#listOf(logits)}` : `prompt_ids ${this.#listOf(prompt)}`;
    const lines = [first];
    if (given.length) lines.push(given.join(', '));
    if (history?.length) lines.push(`history ${this.#listOf(history)}`);
    if (step !== undefined) lines.push(`step ${step}`);
    if (second) lines.push(`second ${this.#listOf(second)}`);
    if (toy) lines.push(`context_length ${toy.context_length}, eos_token_id ${toy.eos_token_id}`);
    return lines.join('; ');
  }

  /** @param {string} as @param {import('../grade/grade.js').Verdict} verdict */
  verdict(as, verdict) {
    const words = this.#words;
    const { holds, input, expected, got } = verdict;
    const rows = [`${holds ? words.holds : words.fails}  ${words.says(as, verdict)}`];
    const why = holds ? null : words.why(verdict);
    if (why) rows.push(`         ${why}`);
    if (input) rows.push(`         ${words.input}${this.#inputLines(input)}`);
    if (expected) rows.push(`         ${words.expected}${this.#listOf(expected)}`);
    if (got) rows.push(`         ${words.got}${this.#listOf(got)}`);
    return `${rows.map(inLine).join('\n')}\n`;
  }

  /** @param {{ message: string }} fault */
  fault(fault) {
    return inLine(String(this.#words.why(fault)));
  }

  /** Returns the reason why a function does not get the full score. @param {Graded} graded */
  why({ as, fault, verdicts }) {
    if (fault) return this.fault(fault);
    return verdicts
      .filter(({ holds }) => !holds)
      .map((it) => this.#words.says(as, it))
      .join('; ');
  }

  /**
   * Returns the reasons for lost points: a time limit, then the fault; if no fault is known, the first property that
   * fails.
   * @param {Graded} graded
   */
  reasons({ as, fault, verdicts, convention }) {
    const { failing, byRule } = this.#words;
    const timeout = verdicts.find(({ code }) => code === 'late');
    const first = verdicts.find(({ holds, code }) => !holds && code !== 'late');
    const lost = [];
    if (timeout) lost.push(this.fault(/** @type {any} */ (timeout)));
    if (fault) lost.push(this.fault(fault));
    else if (first) lost.push(inLine(`${failing}${this.#words.says(as, first)}`));
    if (convention) lost.push(byRule(convention));
    return lost;
  }

  /** Returns sentences about a function, for a table. @param {Graded} graded */
  remarks(graded) {
    const { as, notes, error } = graded;
    if (error) return [`${as}: ${error}`];
    const said = [...this.reasons(graded), ...notes.map((note) => this.#noteOf(note))];
    return said.map((it) => `${as}: ${it}`);
  }

  /** @param {{ message: string }} note */
  #noteOf(note) {
    return `${this.#words.note}${this.fault(note)}`;
  }

  /** @param {Graded} graded */
  sum(graded) {
    const { as, verdicts, notes, score, error } = graded;
    const passed = verdicts.filter(({ holds }) => holds).length;
    const { sum, points, fault: wrong } = this.#words;
    if (error) return `${as}: ${inLine(error)}, ${points(score)}\n`;
    const found = this.reasons(graded).map((it) => `${wrong}${it}`);
    const said = [...found, ...notes.map((it) => this.#noteOf(it))];
    const named = said.map((it) => `${as}: ${it}\n`).join('');
    const counts = sum(passed, verdicts.length - passed);
    return `${named}${as}: ${counts}${score < 100 ? `, ${points(score)}` : ''}\n`;
  }

  /** @param {number} score */
  points(score) {
    return this.#words.points(score);
  }

  /** @param {{ program: string, version: string }} given */
  python(given) {
    return this.#words.python(given);
  }

  /**
   * Returns a sentence about why a learner has no submission.
   * @param {{ code: import('./class.js').Unread, what: string }} given
   */
  unread({ code, what }) {
    return this.#words.unread[code](what);
  }

  /**
   * Returns the whole report in the form of Gradescope's results.json, of 100 points.
   * @param {Graded[]} all
   * @param {Parameters<Report['unread']>[0]} [unread] the reason why there is no submission
   */
  gradescope(all, unread) {
    const said = unread ? [this.unread(unread)] : all.flatMap((it) => this.remarks(it));
    const tests = all.flatMap(({ as, verdicts }) =>
      verdicts.map((verdict) => {
        const [, ...lines] = this.verdict(as, verdict).trimEnd().split('\n');
        return {
          name: `${as}: ${inLine(this.#words.says(as, verdict))}`,
          status: verdict.holds ? 'passed' : 'failed',
          output: lines.map((line) => line.trim()).join('\n'),
        };
      }),
    );
    const score = all.length ? total(all) : 0;
    return { score, output_format: 'text', output: said.map(inLine).join('\n'), tests };
  }

  /** Returns the report of a function as data for JSON. @param {Graded} graded */
  json(graded) {
    const { as, lesson, weight, score, verdicts, fault, notes, error } = graded;
    const failed = verdicts.filter(({ holds }) => !holds).length;
    const of = { as, ...(lesson && { cases: true }), weight, score };
    const counts = { passed: verdicts.length - failed, failed };
    const reasons = this.reasons(graded);
    const more = { fault, reasons, notes, ...(error && { error }) };
    return { ...of, ...counts, ...more, properties: jsonable(verdicts) };
  }
}
