/** The flags of the command line. Flags for settings are made from the engine's table. */
import { presets, strategies } from '../engine/presets.js';
import { SOURCES } from '../engine/sampler-sources.js';
import { readSchema } from '../engine/schema-text.js';
import { readStandardInput, readTextFile } from './read-text.js';

/** An error of the user: the command line prints one line and exits with code 2. */
export class UsageError extends Error {}

/**
 * @typedef {object} Flag
 * @property {string} name of the setting, with underscores
 * @property {'text' | 'number' | 'switch' | 'texts' | 'names' | 'map'} kind `texts` may be repeated
 * @property {string} help
 * @property {string} [needs] this flag has no effect without the flag named here
 * @property {boolean} [escapes] true if \\n, \\t and \\\\ are escapes
 */

/**
 * Input and output of a command.
 * @typedef {{ stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream }} Streams
 */

/**
 * @typedef {object} Command
 * @property {string} summary
 * @property {boolean} settings true if the command accepts the flags of all settings
 * @property {Flag[]} flags the command's own flags
 * @property {string} [operands] the meaning of words without a flag, if the command accepts them
 * @property {string[]} [operandOf] first the flag that a word without a flag sets, then the flags that this
 *   word excludes
 * @property {boolean} [modelless] true if the command needs no model
 * @property {boolean} [sessionless] true if the command needs only the model's facts and tokens, without a
 *   session
 * @property {(server: import('../sources/server.js').Server, values: any, streams: Streams, table: any[]) =>
 *   Promise<number>} [partial] runs it with a server that gives only the most probable tokens
 * @property {string} [notes] text in the help, after the flags
 * @property {(values: any) => void} [check]
 * @property {(scope: any, values: any, streams: Streams, table: any[]) => Promise<number | void>
 *   | number | void} run returns the exit code; undefined means 0
 */

/** @type {Flag[]} */
const COMMON = [
  {
    name: 'model',
    kind: 'text',
    help: 'a GGUF file, address or hub:owner/name[/file.gguf] (models/verbs.gguf)',
  },
  {
    name: 'variant',
    kind: 'text',
    help: 'auto, relaxed, simd or scalar inner loops; the results are the same',
  },
  {
    name: 'context',
    kind: 'number',
    help: 'tokens that the model sees (its own length, 4096 at most)',
  },
  {
    name: 'threads',
    kind: 'number',
    help: 'threads for one text, 1 to 16; the results are the same (as many as are faster)',
  },
  { name: 'json', kind: 'switch', help: 'machine-readable output' },
];

const PRESETS = Object.keys(presets).filter((name) => !strategies.some((s) => s.name === name));

/** @type {Flag} */
const LINK = {
  name: 'link',
  kind: 'text',
  help: 'a link of the page, quoted: its model, prompt and settings, which other flags override',
};

/** @type {Flag} */
const SETTINGS = {
  name: 'settings_of',
  kind: 'text',
  help: 'a file with the settings of another program, - for standard input; other flags override them',
};

/** @type {Flag[]} */
const DRAWING = [
  {
    name: 'preset',
    kind: 'text',
    help: `named settings, which other flags override: ${PRESETS.join(', ')}, or a strategy`,
  },
  { name: 'order', kind: 'names', help: 'the samplers in the order to apply, separated by commas' },
  { name: 'draw', kind: 'text', help: 'inverse or gumbel (inverse)' },
  {
    name: 'negative_prompt',
    kind: 'text',
    help: "the second text of guidance_scale and contrastive_beta (the prompt's last token)",
  },
];

/** Help text of flags with escapes, because it is hard to type these characters in a shell. */
export const ESCAPED = '\\n is a line break, \\t a tab, \\\\ a backslash; may be repeated';

/** @type {Flag} */
export const CONSTRAINT = {
  name: 'constraint',
  kind: 'text',
  help: 'json, name_age_city, three_numbers, schema:FILE (JSON) or grammar:FILE (GBNF)',
};

/** @type {Flag[]} */
const GATES = [
  CONSTRAINT,
  {
    name: 'banned_words',
    kind: 'texts',
    escapes: true,
    help: `a text that must not come; ${ESCAPED}`,
  },
  { name: 'forced_first', kind: 'text', help: 'the first generated token: its id, or its text' },
];

/** @type {Flag} */
export const SEED = { name: 'seed', kind: 'number', help: 'whole number from 0 to 2^53 - 1 (0)' };
/** @type {Flag} */
export const PROMPT = { name: 'prompt', kind: 'text', help: 'the text to begin with' };
/** @type {Flag} */
export const PROMPT_FILE = {
  name: 'prompt_file',
  kind: 'text',
  help: 'a file with the prompt, - for standard input; the line break at its end is left out, unless it is all',
};
/** The flags for a prompt, as text or from a file. */
export const PROMPTS = [PROMPT, PROMPT_FILE];
/** The flags for a chat, if the model has a chat template. @type {Flag[]} */
export const CHAT = [
  {
    name: 'chat',
    kind: 'text',
    help: "what the user says, in place of --prompt: the model's chat template makes the prompt of it",
  },
  { name: 'system', kind: 'text', needs: 'chat', help: 'with --chat: the message before it' },
  {
    name: 'date',
    kind: 'text',
    needs: 'chat',
    help: "with --chat: the template's today, YYYY-MM-DD (2024-07-26)",
  },
  {
    name: 'chat_template',
    kind: 'text',
    needs: 'chat',
    help: 'with --chat: the name of the chat template, of those that info lists (default)',
  },
];
/** @type {Flag} */
export const MAX_NEW_TOKENS = {
  name: 'max_new_tokens',
  kind: 'number',
  help: 'at most so many (100)',
};
/** @type {Flag} */
export const GRAMMAR = {
  name: 'grammar',
  kind: 'text',
  help: 'a grammar that judges the text (MODEL.grammar.json beside the model)',
};

/** Matches a number in decimal notation. */
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
/** The values of a bias that forbid a token. */
const BANS = ['false', '-Infinity'];
const BAN_FORM = BANS.map((ban) => `ID=${ban}`).join(' or ');

const withDashes = (/** @type {string} */ name) => `--${name.replaceAll('_', '-')}`;
const shortestText = (/** @type {number} */ x) => (Math.abs(x) > 1e15 ? '' : String(x));

/**
 * Returns the flag of a setting. Its help has the range from the table.
 * @param {any} row
 * @returns {Flag}
 */
export function settingFlag(row) {
  const { name, kind, group, neutral, minimum, maximum } = row;
  if (kind === 'map') {
    return {
      name,
      kind: 'map',
      help: `${group}: ID=NUMBER, ${BAN_FORM} to ban, "ID ID=..." after the first; may be repeated`,
    };
  }
  if (kind === 'list')
    return { name, kind: 'texts', escapes: true, help: `${group}: a text; ${ESCAPED}` };
  if (kind === 'choice') {
    return { name, kind: 'text', help: `${group}: ${row.choices.join(', ')} (${neutral})` };
  }
  const low = shortestText(minimum) && ` ${row.minimum_included ? 'from' : 'above'} ${minimum}`;
  const high = shortestText(maximum) && ` ${row.maximum_included ? 'to' : 'to below'} ${maximum}`;
  const number = kind === 'integer' ? 'whole number' : 'number';
  const at = row.sampler ? 'neutral at ' : 'by default ';
  return { name, kind: 'number', help: `${group}: ${number}${low}${high}, ${at}${neutral}` };
}

/** The flag of a setting; its help ends with the sampler's source. @param {any} row @returns {Flag} */
function citedFlag(row) {
  const flag = settingFlag(row);
  const { by, year } = SOURCES[row.name] ?? {};
  return by ? { ...flag, help: `${flag.help}; ${by}${year ? ` ${year}` : ''}` } : flag;
}

/**
 * @param {Command} command
 * @param {any[]} table
 * @returns {Flag[]}
 */
export function flagsOf(command, table) {
  return [
    ...command.flags,
    ...(command.settings ? [...GATES, ...table.map(citedFlag), ...DRAWING, SETTINGS, LINK] : []),
    ...COMMON.filter(
      ({ name }) => !(command.modelless && ['model', 'context', 'threads'].includes(name)),
    ),
  ];
}

/**
 * @param {string} name
 * @param {Command} command
 * @param {Flag[]} flags
 */
export function helpOf(name, { summary, operands, notes }, flags) {
  const rows = flags.map((flag) => `  ${withDashes(flag.name).padEnd(23)} ${flag.help}`);
  const words = operands ? ` ${operands}` : '';
  return `usage: logitscope ${name}${words} [--flag value ...]\n${summary}\n\n${rows.join('\n')}\n${
    notes ? `\n${notes}` : ''
  }`;
}

/**
 * Returns the names that are similar to a word, for an error message; if there are none, all names.
 * @param {string} word
 * @param {string[]} names
 * @param {string} orElse the text before the list of all names
 */
export function nearestOf(word, names, orElse) {
  const shared = (/** @type {string} */ name) => {
    const rest = [...name];
    return (
      [...word].filter((letter) => {
        const at = rest.indexOf(letter);
        if (at >= 0) rest.splice(at, 1);
        return at >= 0;
      }).length / Math.max(word.length, name.length)
    );
  };
  const [best] = [...names].sort((a, b) => shared(b) - shared(a));
  return shared(best) >= 0.7 ? `, did you mean ${best}?` : `${orElse}${names.join(', ')}`;
}

/** @param {string} flag @param {string} text */
function toNumber(flag, text) {
  if (!NUMBER.test(text)) {
    throw new UsageError(`${flag} must be a number, got ${JSON.stringify(text)}`);
  }
  const value = Number(text);
  // Refuse this: 9007199254740990.6 would silently become the seed 9007199254740991.
  if (Number.isInteger(value) && /^[^e]*\.\d*[1-9]\d*$/i.test(text)) {
    throw new UsageError(`${flag} must be whole or have fewer digits, got ${text}`);
  }
  return value;
}

/** @param {string} flag @param {string} text ID=NUMBER, or ID=false or ID=-Infinity to ban */
function toBias(flag, text) {
  const [, id, value] = /^(\d+(?: \d+)*)=(.+)$/.exec(text) ?? [];
  if (BANS.includes(value)) return { [id]: false };
  if (id !== undefined && NUMBER.test(value)) return { [id]: toNumber(flag, value) };
  throw new UsageError(
    `${flag} must be ID=NUMBER, or ${BAN_FORM} to ban, got ${JSON.stringify(text)}`,
  );
}

/**
 * Replaces the escapes \n, \t and \\ in a text.
 * @param {string} flag
 * @param {string} text
 */
function unescapeText(flag, text) {
  return text.replace(/\\([^]?)/g, (escape, sign) => {
    const found = { n: '\n', t: '\t', '\\': '\\' }[/** @type {string} */ (sign)];
    if (found !== undefined) return found;
    throw new UsageError(
      `${flag}: ${escape} is no escape, known are \\n, \\t and \\\\, got ${JSON.stringify(text)}`,
    );
  });
}

/**
 * Returns the value of a flag, from its text and, for a flag that can be repeated, its value so far.
 * @param {Flag} flag
 * @param {string} text
 * @param {any} [before]
 */
export function toValue({ name, kind, escapes }, text, before) {
  switch (kind) {
    case 'number':
      return toNumber(withDashes(name), text);
    case 'texts':
      return [...(before ?? []), escapes ? unescapeText(withDashes(name), text) : text];
    case 'names':
      return text.split(',').map((word) => word.trim().replaceAll('-', '_'));
    case 'map':
      return { ...before, ...toBias(withDashes(name), text) };
    default:
      return text;
  }
}

/**
 * @param {string[]} words
 * @param {Flag[]} flags
 * @param {string} [operands] the meaning of words without a flag; undefined if they are not allowed
 * @returns {Record<string, any>} values by setting name; words without a flag under `operands`
 */
export function parseFlags(words, flags, operands) {
  const known = new Map(flags.map((flag) => [withDashes(flag.name), flag]));
  /** @type {Record<string, any>} */
  const values = operands ? { operands: [] } : {};
  for (let i = 0; i < words.length; i++) {
    const [, word, attached] = /^(--[^=]*)(?:=(.*))?$/s.exec(words[i]) ?? [];
    // A single - is standard input.
    if (word === undefined && operands && !/^-./.test(words[i])) {
      values.operands.push(words[i]);
      continue;
    }
    if (word === undefined) throw new UsageError(`unexpected argument ${JSON.stringify(words[i])}`);
    const flag = known.get(word);
    if (!flag)
      throw new UsageError(
        `unknown flag ${word}${nearestOf(word, [...known.keys()], ', known are ')}`,
      );
    if (flag.kind === 'switch') {
      if (attached !== undefined) throw new UsageError(`${word} takes no value`);
      values[flag.name] = true;
      continue;
    }
    const text = attached ?? words[++i];
    if (text === undefined) throw new UsageError(`${word} needs a value`);
    if (flag.name in values && flag.kind !== 'texts' && flag.kind !== 'map') {
      throw new UsageError(`${word} is given twice`);
    }
    values[flag.name] = toValue(flag, text, values[flag.name]);
  }
  for (const { name, needs } of flags) if (needs) checkNeeds(values, name, [needs]);
  return values;
}

/** @param {any} values */
export function needPrompt(values) {
  if (values.prompt === undefined) throw new UsageError('--prompt is missing');
}

/**
 * If a word has no flag before it, makes it the value of the flag that the command says.
 * @param {any} values
 * @param {Command} command
 */
export function takeOperand(values, { operands, operandOf }) {
  if (!operandOf) return;
  const [word, more] = values.operands;
  if (more !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(more)}`);
  if (word === undefined) return;
  const beside = operandOf.find((name) => values[name] !== undefined);
  if (beside) throw new UsageError(`${operands} cannot stand with ${withDashes(beside)}`);
  values[operandOf[0]] = word;
}

/** Flags that exclude --prompt-file. */
const BESIDE_FILE = ['prompt', 'text', 'chat', 'interactive', 'held_out'];

/**
 * Reads the prompt from the file of --prompt-file.
 * @param {any} values
 * @param {NodeJS.ReadStream} stdin
 */
export async function takePromptFile(values, stdin) {
  const { prompt_file: path } = values;
  if (path === undefined) return;
  checkBeside(values, 'prompt_file', BESIDE_FILE);
  let text;
  try {
    text = path === '-' ? await readStandardInput(stdin) : readTextFile(path);
  } catch (error) {
    throw new UsageError(`--prompt-file: ${/** @type {Error} */ (error).message}`);
  }
  if (!text) {
    const name = path === '-' ? 'standard input' : path;
    throw new UsageError(`--prompt-file: ${name} is empty`);
  }
  // If the file is only a line break, this is the prompt: nanoGPT begins its samples in this way.
  values.prompt = text.replace(/\r?\n$/, '') || '\n';
}

/**
 * Throws if a flag is given without any of the flags that it needs.
 * @param {any} values
 * @param {string} name
 * @param {string[]} needs
 */
export function checkNeeds(values, name, needs) {
  if (values[name] !== undefined && needs.every((it) => values[it] === undefined))
    throw new UsageError(`${withDashes(name)} needs ${needs.map(withDashes).join(' or ')}`);
}

/**
 * Throws if the flag `beside` and one of `names` are both given.
 * @param {any} values
 * @param {string} beside
 * @param {string[]} names
 */
export function checkBeside(values, beside, names) {
  const name = names.find((each) => values[each] !== undefined);
  if (name === undefined || values[beside] === undefined) return;
  throw new UsageError(`${withDashes(name)} cannot stand with ${withDashes(beside)}`);
}

/**
 * Returns the prompt that the model's chat template makes from --chat and --system.
 * @param {any} scope
 * @param {any} values
 * @returns {Promise<import('../engine/types.js').Chat>}
 */
export function chatOf(scope, { chat, system, date, chat_template: template }) {
  return scope.chat([{ role: 'user', content: chat }], {
    ...(system !== undefined && { system }),
    ...(date !== undefined && { date }),
    ...(template !== undefined && { template }),
  });
}

/** @param {string} file */
function readText(file) {
  try {
    return readTextFile(file);
  } catch (error) {
    throw new UsageError(`--constraint: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {string} word a name, schema:FILE or grammar:FILE */
export function toConstraint(word) {
  const [, kind, file] = /^(schema|grammar):(.*)$/s.exec(word) ?? [];
  if (!kind) return word;
  const text = readText(file);
  if (kind === 'grammar') return { grammar: text };
  let schema;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `--constraint: ${file} is not JSON, ${/** @type {Error} */ (error).message}`,
    );
  }
  return { schema: readSchema(text).plain ? schema : text };
}

/** @param {Record<string, any>} values */
const gatesOf = ({ constraint, banned_words, forced_first: first }) => ({
  ...(constraint !== undefined && { constraint: toConstraint(constraint) }),
  ...(banned_words && { banned_words }),
  ...(first !== undefined && { forced_first: /^\d+$/.test(first) ? Number(first) : first }),
});

/** Throws if the order contains `own` but --own is missing. @param {Record<string, any>} settings */
function checkOrder({ order, own }) {
  if (own === undefined && order?.includes('own'))
    throw new UsageError('--order names own, which needs --own');
}

/**
 * Returns the settings among the flags' values.
 * @param {Record<string, any>} values
 * @param {any[]} table
 * @param {string[]} [also]
 */
export function settingsOf(values, table, also = []) {
  checkOrder(values);
  const names = [
    ...table.map((row) => row.name),
    ...DRAWING.map((flag) => flag.name),
    'seed',
    ...also,
  ];
  return {
    ...Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name))),
    ...gatesOf(values),
  };
}

/**
 * Throws if settings are invalid, before the command prints anything. For this, it starts a generation and ends it
 * before the first step.
 * @param {any} scope
 * @param {Record<string, any>} options of a generation
 */
export async function checkSettings(scope, options) {
  checkOrder(options);
  await scope.generate({ ...options, prompt: [0], signal: AbortSignal.abort() }).next();
}
