/**
 * The engine in Node: the next tokens after a prompt, before and after the samplers, then a text.
 *
 *   npm install logitscope && node node_modules/logitscope/web/lessons/example.mjs
 */
import { Logitscope } from 'logitscope';

const model = new URL(import.meta.resolve('logitscope/models/verbs.gguf'));
const prompt = 'Today she';
const settings = { temperature: 0.7, top_k: 5 };

const scope = await Logitscope.load({ model });
scope.feed(scope.encode(prompt));
for (const { text, p_raw, p } of scope.distribution({ ...settings, top: 5 }).tokens)
  console.log([text, p_raw, p].join('\t'));

process.stdout.write(prompt);
for await (const { text } of scope.generate({ prompt, ...settings, seed: 42 }))
  process.stdout.write(text);
console.log();
