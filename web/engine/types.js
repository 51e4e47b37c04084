/// <reference lib="esnext.disposable" preserve="true" />
/** The shapes that cross the engine's interface; types only, nothing runs here. */

/**
 * A class of the platform by its name; `never` if the project has no types for it, so that the
 * package needs neither a page's types nor Node's.
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
 * @property {string} name as in the settings
 * @property {string} stage what an order may call a warper too: 'dry', 'xtc'; else the name
 * @property {'real' | 'integer' | 'map' | 'list' | 'choice'} kind
 * @property {string} group 'second', 'penalty', 'shape', 'truncation', 'mark' or 'shared'
 * @property {boolean} warper false for a parameter that warpers share
 * @property {any} neutral the value at which it changes nothing: a number, {}, [] or a choice
 * @property {number} minimum smallest value accepted
 * @property {number} maximum largest value accepted
 * @property {boolean} minimum_included whether `minimum` itself is accepted
 * @property {boolean} maximum_included
 * @property {string[]} choices of a choice, in the order of their numbers
 * @property {number} low what a slider offers
 * @property {number} high
 * @property {number} step
 */

/**
 * The settings: every name of the table, and how to draw and list. Unknown names are errors. At its
 * neutral value, the first number here, a setting changes nothing. p is a token's probability when it
 * reaches the stage.
 * @typedef {object} Settings
 * @property {number} [guidance_scale] 1; classifier-free guidance: reads a second distribution
 * @property {number} [contrastive_beta] 0; contrastive decoding: reads a second distribution
 * @property {number} [contrastive_alpha] 0.1; of contrastive_beta: tokens below this share of the largest p go
 * @property {Record<string, number | false>} [logit_bias] {}; added to the logit, by token id; false bans. A
 *   key of several ids, parted by spaces, biases the last where the others are the last of the history
 * @property {number} [encoder_repetition_penalty] 1; above 1 lifts tokens of the prompt
 * @property {number} [repetition_penalty] 1; above 1 lowers each token of the history: a positive logit is
 *   divided by it, a negative one multiplied
 * @property {number} [frequency_penalty] 0; taken off a logit for each time the token is in the history
 * @property {number} [presence_penalty] 0; taken off the logit of each token in the history
 * @property {number} [no_repeat_ngram_size] 0; removes tokens that would repeat so many tokens in a row
 * @property {number} [dry_multiplier] 0; DRY: how strongly a token that would extend a repeat is lowered
 * @property {number} [temperature] 1; divides the logits: below 1 sharper, above 1 flatter, 0 greedy
 * @property {number} [top_k] 0; keeps the so many most probable tokens
 * @property {number} [top_p] 1; keeps the most probable tokens whose mass reaches it (nucleus)
 * @property {number} [min_p] 0; keeps p of at least this share of the largest p
 * @property {number} [typical_p] 1; keeps the tokens of the most typical surprise, until their mass reaches it
 * @property {number} [epsilon_cutoff] 0; removes p below it
 * @property {number} [eta_cutoff] 0; removes p below the smaller of it and sqrt(it) exp(-entropy)
 * @property {number} [top_n_sigma] 0; keeps logits within so many standard deviations of the largest
 * @property {number} [top_a] 0; removes p below top_a times the square of the largest p
 * @property {number} [p_less] 0; 1 removes p below the sum of all p squared, 2 its normalised form
 * @property {number} [top_h] 0; keeps tokens until their entropy is this share of the whole
 * @property {number} [dynatemp_range] 0; how far temperature moves with the entropy; takes its place
 * @property {number} [smoothing_factor] 0; lowers each logit by the square of its distance to the largest
 * @property {number} [min_new_tokens] 0; removes tokens that end a text before so many were drawn
 * @property {number} [exponential_decay_length_penalty] 1; above 1 lifts tokens that end a text, more so
 *   with each token after exponential_decay_start
 * @property {number} [tfs_z] 1; tail-free sampling: keeps tokens until the curvature of p reaches it
 * @property {number} [xtc_probability] 0; how often XTC removes all but the least of the probable tokens
 * @property {0 | 1 | 2} [mirostat] 0; the version that replaces the truncations to hold the surprise
 * @property {number} [adaptive_target] 0; adaptive-p: the mean probability of drawn tokens to hold
 * @property {number} [green_bias] 0; of green_list, a watermark, which 100 makes a hard one
 * @property {number} [synthid_depth] 0; of synthid, a watermark: the layers of its tournament
 * @property {0 | 1} [renormalize_logits] 0; 1 makes the logits ln p
 * @property {number} [repetition_window] 0, all; the last ids that penalties look at
 * @property {number} [dry_base] 1.75; the factor for each further token of a repeat
 * @property {number} [dry_allowed_length] 2; repeats up to this length cost nothing
 * @property {number} [dry_penalty_last_n] 64; the last ids that DRY looks at, 0: all
 * @property {(string | number | number[])[]} [dry_sequence_breakers] []; texts, ids, sequences of ids at
 *   which a repeat ends
 * @property {number} [xtc_threshold] 0.1; the p from which a token is probable for XTC
 * @property {number} [mirostat_tau] 5; the surprise to hold, in bits
 * @property {number} [mirostat_eta] 0.1; how fast mirostat adapts
 * @property {number} [mirostat_mu] 0, 2 tau; where a generation is to go on
 * @property {number} [adaptive_decay] 0.9; how much adaptive-p remembers of the earlier draws
 * @property {number} [adaptive_mean] 0, adaptive_target; where a generation is to go on
 * @property {number} [dynatemp_exponent] 1; how the entropy becomes a temperature
 * @property {number} [smoothing_curve] 1; of smoothing_factor: above 1 a cubic part is added
 * @property {number} [penalty_decay] 1; what a time counts less for each token since, of frequency_penalty
 * @property {number} [rep_pen_slope] 1; how much of repetition_penalty the older half of its window gets
 * @property {number} [prompt_ignore_length] 0; how many of the first ids repetition_penalty does not count
 * @property {number} [exponential_decay_start] 0; after how many drawn tokens the length penalty begins
 * @property {number} [green_fraction] 0.25; the share of the vocabulary that is green
 * @property {number} [green_context] 1; how many ids decide which
 * @property {0 | 1} [green_self] 0; 1: the token itself takes part in its hash
 * @property {number} [synthid_context] 4; how many ids decide over SynthID's g
 * @property {number} [watermark_key] 15485863; the secret of both watermarks
 * @property {number} [min_tokens_to_keep] 1; every truncation keeps at least so many
 * @property {'transformers' | 'llama.cpp' | 'llama2.c'} [convention] 'transformers'; the program whose
 *   rules decide ties and boundaries
 * @property {string[]} [order] warpers, first applied first; 'own' among them. Without it the canonical
 *   order, that of transformers
 * @property {Own | ArrayLike<number> | null} [own] a stage of the caller's own at the place of 'own' in
 *   the order, its end where that is not named: a function, or what it made of `ownInput`'s arguments
 * @property {string} [preset] a name in `presets`; the other settings override it
 * @property {'inverse' | 'gumbel'} [draw] 'inverse': by the number u; 'gumbel': by noise on each logit
 * @property {number} [top] how many tokens a trace lists, 20; of a generation see `top_logprobs`
 * @property {string | ArrayLike<number> | null} [negative_prompt] where the second distribution of a
 *   generation comes from: this text and the tokens drawn so far; left out, it is the prompt's last
 *   token. A reading takes it from `second`
 * @property {ArrayLike<number>} [end_tokens] the ids that end a text, for `generate`, `min_new_tokens`
 *   and the length penalty; the model's if left out
 * @property {number} [seed] 0; an integer to 2^53 - 1. Step n of a seed always has the same number u: a
 *   loop over `draw` or `read` draws one token again and again, unless `step` or `rng` is given
 * @property {Constraint | null} [constraint] what the generated text must be
 * @property {number | null} [constraint_start] where in the timeline it begins; left out, its end (of
 *   `generate`, the prompt's)
 * @property {(string | number | number[])[] | null} [banned_words] texts, ids, sequences of ids: the
 *   last id is removed where the others have just come. A text is banned as it is spelled by itself
 *   and after a space
 * @property {number | string | null} [forced_first] the first generated token
 */

/**
 * Every setting as a generation used it: of the table each one, of the others those that were given.
 * @typedef {Required<Omit<Settings, OtherSetting>> & Required<Pick<Settings, 'order' | 'draw'>>
 *   & Pick<Settings, GivenSetting> & { end_tokens?: number[] }} UsedSettings
 *
 * The settings that are no row of the table; the first are reported where they were given.
 * @typedef {'negative_prompt' | 'constraint' | 'constraint_start' | 'banned_words' | 'forced_first'} GivenSetting
 * @typedef {GivenSetting | 'order' | 'own' | 'preset' | 'draw' | 'top' | 'end_tokens' | 'seed'} OtherSetting
 */

/**
 * A sampler of the caller's own: from the logits that reach it, every setting and the ids so far to a
 * logit for each token, -Infinity removing it; what was removed before stays removed. What it gives goes
 * through the rest of the chain like any warper's. Only `generate` waits for a promise. The engine in a
 * worker takes the result, not the function.
 * @typedef {(logits: Float32Array, settings: Record<string, any>, context: { history: number[] }) =>
 *   ArrayLike<number> | Promise<ArrayLike<number>>} Own
 */

/**
 * JSON, or one of the lessons' tasks; JSON within another budget; JSON by a schema; a grammar of one's
 * own (src/grammar.h).
 *
 * A schema is JSON Schema as pydantic, zod and OpenAPI write it: an object, true, false, or its text.
 * JavaScript moves keys that look like integers to the front of an object, and rounds long numbers;
 * the text keeps both. Annotations are ignored, other keywords are followed or refused by name.
 *
 * Every generated text is valid. Some valid texts are never generated. Keys come in the schema's
 * order. An object with `properties` has no others, unless `additionalProperties` asks for them; a
 * list with `prefixItems` has no more, unless `items` does. A schema without `type` has the types of
 * its keywords. A value of any kind is at most 8 deep. Numbers with bounds have no exponent.
 *
 * `pattern` is read as with the flag u. The formats date, time, date-time, duration, uuid, email,
 * hostname, ipv4, ipv6 and uri are followed, int32 and int64 for integers; any other is an
 * annotation, as the specification has it.
 * @typedef {'json' | 'name_age_city' | 'three_numbers' | { json: { depth?: number, space?: number } }
 *   | { schema: object | boolean | string, space?: number } | { grammar: string }} Constraint
 */

/**
 * What the constraint expects after the text so far.
 * @typedef {object} ConstraintState
 * @property {string} rule the innermost rule of the grammar under way, '' if none is
 * @property {boolean} complete the text may end here
 * @property {number} allowed how many tokens may follow
 * @property {number[]} bytes which bytes may follow
 */

/**
 * What one stage did to the distribution that entered it. Masses are shares of 1, entropy in bits.
 * @typedef {object} TraceStage
 * @property {string} name
 * @property {number} value for logit_bias the number of biased tokens, for constraint of those allowed,
 *   for banned_words of sequences, for forced_first the id, for own 0
 * @property {boolean} active differs from its neutral value
 * @property {boolean} changed changed any logit
 * @property {number} kept
 * @property {number} removed
 * @property {number} mass_removed
 * @property {number} top_p_mass
 * @property {number} entropy
 * @property {number} perplexity
 * @property {string | null} after the stage that left this one nothing to do
 * @property {string} [why] on the page, where it did nothing for another reason: see state/idle-reason.js
 */

/**
 * One listed token.
 * @typedef {object} TraceToken
 * @property {number} id
 * @property {string} text
 * @property {boolean} special
 * @property {number} rank from 1, survivors first
 * @property {number} logit as the model gave it
 * @property {number} warped after the chain, -Infinity if removed
 * @property {number} [p_second] under a second text; what a page adds, the engine has none
 * @property {boolean} [green] under a green list: whether it is on it
 * @property {number} p_raw
 * @property {number} p
 * @property {number} logprob ln p, in nats
 * @property {number[]} stage_p p after each stage
 * @property {string | null} removed_by
 */

/**
 * Everything a view draws, computed in C over the whole vocabulary.
 * @typedef {object} Trace
 * @property {number} vocab_size
 * @property {TraceStage[]} stages in the order applied
 * @property {TraceToken[]} tokens survivors in rank order, then the removed by raw logit
 * @property {{ count: number, p_raw: number, p: number, kept: number }} rest what is not listed
 * @property {number} kept
 * @property {number} kept_mass_raw
 * @property {number} entropy
 * @property {number} perplexity
 * @property {number} raw_entropy
 * @property {number} raw_perplexity
 * @property {{ p_raw: number, p: number }} [green] under a green list: what its tokens hold, before the
 *   chain and after it
 * @property {number} underflowed survivors whose probability is below 2^-44 of the best
 * @property {string[]} warnings
 * @property {ConstraintState} [constraint] where there is one
 */

/**
 * The trace of pasted logits also holds the whole result.
 * @typedef {Trace & { logits: Float32Array, p: Float64Array }} WarpTrace
 */

/**
 * What the model file says; a file that holds a vocabulary only has no architecture.
 * @typedef {object} Info
 * @property {string} name
 * @property {string | null} architecture
 * @property {number} vocab_size
 * @property {number} context_length how many tokens a session sees
 * @property {number} model_context_length how many the model was made for
 * @property {number} n_layer
 * @property {number} n_head
 * @property {number} n_head_kv
 * @property {number} n_embd
 * @property {number} n_ff
 * @property {number} parameters
 * @property {string | null} file_type
 * @property {number} bytes
 * @property {string | null} tokenizer
 * @property {string | null} pre how the gpt2 kind splits text first; null where the file does not say, and
 *   then as `default` does, which is llama.cpp's choice
 * @property {boolean} chat_template whether the file has one
 * @property {string[]} chat_templates their names; that of the one without a name is "default"
 * @property {number | null} bos_token_id
 * @property {number | null} eos_token_id
 * @property {number[]} end_token_ids every token that ends a text: the end of a turn, of a message
 * @property {number} weight_bytes memory that the weights take, packed
 * @property {number} session_bytes memory that each session takes, its cache above all
 * @property {'scalar' | 'simd' | 'relaxed'} variant the loops that multiply quantised matrices. `scalar`,
 *   up to 50 times slower, also if neither other module could be had
 * @property {number} streams how many blocks of quantised rows a decode step reads together: 1, 2 or 4
 */

/**
 * In nats, of one token or of each of several.
 * @template {number | ArrayLike<number>} T
 * @typedef {T extends number ? number : Float64Array} Surprisal
 */

/** @typedef {{ id: number, text: string, bytes: Uint8Array, special: boolean }} Piece */

/**
 * @typedef {object} EncodeOptions
 * @property {'auto' | boolean} [bos] begin with the beginning-of-sequence token; 'auto': as the model file says
 * @property {boolean} [special] names of special tokens in the text are those tokens; false
 * @property {'auto' | false} [normalize] 'auto': bring the text into Unicode's form C first where the model's
 *   own tokenizer does (Qwen, Command R, StableLM 2, MPT, OLMo), and take U+2581 for a space in a SentencePiece
 *   vocabulary; false: read it as it is, which of NFC is llama.cpp's way
 */

/**
 * What the ids of a text bear of the watermarks that are on, null of one that is off: 1 for a green
 * token and 0 for another, with green_self plus twice the places back to the token that decides; the
 * bits of SynthID's g; 2^32 - 1 where no full context goes before. Beside it the settings.
 * @typedef {{ green: Uint32Array | null, synthid: Uint32Array | null, values: Record<string, any> }} Marks
 */

/**
 * What a text bears of one watermark. Scored is what has its full context before it, and of what comes
 * again the first.
 * @typedef {object} Detection
 * @property {'green_bias' | 'synthid_depth'} name
 * @property {number} n tokens scored
 * @property {number} count green tokens of these; for SynthID g that are 1, of depth n
 * @property {number} share count as a share of all that were counted
 * @property {number} expected what the share would be of a text that is not marked
 * @property {number} z how many standard deviations the count is above that
 * @property {number} p the exact chance of that count or more without the mark: a binomial tail
 * @property {(number | null)[]} shares of each token of the text: 1 or 0, the mean of its g; null
 *   without a full context
 * @property {number[]} scored which tokens were, ascending
 * @property {number[]} curve (n,) z after each of these
 * @property {{ share: number, z: number, p: number, curve: number[] }} [weighted] of SynthID, by the
 *   weighted mean, in which the first layers count for more; p is the normal tail
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
 * @property {number | null} [mu] of mirostat or adaptive_p, for the next step; null without them
 */

/**
 * Where the randomness of a draw comes from: a function, a number u, or a step of the seed. Without
 * any it is step 0, so each call with the same settings draws the same token.
 * @typedef {object} ReadChoice
 * @property {() => number} [rng] called once, gives u in [0, 1); `Math.random` for a new token each time
 * @property {number} [u] in [0, 1)
 * @property {number} [step] 0; the step of the seed that u is of, and whose coin XTC tosses
 *
 * @typedef {ReadChoice & { raw?: boolean }} DrawChoice `raw: false` leaves p_raw out, for speed
 *
 * The company of logits of one's own: the ids so far, and the logits of a second distribution,
 * which guidance_scale or contrastive_beta reads.
 * @typedef {{ history?: ArrayLike<number>, second?: ArrayLike<number> }} Beside
 */

/**
 * A distribution and a token drawn from it.
 * @typedef {{ trace: Trace, drawn: Drawn }} Reading
 * @typedef {{ trace: WarpTrace, drawn: Drawn }} WarpReading
 */

/**
 * The distribution at each value of one setting. Of value i the places i * top to (i + 1) * top hold
 * the tokens that the draw meets first, in the order in which it walks them, those removed last.
 * @typedef {object} Landscape
 * @property {Float64Array} values (n,) as asked
 * @property {number} top
 * @property {Uint32Array} ids (n * top,)
 * @property {Float64Array} p (n * top,) over the whole vocabulary, 0 of a removed token
 * @property {TokenCourse} [token] the one that was asked for
 *
 * Where one token lies at each value: the mass that the draw passes before it, and its own.
 * @typedef {{ id: number, before: Float64Array, p: Float64Array }} TokenCourse both (n,), shares of 1
 */

/**
 * What a chat template works on; it may look at other things in a message too.
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
 * @property {string} [template] the name of one of the file's templates; without it "tool_use" if there
 *   are tools and such a template, else "default"
 * @property {string} [date] what strftime_now takes for today, YYYY-MM-DD; 2024-07-26
 * @property {boolean} [add_generation_prompt] whether the assistant's turn is opened at the end; true
 * @property {Record<string, unknown>} [variables] others that the template knows, enable_thinking for
 *   instance
 * @property {string | Platform<'URL'> | Uint8Array} [renderer] the worker that renders templates, or its address, where that
 *   does not lie beside the engine
 */

/**
 * A control token of the template, or text; `thinking` between <think> and </think>.
 * @typedef {{ text: string, special: boolean, token?: number, thinking?: true }} ChatPart
 */

/**
 * @typedef {object} Chat
 * @property {string} text the prompt
 * @property {ChatPart[]} parts the same, in parts
 * @property {Uint32Array} ids the same, as `generate` takes it
 * @property {string} date the day that the template took for today, YYYY-MM-DD
 */

/**
 * A timeline over another model, such as a scope.
 * @typedef {{ feed: (ids: ArrayLike<number>) => unknown, logits: () => Float32Array |
 *   Promise<Float32Array> }} Amateur
 *
 * @typedef {object} GenerateOptions
 * @property {string | ArrayLike<number>} prompt the text to begin with, or its ids
 * @property {number} [max_new_tokens] 100; at most so many are drawn
 * @property {boolean} [cache] false evaluates the whole window at each step
 * @property {string | string[]} [stop] texts that end the generation; none is part of its text
 * @property {Platform<'AbortSignal'>} [signal] ends the generation, also while the prompt is evaluated; the
 *   tokens so far are returned, with finish_reason 'aborted'
 * @property {number} [u] in place of the first step's number; the later steps keep the seed's
 * @property {Amateur} [amateur] where the second distribution of guidance_scale or contrastive_beta
 *   comes from, in place of negative_prompt: another model with the same vocabulary, over the text
 *   itself; its default timeline is used
 * @property {Draft | Source} [draft] a smaller model that drafts tokens, of which each pass of the model
 *   accepts some: the law of the text stays the same (speculative decoding). A scope, or what
 *   `load` takes, which a worker can be sent. During such a step the timeline holds the drafts too
 * @property {number} [top_logprobs] 0; how many tokens each step lists, in the order of its own
 *   distribution; `top` says the same. Not with a draft, which has draft_top
 * @property {number} [draft_tokens] how many it drafts for a pass, 1 to 32; 4
 * @property {number} [draft_top] how many tokens each step lists with both distributions; 0
 */

/**
 * A timeline over a smaller model, opened for a generation and closed after it.
 * @typedef {Amateur & { close: () => unknown }} DraftSession
 *
 * A scope over a smaller model with the same vocabulary.
 * @typedef {{ info: Info | null, piece: (id: number) => Piece | Promise<Piece>,
 *   session: () => DraftSession | Promise<DraftSession> }} Draft
 *
 * A token in p of the model and, where there is a draft, in q of the draft's, and its share of the
 * residual, max(0, p - q) over its sum.
 * @typedef {{ id: number, text: string, p: number, q?: number, residual?: number }} SpeculatedToken
 *
 * How a token came by speculative decoding: a draft that was accepted, a token of the residual that
 * replaced one, or one that was drawn from p where there was no draft (left).
 * @typedef {object} Speculated
 * @property {'accepted' | 'replaced' | 'bonus'} outcome
 * @property {number} pass of the large model, from 0
 * @property {number} [drafted] its id; this and what follows only where there was a draft
 * @property {string} [drafted_text]
 * @property {number} [p] of the drafted token
 * @property {number} [q]
 * @property {number} [acceptance] min(1, p / q)
 * @property {number} [coin] in [0, 1): the draft was accepted if it is below `acceptance`
 * @property {number} [residual] how probable a rejection was: the sum of max(0, p - q)
 * @property {number[]} [dropped] the drafts after a rejected one, which nobody looked at
 * @property {SpeculatedToken[]} [tokens] the first `draft_top`, by the larger of p and q, and
 *   the drafted and the chosen one
 */

/**
 * @typedef {object} SpeculationTotals
 * @property {number} passes of the large model
 * @property {number} tokens that came of them
 * @property {number} drafted
 * @property {number} accepted
 * @property {number} rejected the others were dropped
 * @property {number | null} acceptance accepted of those that were accepted or rejected
 * @property {number | null} tokens_per_pass
 * @property {number} ms of everything
 * @property {number} draft_ms of the drafts alone
 */

/**
 * How probable a text is after a prompt, in nats: the sum, and each token's.
 * @typedef {{ prompt_ids: number[], ids: number[], logprob: number,
 *   tokens: { id: number, text: string, logprob: number }[] }} Score
 */

/**
 * One generated token; `text` is what it adds to the decoded text. With a draft u is the number that
 * chose the token: the step's own, or of a residual the coin that drew from it.
 * @typedef {Drawn & { text: string, entropy: number, kept: number, ms: number,
 *   position: number, top_logprobs?: ListedToken[], speculation?: Speculated }} Step
 *
 * A token that could have been drawn; of one that was removed p is 0 and logprob -Infinity.
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
 * @property {SpeculationTotals} [speculation] where there was a draft
 */

/**
 * Where bytes come from: an address, in Node also a path, or the bytes themselves.
 * @typedef {string | ArrayBuffer | Uint8Array | Platform<'URL'> | Platform<'Response'> | Platform<'Blob'>} Source
 */
/**
 * `where` says what is kept of a file of another host: "there" if it was before, "device", "cache" or
 * "folder" if it is now, or why it is not: "quota", "busy" (another tab keeps it), "none", "unsized".
 * @typedef {(progress: { loaded: number, total: number | null, where?: string }) => void} OnProgress
 */
/** @typedef {{ keep?: boolean, signal?: Platform<'AbortSignal'> }} OpenOptions */

/**
 * @typedef {object} LoadOptions
 * @property {Source | Source[]} [model] also all parts of a split file, and as text an address, a name of
 *   the hub (hub:owner/name/file.gguf) or a page of it; left out: pasted logits only
 * @property {boolean} [keep] keep a file of another host for the next time
 * @property {Platform<'AbortSignal'>} [signal] cancels: `load` rejects with code `cancelled`
 * @property {Source | WasmModule} [wasm] where logitscope.wasm is, if not in the package
 * @property {Source | WasmModule} [simd] logitscope-simd.wasm; without it, the file beside the
 *   address in `wasm`, or else the package's own
 * @property {Source | WasmModule} [relaxed] logitscope-relaxed.wasm, likewise
 * @property {'auto' | 'scalar' | 'simd' | 'relaxed'} [variant] `auto` takes the fastest that can be had;
 *   `simd` or `relaxed` is refused with the reason if it cannot be had
 * @property {'auto' | 1 | 2 | 4} [streams] blocks of quantised rows that a decode step reads together; no bit
 *   depends on it. `auto` times the three on the model's own weights and takes the fastest
 * @property {number} [context] how many tokens a session sees, by default as many as the model was made
 *   for and 4,096 at most
 * @property {boolean} [cache] what `feed` and `generate` do by default: false evaluates the whole window
 * @property {boolean} [session] false: for facts and tokens alone, without the memory of a session
 * @property {OnProgress} [onprogress] of the model
 */

/**
 * A port whose other end `serve` answers.
 * @typedef {{ postMessage: (message: any, transfer?: any) => void }} RemotePort
 *
 * The options of `RemoteLogitscope.load` beside those of `load`.
 * @typedef {object} WorkerOptions
 * @property {string | Platform<'URL'> | RemotePort} [worker] the address of a worker, or a Worker or MessagePort at
 *   whose other end `serve` answers; left out, the package's own worker, ended by `close`
 * @property {boolean} [supersede] false; true: a newer `read` or `distribution` of a session replaces
 *   one that still waits, which rejects with code `superseded`: for a slider
 *
 * @typedef {LoadOptions & WorkerOptions} RemoteOptions
 */

export {};
