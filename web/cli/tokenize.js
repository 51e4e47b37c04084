/** `logitscope tokenize`: prints the ids of a text with the text of each. */
import { CHAT, PROMPT_FILE, UsageError, chatOf, checkBeside } from './flags.js';
import { columns, printJson, quoted } from './terminal.js';

/** @type {import('./flags.js').Command} */
export const tokenize = {
  summary: 'cut a text into tokens',
  settings: false,
  operands: 'TEXT',
  operandOf: ['prompt', 'text', 'prompt_file', 'chat'],
  flags: [
    { name: 'prompt', kind: 'text', help: 'the text' },
    PROMPT_FILE,
    { name: 'text', kind: 'text', help: 'the same by another name' },
    {
      name: 'bos',
      kind: 'text',
      help: 'yes, no or auto: begin with the beginning-of-sequence token (auto)',
    },
    {
      name: 'special',
      kind: 'switch',
      help: 'names of special tokens in the text are those tokens',
    },
    {
      name: 'normalize',
      kind: 'text',
      help: "no or auto: into Unicode's form C where the model's own tokenizer does it (auto)",
    },
    ...CHAT,
  ],

  check(values) {
    checkBeside(values, 'chat', ['prompt', 'text', 'bos', 'special', 'normalize']);
    if (values.chat !== undefined) return;
    const { prompt, text, bos = 'auto', normalize = 'auto' } = values;
    if (prompt === undefined && text === undefined)
      throw new UsageError('TEXT is missing, or --prompt');
    if (prompt !== undefined && text !== undefined) {
      throw new UsageError('--prompt and --text are the same flag, got both');
    }
    if (!['yes', 'no', 'auto'].includes(bos)) {
      throw new UsageError(`--bos must be yes, no or auto, got ${JSON.stringify(bos)}`);
    }
    if (!['no', 'auto'].includes(normalize))
      throw new UsageError(`--normalize must be no or auto, got ${JSON.stringify(normalize)}`);
  },

  async run(scope, values, { stdout }) {
    const { model, prompt, bos = 'auto', special = false, json } = values;
    const chat = values.chat === undefined ? null : await chatOf(scope, values);
    const text = chat?.text ?? values.text ?? prompt;
    const options = {
      bos: bos === 'auto' ? bos : bos === 'yes',
      special,
      normalize:
        values.normalize === 'no' ? /** @type {false} */ (false) : /** @type {'auto'} */ ('auto'),
    };
    const ids = Array.from(chat?.ids ?? scope.encode(text, options));
    const tokens = ids.map((id) => {
      const piece = scope.piece(id);
      return { id, text: piece.text, bytes: Array.from(piece.bytes), special: piece.special };
    });
    if (json) {
      printJson(stdout, { model, text, ids, tokens });
      return;
    }
    const rows = tokens.map((token) => [
      String(token.id),
      quoted(token.text),
      token.special ? 'special' : '',
    ]);
    stdout.write(`${columns([['id', 'piece', ''], ...rows], [0])}\n${ids.length} tokens\n`);
  },
};
