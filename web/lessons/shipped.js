/** Names of the lessons in this folder, in the order of the course. There is a file for each lesson and language. */
export const SHIPPED = [
  'one-token',
  'greedy',
  'temperature',
  'top-k',
  'top-p',
  'order',
  'repetition',
  'diversity',
  'cost',
  'bias',
  'strategies',
  'constrained',
  'write-it',
  'same-seed',
  'sentences',
];

/** Languages of all lessons. */
export const LESSON_LANGUAGES = ['en', 'es'];

/** @param {string} name @param {string} language */
export const lessonFile = (name, language) =>
  `lessons/${name}.${LESSON_LANGUAGES.includes(language) ? language : 'en'}.json`;

/** Paths of all lesson files below `web/`. */
export const LESSON_FILES = SHIPPED.flatMap((name) =>
  LESSON_LANGUAGES.map((language) => lessonFile(name, language)),
);
