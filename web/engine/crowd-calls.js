/**
 * The calls of a crowd to an engine's worker: copy an engine with its model, take such a copy, write texts. A copy has
 * the compiled modules and the whole memory, so nothing is fetched or packed again.
 */
import { LogitscopeError } from './errors.js';
import { WRITERS } from './text-jobs.js';

/** Bytes of a page of WebAssembly's memory. */
const PAGE = 1 << 16;

/**
 * An engine as data that a message can carry. `options` of `load` open the engine that takes the copy; `transfer` lists
 * the memory that moves with a message; `sessions` are open in the original.
 * @typedef {ReturnType<typeof copy>} Copy
 */

/**
 * Between two calls of C the memory holds the complete state. Threads that can share memory get one copy for all.
 * @param {import('./logitscope.js').Logitscope} scope with a model of its own
 */
export function copy(scope) {
  const { core, sessions } = scope.parts;
  const { module, model, context, cache } = core;
  const { streams } = core.needModel();
  if (core.asked) throw new LogitscopeError('unsupported', 'no_weights');
  const { buffer } = module.memory;
  const shares = globalThis.crossOriginIsolated ?? typeof process === 'object';
  const heap = new Uint8Array(new (shares ? SharedArrayBuffer : ArrayBuffer)(buffer.byteLength));
  heap.set(new Uint8Array(buffer));
  return {
    options: { ...module.compiled, variant: module.variant },
    heap,
    transfer: shares ? [] : [heap.buffer],
    model,
    streams,
    context,
    cache,
    sessions: [...sessions.values()].map(({ handle, room }) => ({ handle, room })),
  };
}

/**
 * Makes an engine without a model equal to the original of a copy.
 * @param {import('./logitscope.js').Logitscope} scope
 * @param {Copy} copied
 */
export async function take(scope, { heap, model, streams, context, cache, sessions }) {
  const { core } = scope.parts;
  const { module } = core;
  const { calls, memory, variant, compiled } = module;
  const more = heap.length - module.memoryBytes;
  if (more > 0) memory.grow(more / PAGE);
  new Uint8Array(memory.buffer).set(heap);
  // The copied memory names the loops by their places in the original's table of functions.
  if (variant !== 'scalar') await module.adopt(variant, compiled[variant]);
  calls.kernels_streams(streams);
  for (const { handle, room } of sessions) {
    calls.session_close(handle);
    calls.memory_release(room);
  }
  Object.assign(core, { model, context, cache });
  core.readChatTemplates();
  core.info = { ...core.readInfo(), streams, threads: 1 };
  core.chain.open(core.info.vocab_size, 0);
}

/** Resolves when the texts of earlier messages are written. @type {Promise<unknown>} */
let earlier = Promise.resolve();

/**
 * Writes the texts of a message, one after another, after those of earlier messages: all use one timeline.
 * @param {import('./logitscope.js').Logitscope} scope
 * @param {import('./text-jobs.js').Kind} kind
 * @param {any[]} tasks
 */
export function texts(scope, kind, tasks) {
  const written = earlier.then(async () => {
    if (JSON.stringify(tasks).includes('"constraint"')) await import('./schema.js');
    const made = [];
    for (const task of tasks) made.push(await WRITERS[kind](scope, scope, task));
    return made;
  });
  earlier = written.catch(() => {}); // the caller gets the error
  return written;
}
