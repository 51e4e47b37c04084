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
 * @property {string} stage another name that an order accepts: 'dry', 'xtc'; else the name
 * @property {'real' | 'integer' | 'map' | 'list' | 'choice'} kind
 * @property {string} group 'second', 'penalty', 'shape', 'truncation', 'mark' or 'shared'
 * @property {boolean} warper true for a sampler, false for a parameter that samplers share
 * @property {any} neutral the value that changes nothing: a number, {}, [] or a choice
 * @property {number} minimum smallest value accepted
 * @property {number} maximum largest value accepted
 * @property {boolean} minimum_included whether `minimum` itself is accepted
 * @property {boolean} maximum_included
 * @property {string[]} choices names of the choices, in the order of their numbers
 * @property {number} low lower end of a slider
 * @property {number} high
 * @property {number} step
 * @property {number} usual a value at which a sampler acts; 0 for a shared parameter
 * @property {string} effect of a sampler: 'flatten', 'cut', 'penalise', 'steer' or 'mark'
 */

/**
 * The settings: every name of the table, and the choices of drawing and listing. An unknown name is
 * an error. Each line begins with the neutral value, which changes nothing. p is the probability of
 * a token when it reaches the stage.
 * @typedef {object} Settings
 * @property {number} [guidance_scale] 1; classifier-free guidance: reads a second distribution
 * @property {number} [contrastive_beta] 0; contrastive decoding: reads a second distribution
 * @property {number} [contrastive_alpha] 0.1; of contrastive_beta: tokens below this share of the largest p go
 * @property {Record<string, number | false>} [logit_bias] {}; added to the logit, by token id;
 *   false bans. A key of several ids, separated by spaces, biases the last id if the history ends
 *   with the others
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
 * @property {number} [epsilon_cutoff] 0; removes tokens with p below it
 * @property {number} [eta_cutoff] 0; removes tokens with p below the smaller of it and sqrt(it)
 *   exp(-entropy)
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
 * @property {number} [tfs_z] 1; tail-free sampling: keeps tokens until the curvature of p reaches it
 * @property {number} [xtc_probability] 0; how often XTC removes all but the least probable of the
 *   probable tokens
 * @property {0 | 1 | 2} [mirostat] 0; the version, which replaces the truncations and holds the
 *   surprise constant
 * @property {number} [adaptive_target] 0; adaptive-p: mean probability of the drawn tokens to reach
 * @property {number} [green_bias] 0; bias of the green_list watermark; 100 makes it hard
 * @property {number} [synthid_depth] 0; number of tournament layers of the synthid watermark
 * @property {0 | 1} [renormalize_logits] 0; 1 makes the logits ln p
 * @property {number} [repetition_window] 0, meaning all; number of last ids that penalties read
 * @property {number} [dry_base] 1.75; factor for each further token of a repeat
 * @property {number} [dry_allowed_length] 2; repeats up to this length are not penalised
 * @property {number} [dry_penalty_last_n] 64; number of last ids that DRY reads, 0: all
 * @property {(string | number | number[])[]} [dry_sequence_breakers] []; texts, ids, sequences of
 *   ids that end a repeat
 * @property {number} [xtc_threshold] 0.1; least p of a probable token for XTC
 * @property {number} [mirostat_tau] 5; target surprise, in bits
 * @property {number} [mirostat_eta] 0.1; learning rate of mirostat
 * @property {number} [mirostat_mu] 0, meaning 2 tau; state to continue a generation
 * @property {number} [adaptive_decay] 0.9; weight of earlier draws in adaptive-p
 * @property {number} [adaptive_mean] 0, meaning adaptive_target; state to continue a generation
 * @property {number} [dynatemp_exponent] 1; exponent from entropy to temperature
 * @property {number} [smoothing_curve] 1; of smoothing_factor: above 1 a cubic part is added
 * @property {number} [penalty_decay] 1; factor on an occurrence for each token since, of
 *   frequency_penalty
 * @property {number} [rep_pen_slope] 1; reduces repetition_penalty for the older half of its window
 * @property {number} [prompt_ignore_length] 0; number of first ids that repetition_penalty ignores
 * @property {number} [exponential_decay_start] 0; number of drawn tokens before the length
 *   penalty begins
 * @property {number} [green_fraction] 0.25; green share of the vocabulary
 * @property {number} [green_context] 1; number of ids that choose the green tokens
 * @property {0 | 1} [green_self] 0; 1: the token itself is part of its hash
 * @property {number} [synthid_context] 4; number of ids that determine SynthID's g
 * @property {number} [watermark_key] 15485863; secret key of both watermarks
 * @property {number} [min_tokens_to_keep] 1; every truncation keeps at least this many tokens
 * @property {'transformers' | 'llama.cpp' | 'llama2.c'} [convention] 'transformers'; program that
 *   decides ties and boundaries
 * @property {string[]} [order] samplers in the order of application, 'own' among them. By default
 *   the canonical order, that of transformers
 * @property {Own | ArrayLike<number> | null} [own] the caller's sampler at the place of 'own' in
 *   the order, at the end if the order does not name it: a function, or its result for the
 *   arguments of `ownInput`
 * @property {string} [preset] a name in `presets`; the other settings override it
 * @property {'inverse' | 'gumbel'} [draw] 'inverse': by the number u; 'gumbel': by noise on each logit
 * @property {number} [top] number of tokens that a trace lists, 20; for a generation see
 *   `top_logprobs`
 * @property {string | ArrayLike<number> | null} [negative_prompt] source of a generation's second
 *   distribution: this text and the tokens drawn so far; by default the prompt's last token. A
 *   reading takes it from `second`
 * @property {ArrayLike<number>} [end_tokens] ids that end a text, for `generate`,
 *   `min_new_tokens` and the length penalty; by default the model's
 * @property {number} [seed] 0; an integer up to 2^53 - 1. Step n of a seed always has the same
 *   number u: a loop over `draw` or `read` draws the same token each time, unless `step` or `rng`
 *   is given
 * @property {Constraint | null} [constraint] the form that the generated text must have
 * @property {number | null} [constraint_start] timeline position at which the generated text
 *   begins; by default the end (of `generate`, the prompt's)
 * @property {(string | number | number[])[] | null} [banned_words] texts, ids, sequences of ids:
 *   the last id is removed after the others. A text is banned in its spelling by itself and after a
 *   space
 * @property {number | string | null} [forced_first] the first generated token
 */

/**
 * Every setting as a generation used it: each one of the table, and the given ones of the others.
 * @typedef {Required<Omit<Settings, OtherSetting>> & Required<Pick<Settings, 'order' | 'draw'>>
 *   & Pick<Settings, GivenSetting> & { end_tokens?: number[] }} UsedSettings
 *
 * Settings that are not in the table; a result reports a GivenSetting only if it was given.
 * @typedef {'negative_prompt' | 'constraint' | 'constraint_start' | 'banned_words' | 'forced_first'} GivenSetting
 * @typedef {GivenSetting | 'order' | 'own' | 'preset' | 'draw' | 'top' | 'end_tokens' | 'seed'} OtherSetting
 */

/**
 * A sampler of the caller. From the logits that reach it, every setting and the ids so far, it
 * returns a logit for each token; -Infinity removes the token. Removed tokens stay removed. The
 * rest of the chain reads its result. Only `generate` waits for a promise. An engine in a worker
 * takes the result, not the function.
 * @typedef {(logits: Float32Array, settings: Record<string, any>, context: { history: number[] }) =>
 *   ArrayLike<number> | Promise<ArrayLike<number>>} Own
 */

/**
 * JSON, or one of the lessons' tasks; JSON with another budget; JSON by a schema; a grammar of the
 * caller (src/grammar.h).
 *
 * A schema is JSON Schema as pydantic, zod and OpenAPI write it: an object, true, false, or its
 * text. JavaScript moves keys that look like integers to the front of an object, and rounds long
 * numbers; the text preserves both. Annotations are ignored; other keywords are followed or refused
 * by name.
 *
 * Every generated text is valid. Some valid texts are never generated. Keys come in the schema's
 * order. An object with `properties` has no others, unless `additionalProperties` asks for them; a
 * list with `prefixItems` has no more, unless `items` does. A schema without `type` has the types
 * of its keywords. An unrestricted value is nested at most 8 deep. Numbers with bounds have no
 * exponent.
 *
 * `pattern` is read as with the flag u. The formats date, time, date-time, duration, uuid, email,
 * hostname, ipv4, ipv6 and uri are followed, and int32 and int64 for integers; any other format is
 * an annotation, as in the specification.
 * @typedef {'json' | 'name_age_city' | 'three_numbers' | { json: { depth?: number, space?: number } }
 *   | { schema: object | boolean | string, space?: number } | { grammar: string }} Constraint
 */

/**
 * The state of the constraint after the text so far.
 * @typedef {object} ConstraintState
 * @property {string} rule innermost open rule of the grammar, '' for none
 * @property {boolean} complete whether the text may end here
 * @property {number} allowed number of possible next tokens
 * @property {number[]} bytes possible next bytes
 */

/**
 * The effect of one stage on the distribution before it. Masses are shares of 1, entropy in bits.
 * @typedef {object} TraceStage
 * @property {string} name
 * @property {number} value for logit_bias the number of biased tokens, for constraint of allowed
 *   tokens, for banned_words of sequences; for forced_first the id, for own 0
 * @property {boolean} active whether the value is not neutral
 * @property {boolean} changed whether it changed a logit
 * @property {number} kept
 * @property {number} removed
 * @property {number} mass_removed
 * @property {number} top_p_mass
 * @property {number} entropy
 * @property {number} perplexity
 * @property {string | null} after the earlier stage that left this one no effect
 * @property {string} [why] on the page, another reason for no effect: see state/idle-reason.js
 */

/**
 * One listed token.
 * @typedef {object} TraceToken
 * @property {number} id
 * @property {string} text
 * @property {boolean} special
 * @property {number} rank from 1, survivors first
 * @property {number} logit the model's logit
 * @property {number} warped after the chain, -Infinity if removed
 * @property {number} [p_second] under a second text; the page adds it, the engine never does
 * @property {boolean} [green] with a green list: whether the token is on it
 * @property {number} p_raw
 * @property {number} p
 * @property {number} logprob ln p, in nats
 * @property {number[]} stage_p p after each stage
 * @property {string | null} removed_by
 */

/**
 * The trace: all data that a view draws, computed in C over the whole vocabulary.
 * @typedef {object} Trace
 * @property {number} vocab_size
 * @property {TraceStage[]} stages in the order applied
 * @property {TraceToken[]} tokens survivors in rank order, then the removed by raw logit
 * @property {{ count: number, p_raw: number, p: number, kept: number }} rest sums over the tokens
 *   that are not listed
 * @property {number} kept
 * @property {number} kept_mass_raw
 * @property {number} entropy
 * @property {number} perplexity
 * @property {number} raw_entropy
 * @property {number} raw_perplexity
 * @property {{ p_raw: number, p: number }} [green] with a green list: the mass of its tokens,
 *   before the chain and after it
 * @property {number} underflowed number of survivors with a probability below 2^-44 of the best
 * @property {string[]} warnings
 * @property {ConstraintState} [constraint] if the settings have one
 */

/**
 * The trace of pasted logits with the complete result.
 * @typedef {Trace & { logits: Float32Array, p: Float64Array }} WarpTrace
 */

/**
 * Facts of the model file. A file that holds a vocabulary only has no architecture.
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
 * @property {string | null} tokenizer
 * @property {string | null} pre pre-tokenizer of the gpt2 kind. If the file does not state it:
 *   null, and `default` is used, which is llama.cpp's choice
 * @property {boolean} chat_template whether the file has one
 * @property {string[]} chat_templates their names; the unnamed one is "default"
 * @property {number | null} bos_token_id
 * @property {number | null} eos_token_id
 * @property {number[]} end_token_ids every token that ends a text: the end of a turn, of a message
 * @property {number} weight_bytes memory of the packed weights
 * @property {number} session_bytes memory of each session, mostly its KV cache
 * @property {'scalar' | 'simd' | 'relaxed'} variant the loops that multiply quantised matrices.
 *   `scalar`, up to 50 times slower, is also used if neither other module is available
 * @property {number} streams number of blocks of quantised rows that a decode step reads
 *   together: 1, 2 or 4
 */

/**
 * The surprisal in nats: a number for one token, an array for several.
 * @template {number | ArrayLike<number>} T
 * @typedef {T extends number ? number : Float64Array} Surprisal
 */

/** @typedef {{ id: number, text: string, bytes: Uint8Array, special: boolean }} Piece */

/**
 * @typedef {object} EncodeOptions
 * @property {'auto' | boolean} [bos] whether to begin with the beginning-of-sequence token;
 *   'auto': as the model file says
 * @property {boolean} [special] whether the names of special tokens in the text are those tokens;
 *   false
 * @property {'auto' | false} [normalize] 'auto': convert the text to Unicode's form C if the
 *   model's own tokenizer does (Qwen, Command R, StableLM 2, MPT, OLMo), and read U+2581 as a space
 *   in a SentencePiece vocabulary; false: read the text as it is, as llama.cpp does for NFC
 */

/**
 * The values of a text's ids under the watermarks that are on; null for a watermark that is off.
 * green: 1 for a green token, 0 for another; with green_self also twice the distance back to the
 * token that decides. synthid: the bits of g. 2^32 - 1 for a token without a full context before
 * it. Beside them the settings.
 * @typedef {{ green: Uint32Array | null, synthid: Uint32Array | null, values: Record<string, any> }} Marks
 */

/**
 * The evidence of one watermark in a text. A token is scored if its full context comes before it;
 * of repeats only the first is.
 * @typedef {object} Detection
 * @property {'green_bias' | 'synthid_depth'} name
 * @property {number} n number of scored tokens
 * @property {number} count number of green ones; for SynthID the number of g that are 1, of n
 *   times depth
 * @property {number} share `count` as a share
 * @property {number} expected the share expected of a text without the watermark
 * @property {number} z standard deviations of the count above that
 * @property {number} p the exact probability of at least that count without the watermark: a
 *   binomial tail
 * @property {(number | null)[]} shares for each token of the text: 1 or 0, or the mean of its g;
 *   null without a full context
 * @property {number[]} scored indices of the scored tokens, ascending
 * @property {number[]} curve (n,) z after each of these
 * @property {{ share: number, z: number, p: number, curve: number[] }} [weighted] for SynthID: by
 *   the weighted mean, in which the first layers count more; p is the normal tail
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
 * @property {number | null} [mu] state of mirostat or adaptive_p for the next step; null without
 *   them
 */

/**
 * The source of a draw's random number: a function, a number u, or a step of the seed. Without any
 * it is step 0, so each call with the same settings draws the same token.
 * @typedef {object} ReadChoice
 * @property {() => number} [rng] called once, returns u in [0, 1); `Math.random` for a new token
 *   each time
 * @property {number} [u] in [0, 1)
 * @property {number} [step] 0; the step of the seed that gives u, and XTC's coin
 *
 * @typedef {ReadChoice & { raw?: boolean }} DrawChoice `raw: false` leaves p_raw out, for speed
 *
 * Additions to logits of the caller: the ids so far, and the logits of a second distribution for
 * guidance_scale or contrastive_beta.
 * @typedef {{ history?: ArrayLike<number>, second?: ArrayLike<number> }} Beside
 */

/**
 * A distribution and a token drawn from it.
 * @typedef {{ trace: Trace, drawn: Drawn }} Reading
 * @typedef {{ trace: WarpTrace, drawn: Drawn }} WarpReading
 */

/**
 * The distribution at each value of one setting. For value i the places i * top to (i + 1) * top
 * hold the first tokens in the order of the draw, removed tokens last.
 * @typedef {object} Landscape
 * @property {Float64Array} values (n,) as asked
 * @property {number} top
 * @property {Uint32Array} ids (n * top,)
 * @property {Float64Array} p (n * top,) over the whole vocabulary, 0 for a removed token
 * @property {TokenCourse} [token] the requested token
 *
 * One token at each value: the mass before it in the order of the draw, and its own.
 * @typedef {{ id: number, before: Float64Array, p: Float64Array }} TokenCourse both (n,), shares of 1
 */

/**
 * A message for a chat template, which may read other fields too.
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
 * @property {string} [template] name of one of the file's templates; by default "tool_use" if
 *   there are tools and such a template, else "default"
 * @property {string} [date] date of strftime_now, YYYY-MM-DD; 2024-07-26
 * @property {boolean} [add_generation_prompt] whether to open the assistant's turn at the end; true
 * @property {Record<string, unknown>} [variables] other variables of the template, for instance
 *   enable_thinking
 * @property {string | Platform<'URL'> | Uint8Array} [renderer] the worker that renders templates,
 *   or its address, if it is not beside the engine
 */

/**
 * A control token of the template, or text; `thinking` between <think> and </think>.
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
 * A timeline over another model, for instance a scope.
 * @typedef {{ feed: (ids: ArrayLike<number>) => unknown, logits: () => Float32Array
 *   | Promise<Float32Array> }} Amateur
 *
 * @typedef {object} GenerateOptions
 * @property {string | ArrayLike<number>} prompt the beginning of the text, or its ids
 * @property {number} [max_new_tokens] 100; most tokens to draw
 * @property {boolean} [cache] false: each step evaluates the whole window
 * @property {string | string[]} [stop] texts that end the generation; the result does not include
 *   them
 * @property {Platform<'AbortSignal'>} [signal] ends the generation, also during the evaluation of
 *   the prompt; the result has the tokens so far and the finish_reason 'aborted'
 * @property {number} [u] replaces the first step's number; later steps keep the seed's
 * @property {Amateur} [amateur] source of the second distribution, in place of negative_prompt:
 *   another model with the same vocabulary reads the text itself, in its default timeline
 * @property {Draft | Source} [draft] a smaller model that drafts tokens; each pass of the model
 *   accepts some of them, and the distribution of the text stays the same (speculative decoding). A
 *   scope, or an argument of `load`, which a message to a worker can carry. During such a step the
 *   timeline includes the drafts
 * @property {number} [top_logprobs] 0; number of tokens that each step lists, in the order of its
 *   own distribution; `top` is a synonym. With a draft use draft_top
 * @property {number} [draft_tokens] number of drafts per pass, 1 to 32; 4
 * @property {number} [draft_top] number of tokens that each step lists with both distributions; 0
 */

/**
 * A timeline over a smaller model, opened for a generation and closed after it.
 * @typedef {Amateur & { close: () => unknown }} DraftSession
 *
 * A scope over a smaller model with the same vocabulary.
 * @typedef {{ info: Info | null, piece: (id: number) => Piece | Promise<Piece>,
 *   session: () => DraftSession | Promise<DraftSession> }} Draft
 *
 * A token with its p under the model, its q under the draft's model if there is a draft, and its
 * share of the residual, max(0, p - q) over the sum.
 * @typedef {{ id: number, text: string, p: number, q?: number, residual?: number }} SpeculatedToken
 *
 * The origin of a token in speculative decoding: an accepted draft, a token of the residual that
 * replaced a draft, or a token drawn from p without a draft.
 * @typedef {object} Speculated
 * @property {'accepted' | 'replaced' | 'bonus'} outcome
 * @property {number} pass number of the large model's pass, from 0
 * @property {number} [drafted] id of the draft; this and the following fields exist only with a
 *   draft
 * @property {string} [drafted_text]
 * @property {number} [p] probability of the draft under the large model
 * @property {number} [q]
 * @property {number} [acceptance] min(1, p / q)
 * @property {number} [coin] in [0, 1): the draft is accepted if it is below `acceptance`
 * @property {number} [residual] probability of a rejection: the sum of max(0, p - q)
 * @property {number[]} [dropped] the drafts after a rejected one, which were not examined
 * @property {SpeculatedToken[]} [tokens] the first `draft_top` by the larger of p and q, and the
 *   drafted and the chosen token
 */

/**
 * @typedef {object} SpeculationTotals
 * @property {number} passes number of passes of the large model
 * @property {number} tokens number of resulting tokens
 * @property {number} drafted
 * @property {number} accepted
 * @property {number} rejected the others were dropped
 * @property {number | null} acceptance accepted drafts over accepted and rejected ones
 * @property {number | null} tokens_per_pass
 * @property {number} ms total time
 * @property {number} draft_ms time of the drafts alone
 */

/**
 * The log-probability of a text after a prompt, in nats: the sum, and for each token.
 * @typedef {{ prompt_ids: number[], ids: number[], logprob: number,
 *   tokens: { id: number, text: string, logprob: number }[] }} Score
 */

/**
 * One generated token; `text` is its addition to the decoded text. With a draft, u is the number
 * that chose the token: the step's own, or for a residual the coin that drew from it.
 * @typedef {Drawn & { text: string, entropy: number, kept: number, ms: number, position: number,
 *   top_logprobs?: ListedToken[], speculation?: Speculated }} Step
 *
 * A possible token of a step; a removed one has p 0 and logprob -Infinity.
 * @typedef {{ id: number, text: string, logprob: number, p: number, p_raw: number, rank: number }} ListedToken
 */

/**
 * @typedef {object} Generated
 * @property {number[]} prompt_ids
 * @property {number[]} ids without the prompt, with the end-of-sequence token when it was drawn
 * @property {string} text
 * @property {'eos' | 'length' | 'stop' | 'aborted'} finish_reason
 * @property {number} seed
 * @property {UsedSettings} settings every setting as used
 * @property {SpeculationTotals} [speculation] with a draft
 */

/**
 * A source of bytes: an address, in Node also a path, or the bytes themselves.
 * @typedef {string | ArrayBuffer | Uint8Array | Platform<'URL'> | Platform<'Response'> | Platform<'Blob'>} Source
 */
/**
 * `where` says whether a file of another host is kept: "there" if it was kept before; "device",
 * "cache" or "folder" if it is kept now; or the reason why not: "quota", "busy" (another tab keeps
 * it), "none", "unsized".
 * @typedef {(progress: { loaded: number, total: number | null, where?: string }) => void} OnProgress
 */
/** @typedef {{ keep?: boolean, signal?: Platform<'AbortSignal'> }} OpenOptions */

/**
 * @typedef {object} LoadOptions
 * @property {Source | Source[]} [model] also all parts of a split file; as text an address, a
 *   name of the hub (hub:owner/name/file.gguf) or a page of it. Without a model the engine only
 *   reads pasted logits
 * @property {boolean} [keep] whether to keep a file of another host for the next visit
 * @property {Platform<'AbortSignal'>} [signal] cancels: `load` rejects with code `cancelled`
 * @property {Source | WasmModule} [wasm] logitscope.wasm, if not the package's
 * @property {Source | WasmModule} [simd] logitscope-simd.wasm; by default the file beside the
 *   address in `wasm`, or else the package's own
 * @property {Source | WasmModule} [relaxed] logitscope-relaxed.wasm, likewise
 * @property {'auto' | 'scalar' | 'simd' | 'relaxed'} [variant] `auto` takes the fastest available
 *   variant; `simd` or `relaxed` is refused with the reason if it is not available
 * @property {'auto' | 1 | 2 | 4} [streams] blocks of quantised rows that a decode step reads
 *   together; no bit depends on it. `auto` times the three on the model's own weights and takes the
 *   fastest
 * @property {number} [context] number of tokens that a session sees; by default the model's own
 *   length, 4,096 at most
 * @property {boolean} [cache] default of `feed` and `generate`: false evaluates the whole window
 *   each time
 * @property {boolean} [session] false: the model serves for facts and tokens alone, without the
 *   memory of a session
 * @property {OnProgress} [onprogress] called during the fetch of the model
 */

/**
 * A port with `serve` at its other end.
 * @typedef {{ postMessage: (message: any, transfer?: any) => void }} RemotePort
 *
 * The options of `RemoteLogitscope.load` beside those of `load`.
 * @typedef {object} WorkerOptions
 * @property {string | Platform<'URL'> | RemotePort} [worker] address of a worker's script, or a
 *   Worker or MessagePort with `serve` at its other end; by default the package's own worker, which
 *   `close` ends
 * @property {boolean} [supersede] false; true: a newer `read` or `distribution` of a session
 *   replaces one that still waits, which rejects with code `superseded`: for a slider
 *
 * @typedef {LoadOptions & WorkerOptions} RemoteOptions
 */

export {};
