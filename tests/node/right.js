/**
 * Correct samplers in many styles. Each file has the lessons' five functions and the chain, and each must score 100.
 */

/** Style: only expressions, no loop, no variable that changes. */
const FUNCTIONAL = `
const NONE = -1 / 0;
const sum = (list) => list.reduce((a, b) => a + b, 0);
const softmax = (list) => {
  const top = list.reduce((a, b) => (b > a ? b : a));
  const e = list.map((x) => Math.exp(x - top));
  return e.map((x) => x / sum(e));
};
const order = (list) => list.map((x, id) => [x, id]).sort(([a, i], [b, j]) => b - a || i - j).map(([, id]) => id);
export const temperature = (logits, { temperature: T }) =>
  T > 0 ? Array.from(logits, (x) => x / T) : Array.from(logits, (x, id) => (id === order([...logits])[0] ? x : NONE));
export const top_k = (logits, { top_k: k }) =>
  Array.from(logits, (x, _, all = logits) => (k === 0 || all.filter((y) => y > x).length < k ? x : NONE));
export const top_p = (logits, { top_p: p }) => {
  const shares = softmax([...logits]);
  const ranked = order([...logits]);
  const kept = ranked.filter((_, at) => at === 0 || sum(ranked.slice(0, at).map((id) => shares[id])) < p);
  return Array.from(logits, (x, id) => (p >= 1 || kept.includes(id) ? x : NONE));
};
export const repetition_penalty = (logits, { repetition_penalty: r }, { history }) =>
  Array.from(logits, (x, id) => (history.includes(id) ? [x * r, x / r][Number(x > 0)] : x));
export const chain = (logits, settings, beside) =>
  [repetition_penalty, temperature, top_k, top_p].reduce((x, stage) => stage(x, settings, beside), logits);
const pick = (logits, u) => {
  const shares = softmax(logits);
  const ranked = order(logits).filter((id) => shares[id] > 0);
  return ranked.find((_, at) => sum(ranked.slice(0, at + 1).map((id) => shares[id])) > u) ?? ranked[ranked.length - 1];
};
const go = (model, ids, settings, draw, left) => {
  if (!left) return [];
  const id = pick(chain(model.logits(ids.slice(-model.context_length)).slice(-1)[0], settings, { history: ids }), draw());
  return [id, ...(id === model.eos_token_id ? [] : go(model, [...ids, id], settings, draw, left - 1))];
};
export const generate = (model, prompt, settings, { rng }) =>
  go(model, prompt, settings, rng(settings.seed), settings.max_new_tokens);
`;

/** Style: counted loops and flat arrays, as in C. */
const LOOPS = `
function rank(x, n) {
  var order = new Int32Array(n), i, j, id;
  for (i = 0; i < n; i++) {
    id = i;
    for (j = i; j > 0 && x[order[j - 1]] < x[id]; j--) order[j] = order[j - 1];
    order[j] = id;
  }
  return order;
}
function shares(x, n, order) {
  var p = new Float64Array(n), total = 0.0, i;
  for (i = 0; i < n; i++) { p[i] = Math.exp(x[i] - x[order[0]]); total += p[i]; }
  for (i = 0; i < n; i++) p[i] /= total;
  return p;
}
function heat(x, n, t) {
  var i, best = 0;
  if (t != 0) { for (i = 0; i < n; i++) x[i] = x[i] / t; return; }
  for (i = 1; i < n; i++) if (x[i] > x[best]) best = i;
  for (i = 0; i < n; i++) if (i != best) x[i] = -Infinity;
}
function keepK(x, n, k) {
  var order = rank(x, n), least, i;
  if (k <= 0 || k > n) return;
  least = x[order[k - 1]];
  for (i = 0; i < n; i++) if (x[i] < least) x[i] = -Infinity;
}
function keepP(x, n, p) {
  var order = rank(x, n), share = shares(x, n, order), mass = 0.0, i;
  if (p == 1) return;
  for (i = 0; i < n; i++) {
    if (i > 0 && mass >= p) x[order[i]] = -Infinity;
    mass += share[order[i]];
  }
}
function punish(x, n, r, seen) {
  var done = new Uint8Array(n), i, id;
  for (i = seen.length - 1; i >= 0; i--) {
    id = seen[i];
    if (done[id]) continue;
    done[id] = 1;
    if (x[id] <= 0) x[id] *= r; else x[id] /= r;
  }
}
function copied(logits, change) { var x = Float64Array.from(logits); change(x, x.length); return x; }
export function apply_temperature(logits, s) { return copied(logits, function (x, n) { heat(x, n, s.temperature); }); }
export function top_k_filter(logits, s) { return copied(logits, function (x, n) { keepK(x, n, s.top_k); }); }
export function top_p_filter(logits, s) { return copied(logits, function (x, n) { keepP(x, n, s.top_p); }); }
export function apply_repetition_penalty(logits, s, b) {
  return copied(logits, function (x, n) { punish(x, n, s.repetition_penalty, b.history); });
}
export function chain(logits, s, b) {
  return copied(logits, function (x, n) {
    punish(x, n, s.repetition_penalty, b.history); heat(x, n, s.temperature); keepK(x, n, s.top_k); keepP(x, n, s.top_p);
  });
}
export function generate(model, prompt, s, b) {
  var ids = prompt.slice(), draw = b.rng(s.seed), out = [], from, rows, x, order, p, u, mass, i, id;
  while (out.length < s.max_new_tokens) {
    from = ids.length > model.context_length ? ids.length - model.context_length : 0;
    rows = model.logits(ids.slice(from));
    x = chain(rows[rows.length - 1], s, { history: ids });
    order = rank(x, x.length); p = shares(x, x.length, order); u = draw(); mass = 0; id = order[0];
    for (i = 0; i < order.length; i++) {
      if (!(p[order[i]] > 0)) break;
      id = order[i]; mass += p[id];
      if (mass > u) break;
    }
    ids[ids.length] = id; out[out.length] = id;
    if (id == model.eos_token_id) return out;
  }
  return out;
}
`;

/** Style: classes, generators and promises, with names in camel case. */
const CLASSES = `
class Logits {
  #list;
  constructor(list) { this.#list = [...list]; }
  get list() { return this.#list; }
  get best() { return this.#list.indexOf(Math.max(...this.#list)); }
  *ranked() { yield* [...this.#list.entries()].sort((a, b) => b[1] - a[1] || a[0] - b[0]); }
  only(stays) { return new Logits(this.#list.map((x, id) => (stays(x, id) ? x : Number.NEGATIVE_INFINITY))); }
  change(of) { return new Logits(this.#list.map(of)); }
  get shares() {
    const top = Math.max(...this.#list);
    const whole = top + Math.log(this.#list.reduce((all, x) => all + Math.exp(x - top), 0));
    return this.#list.map((x) => Math.exp(x - whole));
  }
}
class Sampler {
  constructor(settings) { Object.assign(this, settings); }
  penalise(logits, history) {
    const seen = new Map(history.map((id) => [id, true]));
    return logits.change((x, id) => (seen.get(id) ? (x < 0 ? x * this.repetition_penalty : x / this.repetition_penalty) : x));
  }
  heat(logits) {
    if (this.temperature === 0) return logits.only((_, id) => id === logits.best);
    return logits.change((x) => x / this.temperature);
  }
  rank(logits) {
    if (!this.top_k) return logits;
    const [, least] = [...logits.ranked()].at(this.top_k - 1) ?? [0, -Infinity];
    return logits.only((x) => x >= least);
  }
  nucleus(logits) {
    if (this.top_p === 1) return logits;
    const { shares } = logits;
    const kept = new Set();
    let left = this.top_p;
    for (const [id] of logits.ranked()) {
      kept.add(id);
      left -= shares[id];
      if (left <= 1e-12) break;
    }
    return logits.only((_, id) => kept.has(id));
  }
  all(logits, history) { return this.nucleus(this.rank(this.heat(this.penalise(logits, history)))); }
}
export async function applyTemperature(logits, settings) { return new Sampler(settings).heat(new Logits(logits)).list; }
export const topKFilter = async (logits, settings) => new Sampler(settings).rank(new Logits(logits)).list;
export const topPFilter = (logits, settings) => Promise.resolve(new Sampler(settings).nucleus(new Logits(logits)).list);
export const applyRepetitionPenalty = (logits, settings, { history }) =>
  new Sampler(settings).penalise(new Logits(logits), history).list;
export const chain = (logits, settings, { history }) => new Sampler(settings).all(new Logits(logits), history).list;
function* decode(model, prompt, sampler, random) {
  const ids = Array.from(prompt);
  for (;;) {
    const rows = model.logits(ids.slice(Math.max(0, ids.length - model.context_length)));
    const logits = sampler.all(new Logits(rows.at(-1)), ids);
    const { shares } = logits;
    const u = random();
    let [mass, id] = [0, -1];
    for (const [each] of logits.ranked()) {
      if (shares[each] === 0) break;
      id = each;
      if ((mass += shares[each]) > u) break;
    }
    ids.push(id);
    yield id;
    if (id === model.eos_token_id) return;
  }
}
export async function generate(model, prompt, settings, { rng }) {
  const out = [];
  if (settings.max_new_tokens > 0)
    for (const id of decode(model, prompt, new Sampler(settings), rng(settings.seed)))
      if (out.push(id) === settings.max_new_tokens) break;
  return out;
}
`;

/** Without sorting: a repeated search for the maximum, limits as logarithms, sums by bisection. */
const UNSORTED = `
const best = (x, skip = new Set()) => {
  let found = -1;
  x.forEach((it, id) => { if (!skip.has(id) && (found < 0 || it > x[found])) found = id; });
  return found;
};
const kth = (x, k) => {
  const skip = new Set();
  while (skip.size < k - 1) skip.add(best(x, skip));
  return x[best(x, skip)];
};
const weights = (x) => { const top = x[best(x)]; return Array.from(x, (it) => Math.exp(it - top)); };
export default {};
export const temperature = (logits, settings) => {
  const out = new Float64Array(logits.length).fill(-Infinity);
  const T = settings.temperature;
  if (T === 0) { const id = best(logits); out[id] = logits[id]; return out; }
  const factor = 1 / T;
  for (const id of logits.keys()) out[id] = logits[id] * factor;
  return out;
};
export const top_k = (logits, settings) => {
  const out = [...logits];
  const { top_k: k } = settings;
  if (k && k < out.length) { const least = kth(logits, k); out.forEach((it, id) => { if (!(it >= least)) out[id] = -Infinity; }); }
  return out;
};
export const top_p = (logits, settings) => {
  const { top_p: p } = settings;
  if (p === 1) return [...logits];
  const w = weights(logits);
  const wanted = p * w.reduce((a, b) => a + b) * (1 - 1e-12);
  const kept = new Set();
  let mass = 0;
  do { const id = best(logits, kept); kept.add(id); mass += w[id]; } while (mass < wanted && kept.size < w.length);
  return Array.from(logits, (it, id) => (kept.has(id) ? it : -Infinity));
};
export const repetition_penalty = (logits, settings, beside) => {
  const out = Array.from(logits);
  beside.history.filter((id, at, all) => all.indexOf(id) === at).forEach((id) => {
    const r = settings.repetition_penalty;
    out[id] = out[id] > 0 ? out[id] * (1 / r) : out[id] * r;
  });
  return out;
};
export const chain = (logits, settings, beside) =>
  top_p(top_k(temperature(repetition_penalty(logits, settings, beside), settings), settings), settings);
export function generate(model, prompt, settings, beside) {
  const all = [].concat(prompt);
  const random = beside.rng(settings.seed);
  for (let n = settings.max_new_tokens; n > 0 && (all.length === prompt.length || all.at(-1) !== model.eos_token_id); n--) {
    const x = chain(model.logits(all.slice(-model.context_length)).pop(), settings, { history: all });
    const w = weights(x);
    const ranked = [];
    const skip = new Set();
    while (skip.size < x.length) { const id = best(x, skip); skip.add(id); if (w[id] > 0) ranked.push(id); }
    const sums = [];
    ranked.reduce((mass, id) => sums[sums.push(mass + w[id]) - 1], 0);
    const u = random() * sums[sums.length - 1];
    let [low, high] = [0, sums.length - 1];
    while (low < high) { const middle = (low + high) >> 1; if (sums[middle] > u) high = middle; else low = middle + 1; }
    all.push(ranked[low]);
  }
  return all.slice(prompt.length);
}
`;

/** Style: Float32 everywhere, and sums from small to large. */
const SINGLE = `
const f = Math.fround;
const shares = (x) => {
  const top = Math.max(...x);
  const e = Float32Array.from(x, (it) => Math.exp(f(it - top)));
  let whole = 0;
  for (const it of Float32Array.from(e).sort()) whole = f(whole + it);
  return e.map((it) => it / whole);
};
const ids = (x) => Uint32Array.from(x.keys()).sort((a, b) => x[b] - x[a] || a - b);
export function temperature(logits, { temperature: T }) {
  if (T < 1e-6) {
    const at = logits.indexOf(Math.max(...logits));
    return Float32Array.from(logits, (it, id) => (id - at ? -Infinity : it));
  }
  return Float32Array.from(logits, (it) => it / f(T));
}
export function top_k(logits, { top_k: k }) {
  const n = Math.min(k || logits.length, logits.length);
  const least = Float32Array.from(logits).sort()[logits.length - n];
  return Float32Array.from(logits, (it) => (it < least ? -Infinity : it));
}
export function top_p(logits, { top_p: p }) {
  const out = Float32Array.from(logits);
  if (p === 1) return out;
  const share = shares(logits);
  const ranked = ids(logits);
  let mass = share[ranked[0]];
  for (const id of ranked.subarray(1)) {
    if (mass >= f(p)) out[id] = -Infinity;
    mass = f(mass + share[id]);
  }
  return out;
}
export function repetition_penalty(logits, { repetition_penalty: r }, { history }) {
  const out = Float32Array.from(logits);
  for (const id of new Set(history)) out[id] = Math.sign(out[id]) === 1 ? out[id] / r : out[id] * r;
  return out;
}
export function chain(logits, settings, beside) {
  const penalised = repetition_penalty(logits, settings, beside);
  const heated = temperature(penalised, settings);
  const few = top_k(heated, settings);
  return top_p(few, settings);
}
export function generate(model, prompt, settings, { rng }) {
  const text = Int32Array.from({ length: prompt.length + settings.max_new_tokens }, (_, at) => prompt[at] ?? 0);
  const random = rng(settings.seed);
  let end = prompt.length;
  while (end < text.length) {
    const seen = text.subarray(0, end);
    const rows = model.logits(seen.subarray(Math.max(0, end - model.context_length)));
    const x = chain(rows[rows.length - 1], settings, { history: [...seen] });
    const share = shares(x);
    const ranked = ids(x).filter((id) => x[id] > -Infinity && share[id] > 0);
    const u = random();
    let mass = 0;
    const at = ranked.findIndex((id) => (mass += share[id]) > u);
    text[end] = ranked.at(at);
    if (text[end++] === model.eos_token_id) break;
  }
  return text.slice(prompt.length, end);
}
`;

/** Works from the tail: it removes the tail and counts ranks; greedy has a separate branch. */
const TAIL = `
const rankOf = (x, id) => { let n = 0; for (let i = 0; i < x.length; i++) n += x[i] > x[id] || (x[i] === x[id] && i < id); return n; };
const byRank = (x) => { const order = []; for (let id = 0; id < x.length; id++) order[rankOf(x, id)] = id; return order; };
const soft = (x) => { const p = x.map((a) => 1 / x.reduce((all, b) => all + Math.exp(b - a), 0)); return p; };
export function temperature(logits, settings) {
  const T = settings['temperature'];
  const x = Array.from(logits);
  return T === 0 ? x.map((it, id) => (rankOf(x, id) ? -Infinity : it)) : x.map((it) => it / T);
}
export function top_k(logits, settings) {
  const k = settings['top_k'] || Infinity;
  return Array.from(logits, (it) => { let above = 0; for (const other of logits) above += other > it; return above < k ? it : -Infinity; });
}
export function top_p(logits, settings) {
  const x = Array.from(logits);
  const p = settings['top_p'];
  if (p >= 1) return x;
  const top = Math.max(...x);
  const w = x.map((it) => Math.exp(it - top));
  const whole = w.reduce((a, b) => a + b, 0);
  let tail = 0;
  const order = byRank(x);
  while (order.length > 1) {
    const id = order.pop();
    tail += w[id] / whole;
    if (tail > 1 - p + 1e-9) break;
    x[id] = -Infinity;
  }
  return x;
}
export function repetition_penalty(logits, settings, beside) {
  const x = Array.from(logits);
  const r = settings['repetition_penalty'];
  const seen = x.map(() => false);
  for (const id of beside.history) seen[id] = true;
  return x.map((it, id) => it * (seen[id] ? r ** -Math.sign(it) : 1) || it);
}
export function chain(logits, settings, beside) {
  let x = repetition_penalty(logits, settings, beside);
  if (settings.temperature === 0) { const at = byRank(x)[0]; return x.map((it, id) => (id === at ? it : -Infinity)); }
  x = temperature(x, settings);
  return top_p(top_k(x, settings), settings);
}
export function generate(model, prompt_ids, settings, tools) {
  let text = prompt_ids;
  const next = tools.rng(settings.seed);
  let todo = settings.max_new_tokens;
  let last;
  while (todo-- > 0 && last !== model.eos_token_id) {
    const window = text.length <= model.context_length ? text : text.slice(text.length - model.context_length);
    const [row] = model.logits(window).slice(-1);
    const u = next();
    if (settings.temperature === 0) last = byRank(repetition_penalty(row, settings, { history: text }))[0];
    else {
      const x = chain(row, settings, { history: text });
      const order = byRank(x).filter((id) => x[id] !== -Infinity);
      const top = x[order[0]];
      const w = order.map((id) => Math.exp(x[id] - top));
      let goal = u * w.reduce((a, b) => a + b, 0);
      let at = 0;
      while (at < order.length - 1 && goal >= w[at]) goal -= w[at++];
      last = order[at];
    }
    text = text.concat(last);
  }
  return text.slice(prompt_ids.length);
}
`;

/** Sources in JavaScript, by style. */
export const JAVASCRIPT = {
  functional: FUNCTIONAL,
  loops: LOOPS,
  classes: CLASSES,
  unsorted: UNSORTED,
  single: SINGLE,
  tail: TAIL,
};

/** Style: lists, an iterator of cumulative sums, and a binary search. */
const ITERATORS = `import heapq
from bisect import bisect_right
from itertools import accumulate
from math import exp, fsum, inf


def shares(x):
    top = max(x)
    e = [exp(a - top) for a in x]
    whole = fsum(e)
    return [a / whole for a in e]


def ranked(x):
    return heapq.nsmallest(len(x), range(len(x)), key=lambda i: (-x[i], i))


def temperature(logits, T):
    if not T:
        i = max(range(len(logits)), key=lambda i: (logits[i], -i))
        return [x if j == i else -inf for j, x in enumerate(logits)]
    return [x / T for x in logits]


def top_k(logits, k):
    least = heapq.nlargest(k, logits)[-1] if k else -inf
    return [x if x >= least else -inf for x in logits]


def top_p(logits, p):
    if p == 1:
        return logits
    order = ranked(logits)
    p_of = shares(logits)
    before = [0, *accumulate(p_of[i] for i in order)]
    kept = {i for i, mass in zip(order, before) if mass < p} | {order[0]}
    return [x if i in kept else -inf for i, x in enumerate(logits)]


def repetition_penalty(logits, token_ids, penalty):
    seen = frozenset(token_ids)
    return [x if i not in seen else min(x / penalty, x * penalty) if penalty >= 1 else max(x / penalty, x * penalty) for i, x in enumerate(logits)]


def chain(logits, settings, history):
    x = repetition_penalty(logits, history, settings["repetition_penalty"])
    x = temperature(x, settings["temperature"])
    x = top_k(x, settings["top_k"])
    return top_p(x, settings["top_p"])


def generate(model, prompt_ids, settings, rng):
    def steps():
        ids = list(prompt_ids)
        draw = rng(settings["seed"])
        for _ in range(settings["max_new_tokens"]):
            x = chain(model.logits(ids[-model.context_length:])[-1], settings, ids)
            p_of = shares(x)
            order = [i for i in ranked(x) if p_of[i] > 0]
            sums = list(accumulate(p_of[i] for i in order))
            ids.append(order[min(bisect_right(sums, draw()), len(order) - 1)])
            yield ids[-1]
            if ids[-1] == model.eos_token_id:
                return

    return list(steps())
`;

/** Style: loops with counters; results are tuples. */
const COUNTERS = `import math

NONE = float("-inf")


def order_of(x):
    order = []
    for i in range(len(x)):
        at = len(order)
        while at > 0 and x[order[at - 1]] < x[i]:
            at -= 1
        order.insert(at, i)
    return order


def apply_temperature(logits, temperature):
    out = list(logits)
    if temperature == 0.0:
        best = 0
        for i in range(1, len(out)):
            if out[i] > out[best]:
                best = i
        for i in range(len(out)):
            if i != best:
                out[i] = NONE
        return tuple(out)
    for i in range(len(out)):
        out[i] = out[i] / temperature
    return tuple(out)


def top_k_filter(logits, k):
    if k == 0 or k > len(logits):
        return tuple(logits)
    out = []
    least = sorted(logits, reverse=True)[k - 1]
    for x in logits:
        if x < least:
            out.append(NONE)
        else:
            out.append(x)
    return tuple(out)


def weights_of(x):
    top = max(x)
    return [math.exp(a - top) for a in x]


def top_p_filter(logits, p):
    if p == 1.0:
        return tuple(logits)
    out = [NONE] * len(logits)
    e = weights_of(logits)
    whole = sum(e)
    mass = 0.0
    for i in order_of(logits):
        out[i] = logits[i]
        mass += e[i] / whole
        if mass >= p:
            break
    return tuple(out)


def apply_repetition_penalty(logits, token_ids, penalty):
    out = list(logits)
    done = []
    for i in token_ids:
        if i in done:
            continue
        done.append(i)
        if out[i] > 0:
            out[i] /= penalty
        else:
            out[i] *= penalty
    return tuple(out)


def chain(logits, history, repetition_penalty, temperature, top_k, top_p):
    x = apply_repetition_penalty(logits, history, repetition_penalty)
    x = apply_temperature(x, temperature)
    x = top_k_filter(x, top_k)
    x = top_p_filter(x, top_p)
    return x


def generate(model, prompt_ids, max_new_tokens, temperature, top_k, top_p, repetition_penalty, seed, rng, eos_token_id):
    ids = prompt_ids[:]
    draw = rng(seed)
    count = 0
    while count < max_new_tokens:
        count += 1
        window = ids
        while len(window) > model.max_seq_len:
            window = window[1:]
        rows = model(window)
        x = chain(rows[-1], ids, repetition_penalty, temperature, top_k, top_p)
        e = weights_of(x)
        goal = draw() * sum(e)
        mass = 0.0
        for i in order_of(x):
            if e[i] == 0:
                break
            found = i
            mass += e[i]
            if mass > goal:
                break
        ids = ids + [found]
        if found == eos_token_id:
            break
    return tuple(ids[len(prompt_ids):])
`;

/** Style: callables, lambdas and a fold. */
const CALLABLES = `from dataclasses import dataclass
from functools import reduce
from math import exp, inf, log

top = lambda x: max(range(len(x)), key=x.__getitem__)
order = lambda x: sorted(sorted(range(len(x))), key=x.__getitem__, reverse=True)
only = lambda x, kept: [a if i in kept else -inf for i, a in enumerate(x)]


@dataclass(frozen=True)
class Nucleus:
    p: float

    def __call__(self, x):
        if self.p >= 1:
            return x
        kept, mass = set(), 0
        best = max(x)
        whole = sum(exp(a - best) for a in x)
        for i in order(x):
            kept.add(i)
            mass += exp(x[i] - best) / whole
            if mass >= self.p - 1e-12:
                break
        return only(x, kept)


@dataclass(frozen=True)
class TopK:
    k: int

    def __call__(self, x):
        return [a if not self.k or sum(b > a for b in x) < self.k else -inf for a in x]


@dataclass(frozen=True)
class Temperature:
    t: float

    def __call__(self, x):
        return [a / self.t for a in x] if self.t > 0 else only(x, {top(x)})


@dataclass(frozen=True)
class Penalty:
    r: float
    ids: frozenset

    def __call__(self, x):
        return [a * self.r ** (-1 if a > 0 else 1) if i in self.ids else a for i, a in enumerate(x)]


class Chain:
    def __init__(self, s):
        self.s = s

    def __call__(self, x, history):
        s = self.s
        stages = Penalty(s.repetition_penalty, frozenset(history)), Temperature(s.temperature), TopK(s.top_k), Nucleus(s.top_p)
        return reduce(lambda x, stage: stage(x), stages, list(x))


temperature = lambda logits, temperature: Temperature(temperature)(logits)
top_k = lambda logits, k: TopK(k)(logits)
top_p = lambda logits, p: Nucleus(p)(logits)
repetition_penalty = lambda logits, history, penalty: Penalty(penalty, frozenset(history))(logits)
chain = lambda logits, settings, history: Chain(settings)(logits, history)


def draw_from(x, u):
    best = max(x)
    whole = best + log(sum(exp(a - best) for a in x))
    mass = 0
    left = [i for i in order(x) if x[i] > -inf]
    return next((i for i in left if (mass := mass + exp(x[i] - whole)) > u), left[-1])


def generate(model, prompt_ids, settings, rng):
    run, u, new = Chain(settings), rng(settings.seed), []
    while len(new) < settings.max_new_tokens and (not new or new[-1] != model.eos_token_id):
        ids = [*prompt_ids, *new]
        new += [draw_from(run(model.logits(ids[-model.context_length:])[-1], ids), u())]
    return new
`;

/** Sources in Python, by style. */
export const PYTHON_STYLES = { iterators: ITERATORS, counters: COUNTERS, callables: CALLABLES };
