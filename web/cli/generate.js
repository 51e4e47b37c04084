/** `logitscope generate`: prints the text after a prompt, token by token, or a JSON object with all steps. */
import {
  CHAT,
  ESCAPED,
  GRAMMAR,
  MAX_NEW_TOKENS,
  PROMPTS,
  SEED,
  chatOf,
  checkBeside,
  checkNeeds,
  needPrompt,
  settingsOf,
} from './flags.js';
import { Logitscope } from '../engine/index.js';
import { play } from './interactive.js';
import { OWN, OWN_NOTES, withOwn } from './own-sampler.js';
import { SERVER, faultOf, isStopped } from './server.js';
import { THINKING, thinkingOf } from './thinking.js';
import { inLine, printJson, printLine, safe, say } from './terminal.js';
import { BREAK_LOOP, loopLines, loopPart } from './loop.js';
import { judge, readGrammar, verdictLine } from './verdict.js';

/** Settings that read a second distribution. */
const SECOND = ['guidance_scale', 'contrastive_beta'];

/**
 * Runs a generation to its end. If a server gives no more logits, the result has the steps before, and the error as
 * `stopped`.
 * @param {any} scope
 * @param {any} options
 * @param {(step: import('../engine/types.js').Step) => void} [onStep]
 * @returns {Promise<any>} the result, with its steps
 */
export async function collect(scope, options, onStep) {
  const steps = [];
  const generation = scope.generate(options);
  try {
    for (;;) {
      const { done, value } = await generation.next();
      if (done) return { ...value, steps };
      steps.push(value);
      onStep?.(value);
    }
  } catch (stopped) {
    if (steps.length === 0 || !isStopped(stopped)) throw stopped;
    // The answers so far are kept, so this repeats the steps without a question.
    const result = await collect(scope, { ...options, max_new_tokens: steps.length });
    return { ...result, finish_reason: 'unanswered', stopped };
  }
}

/** Returns the mean time for a token, in ms. @param {{ ms: number }[]} steps */
const msPerToken = (steps) => steps.reduce((sum, { ms }) => sum + ms, 0) / steps.length;

/**
 * Returns a line about speculative decoding: the share of accepted tokens, and the speed compared with a run without
 * a draft model.
 * @param {any} scope
 * @param {any} options
 * @param {any} result
 */
async function draftLine(scope, { draft: _, ...options }, { ids, steps, speculation }) {
  if (!ids.length) return '';
  const { tokens_per_pass, accepted, rejected, passes } = speculation;
  const session = scope.session();
  const plain = await session.write({ ...options, max_new_tokens: ids.length });
  session.close();
  return (
    `${tokens_per_pass.toFixed(2)} tokens a pass (${passes} passes), ` +
    `${accepted} of ${accepted + rejected} drafts accepted, ` +
    `${msPerToken(steps).toFixed(2)} ms a token, ${msPerToken(plain.steps).toFixed(2)} without a draft\n`
  );
}

/** Returns the number of tokens of the thinking as part of a line; '' without settings of the thinking. @param {any} result */
const thoughtPart = ({ thinking, steps }) =>
  thinking ? ` (${steps.filter((/** @type {any} */ step) => step.thinking).length} thinking)` : '';

/**
 * Runs a generation and prints it as text or as JSON.
 * @param {any} scope
 * @param {any} values
 * @param {any} options
 * @param {any} grammar
 * @param {import('./flags.js').Streams} streams
 */
async function show(scope, values, options, grammar, { stdout, stderr }) {
  const chat = values.chat === undefined ? null : await chatOf(scope, values);
  const prompt = chat ? chat.text : values.prompt;
  const write = (/** @type {string} */ text) => {
    stdout.write(safe(text));
  };
  let begun = false;
  const asked = { ...options, prompt: chat ? chat.ids : prompt };
  const showStep = (/** @type {import('../engine/types.js').Step} */ step) => {
    if (values.ndjson) printLine(stdout, step);
    else write(begun ? step.text : prompt + step.text);
    begun = true;
  };
  const result = await collect(scope, asked, values.json ? undefined : showStep);
  const verdict = judge(grammar, prompt + result.text);
  const { cache, max_new_tokens, stop, top_logprobs, ...settings } = options;
  const breaks = values.break_loop
    ? await scope.breakLoop({ ...settings, prompt: asked.prompt, drawn_ids: result.ids })
    : undefined;
  if (values.json || values.ndjson) {
    const { seed, prompt_ids, ids, text, finish_reason, steps, speculation, thinking } = result;
    const whole = {
      model: values.model,
      settings: result.settings,
      ...(thinking && { thinking }),
      seed,
      ...(chat && { prompt }),
      prompt_ids,
      ids,
      text,
      finish_reason,
      ...(verdict && { verdict }),
      ...(speculation && { speculation }),
      ...(breaks !== undefined && { loop: breaks }),
      ...(result.stopped && { error: faultOf(result.stopped) }),
    };
    if (values.json) printJson(stdout, { ...whole, steps });
    else printLine(stdout, whole);
    return end(result, stderr);
  }
  write(`${begun ? '' : prompt}\n`);
  stderr.write(
    `${result.ids.length} tokens${thoughtPart(result)}, ${result.finish_reason}, seed ${result.seed}${
      verdict ? `; ${inLine(verdictLine(verdict))}` : ''
    }${loopPart(result, values)}\n`,
  );
  if (values.break_loop) stderr.write(loopLines(breaks, (ids) => scope.decode(ids), result.ids));
  if (result.speculation) stderr.write(await draftLine(scope, asked, result));
  return end(result, stderr);
}

/** Says why a text is not complete; returns the exit code. @param {any} result @param {NodeJS.WritableStream} stderr */
function end({ stopped }, stderr) {
  if (stopped) say(stderr, stopped.message);
  return stopped ? 2 : 0;
}

/** @type {import('./flags.js').Command} */
export const generate = {
  summary: 'generate text from a prompt',
  settings: true,
  flags: [
    ...PROMPTS,
    ...CHAT,
    MAX_NEW_TOKENS,
    SEED,
    {
      name: 'stop',
      kind: 'texts',
      escapes: true,
      help: `a text that ends the generation; ${ESCAPED}`,
    },
    { name: 'no_cache', kind: 'switch', help: 'evaluate the whole text at each step' },
    {
      name: 'ndjson',
      kind: 'switch',
      help: 'a line of JSON for each step as it comes, then one for the result',
    },
    {
      name: 'top_logprobs',
      kind: 'number',
      help: 'with --json or --ndjson: so many tokens that each step could have drawn (0)',
    },
    {
      name: 'interactive',
      kind: 'switch',
      help: 'a playground: lines are prompts, /help lists commands',
    },
    {
      name: 'amateur',
      kind: 'text',
      help: 'a weaker model with the same vocabulary, in place of the second text',
    },
    {
      name: 'draft',
      kind: 'text',
      help: 'a smaller model with the same vocabulary that drafts tokens (speculative decoding)',
    },
    {
      name: 'draft_tokens',
      kind: 'number',
      needs: 'draft',
      help: 'with --draft: tokens that it drafts for a pass, 1 to 32 (4)',
    },
    ...THINKING,
    BREAK_LOOP,
    GRAMMAR,
    ...OWN,
    ...SERVER,
  ],
  notes: OWN_NOTES,

  check(values) {
    checkBeside(values, 'chat', ['prompt', 'interactive']);
    checkBeside(values, 'interactive', ['prompt', 'json', 'ndjson']);
    checkBeside(values, 'ndjson', ['json']);
    checkBeside(values, 'break_loop', ['interactive', 'ndjson', 'draft', 'amateur', 'own']);
    checkNeeds(values, 'top_logprobs', ['json', 'ndjson']);
    // In interactive mode, the user may still change these settings.
    if (!values.interactive)
      for (const name of ['amateur', 'negative_prompt']) checkNeeds(values, name, SECOND);
    if (!values.interactive && values.chat === undefined) needPrompt(values);
  },

  run(scope, values, streams, table) {
    return withOwn(values, streams.stderr, scope, async (own) => {
      const load = (/** @type {string | undefined} */ model) =>
        model && Logitscope.load({ model, keep: true });
      const [amateur, draft] = [await load(values.amateur), await load(values.draft)];
      const options = {
        ...settingsOf(values, table, ['max_new_tokens', 'stop', 'draft_tokens', 'top_logprobs']),
        ...own,
        ...(amateur && { amateur }),
        ...(draft && { draft }),
        ...thinkingOf(values, table),
        cache: !values.no_cache,
      };
      const grammar = readGrammar(values);
      if (!values.interactive) return show(scope, values, options, grammar, streams);
      return play(scope, table, values, options, grammar, streams);
    });
  },
};
