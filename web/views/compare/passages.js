/**
 * Passages that no shipped model was trained on, each with its real continuation: from picture books under CC BY, and
 * from the last tenth of tiny Shakespeare, which the training leaves out (models/README.md).
 */

/** @typedef {{ id: string, title: string, credit: string, prompt: string, text: string }} Passage */

/** Passages by the model's name. @type {Readonly<Record<string, readonly Passage[]>>} */
export const PASSAGES = Object.freeze({
  stories: [
    {
      id: 'king',
      title: 'Fat King Thin Dog',
      credit: 'Parismita, “Fat King Thin Dog”, Pratham Books, CC BY 4.0',
      prompt:
        'This is a fat king. The fat king has a thin dog. The fat king and his thin dog go for a walk. The dog sees a bird.',
      text: 'The dog runs after the bird. The king runs after the dog. They run and run. They run and run for many days. The king catches the dog. Now the fat king is thin.',
    },
    {
      id: 'goat',
      title: 'Goat, Dog, and Cow',
      credit: 'Fabian Wakholi, “Goat, Dog, and Cow”, African Storybook, CC BY',
      prompt: 'Goat, Dog, and Cow were great friends. One day they went on a journey in a taxi.',
      text: 'When they reached the end of their journey, the driver asked them to pay their fares. Cow paid her fare. Dog paid a bit extra, because he did not have the correct money.',
    },
  ],
  shakespeare: [
    {
      id: 'tempest',
      title: 'The Tempest, II, 1',
      credit: 'William Shakespeare, “The Tempest”, II, 1, tiny Shakespeare',
      prompt: 'What, art thou waking?',
      text: "\n\nANTONIO:\nDo you not hear me speak?\n\nSEBASTIAN:\nI do; and surely\nIt is a sleepy language and thou speak'st\nOut of thy sleep.",
    },
  ],
});

/** Returns the passage that has this continuation; undefined if none. @param {string} [text] */
export const passageOf = (text) =>
  Object.values(PASSAGES)
    .flat()
    .find((passage) => passage.text === text);
