/**
 * Judges sentences by a grammar file (models/verbs.grammar.json): syntax, tense, person, and the
 * possible next tokens. The generator in models/train/grammar.py reads the same file; this module
 * contains no word of the grammar.
 * @typedef {{ text: string, weight: number }} Phrase
 * @typedef {Phrase & { tenses: Record<string, number> }} Time
 * @typedef {Phrase & { person: string }} Subject
 * @typedef {{ label: string, be: string, was: string, have: string, present: string }} Person
 * @typedef {{ label: string, pattern: string }} Tense
 * @typedef {{ weight: number, shapes: string, forms: Record<string, string>,
 *   slots: Record<string, string> }} Verb
 * @typedef {{ slots: string[], weight: number }} Shape
 * @typedef {{ name: string, specials: { bos: string, eos: string }, vocabulary: string[],
 *   times: Time[], subjects: Subject[], persons: Record<string, Person>,
 *   tenses: Record<string, Tense>, verbs: Verb[], shapes: Record<string, Shape[]>,
 *   phrases: Record<string, Phrase[]> }} Grammar
 *
 * @typedef {'right' | 'empty' | 'unknown_word' | 'no_time' | 'no_subject' | 'no_verb'
 *   | 'unfinished' | 'complement' | 'tense' | 'person' | 'tense_and_person'} Code
 *
 * True in `syntax`, `tense`, `person` and `right` means correct; `tense` and `person` are null if
 * the syntax is wrong. `values` are the words that `message` contains, for a page in another
 * language; a tense is given by its key in the grammar.
 * @typedef {{ syntax: boolean, tense: boolean | null, person: boolean | null, right: boolean,
 *   code: Code, message: string, values: Record<string, string> }} Verdict
 *
 * `right`: true if the text begins a sentence of the grammar. `complete`: true if the text is a
 * whole sentence. `next`: the probability of each next token ('<eos>' if a sentence may end here).
 * @typedef {{ right: boolean, complete: boolean, next: Map<string, number> }} PrefixVerdict
 *
 * One reading of a text: its parts by their names in the grammar. `rest` is the text after `phrase`.
 * @typedef {{ time: Time, subject: Subject, verb: Verb, tense: string, person: string,
 *   phrase: string, tenseRight: boolean, personRight: boolean, rest: string }} Reading
 */
import { mustBe } from './errors.js';

/**
 * Cuts a text before every space, as a tokenizer of type `logitscope-word` does.
 * @param {string} text
 * @returns {string[]}
 */
export function pieces(text) {
  if (typeof text !== 'string') throw mustBe('text', 'a_string', text);
  return text.match(/^[^ ]+| [^ ]*/g) ?? [];
}

/**
 * The verb phrase of a tense, verb and person: "is going to go".
 * @param {Grammar} grammar
 * @param {string} tense
 * @param {Verb} verb
 * @param {string} person
 */
function verbPhrase(grammar, tense, verb, person) {
  const { be, was, have, present } = grammar.persons[person];
  /** @type {Record<string, string>} */
  const words = { ...verb.forms, be, was, have, present: verb.forms[present] };
  return grammar.tenses[tense].pattern.replace(/\{(\w+)\}/g, (_, name) => words[name]);
}

/**
 * Results of complements(), by verb; a loaded grammar never changes.
 * @type {WeakMap<Verb, [string, number][]>}
 */
const expanded = new WeakMap();

/**
 * Returns every complement of a verb, with a leading space, and its probability. A missing
 * complement is ''.
 * @param {Grammar} grammar
 * @param {Verb} verb
 * @returns {[string, number][]}
 */
function complements(grammar, verb) {
  const known = expanded.get(verb) ?? computeComplements(grammar, verb);
  expanded.set(verb, known);
  return known;
}

/**
 * @param {Grammar} grammar
 * @param {Verb} verb
 * @returns {[string, number][]}
 */
function computeComplements(grammar, verb) {
  return withProbabilities(grammar.shapes[verb.shapes]).flatMap(([shape, share]) => {
    /** @type {[string, number][]} */
    let partial = [['', share]];
    for (const slot of shape.slots) {
      const phrases = withProbabilities(grammar.phrases[verb.slots[slot]]);
      partial = partial.flatMap(([text, p]) =>
        phrases.map(
          ([phrase, q]) => /** @type {[string, number]} */ ([`${text} ${phrase.text}`, p * q]),
        ),
      );
    }
    return partial;
  });
}

/**
 * @template {{ weight: number }} T
 * @param {T[]} entries
 * @returns {[T, number][]}
 */
function withProbabilities(entries) {
  const total = entries.reduce((sum, entry) => sum + entry.weight, 0);
  return entries.map((entry) => [entry, entry.weight / total]);
}

/**
 * The part of `text` after the words of `head`; null if `text` does not begin with these words.
 * @param {string} text
 * @param {string} head
 */
function textAfter(text, head) {
  if (!text.startsWith(head)) return null;
  return text.length === head.length || text[head.length] === ' ' ? text.slice(head.length) : null;
}

/**
 * The entries with which the text begins, each with the rest of the text.
 * @template {{ text: string }} T
 * @param {T[]} entries
 * @param {string} text
 * @param {string} lead
 */
function entriesAtStart(entries, text, lead) {
  return entries.flatMap((entry) => {
    const rest = textAfter(text, lead + entry.text);
    return rest === null ? [] : [{ entry, rest }];
  });
}

/**
 * Every reading of `rest` as a verb phrase of any tense and person. `rest` is the text after time
 * and subject.
 * @param {Grammar} grammar
 * @param {Time} time
 * @param {Subject} subject
 * @param {string} rest
 * @returns {Reading[]}
 */
function readings(grammar, time, subject, rest) {
  const found = [];
  for (const verb of grammar.verbs) {
    for (const tense of Object.keys(grammar.tenses)) {
      const own = verbPhrase(grammar, tense, verb, subject.person);
      for (const person of Object.keys(grammar.persons)) {
        const phrase = verbPhrase(grammar, tense, verb, person);
        const tail = textAfter(rest, ` ${phrase}`);
        if (tail === null) continue;
        found.push({
          time,
          subject,
          verb,
          tense,
          person,
          phrase,
          rest: tail,
          tenseRight: tense in time.tenses,
          personRight: phrase === own,
        });
      }
    }
  }
  return found;
}

/** @param {unknown} grammar @param {unknown} text */
function checkGiven(grammar, text) {
  if (!Array.isArray(/** @type {any} */ (grammar)?.vocabulary))
    throw mustBe('grammar', 'a_grammar', grammar);
  if (typeof text !== 'string') throw mustBe('text', 'a_string', text);
}

/**
 * Judges a whole sentence; the verdict's `code` is 'right' or names the error. If the sentence has
 * several readings, the most favourable reading counts ("is going to work" is a future, but also a
 * present: on the way to work).
 * @param {Grammar} grammar
 * @param {string} text the whole sentence, prompt included, without special tokens
 * @returns {Verdict}
 */
export function checkSentence(grammar, text) {
  checkGiven(grammar, text);
  if (text === '') return syntaxErrorVerdict('empty', 'The sentence is empty.', {});
  const unknown = pieces(text).find((piece) => !grammar.vocabulary.includes(piece));
  if (unknown !== undefined) {
    const word = unknown.trim();
    return syntaxErrorVerdict(
      'unknown_word',
      `"${word}" is not a word that the grammar knows at this place.`,
      {
        word,
      },
    );
  }
  const times = entriesAtStart(grammar.times, text, '');
  const subjects = times.flatMap(({ entry: time, rest }) =>
    entriesAtStart(grammar.subjects, rest, ' ').map((found) => ({ time, ...found })),
  );
  const verbs = subjects.flatMap(({ time, entry, rest }) => readings(grammar, time, entry, rest));
  const whole = verbs.filter(({ verb, rest }) =>
    complements(grammar, verb).some(([tail]) => tail === rest),
  );
  if (whole.length > 0) return verdictOf(grammar, bestReading(whole));
  const begun = verbs.some(({ verb, rest }) =>
    complements(grammar, verb).some(([tail]) => tail.startsWith(`${rest} `)),
  );
  if (begun || isBeginning(grammar, text))
    return syntaxErrorVerdict('unfinished', 'The sentence is not finished.', {});
  return verbs.length > 0 ? badComplement(bestReading(verbs)) : badStart(grammar, times, subjects);
}

/**
 * The verdict on a text in which an error precedes the verb phrase.
 * @param {Grammar} grammar
 * @param {{ entry: Time, rest: string }[]} times
 * @param {{ time: Time, entry: Subject, rest: string }[]} subjects
 */
function badStart(grammar, times, subjects) {
  if (times.length === 0) {
    const example = grammar.times[0].text;
    return syntaxErrorVerdict(
      'no_time',
      `The sentence does not begin with a time expression such as "${example}".`,
      { example },
    );
  }
  if (subjects.length === 0) {
    const { entry } = longestMatch(times);
    const example = grammar.subjects[0].text;
    return syntaxErrorVerdict(
      'no_subject',
      `"${entry.text}" is not followed by a subject such as "${example}".`,
      { time: entry.text, example },
    );
  }
  const { time, entry } = longestMatch(subjects);
  const example = verbPhrase(grammar, Object.keys(time.tenses)[0], grammar.verbs[0], entry.person);
  return syntaxErrorVerdict(
    'no_verb',
    `"${entry.text}" is not followed by a verb phrase such as "${example}".`,
    { subject: entry.text, example },
  );
}

/** @param {Reading} reading */
function badComplement({ phrase, rest }) {
  const tail = rest.trim();
  return syntaxErrorVerdict('complement', `"${tail}" cannot follow "${phrase}".`, {
    verb: phrase,
    rest: tail,
  });
}

/**
 * The match with the most words: "Tomorrow morning" rather than "Tomorrow".
 * @template {{ rest: string }} T
 * @param {T[]} matches
 */
function longestMatch(matches) {
  return matches.reduce((a, b) => (b.rest.length < a.rest.length ? b : a));
}

/**
 * The most favourable reading: a right tense counts more than a right person, which counts more than a
 * shorter unread rest.
 * @param {Reading[]} found
 */
function bestReading(found) {
  /** @param {Reading} reading */
  const score = ({ tenseRight, personRight, rest }) =>
    [0, 1, 2, 4][2 * Number(tenseRight) + Number(personRight)] * 1000 - rest.length;
  return found.reduce((a, b) => (score(b) > score(a) ? b : a));
}

/**
 * @param {Code} code
 * @param {string} message
 * @param {Record<string, string>} values
 * @returns {Verdict}
 */
function syntaxErrorVerdict(code, message, values) {
  return { syntax: false, tense: null, person: null, right: false, code, message, values };
}

/**
 * The verdict on a sentence with correct syntax.
 * @param {Grammar} grammar
 * @param {Reading} reading
 * @returns {Verdict}
 */
function verdictOf(grammar, reading) {
  const { time, subject, verb, phrase, tenseRight, personRight } = reading;
  const tense = tenseRight ? reading.tense : Object.keys(time.tenses)[0];
  const expected = verbPhrase(grammar, tense, verb, subject.person);
  const used = grammar.tenses[reading.tense].label;
  const values = {
    time: time.text,
    subject: subject.text,
    verb: phrase,
    expected,
    tense: reading.tense,
  };
  const verdict = {
    syntax: true,
    tense: tenseRight,
    person: personRight,
    right: tenseRight && personRight,
    values,
  };
  if (verdict.right) {
    return {
      ...verdict,
      code: 'right',
      message: `The sentence is right: "${phrase}" is ${used} and agrees with "${subject.text}".`,
    };
  }
  if (tenseRight) {
    return {
      ...verdict,
      code: 'person',
      message: `"${phrase}" does not agree with "${subject.text}"; "${expected}" does.`,
    };
  }
  if (personRight) {
    return {
      ...verdict,
      code: 'tense',
      message: `"${phrase}" is ${used}, which does not go with "${time.text}"; "${expected}" does.`,
    };
  }
  return {
    ...verdict,
    code: 'tense_and_person',
    message:
      `"${phrase}" neither goes with "${time.text}" nor agrees with "${subject.text}"; ` +
      `"${expected}" does both.`,
  };
}

/**
 * The rest of each sentence of the grammar that begins with `text`, with the sentence's probability.
 * @param {Grammar} grammar
 * @param {string} text
 * @returns {Generator<[string, number]>}
 */
function* remainders(grammar, text) {
  /** @param {string} head */
  const agrees = (head) =>
    text === '' || textAfter(head, text) !== null || textAfter(text, head) !== null;
  for (const [time, pTime] of withProbabilities(grammar.times)) {
    if (!agrees(time.text)) continue;
    const tenses = withProbabilities(
      Object.entries(time.tenses).map(([name, weight]) => ({ name, weight })),
    );
    for (const [subject, pSubject] of withProbabilities(grammar.subjects)) {
      const start = `${time.text} ${subject.text}`;
      if (!agrees(start)) continue;
      for (const [{ name }, pTense] of tenses) {
        for (const [verb, pVerb] of withProbabilities(grammar.verbs)) {
          const head = `${start} ${verbPhrase(grammar, name, verb, subject.person)}`;
          if (!agrees(head)) continue;
          for (const [tail, p] of complements(grammar, verb)) {
            const rest = text === '' ? head + tail : textAfter(head + tail, text);
            if (rest !== null) yield [rest, pTime * pSubject * pTense * pVerb * p];
          }
        }
      }
    }
  }
}

/** @param {Grammar} grammar @param {string} text */
function isBeginning(grammar, text) {
  return !remainders(grammar, text).next().done;
}

/**
 * Judges the beginning of a sentence; returns the exact distribution of the next token under the
 * grammar.
 * @param {Grammar} grammar
 * @param {string} text
 * @returns {PrefixVerdict}
 */
export function checkPrefix(grammar, text) {
  checkGiven(grammar, text);
  /** @type {Map<string, number>} */
  const joint = new Map();
  let total = 0;
  for (const [rest, p] of remainders(grammar, text)) {
    const token = pieces(rest)[0] ?? grammar.specials.eos;
    joint.set(token, (joint.get(token) ?? 0) + p);
    total += p;
  }
  const next = [...joint].map(([token, p]) => /** @type {[string, number]} */ ([token, p / total]));
  next.sort((a, b) => b[1] - a[1]);
  return { right: total > 0, complete: joint.has(grammar.specials.eos), next: new Map(next) };
}

/**
 * The rest of each sentence of the grammar that begins with `text`, once each.
 * @param {Grammar} grammar
 * @param {string} text
 */
export function endings(grammar, text) {
  checkGiven(grammar, text);
  return new Set([...remainders(grammar, text)].map(([rest]) => rest));
}

/**
 * Every sentence of the grammar. A sentence with several derivations is repeated.
 * @param {Grammar} grammar
 * @returns {Generator<string>}
 */
export function* sentences(grammar) {
  for (const [sentence] of remainders(grammar, '')) yield sentence;
}
