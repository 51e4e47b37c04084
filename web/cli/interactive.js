/** The interactive mode. A line with a slash is a command; every other line is a prompt. */
import { createInterface } from 'node:readline';
import { LogitscopeError } from '../engine/index.js';
import { presets } from '../engine/presets.js';
import { UsageError, checkSettings, nearestOf, settingFlag, toValue } from './flags.js';
import { inLine, quoted, safe } from './terminal.js';
import { judge, verdictLine } from './verdict.js';

/** @param {any[]} table */
function settingsIn(table) {
  return [
    ...table.map(settingFlag),
    { name: 'seed', kind: 'number', help: '' },
    { name: 'max_new_tokens', kind: 'number', help: '' },
    { name: 'order', kind: 'names', help: '' },
    { name: 'draw', kind: 'text', help: '' },
    { name: 'preset', kind: 'text', help: '' },
    { name: 'stop', kind: 'texts', escapes: true, help: '' },
  ];
}

/** Settings whose values are functions, models or grammars. `/settings` prints them as the user wrote them. */
const NAMED = ['own', 'draft', 'amateur', 'constraint', 'thinking'];

/** @param {any} value @returns {string[]} */
function wordsOf(value) {
  if (typeof value !== 'object') return [String(value)];
  return Array.isArray(value)
    ? value
    : Object.entries(value).map(
        ([name, each]) => `${name}=${typeof each === 'object' ? JSON.stringify(each) : each}`,
      );
}

/**
 * Writes a setting as a flag, with quotes around a text of several words.
 * @param {string} name
 * @param {any} value
 */
function inFlags(name, value) {
  const words = wordsOf(value).map((word) => (/^\S+$/.test(word) ? inLine(word) : quoted(word)));
  return `${name} ${words.join(name === 'order' ? ',' : ' ')}\n`;
}

const HELP = `A line is a prompt; the text that follows it is generated.
/temperature 0.5   sets a setting; without a value, puts it back to that of the preset, else to neutral
/seed 42           the seed; /max-new-tokens 20, /preset NAME, /order A,B,... likewise
/settings          shows what is set
/reset             puts everything back
/help              this; /quit or the end of input ends
`;

class Playground {
  #scope;
  #flags;
  /** @type {Record<string, any>} the values of the flags */
  #values;
  #grammar;
  #initial;
  #stdout;
  /** @type {Record<string, any>} */
  #options;
  /** @type {AbortController | null} */
  #running = null;

  /**
   * @param {any} scope
   * @param {any[]} table
   * @param {any} values
   * @param {any} options
   * @param {any} grammar
   * @param {NodeJS.WriteStream} stdout
   */
  constructor(scope, table, values, options, grammar, stdout) {
    this.#stdout = stdout;
    this.#scope = scope;
    this.#flags = settingsIn(table);
    this.#values = values;
    this.#grammar = grammar;
    this.#initial = options;
    this.#options = { ...options };
  }

  /** Ends the running generation. Returns false if there is none. */
  interrupt() {
    this.#running?.abort();
    return this.#running !== null;
  }

  /** @param {string} line @returns {Promise<boolean>} true to continue */
  async take(line) {
    try {
      if (line.startsWith('/')) return await this.#runCommand(line.slice(1).trim());
      if (line.trim()) await this.#generate(line);
    } catch (error) {
      if (!(error instanceof LogitscopeError) && !(error instanceof UsageError)) throw error;
      this.#stdout.write(`${inLine(error.message)}\n`);
    }
    return true;
  }

  /** @param {string} text */
  async #runCommand(text) {
    const [word, ...rest] = text.split(/\s+/);
    const name = word.replaceAll('-', '_');
    if (name === 'quit' || name === 'exit') return false;
    if (name === 'help') this.#stdout.write(HELP);
    else if (name === 'settings') this.#show();
    else if (name === 'reset') this.#reset();
    else await this.#set(name, rest.join(' '));
    return true;
  }

  #reset() {
    this.#options = { ...this.#initial };
    this.#show();
  }

  /** @param {string} name @param {string} text */
  async #set(name, text) {
    const flag = /** @type {import('./flags.js').Flag | undefined} */ (
      this.#flags.find((known) => known.name === name)
    );
    if (!flag) {
      const names = [
        ...this.#flags.map((known) => known.name),
        'settings',
        'reset',
        'help',
        'quit',
      ];
      throw new UsageError(`unknown command /${name}${nearestOf(name, names, ', known are ')}`);
    }
    const { [name]: before, ...others } = this.#options;
    const options = text ? { ...others, [name]: toValue(flag, text, before) } : others;
    await checkSettings(this.#scope, options);
    this.#options = options;
    const preset = /** @type {any} */ (presets)[options.preset]?.[name];
    if (text) this.#stdout.write(inFlags(name, options[name]));
    else if (preset === undefined) this.#stdout.write(`${name} neutral\n`);
    else this.#stdout.write(`${name} ${preset}, of preset ${options.preset}\n`);
  }

  #show() {
    const { cache, ...set } = this.#options;
    const rows = Object.entries(set).map(([name, value]) =>
      inFlags(name, NAMED.includes(name) ? this.#values[name] : value),
    );
    this.#stdout.write(rows.join('') || 'everything is neutral\n');
  }

  /** @param {string} prompt */
  async #generate(prompt) {
    this.#running = new AbortController();
    try {
      const generation = this.#scope.generate({
        ...this.#options,
        prompt,
        signal: this.#running.signal,
      });
      let { done, value } = await generation.next();
      this.#stdout.write(safe(prompt));
      while (!done) {
        this.#stdout.write(safe(value.text));
        ({ done, value } = await generation.next());
      }
      this.#stdout.write('\n');
      const verdict = judge(this.#grammar, prompt + value.text);
      const said = verdict ? `; ${verdictLine(verdict)}` : '';
      this.#stdout.write(
        `${inLine(`[${value.finish_reason}, ${value.ids.length} tokens, seed ${value.seed}${said}]`)}\n`,
      );
    } finally {
      this.#running = null;
    }
  }
}

/**
 * @param {any} scope
 * @param {any[]} table
 * @param {any} values
 * @param {any} options of a generation with these values
 * @param {any} grammar
 * @param {import('./flags.js').Streams} streams
 */
export async function play(scope, table, values, options, grammar, { stdin, stdout }) {
  await checkSettings(scope, options);
  const playground = new Playground(scope, table, values, options, grammar, stdout);
  const { name, vocab_size } = scope.info;
  const terminal = stdin.isTTY === true;
  const lines = createInterface({
    input: stdin,
    output: terminal ? stdout : undefined,
    prompt: '> ',
  });
  lines.on('SIGINT', () => {
    if (!playground.interrupt()) lines.close();
  });
  stdout.write(`${name ? quoted(name) : 'a model'}, ${vocab_size} tokens; /help lists commands\n`);
  if (terminal) lines.prompt();
  for await (const line of lines) {
    if (!(await playground.take(line))) break;
    if (terminal) lines.prompt();
  }
  lines.close();
}
