/**
 * Gives each call of playwright-core a time limit. If a page's process hangs, most calls would never end, and a run of
 * all tests would learn only that a file stood still.
 */

/** Longest time of a call, in ms; longer than any wait of playwright-core that has a limit of its own. */
const LIMIT = 90_000;

/** Prototypes with the limit in their methods. */
const limited = new WeakSet();

/**
 * Limits the calls of all objects of the same classes as these ones.
 * @param {object[]} objects
 * @param {number} [limit]
 */
export function limitCalls(objects, limit = LIMIT) {
  for (const kind of objects.map((object) => Object.getPrototypeOf(object))) {
    if (limited.has(kind)) continue;
    limited.add(kind);
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(kind)))
      if (typeof value === 'function' && name !== 'constructor' && !name.startsWith('_'))
        kind[name] = function (/** @type {any[]} */ ...args) {
          const late = new Error();
          const result = value.apply(this, args);
          return result instanceof Promise ? withLimit(result, limit, late, name) : result;
        };
  }
}

/**
 * Rejects with `late` if a promise takes longer than the limit. The message names the call and its line in a test.
 * @template T
 * @param {Promise<T>} promise
 * @param {number} limit
 * @param {Error} late
 * @param {string} name
 * @returns {Promise<T>}
 */
async function withLimit(promise, limit, late, name) {
  let timer;
  const end = new Promise((_, reject) => {
    timer = setTimeout(() => {
      const [line = 'no test'] = /[\w-]+\.test\.js:\d+/.exec(late.stack ?? '') ?? [];
      late.message = `${name}() in ${line} has not ended after ${limit / 1000} s: the page hangs`;
      reject(late);
    }, limit);
  });
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
  }
}
