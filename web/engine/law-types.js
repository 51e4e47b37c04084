/** Types of law.js. Probabilities are shares of 1; an interval is [from, to]. */

/**
 * A text while the search runs. `nothing_left`: a constraint allows no next token.
 * @typedef {{ ids: number[], p: number, steps: number[], finish_reason: 'eos' | 'length' | 'nothing_left' }} Sentence
 */

/**
 * Another law over the same texts: other settings; p^power, of these settings or of the law's own; the law given
 * that a constraint holds; the most probable of `best_of` draws.
 * @typedef {{ settings?: import('./types.js').Settings, power?: number, condition?: import('./types.js').Constraint, best_of?: number }} Other
 */

/**
 * @typedef {object} LawOptions
 * @property {number} [mass] 0 to 1, default 0.99: the texts listed hold this probability
 * @property {number} [limit] the most prefixes of one search, 1 to 131,072, default 60,000
 * @property {number} [max_new_tokens] longer texts are cut; default: the rest of the context
 * @property {number} [power] 1 to 1000; short for alongside: [{ power }], placed last
 * @property {Other[]} [alongside]
 * @property {{ name: string, values: number[] }} [knob] each listed text's p at each value of a setting
 * @property {number[]} [powers] each listed text's share under p^power, at least; 1 to 1000
 * @property {number[]} [beams] widths of beam searches without length penalty (Wu et al. 2016, section 7)
 * @property {import('./grammar.js').Grammar | null} [grammar] judges the texts; its words must be the model's tokens
 * @property {number} [draws] 1 to 1e9, default 100: `right.distinct` is of this many independent texts
 * @property {import('./types.js').Platform<'AbortSignal'>} [signal]
 * @property {(progress: { share: number }) => void} [onprogress] share: 0 to 1, of the work for the knob's values or
 *   the right texts
 */

/**
 * @typedef {object} LawText
 * @property {number[]} ids without the prompt, with the end token if the text ends there
 * @property {string} text
 * @property {{ id: number, text: string, p: number }[]} tokens
 * @property {number} p
 * @property {number | null} rank from 1; null if the text is less probable than every listed one
 */

/**
 * @typedef {object} Law
 * @property {number[]} prompt_ids
 * @property {(LawText & { finish_reason: Sentence['finish_reason'], beside: [number, number][], along?: Float64Array, sharpened?: Float64Array, right?: boolean })[]} sentences
 *   decreasing p, ties by ids; `beside` has an interval for each law of `alongside`
 * @property {number} mass probability of the listed texts
 * @property {number} rest probability of all others; mass + rest = 1 within 2^-40
 * @property {number} prefixes number of prefixes that the search visited
 * @property {LawText} greedy
 * @property {(LawText & { beam_width: number })[]} beams
 * @property {{ rest: [number, number], total_variation: number[], kl: number[] }[]} alongside KL in nats, Infinity
 *   if the rest leaves it open
 * @property {Right} [right] with a grammar
 * @property {Float64Array} [rest_along] the rest at each value of the knob
 * @property {Float64Array} [rest_sharpened] the most that the rest can have under each power
 */

/**
 * The right texts, exact: all of them are known from the grammar. `distinct` is the expected number of distinct right
 * texts among `draws`; `along` and `distinct_along` are p and distinct at each value of the knob.
 * @typedef {{ texts: number, draws: number, p: number, distinct: number, along?: Float64Array, distinct_along?: Float64Array }} Right
 */

export {};
