/**
 * English sentences about faults in a lesson's file, by key. The page has its sentences in its own language files.
 */

/** Most faults that are reported. */
export const MOST_FAULTS = 100;

export const LESSON_FAULTS = {
  unreadable: 'the file is not JSON: {reason}',
  encoding: 'the file is neither UTF-8 nor UTF-16 with its byte order mark',
  large: 'the file has {n} characters, at most {limit}',
  missing: '{at} has no {name}',
  unknown: '{at} has {name}, known are {names}',
  endpoint: '{at} names an address ({name}), which only the page around a lesson can',
  text: '{at} must be a text, got {value}',
  texts: '{at} must be a text or a list of texts, got {value}',
  number: '{at} must be a number, got {value}',
  flag: '{at} must be true or false, got {value}',
  list: '{at} must be a list, got {value}',
  object: '{at} must be an object, got {value}',
  among: '{at} must be one of {names}, got {value}',
  between: '{at} must be between {minimum} and {maximum}, got {value}',
  long: '{at} has {n} characters, at most {limit}',
  many: '{at} has {n} items, at most {limit}',
  few: '{at} has {n} items, at least {limit}',
  markup: '{at} holds HTML, which a lesson cannot: {value}',
  link: '{at} links to {value}: a link begins with https:// or http://, a button with #',
  unfigured: '{at} has a button for {value}, but its part has no figure to set',
  id: '{at} must be letters, digits, - and _, 40 at most, got {value}',
  twice: '{at} is {value}, as another question is',
  model:
    '{at} is {value}: a model is one that is shipped or a file of the same site, without a protocol',
  setting: '{at} has {name}, which is no setting that a lesson can set',
  source: '{at} needs either logits or a prompt',
  prompt: '{at} needs a prompt: logits alone give no text',
  tokens: '{at} has {n} texts for {limit} logits',
  stateless: '{at} is measured, but neither it nor its part has a state',
  right: '{at} has {n} right options, it needs one',
  aim: '{at} needs equals, at_least or at_most',
  unit: '{at} asks for a {kind}, but its measure is none',
};

/** @typedef {{ code: 'bad_lesson', key: keyof typeof LESSON_FAULTS, values: Record<string, string | number> }} LessonFault */

/** @param {LessonFault} fault */
export function inEnglish({ key, values }) {
  return LESSON_FAULTS[key].replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}
