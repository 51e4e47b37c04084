/** What can be wrong with a learner's function, as sentences; sampler.fail.CODE on the page. */

/** What can be wrong, by code; sampler.fail.CODE on the page. */
export const REASONS = {
  soft: 'token {id} is {value}: it keeps a place among the tokens',
  another_logit: 'token {id} has another logit',
  lost_best: 'the most probable token is gone or no longer the best',
  emptied: 'no token is left',
  came_back: 'token {id} was removed before and is back',
  changed: 'token {id} has changed',
  counts: '{expected} should stay, {got} did',
  overtaken: 'token {id} has overtaken token {other}',
  risen: 'the logit of token {id} has risen',
  should_go: 'token {id} should be removed',
  should_stay: 'token {id} should stay',
  subset: 'token {id} stays with {settings} and goes with looser ones',
  swapped: 'this is what {first} before {second} gives',
  probabilities: 'these are probabilities: the softmax comes after the chain',
  no_ids: 'it returned {what}, not a list of ids',
  another_id: 'token {at} is another',
  stopped: 'it stopped after {count} tokens',
  went_on: 'it went on after the end',
  long_window: 'the model sees {length} tokens at most and was asked with {count}',
  short_window: 'the model was asked with {count} tokens where there were more',
  reseeded: 'rng was called {count} times: each call begins the same numbers again',
  early: 'it read {count} rows that are not the last, work for nothing',
  end_left_out: 'the end token was drawn and is left out of the ids',
  after_end: 'it went on after the end token',
  state: 'asked again, it answers otherwise: it keeps something between calls',
  not_sharper: 'the best has no larger share than before',
  not_flatter: 'the best has no smaller share than before',
  entropy_fell: 'from T = {from} to {to} the entropy falls',
  not_cold: 'the best has less than 99.9 % of the mass',
  not_lowered: 'the share of token {id} has not fallen',
  no_refusal: 'it takes {settings} and refuses nothing',
  not_alike: 'with {settings} it gives other ids',
  alike: 'with {settings} it gives the same ids',
  other_length: '{expected} ids are right, it gave {count}',
  invalid_id: '{id} is no id of a vocabulary of {size}',
  gone: 'not tried: it broke off {count} times',
  late: 'not tried: all calls together took longer than {seconds} s',
  bare: 'it wrote a bare {value}, which JSON does not know: a removed logit is the string "-inf", and no other may be infinite or no number',
  line: 'it wrote a line that is no JSON: {value}',
  no_answer: 'it wrote a line that is no answer: {value}',
  long_line: 'it wrote a line of more than {limit} characters',
  memory: 'it held more than {limit} MB, all its processes together',
  tasks: 'it had more than {limit} processes and threads',
  own_message: 'it sent a message of its own',
  unasked: 'it sent an answer that nothing asked for',
  graph: 'gradients were recorded for {count} calls of the model: generate wants torch.no_grad()',
  asked_often: 'the model was asked {count} times for {tokens} tokens: work that is never used',
  // Faults that a twin shows: wrong_warpers.js, wrong_loops.js.
  cut_before:
    'it drops every token from the first whose cumulative mass is above p: the one that reaches p belongs to the nucleus, and a sure best is lost',
  until_above: 'it goes on until the mass is above p: one too many where p is met exactly',
  one_too_few:
    'it keeps only tokens whose cumulative mass stays within p: the one that reaches p is missing',
  one_too_many: 'it keeps one token more than needed to reach p',
  own_share:
    "it compares each token's own share with 1 - p: top-p looks at the mass of those before it",
  share_above_p: "it compares each token's own share with p: top-p adds the shares up",
  least_first: 'it begins with the least probable token',
  unsorted: 'it adds the shares up in the order of the ids: they are to be sorted first',
  unscattered:
    'it keeps the right number of places in sorted order, and does not take them back to their ids',
  other_end: 'it works with 1 - p in place of p',
  tail_kept: 'it keeps the tail and removes the nucleus',
  overflow: 'its softmax overflows: the maximum is to be subtracted before exp',
  higher_id: 'of equal logits it takes the higher id first; the lower one comes first',
  zero_mask: 'it sets a removed token to 0: that is a logit like any other, and often a good one',
  soft_mask: 'it removes with a large negative number: only -Infinity is no share at all',
  returns_shares:
    'it returns probabilities: a stage gives logits, and the softmax comes once, at the end',
  returns_logs:
    'it returns logarithms of probabilities: a stage leaves the logits that stay as they are',
  on_shares: 'it works on probabilities in place of logits',
  idle: 'it returns the logits as they came: nothing is done yet',
  exactly_k: 'it keeps exactly k tokens: those tied with the k-th stay too',
  above_kth: 'it keeps what is above the k-th logit: the k-th itself belongs to them',
  k_plus_one: 'it keeps one token more than k',
  k_minus_one: 'it keeps one token less than k',
  k_lowest: 'it keeps the k least probable tokens',
  k_first: 'it keeps the first k ids: they are to be ranked by their logits',
  k_distinct: 'it counts different values in place of tokens',
  k_removed: 'it removes the k best in place of the others',
  k_zero: 'at k = 0 it removes everything: 0 means no cut',
  multiplies: 'it multiplies by T: the logits are divided',
  subtracts_t: 'it subtracts T: the logits are divided',
  subtracts_max: 'it subtracts the maximum too: the shares are the same, the logits are not',
  one_minus: 'it multiplies by 1 - T: the logits are divided by T',
  zero_divides: 'at T = 0 it divides by zero: there the best stays alone',
  zero_nothing: 'at T = 0 it does nothing: there the best stays alone',
  zero_ties: 'at T = 0 it keeps all equal bests: only the lowest id stays',
  zero_epsilon:
    'at T = 0 it divides by a tiny number: there the best stays alone, and nothing overflows',
  always_divides: 'it divides negative logits too, which raises them: those are multiplied',
  always_multiplies: 'it multiplies positive logits too, which raises them: those are divided',
  other_signs: 'it multiplies positive logits and divides negative ones: the other way round',
  each_time: 'it penalises a token each time it was seen: once is enough',
  subtracts_r: 'it subtracts the penalty: a positive logit is divided, a negative one multiplied',
  everything: 'it penalises every token, seen or not',
  unseen: 'it penalises the tokens that were not seen',
  last_only: 'it penalises the last token of the history only',
  first_only: 'it penalises the first token of the history only',
  repeated_only: 'it penalises only tokens that were seen twice',
  positions: 'it penalises places in the history in place of the ids that stand there',
  removes_seen: 'it removes the tokens that were seen: a penalty only lowers them',
  reward_lowers: 'it penalises the tokens of the prompt: above 1 they are lifted',
  reward_multiplies: 'it multiplies negative logits too, which lowers them: those are divided',
  reward_each_time: 'it lifts a token each time it stands in the prompt: once is enough',
  reward_others: 'it lowers the tokens that are not in the prompt: those of the prompt are lifted',
  log_of_sum: 'its sum overflows: the maximum is to be subtracted before exp',
  log_base_two: 'it takes logarithms to the base 2: the natural ones are asked for',
  // wrong_marks.js.
  guided_back:
    'it leads towards the second distribution: the scale weighs what the model adds to it',
  guided_past:
    'it adds the difference to the model: it is added to the second distribution, so that 1 is the model',
  guided_alone: 'it multiplies by the scale and leaves out the second distribution',
  guided_logits:
    'it mixes logits: both are made logarithms of probabilities first; the shares are the same, the numbers are not',
  guided_shares: 'it mixes probabilities: their logarithms are mixed',
  guided_neutral: 'at 1 it returns logarithms of probabilities: there the stage changes nothing',
  contrast_plain:
    'it leaves out one part of the model: its weight is 1 + beta, that of the weaker one beta',
  contrast_turned: 'it takes the weaker model for the stronger',
  contrast_all: 'it removes nothing: what has less than alpha of the largest probability goes',
  contrast_weak_cut: 'it cuts by the weaker model: the stronger one says what is plausible',
  contrast_late_cut: 'it cuts by the combined numbers: the cut is by the model alone',
  contrast_share_cut:
    'it compares the probability with alpha itself: alpha is a part of the largest one',
  contrast_logits:
    'it contrasts logits: both are made logarithms of probabilities first; the shares are the same, the numbers are not',
  green_red: 'it lifts the others: green are the tokens whose bits are below the fraction',
  green_half: 'its list is one half: green_fraction says how much is green',
  green_first: 'its list is the first ids: the bits say which tokens are green',
  green_lowers:
    'it lowers the others: the bias is added to the green ones; the shares are the same, the numbers are not',
  green_times: 'it multiplies by the bias: it is added',
  green_soft: 'at 100 it lifts the green tokens: there the others are removed',
  green_hard: 'it removes the others at any bias: they stay below 100',
  green_empties: 'at 100 it removes everything where no token is green: there all stay',
  synthid_once: 'it plays the first layer only',
  synthid_fresh:
    'each layer looks at the first distribution: it is to look at what the layers before it left',
  synthid_losers: 'it lets 0 win: of two candidates the one with the larger g wins',
  synthid_other_bits: 'it begins with the highest bit: layer i reads bit i',
  synthid_again: 'it marks again where the same context stood before: there nothing is changed',
  synthid_no_least: 'its factors fall to 0, which removes tokens: 2^-100 is the least',
  shares_first: 'the softmax comes before the stages: they are written for logits',
  shares_last: 'these are probabilities: the softmax comes after the chain',
  without_penalty: 'it leaves out repetition_penalty',
  without_temperature: 'it leaves out temperature',
  without_top_k: 'it leaves out top_k',
  without_top_p: 'it leaves out top_p',
  order_reversed: 'its order is reversed: repetition_penalty, temperature, top_k, top_p is right',
  reseeds:
    'each token is drawn with the same random number: the generator is seeded once, before the loop',
  skips_u: 'it takes two random numbers a token',
  one_u_late: 'it leaves out the first random number',
  turned_u: 'it draws with 1 - u: the first token whose cumulative mass is above u is right',
  always_best: 'it always takes the best token and draws nothing',
  by_id:
    'it adds the shares up in the order of the ids: the draw goes from the most to the least probable',
  evenly: 'it draws among the survivors as if all were equally probable',
  first_row: 'it takes the logits of the first position',
  row_before: 'it takes the logits of the position before the last',
  crops_front: 'it crops to the first tokens: the model is to see the last ones',
  crops_short: 'it crops to one token less than the context holds',
  last_token_only: 'it shows the model the last token only',
  not_appended: 'it does not append what it draws: each token follows the prompt alone',
  put_in_front: 'it puts what it draws in front of the text',
  end_ignored: 'it goes on after the end token',
  prompt_too: 'it returns the prompt too: only the new ids are asked for',
  one_token_more: 'it draws one token more than max_new_tokens',
  one_token_less: 'it draws one token less than max_new_tokens',
  history_window: 'its penalties see only what fits into the context: they look at the whole text',
  history_prompt: 'its penalties see the prompt only: what was drawn counts too',
  history_new: 'its penalties see only what was drawn: the prompt counts too',
  history_none: 'its penalties see no history',
  loop_shares_first: 'the softmax comes before the warpers: they are written for logits',
  loop_without_temperature: 'the loop leaves out temperature',
  loop_without_top_k: 'the loop leaves out top_k',
  loop_without_top_p: 'the loop leaves out top_p',
  untried: 'not tried: a call before took too long',
  // Differences that cost nothing.
  refuses: 'it refuses {settings}, which has a meaning here',
  not_asked: 'not asked, since its parameters have no word for it: {names}',
  by_rule: 'right by the rule {rule}; by the usual one: {why}',
};

/**
 * @param {keyof typeof REASONS} code
 * @param {Record<string, string | number>} [params] what its sentence names
 */
export function reason(code, params = {}) {
  const message = REASONS[code].replace(/\{(\w+)\}/g, (_, name) => String(params[name]));
  return { code, params, message };
}

/**
 * The same as an answer, of a learner's code that gave none.
 * @param {keyof typeof REASONS} code
 * @param {Record<string, string | number>} [params]
 */
export function refusal(code, params) {
  const { message, ...rest } = reason(code, params);
  return { error: message, ...rest };
}
