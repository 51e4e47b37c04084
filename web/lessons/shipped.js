/** The shipped lessons in the order of the course; this folder has a file per lesson and language. */
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
];

/** The languages of every shipped lesson. */
export const LESSON_LANGUAGES = ['en', 'es'];

/** @param {string} name @param {string} language */
export const lessonFile = (name, language) =>
  `lessons/${name}.${LESSON_LANGUAGES.includes(language) ? language : 'en'}.json`;

/** The files of all shipped lessons, relative to `web/`. */
export const LESSON_FILES = SHIPPED.flatMap((name) =>
  LESSON_LANGUAGES.map((language) => lessonFile(name, language)),
);
