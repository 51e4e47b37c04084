/// <reference lib="esnext.disposable" preserve="true" />
/** The types of the engine's interface. Nothing runs here. */

/**
 * A class of the platform by its name; `never` if the project has no types for it, so the package
 * needs neither a page's types nor Node's.
 * @template {string} Name
 * @typedef {typeof globalThis extends { [K in Name]: { prototype: infer T } } ? T : never} Platform
 */

/**
 * @typedef {typeof globalThis extends { WebAssembly: { Module: { prototype: infer T } } } ? T :
 *   never} WasmModule
 */

/**
 * One row of the table of settings, canonical order.
 * @typedef {object} TableRow
 * @property {string} name the setting's name
 * @property {string} stage the sampler's name in an order: 'dry' or 'xtc', else equal to `name`
 * @property {'real' | 'integer' | 'map' | 'list' | 'choice'} kind
 * @property {string} group 'second' (second distribution), 'penalty', 'shape', 'truncation',
 *   'mark' (watermark) or 'shared'
 * @property {boolean} sampler true for a sampler, false for a parameter that samplers share
 * @property {any} neutral the value that changes nothing: a number, {}, [] or a choice
 * @property {number} minimum smallest value accepted
 * @property {number} maximum largest value accepted
 * @property {boolean} minimum_included true if `minimum` itself is accepted
 * @property {boolean} maximum_included true if `maximum` itself is accepted
 * @property {string[]} choices names of the choices, in the order of their numbers
 * @property {number} low lower end of a slider
 * @property {number} high upper end of the slider
 * @property {number} step step of the slider
 * @property {number} usual an example value at which the sampler acts; 0 for a shared parameter
 * @property {string} effect the sampler's effect: 'flatten', 'cut', 'penalise', 'steer' or 'mark'
 */

/**
 * The settings: every name of the table, and options for drawing and listing. An unknown name is an
 * error. Each description begins with the neutral value, which changes nothing. p is a token's
 * probability before the sampler runs.
 * @typedef {object} Settings
 * @property {number} [guidance_scale] 1; classifier-free guidance: reads a second distribution
 * @property {number} [contrastive_beta] 0; contrastive decoding: reads a second distribution
 * @property {number} [contrastive_alpha] 0.1; with contrastive_beta, removes tokens with p below this
 *   share of the largest p
 * @property {Record<string, number | false>} [logit_bias] {}; the bias added to each token's
 *   logit, by token id; `false` bans the token. A key of several ids, separated by spaces, biases
 *   the last id if the history ends with the ids before it
 * @property {number} [encoder_repetition_penalty] 1; above 1 lifts tokens of the prompt
 * @property {number} [repetition_penalty] 1; above 1 lowers each token of the history: a positive
 *   logit is divided by it, a negative one multiplied
 * @property {number} [frequency_penalty] 0; subtracted from a logit for each occurrence of the
 *   token in the history
 * @property {number} [presence_penalty] 0; subtracted from the logit of each token in the history
 * @property {number} [no_repeat_ngram_size] 0; removes tokens that would complete a repeated
 *   sequence of this length
 * @property {number} [dry_multiplier] 0; DRY: strength of the penalty on a token that would
 *   extend a repeat
 * @property {number} [temperature] 1; divides the logits: below 1 sharper, above 1 flatter, 0 greedy
 * @property {number} [top_k] 0; keeps this many most probable tokens
 * @property {number} [top_p] 1; keeps the smallest set of most probable tokens with at least this
 *   mass (nucleus)
 * @property {number} [min_p] 0; keeps tokens with p of at least this share of the largest p
 * @property {number} [typical_p] 1; keeps the tokens of the most typical surprise, until they
 *   have this mass
 * @property {number} [epsilon_cutoff] 0; removes tokens with p below this value
 * @property {number} [eta_cutoff] 0; removes tokens with p below the smaller of eta_cutoff and
 *   sqrt(eta_cutoff) exp(-entropy)
 * @property {number} [top_n_sigma] 0; keeps logits within this many standard deviations of the
 *   largest
 * @property {number} [top_a] 0; removes tokens with p below top_a times the square of the largest p
 * @property {number} [p_less] 0; 1 removes tokens with p below the sum of all p squared, 2 uses
 *   its normalised form
 * @property {number} [top_h] 0; keeps tokens until their entropy is this share of the total entropy
 * @property {number} [dynatemp_range] 0; range of a temperature that follows the entropy, in
 *   place of `temperature`
 * @property {number} [smoothing_factor] 0; lowers each logit by the square of its distance to the largest
 * @property {number} [min_new_tokens] 0; removes end tokens before this many tokens are drawn
 * @property {number} [exponential_decay_length_penalty] 1; above 1 raises end tokens, more with
 *   each token after exponential_decay_start
 * @property {number} [tfs_z] 1; tail-free sampling: keeps tokens until the summed curvature of p
 *   reaches this share of the total
 * @property {number} [xtc_probability] 0; probability with which XTC removes every token with p of at
 *   least xtc_threshold except the least probable of them
 * @property {0 | 1 | 2} [mirostat] 0; version of mirostat, which replaces the truncations and keeps
 *   the surprise near mirostat_tau
 * @property {number} [adaptive_target] 0; adaptive-p: mean probability of the drawn tokens to reach
 * @property {number} [green_bias] 0; bias of the green_list watermark; 100 removes all other tokens
 * @property {number} [synthid_depth] 0; number of tournament layers of the synthid watermark
 * @property {0 | 1} [renormalize_logits] 0; 1 makes the logits ln p
 * @property {number} [repetition_window] 0, meaning all; number of last ids that penalties read
 * @property {number} [dry_base] 1.75; factor for each further token of a repeat
 * @property {number} [dry_allowed_length] 2; repeats up to this length are not penalised
 * @property {number} [dry_penalty_last_n] 64; number of last ids that DRY reads, 0: all
 * @property {(string | number | number[])[]} [dry_sequence_breakers] []; texts, ids, sequences of
 *   ids that end a repeat
 * @property {number} [xtc_threshold] 0.1; see xtc_probability
 * @property {number} [mirostat_tau] 5; target surprise, in bits
 * @property {number} [mirostat_eta] 0.1; learning rate of mirostat
 * @property {number} [mirostat_mu] 0, meaning 2 tau; state to continue a generation
 * @property {number} [adaptive_decay] 0.9; weight of earlier draws in adaptive-p
 * @property {number} [adaptive_mean] 0, meaning adaptive_target; state to continue a generation
 * @property {number} [dynatemp_exponent] 1; exponent from entropy to temperature
 * @property {number} [smoothing_curve] 1; above 1 adds a cubic part to smoothing_factor
 * @property {number} [penalty_decay] 1; for frequency_penalty: factor on an occurrence for each token
 *   that follows it
 * @property {0 | 1} [penalty_generated_only] 0; 1: frequency_penalty and presence_penalty count
 *   generated tokens only
 * @property {number} [rep_pen_slope] 1; reduces repetition_penalty for the older half of its window
 * @property {number} [prompt_ignore_length] 0; number of first ids that repetition_penalty ignores
 * @property {number} [exponential_decay_start] 0; number of drawn tokens before the length
 *   penalty begins
 * @property {number} [green_fraction] 0.25; green share of the vocabulary
 * @property {number} [green_context] 1; number of ids that choose the green tokens
 * @property {0 | 1} [green_self] 0; with 1, a token's hash includes the token itself
 * @property {number} [synthid_context] 4; number of ids that determine SynthID's g
 * @property {number} [watermark_key] 15485863; secret key of both watermarks
 * @property {number} [min_tokens_to_keep] 1; every truncation keeps at least this many tokens
 * @property {'transformers' | 'llama.cpp' | 'llama2.c'} [convention] 'transformers'; program that
 *   decides ties and boundaries
 * @property {string[]} [order] samplers in the order of application; may include 'own'. Default:
 *   the canonical order, which transformers uses
 * @property {Own | ArrayLike<number> | null} [own] the caller's sampler: a function, or its result for
 *   the arguments of `ownInput`. It runs at the position of 'own' in the order, or last if the
 *   order does not name 'own'
 * @property {string} [preset] a name in `presets`; the other settings override it
 * @property {'inverse' | 'gumbel'} [draw] 'inverse': the number u selects the token;
 *   'gumbel': noise on each logit does
 * @property {number} [top] number of tokens that a trace lists, 20. In a generation, use
 *   `top_logprobs`
 * @property {string | ArrayLike<number> | null} [negative_prompt] the text or ids from which a generation
 *   computes its second distribution, followed by the tokens drawn so far. Default: the prompt's
 *   last token. `read` uses the logits given to `second` instead
 * @property {ArrayLike<number>} [end_tokens] ids that end a text, for `generate`,
 *   `min_new_tokens` and the length penalty. Default: the model's end tokens
 * @property {number} [seed] 0; an integer from 0 to 2^53 - 1. The seed and the step determine the
 *   number u. So a loop over `draw` or `read` repeats one token, unless the caller gives `step` or
 *   `rng`
 * @property {Constraint | null} [constraint] the form that the generated text must have
 * @property {number | null} [constraint_start] timeline position at which the generated text
 *   begins. Default: the end of the timeline; in `generate`, the end of the prompt
 * @property {(string | number | number[])[] | null} [banned_words] texts, ids, or sequences of ids. The
 *   last id of a sequence is removed if the history ends with the ids before it. A text is banned
 *   both with and without a space before it
 * @property {number | string | null} [forced_first] the first generated token
 */

/**
 * The settings that a generation used: every setting of the table, and other settings if given.
 * @typedef {Required<Omit<Settings, OtherSetting>> & Required<Pick<Settings, 'order' | 'draw'>>
 *   & Pick<Settings, GivenSetting> & { end_tokens?: number[] }} UsedSettings
 *
 * Settings that are not in the table; a result reports a GivenSetting only if it was given.
 * @typedef {'negative_prompt' | 'constraint' | 'constraint_start' | 'banned_words' | 'forced_first'} GivenSetting
 * @typedef {GivenSetting | 'order' | 'own' | 'preset' | 'draw' | 'top' | 'end_tokens' | 'seed'} OtherSetting
 */

/**
 * The caller's sampler. It receives its input logits, every setting and the ids so far. It returns
 * a logit for each token; -Infinity removes the token. Removed tokens stay removed. The next stage
 * reads the returned logits. Only `generate` waits for a promise. An engine in a worker accepts
 * only the returned logits, not the function. `tokens` has the text of each token, the same list as
 * `Logitscope.tokens`; it is undefined for logits of another vocabulary than the model's, and in
 * the result of a worker's `ownInput`.
 * @typedef {(logits: Float32Array, settings: Record<string, any>,
 *   context: { history: number[], tokens?: readonly string[] }) =>
 *   ArrayLike<number> | Promise<ArrayLike<number>>} Own
 */

/**
 * The required form of a text: any JSON, one of the lessons' tasks, JSON with limits on depth and
 * white space, JSON that fits a schema, or the caller's grammar (src/grammar.h).
 *
 * A schema is JSON Schema as pydantic, zod and OpenAPI write it: an object, true, false, or JSON
 * text. JavaScript moves keys that look like integers to the front of an object, and rounds long
 * numbers; JSON text keeps the order and the digits. Annotations are ignored. An unsupported
 * keyword is an error that names it.
 *
 * Every generated text is valid. Some valid texts are never generated. Keys come in the schema's
 * order. An object with `properties` gets other keys only if the schema has `additionalProperties`;
 * a list with `prefixItems` gets more items only if the schema has `items`. A schema without `type`
 * allows the types to which its keywords apply. An unrestricted value has at most 8 levels. Numbers
 * with bounds have no exponent.
 *
 * `pattern` is a regular expression with the flag u. The supported formats are date, time,
 * date-time, duration, uuid, email, hostname, ipv4, ipv6 and uri, and int32 and int64 for integers.
 * Any other format is ignored, as the specification allows.
 * @typedef {'json' | 'name_age_city' | 'three_numbers' | { json: { depth?: number, space?: number } }
 *   | { schema: object | boolean | string, space?: number } | { grammar: string }} Constraint
 */

/**
 * The state of the constraint after the text so far.
 * @typedef {object} ConstraintState
 * @property {string} rule name of the grammar's rule that is being matched, the innermost one; ''
 *   if there is none
 * @property {boolean} complete true if the text may end here
 * @property {number} allowed number of possible next tokens
 * @property {number[]} bytes possible next bytes
 */

/**
 * The effect of one stage on the distribution before it. Masses are shares of 1, entropy in bits.
 * @typedef {object} TraceStage
 * @property {string} name
 * @property {number} value the setting's value. For logit_bias: the number of biased tokens; for
 *   constraint: of allowed tokens; for banned_words: of sequences; for forced_first: the id; for
 *   own: 0
 * @property {boolean} active true if the value is not neutral
 * @property {boolean} changed true if the stage changed a logit
 * @property {number} kept number of tokens that remain after the stage
 * @property {number} removed number of tokens that the stage removed
 * @property {number} mass_removed
 * @property {number} top_p_mass 1 - mass_removed
 * @property {number} entropy
 * @property {number} perplexity
 * @property {string | null} after name of the earlier stage because of which this stage has no
 *   effect; null if there is none
 * @property {string} [why] another reason why the stage has no effect; only the page sets it
 * @property {{ text: string, n: number, allowed: number }} [repeat] the longest repeat that DRY has found: its text, its
 *   length in tokens, the shortest length that DRY penalises; only the page sets it (state/idle-reason.js)
 * @property {number} [kept_high] of recorded probabilities (state/recorded.js): the most tokens that may
 *   remain; `kept` is then the fewest
 * @property {boolean} [exact] of recorded probabilities: true if the hidden tail changes nothing
 * @property {boolean} [cuts] of recorded probabilities: true for a truncation
 */

/**
 * One listed token.
 * @typedef {object} TraceToken
 * @property {number} id
 * @property {string} text
 * @property {boolean} special
 * @property {number} rank from 1, survivors first
 * @property {number} logit the model's logit
 * @property {number} warped logit after the chain, -Infinity if removed
 * @property {number} [p_second] probability after a second text; only the page sets it
 * @property {boolean} [green] true if the token is on the green list; only with a green list
 * @property {number} p_raw probability before the chain
 * @property {number} p probability after the chain
 * @property {number} logprob ln p, in nats
 * @property {number[]} stage_p p after each stage
 * @property {number} [p_high] of recorded probabilities: the largest possible p; `p` is then the smallest
 * @property {string | null} [maybe] of recorded probabilities: a stage that may remove the token
 * @property {string | null} removed_by name of the stage that removed the token, null if none did
 */

/**
 * The trace: all data that a view draws, computed in C over the whole vocabulary.
 * @typedef {object} Trace
 * @property {number} vocab_size
 * @property {TraceStage[]} stages in the order applied
 * @property {TraceToken[]} tokens survivors in rank order, then removed tokens by raw logit
 * @property {{ count: number, p_raw: number, p: number, kept: number, p_high?: number }} rest sums over
 *   the tokens that are not listed
 * @property {number} kept number of survivors
 * @property {number} kept_mass_raw sum of the survivors' p_raw
 * @property {number} entropy
 * @property {number} perplexity
 * @property {number} raw_entropy
 * @property {number} raw_perplexity
 * @property {{ p_raw: number, p: number }} [green] mass of the green tokens before and after the
 *   chain; only with a green list
 * @property {number} underflowed number of survivors with a probability below 2^-44 of the
 *   best token's probability
 * @property {string[]} warnings
 * @property {ConstraintState} [constraint] present if the settings have a constraint
 * @property {true} [bounded] true for recorded probabilities, which have intervals (state/recorded.js)
 * @property {number} [kept_high] of recorded probabilities: the most survivors
 * @property {number} [entropy_high] of recorded probabilities
 */

/**
 * The trace of pasted logits with the complete result.
 * @typedef {Trace & { logits: Float32Array, p: Float64Array }} WarpTrace
 */

/**
 * Facts of the model file. A file with only a vocabulary has no architecture.
 * @typedef {object} Info
 * @property {string} name
 * @property {string | null} architecture
 * @property {number} vocab_size
 * @property {number} context_length number of tokens that a session sees
 * @property {number} model_context_length number of tokens that the model was made for
 * @property {number} n_layer
 * @property {number} n_head
 * @property {number} n_head_kv
 * @property {number} n_embd
 * @property {number} n_ff
 * @property {number} parameters
 * @property {string | null} file_type
 * @property {number} bytes
 * @property {string | null} tokenizer 'asked' for a model with its forward pass elsewhere
 * @property {true} [remote] for a model with its forward pass elsewhere
 * @property {string | null} pre pre-tokenizer of a gpt2 tokenizer. Null if the file does not state
 *   it; the engine then uses `default`, as llama.cpp does
 * @property {boolean} chat_template true if the file has a chat template
 * @property {string[]} chat_templates names of the chat templates; the unnamed one is "default"
 * @property {number | null} bos_token_id
 * @property {number | null} eos_token_id
 * @property {number[]} end_token_ids every token that ends a text: end of sequence, turn or
 *   message
 * @property {number} weight_bytes memory of the packed weights
 * @property {number} session_bytes memory of each session, mostly its KV cache
 * @property {'scalar' | 'simd' | 'relaxed'} variant the code that multiplies quantised matrices.
 *   `scalar` is up to 50 times slower; it is the fallback if no faster module is available
 * @property {number} streams number of blocks of quantised rows that a decode step reads
 *   together: 1, 2 or 4
 * @property {number} threads threads that compute one text; no result depends on it
 */

/**
 * The surprisal in nats: a number for one token, an array for a list of tokens.
 * @template {number | ArrayLike<number>} T
 * @typedef {T extends number ? number : Float64Array} Surprisal
 */

/** @typedef {{ id: number, text: string, bytes: Uint8Array, special: boolean }} Piece */

/**
 * @typedef {object} EncodeOptions
 * @property {'auto' | boolean} [bos] true to begin with the beginning-of-sequence token;
 *   'auto', the default: as the model file says
 * @property {boolean} [special] true to encode the name of a special token in the text as that
 *   token; default false
 * @property {'auto' | false} [normalize] 'auto': convert the text to Unicode's form C if the
 *   model's own tokenizer does (Qwen, Command R, StableLM 2, MPT, OLMo), and read U+2581 as a space
 *   in a SentencePiece vocabulary; false: read the text as it is, as llama.cpp does for NFC
 */

/**
 * The watermark values of a text's ids, and the settings used; null for a watermark that is off.
 * `green`: 1 for a green token, else 0; with green_self, plus twice the distance back to the token
 * whose hash decides. `synthid`: the bits of g. Both: 2^32 - 1 for a token without a full context
 * before it.
 * @typedef {{ green: Uint32Array | null, synthid: Uint32Array | null, values: Record<string, any> }} Marks
 */

/**
 * The evidence of one watermark in a text. A token is scored if a full context precedes it. A
 * repeated pair of context and token is scored only once.
 * @typedef {object} Detection
 * @property {'green_bias' | 'synthid_depth'} name
 * @property {number} n number of scored tokens
 * @property {number} count number of green tokens among the scored; for SynthID, the number of g
 *   bits that are 1, out of n times depth
 * @property {number} share `count` as a share
 * @property {number} expected the share expected of a text without the watermark
 * @property {number} z number of standard deviations by which the count exceeds the expected one
 * @property {number} p exact probability of a count this high or higher in a text without the
 *   watermark: a binomial tail
 * @property {(number | null)[]} shares for each token of the text: 1 if green, else 0; for SynthID,
 *   the mean of its g; null without a full context
 * @property {number[]} scored indices of the scored tokens, ascending
 * @property {number[]} curve (n,) z after each scored token
 * @property {{ share: number, z: number, p: number, curve: number[] }} [weighted] only for SynthID:
 *   evidence by the weighted mean, in which the first layers count more; p is the normal tail
 */

/**
 * A drawn token; u is null for draw: 'gumbel'.
 * @typedef {object} Drawn
 * @property {number} id
 * @property {number | null} u
 * @property {number} p
 * @property {number} p_raw
 * @property {number} logprob ln p, in nats
 * @property {number} rank
 * @property {number | null} [mu] state of mirostat or adaptive-p for the next step; null if neither
 *   is on
 */

/**
 * The source of a draw's random number: a function, a number u, or a step of the seed. The default
 * is step 0, so a repeated call with equal settings and logits repeats the token.
 * @typedef {object} ReadChoice
 * @property {() => number} [rng] called once, returns u in [0, 1); `Math.random` for a new token
 *   each time
 * @property {number} [u] in [0, 1)
 * @property {number} [step] 0; the step of the seed, which determines u and XTC's coin
 *
 * @typedef {ReadChoice & { raw?: boolean }} DrawChoice `raw: false` sets p_raw to 0, for speed
 *
 * Optional inputs in addition to the caller's logits: the ids so far, and the logits of a second
 * distribution for guidance_scale or contrastive_beta.
 * @typedef {{ history?: ArrayLike<number>, second?: ArrayLike<number> }} Beside
 */

/**
 * A distribution and a token drawn from it.
 * @typedef {{ trace: Trace, drawn: Drawn }} Reading
 * @typedef {{ trace: WarpTrace, drawn: Drawn }} WarpReading
 */

/**
 * The distribution at each value of one setting. The elements from i * top to before (i + 1) * top
 * are the first tokens at value i, in the order of the draw; removed tokens are last.
 * @typedef {object} Landscape
 * @property {Float64Array} values (n,) the values of the setting, as the caller gave them
 * @property {number} top number of tokens per value
 * @property {Uint32Array} ids (n * top,)
 * @property {Float64Array} p (n * top,) each token's p over the whole vocabulary, 0 if removed
 * @property {TokenCourse} [token] the requested token
 *
 * One token at each value: its p, and in `before` the mass of the tokens before it in the order of
 * the draw.
 * @typedef {{ id: number, before: Float64Array, p: Float64Array }} TokenCourse both (n,), shares of 1
 */

/**
 * A message for a chat template. A template may also read fields that are not listed here.
 * @typedef {object} Message
 * @property {string} role system, user, assistant, tool, or another that the template knows
 * @property {string | object[] | null} [content]
 * @property {any} [tool_calls]
 * @property {string} [reasoning_content]
 * @property {string} [name]
 */

/**
 * @typedef {object} ChatOptions
 * @property {string} [system] a system message before the others
 * @property {object[]} [tools] as JSON schemas
 * @property {string} [template] name of one of the file's templates. Default: "tool_use" if tools
 *   are given and the file has this template, else "default"
 * @property {string} [date] date of strftime_now, YYYY-MM-DD; default 2024-07-26
 * @property {boolean} [add_generation_prompt] true, the default, opens the assistant's turn at the
 *   end
 * @property {Record<string, unknown>} [variables] other variables of the template, for instance
 *   enable_thinking
 * @property {string | Platform<'URL'> | Uint8Array} [renderer] code or address of the worker that
 *   renders templates, if it is not in the engine's folder
 */

/**
 * A control token of the template, or text. `thinking` is true between <think> and </think>.
 * @typedef {{ text: string, special: boolean, token?: number, thinking?: true }} ChatPart
 */

/**
 * @typedef {object} Chat
 * @property {string} text the prompt
 * @property {ChatPart[]} parts the prompt in parts
 * @property {Uint32Array} ids the prompt's ids, for `generate`
 * @property {string} date the date that the template used, YYYY-MM-DD
 */

/**
 * A timeline over another model. It may also be that model's scope, which has a default timeline.
 * @typedef {{ feed: (ids: ArrayLike<number>) => unknown, logits: () => Float32Array
 *   | Promise<Float32Array> }} Amateur
 *
 * @typedef {object} GenerateOptions
 * @property {string | ArrayLike<number>} prompt the beginning of the text, or its ids
 * @property {ArrayLike<number>} [drawn_ids] ids that an earlier generation drew after the prompt. The
 *   first draw then has their number as its step, so the text continues as that generation did; a
 *   result does not repeat them
 * @property {number} [max_new_tokens] 100; maximum number of tokens to draw
 * @property {boolean} [cache] false: each step evaluates the whole window again
 * @property {string | string[]} [stop] texts that end the generation; the result does not include
 *   them
 * @property {Platform<'AbortSignal'>} [signal] an abort ends the generation, even while the
 *   prompt is evaluated. The result has the tokens so far and the finish_reason 'aborted'
 * @property {number} [u] in [0, 1); replaces the first step's u; later steps use the seed's u
 * @property {ThinkingOptions} [thinking] settings of the thinking part of the text
 * @property {Amateur} [amateur] another model with the same vocabulary, which replaces
 *   negative_prompt: its logits after the text are the second distribution
 * @property {Draft | Source} [draft] a smaller model that drafts tokens (speculative decoding).
 *   Each pass of the model accepts some drafts; the text's distribution does not change. A scope,
 *   or an argument of `load`, which a message to a worker can carry. During a step with drafts, the
 *   timeline includes them
 * @property {number} [top_logprobs] 0; number of tokens that each step lists, most probable first;
 *   `top` is a synonym. With a draft use draft_top
 * @property {number} [draft_tokens] number of drafts per pass, 1 to 32; 4
 * @property {number} [draft_top] number of tokens that each step lists with both distributions; 0
 */

/**
 * Settings that hold in the thinking part of a text in place of the text's own, for settings of the
 * table and for `order`. The thinking begins with the token after the one that completes `begin`, and
 * ends with the token that completes `end`. In the prompt, a control token that completes neither ends
 * it, because a new turn begins there. Histories, windows, seed and steps are those of the whole text;
 * Mirostat and adaptive-p keep a state for each part.
 * @typedef {{ settings?: Settings, begin?: Delimiter, end?: Delimiter }} ThinkingOptions
 *
 * A text, even one that is spread over several tokens, or ids. Default: `<think>` and `</think>`.
 * @typedef {string | number | ArrayLike<number>} Delimiter
 */

/**
 * A timeline over a smaller model, opened for a generation and closed after it.
 * @typedef {Amateur & { close: () => unknown }} DraftSession
 *
 * A scope over a smaller model with the same vocabulary.
 * @typedef {{ info: Info | null, piece: (id: number) => Piece | Promise<Piece>,
 *   session: () => DraftSession | Promise<DraftSession> }} Draft
 *
 * A token with its probability p under the model. If the step has a draft: also q, the probability
 * under the draft's model, and the token's share of the residual, max(0, p - q) over its sum.
 * @typedef {{ id: number, text: string, p: number, q?: number, residual?: number }} SpeculatedToken
 *
 * The origin of a token in speculative decoding. 'accepted': a draft; 'replaced': drawn from the
 * residual after a draft was rejected; 'bonus': drawn from p without a draft.
 * @typedef {object} Speculated
 * @property {'accepted' | 'replaced' | 'bonus'} outcome
 * @property {number} pass index of the large model's pass, from 0
 * @property {number} [drafted] id of the drafted token. The fields from here to `residual` exist
 *   only if the step has a draft
 * @property {string} [drafted_text]
 * @property {number} [p] probability of the draft under the large model
 * @property {number} [q] probability of the draft under the small model
 * @property {number} [acceptance] min(1, p / q)
 * @property {number} [coin] random number in [0, 1); the draft is accepted if it is below
 *   `acceptance`
 * @property {number} [residual] probability of a rejection: the sum of max(0, p - q)
 * @property {number[]} [dropped] the drafts after a rejected draft, which were not examined
 * @property {SpeculatedToken[]} [tokens] the `draft_top` tokens with the largest max(p, q), and
 *   the drafted and the chosen token
 */

/**
 * @typedef {object} SpeculationTotals
 * @property {number} passes number of passes of the large model
 * @property {number} tokens number of resulting tokens
 * @property {number} drafted number of drafts
 * @property {number} accepted number of accepted drafts
 * @property {number} rejected number of rejected drafts; drafts after a rejected one are neither
 *   accepted nor rejected
 * @property {number | null} acceptance accepted / (accepted + rejected); null if both are 0
 * @property {number | null} tokens_per_pass null without a pass
 * @property {number} ms total time
 * @property {number} draft_ms time spent on drafting
 */

/**
 * The log-probability of a text after a prompt, in nats: the sum, and the value of each token.
 * @typedef {{ prompt_ids: number[], ids: number[], logprob: number,
 *   tokens: { id: number, text: string, logprob: number }[] }} Score
 */

/**
 * One generated token; `text` is its addition to the decoded text. u is the random number that
 * chose the token: the step's u, or for a token of the residual, the coin of that draw.
 * @typedef {Drawn & { text: string, entropy: number, kept: number, ms: number, position: number,
 *   thinking?: boolean, top_logprobs?: ListedToken[], speculation?: Speculated }} Step `thinking`: only with
 *   the option `thinking`
 *
 * A possible token of a step; a removed one has p 0 and logprob -Infinity.
 * @typedef {{ id: number, text: string, logprob: number, p: number, p_raw: number, rank: number }} ListedToken
 */

/**
 * @typedef {object} Generated
 * @property {number[]} prompt_ids
 * @property {number[]} ids without the prompt; they include the end-of-sequence token if it was drawn
 * @property {string} text
 * @property {'eos' | 'length' | 'stop' | 'aborted'} finish_reason
 * @property {number} seed
 * @property {UsedSettings} settings every setting as used
 * @property {{ begin: Delimiter, end: Delimiter, settings: UsedSettings }} [thinking] only with the
 *   option `thinking`: every setting as used in the thinking
 * @property {SpeculationTotals} [speculation] only with a draft
 */

/**
 * The tokens of a text, for `breakLoop`. Its other options are the settings with which they were drawn.
 * @typedef {object} LoopOptions
 * @property {string | ArrayLike<number>} prompt
 * @property {ArrayLike<number>} drawn_ids ids drawn after the prompt
 * @property {ArrayLike<number | null>} [u] random numbers in place of the seed's, by index; null: the seed's
 * @property {ThinkingOptions} [thinking] as for `generate`
 *
 * A token of the text, by its index among the drawn ones, and the token that is drawn instead.
 * @typedef {{ index: number, token: { id: number, text: string }, instead: { id: number, text: string } }} OtherToken
 *
 * The value of a setting, nearest to the present one, that breaks a loop: with it the same random number draws another
 * token in the first cycles, at most three. `before` is the tried value next to it, which breaks nothing. `first` is the index of
 * the first token that the value changes; if it is less than `index`, the text changes before its loop.
 * @typedef {OtherToken & { setting: string, value: number, before: number, first: number }} LoopBreak
 *
 * @typedef {object} LoopBreaks
 * @property {import('./text-loops.js').Loop} loop the first loop of the text, by indices of drawn tokens
 * @property {boolean} thinking true if the values are settings of the thinking, where the loop begins
 * @property {OtherToken | null} already the token of the loop that the given settings draw otherwise; null if they
 *   draw the loop. If there is one, the lists below are empty
 * @property {LoopBreak[]} breaks in the order of the table
 * @property {{ setting: string, value: number }[]} unbroken settings that do not break the loop up to this value
 */

/**
 * A source of bytes: an address, in Node also a path, or the bytes themselves.
 * @typedef {string | ArrayBuffer | Uint8Array | Platform<'URL'> | Platform<'Response'> | Platform<'Blob'>} Source
 */
/**
 * `where` tells if a file of another host is kept. "there": kept before; "device", "cache" or
 * "folder": kept now. Otherwise it is the reason: "quota", "busy" (another tab is storing the
 * file), "none" (no storage), "unsized" (unknown size).
 * @typedef {(progress: { loaded: number, total: number | null, where?: string }) => void} OnProgress
 */
/** @typedef {{ keep?: boolean, signal?: Platform<'AbortSignal'> }} OpenOptions */

/**
 * @typedef {object} LoadOptions
 * @property {Source | Source[]} [model] a model file, or a list of all parts of a split file. A
 *   string may be an address, a name of the Hugging Face hub (hub:owner/name/file.gguf) or the
 *   address of a file's page there. Without a model the engine only reads the caller's logits
 * @property {AskedSource} [source] a model with its forward pass elsewhere, in place of `model`
 * @property {boolean} [keep] true to keep a file of another host for the next visit
 * @property {Platform<'AbortSignal'>} [signal] an abort makes `load` reject with code `cancelled`
 * @property {Source | WasmModule} [wasm] logitscope.wasm, if not the package's
 * @property {Source | WasmModule} [simd] logitscope-simd.wasm. Default: the file in the folder of
 *   `wasm` if `wasm` is an address, else the package's own
 * @property {Source | WasmModule} [relaxed] logitscope-relaxed.wasm; default as for `simd`
 * @property {'auto' | 'scalar' | 'simd' | 'relaxed'} [variant] `auto` selects the fastest available
 *   variant. If `simd` or `relaxed` is not available, `load` rejects with the reason
 * @property {'auto' | 1 | 2 | 4} [streams] number of blocks of quantised rows that a decode step reads
 *   together; it changes no result. `auto` times 1, 2 and 4 on the model's own weights and selects
 *   the fastest
 * @property {number} [threads] threads that compute one text, 1 to 16, in Node and in the worker of an isolated page;
 *   elsewhere there is one. Default: by a measurement; one for a file below 8 MB
 * @property {number} [context] number of tokens that a session sees. Default: the model's own context
 *   length, but at most 4,096
 * @property {boolean} [cache] default of `feed` and `generate`: false evaluates the whole window
 *   each time
 * @property {boolean} [session] false: opens no session and needs no memory for it; the model only
 *   answers for facts and tokens
 * @property {OnProgress} [onprogress] called during the fetch of the model
 */

/**
 * A model with its forward pass elsewhere, for example in a server or in another program. The engine
 * asks for the ids of a text and for the logits after ids, keeps the answers, and computes everything
 * else. Each call of a scope or session over it may return a promise, so `await` it. An answer may take
 * 60 seconds.
 * @typedef {object} AskedSource
 * @property {{ name: string, vocab_size: number, context_length: number, bos_token_id?: number | null,
 *   eos_token_id?: number | null, complete?: true, logprobs?: boolean }} info vocab_size: 1 to 262,144.
 *   A question has at most the last context_length ids. `complete`: the logits are of the whole vocabulary.
 *   `logprobs`: the logits are log-probabilities, so samplers that depend on a logit's sign are refused
 * @property {(string | Uint8Array)[]} pieces the text or the bytes of each token
 * @property {(text: string, how: { signal: Platform<'AbortSignal'> }) => ArrayLike<number> |
 *   Promise<ArrayLike<number>>} encode returns the ids of a text; throws if the vocabulary cannot spell it
 * @property {(ids: Uint32Array, how: { signal: Platform<'AbortSignal'> }) => ArrayLike<number> |
 *   Promise<ArrayLike<number>>} logits returns the logits after the ids, a list of numbers or a
 *   Float32Array (vocab_size,). NaN and +Infinity are refused. The signal aborts when no call waits for
 *   the answer any more
 */

/**
 * A port to a worker or thread that called `serve`.
 * @typedef {{ postMessage: (message: any, transfer?: any) => void }} RemotePort
 *
 * The options that only `RemoteLogitscope.load` has.
 * @typedef {object} WorkerOptions
 * @property {string | Platform<'URL'> | RemotePort} [worker] address of a worker's script, or a
 *   Worker or MessagePort whose other end called `serve`. Default: the package's own worker, which
 *   `close` ends
 * @property {boolean} [supersede] default false. If true, a new `read` or `distribution` of a
 *   session makes a waiting one reject with code `superseded`, so that a slider never queues calls
 *
 * @typedef {LoadOptions & WorkerOptions} RemoteOptions
 */

export {};
