/**
 * The bench's listeners for events of its panels, by the name of the event. A panel asks for a change; the listener
 * makes it.
 */

/** @typedef {import('../../state/bench.js').Bench} Bench */
/** @typedef {import('../../state/instrument.js').Instrument} Instrument */
/** @typedef {Record<string, (event: any) => void>} Listeners */

/**
 * Returns the listeners that every bench has.
 * @param {Bench} bench
 * @param {() => boolean} [isFixed] returns true if the user cannot change the settings
 * @returns {Listeners}
 */
export function requestsOfBench(bench, isFixed = () => false) {
  return {
    ...unlessFixed(isFixed, {
      'logit-set': ({ detail, target }) => {
        holdChart(bench, target);
        bench.set(detail);
      },
      'logit-preset': ({ detail }) => bench.usePreset(detail.settings),
      'logit-seed': ({ detail }) => bench.setSeed(detail.seed),
      'logit-bias': ({ detail }) => bench.setBias(detail.id, detail.bias),
      'logit-order': ({ detail, target }) => {
        holdChart(bench, target);
        bench.setOrder(detail.order, detail.dragged);
      },
    }),
    'logit-conventions': ({ detail }) => bench.choose({ pair: detail.pair }),
    'logit-view': ({ detail }) => bench.choose({ view: detail.view }),
    'logit-draw': ({ detail }) => {
      if (detail.draws) bench.drawMany(detail.draws);
      else if (isFixed()) return;
      else if (detail.method) bench.setMethod(detail.method);
      else bench.setWhatIf(detail.u);
    },
  };
}

/**
 * If the user drags a line in a chart, notes which chart is visible: the bench must not choose another one by itself.
 * @param {Bench} bench
 * @param {Element} target
 */
function holdChart(bench, { localName }) {
  if (localName === 'logit-distribution') bench.view ??= bench.chart;
}

/**
 * Returns all listeners of a bench with a text.
 * @param {Instrument} instrument
 * @param {() => boolean} isFixed returns true if the user cannot change prompt and settings
 * @returns {Listeners}
 */
export function requestsOf(instrument, isFixed) {
  return {
    ...requestsOfBench(instrument, isFixed),
    ...stepsOf(instrument, isFixed),
    ...unlessFixed(isFixed, changesOf(instrument)),
  };
}

/** @param {() => boolean} isFixed @param {Listeners} changes */
function unlessFixed(isFixed, changes) {
  const entries = Object.entries(changes).map(([type, change]) => [
    type,
    (/** @type {any} */ event) => isFixed() || change(event),
  ]);
  return Object.fromEntries(entries);
}

/**
 * Returns the listeners for changes of the prompt, the gates and the tokens.
 * @param {Instrument} instrument @returns {Listeners}
 */
function changesOf(instrument) {
  return {
    'logit-prompt': ({ detail }) => instrument.setPrompt(detail.prompt),
    'logit-chat': ({ detail }) => instrument.setChat(detail.chat),
    'logit-thinking': ({ detail }) =>
      instrument.attempt(async () => {
        await instrument.thinking.change(detail);
        await instrument.set({}, false);
      }),
    'logit-force': ({ detail }) => instrument.generation.force(detail.id),
    'logit-constraint': ({ detail }) => instrument.setGates(detail),
    'logit-own-stage': ({ detail: { own, failed } }) => {
      if (failed) instrument.generation.stop();
      instrument.setOwn(own);
    },
    'logit-branch': ({ detail }) => instrument.generation.branch(detail.index, detail.id),
  };
}

/**
 * Returns the listeners for steps and for moving in the text. If the text is fixed, a new token limit and a new rule
 * for the end token are ignored.
 * @param {Instrument} instrument
 * @param {() => boolean} isFixed
 * @returns {Listeners}
 */
function stepsOf(instrument, isFixed) {
  return {
    'logit-alternatives': ({ detail }) => instrument.alternatives.find(detail.index),
    'logit-rewind': ({ detail }) => instrument.go((texts) => texts.rewind(detail.n)),
    'logit-break': ({ detail }) => {
      if (detail.asked) {
        instrument.generation.stop(); // the answer is for a text that rests
        instrument.findings.breakLoop();
      } else instrument.findings.dropLoopBreaks();
      instrument.changed();
    },
    'logit-walk': ({ detail }) => instrument.go((texts) => texts.show(detail.node)),
    'logit-command': ({ detail: { command } }) => {
      if (command === 'step') instrument.generation.step();
      else if (command === 'run') instrument.generation.run();
      else if (command === 'stop') instrument.generation.stop();
      else if (command === 'reset') instrument.go((texts) => texts.clear());
    },
    'logit-option': ({ detail }) => {
      if (detail.pace !== undefined) instrument.generation.pace = detail.pace;
      if (detail.max_new_tokens !== undefined && !isFixed())
        instrument.go((texts) => (texts.limit = detail.max_new_tokens));
      if (detail.stopAtEnd !== undefined && !isFixed())
        instrument.go((texts) => (texts.stopAtEnd = detail.stopAtEnd));
      if (detail.sought !== undefined) instrument.findings.seek(detail.sought);
    },
  };
}
