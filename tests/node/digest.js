/**
 * Computes the digest of tests/native/command.c through the JavaScript interface, over equal bytes in equal order. One
 * number then compares native builds, Node and browsers. This file imports nothing.
 */

const STEPS = 40;

/** The first sixteen samplers. Later samplers must not change the digest. */
export const ORDER = [
  'logit_bias',
  'repetition_penalty',
  'frequency_penalty',
  'presence_penalty',
  'no_repeat_ngram_size',
  'dry_multiplier',
  'temperature',
  'top_k',
  'top_p',
  'min_p',
  'typical_p',
  'epsilon_cutoff',
  'eta_cutoff',
  'top_n_sigma',
  'xtc_probability',
  'mirostat',
];

export const SERIES = [
  { temperature: 0 },
  { temperature: 0.8, top_k: 40, top_p: 0.95 },
  { temperature: 1.5, repetition_penalty: 1.2, repetition_window: 16 },
  { logit_bias: { 0: -1.5, 3: 0.5 }, draw: 'gumbel' },
  {
    temperature: 1.3,
    top_p: 0.9,
    order: ['top_p', 'top_k', 'temperature', 'repetition_penalty', 'logit_bias'],
  },
  {
    frequency_penalty: 0.2,
    presence_penalty: 0.3,
    no_repeat_ngram_size: 4,
    dry_multiplier: 0.8,
    min_p: 0.001,
    typical_p: 0.97,
    epsilon_cutoff: 0.0003,
    eta_cutoff: 0.0006,
    top_n_sigma: 4,
    xtc_probability: 0.5,
    min_tokens_to_keep: 2,
    temperature: 1.4,
  },
  { mirostat: 1, mirostat_tau: 2, mirostat_eta: 0.3 },
].map((settings) => ({ order: ORDER, ...settings }));

/** Settings of the later samplers, in the canonical order. @type {object[]} */
export const LATER = [
  { min_p: 0.01, adaptive_target: 0.4 },
  {
    encoder_repetition_penalty: 1.1,
    repetition_penalty: 1.1,
    prompt_ignore_length: 5,
    renormalize_logits: 1,
    top_a: 0.01,
    top_h: 0.98,
    dynatemp_range: 0.5,
    smoothing_factor: 0.1,
    min_new_tokens: 6,
    end_tokens: [0, 3],
    exponential_decay_length_penalty: 1.03,
    exponential_decay_start: 10,
    tfs_z: 0.99,
    green_bias: 1.5,
    green_self: 1,
    synthid_depth: 12,
    synthid_context: 2,
  },
];

/** FNV-1a with 64 bits, computed in two halves. The prime is 2^40 + 0x1b3. */
class Fnv {
  #high = 0xcbf29ce4;
  #low = 0x84222325;
  #scratch = new DataView(new ArrayBuffer(8));

  byte(value) {
    const low = (this.#low ^ value) >>> 0;
    const product = low * 0x1b3;
    const carry = Math.floor(product / 2 ** 32);
    this.#high = (Math.imul(this.#high, 0x1b3) + carry + (low << 8)) >>> 0;
    this.#low = product >>> 0;
  }

  #bytes(count) {
    for (let i = 0; i < count; i++) this.byte(this.#scratch.getUint8(i));
  }

  u32(...values) {
    for (const value of values) {
      this.#scratch.setUint32(0, value, true);
      this.#bytes(4);
    }
  }

  f32(...values) {
    for (const value of values) {
      this.#scratch.setFloat32(0, value, true);
      this.#bytes(4);
    }
  }

  f64(...values) {
    for (const value of values) {
      this.#scratch.setFloat64(0, value, true);
      this.#bytes(8);
    }
  }

  get hex() {
    return [this.#high, this.#low].map((half) => half.toString(16).padStart(8, '0')).join('');
  }
}

function addTrace(hash, trace, names) {
  const placeOf = (name) =>
    name === null ? 0 : 1 + trace.stages.findIndex((s) => s.name === name);
  hash.u32(trace.kept, trace.rest.count, trace.rest.kept, trace.underflowed);
  hash.f64(
    trace.rest.p_raw,
    trace.rest.p,
    trace.entropy,
    trace.perplexity,
    trace.raw_entropy,
    trace.raw_perplexity,
    trace.kept_mass_raw,
  );
  for (const stage of trace.stages) {
    hash.u32(
      names.indexOf(stage.name),
      Number(stage.active),
      Number(stage.changed),
      stage.kept,
      stage.removed,
      placeOf(stage.after),
    );
    hash.f64(stage.value, stage.mass_removed, stage.top_p_mass, stage.entropy, stage.perplexity);
  }
  for (const token of trace.tokens) {
    hash.u32(token.id, token.rank, placeOf(token.removed_by));
    hash.f32(token.logit, token.warped);
    hash.f64(token.p_raw, token.p, ...token.stage_p);
  }
}

/**
 * @param {any} scope a Logitscope, or a remote one
 * @param {string} [prompt]
 * @returns {Promise<string>} 16 hexadecimal digits
 */
export function digest(scope, prompt = 'Tomorrow she') {
  return digestOf(scope, prompt, SERIES, ORDER, 42);
}

/** Computes the second digest, which covers later samplers. @param {any} scope */
export function digestLater(scope, prompt = 'Tomorrow she') {
  const rows = scope.table.map(({ name }) => name);
  return digestOf(scope, prompt, LATER, rows, 42 + SERIES.length);
}

async function digestOf(scope, prompt, series, names, seed) {
  const hash = new Fnv();
  for (const [i, asked] of series.entries()) {
    /** @type {any} */
    const settings = { ...asked, seed: seed + i };
    const ids = Array.from(await scope.encode(prompt));
    for (let step = 0; step < STEPS; step++) {
      await scope.feed(ids);
      hash.f32(...(await scope.logits()));
      addTrace(hash, await scope.distribution(settings, { step }), names);
      const drawn = await scope.draw(settings, { step });
      hash.u32(drawn.id, drawn.rank);
      hash.f64(drawn.p, drawn.p_raw, drawn.logprob);
      if (drawn.mu !== null) {
        hash.f64(drawn.mu);
        settings[settings.mirostat ? 'mirostat_mu' : 'adaptive_mean'] = drawn.mu;
      }
      ids.push(drawn.id);
    }
  }
  return hash.hex;
}
