/** What a bench does when a panel asks for something, by the type of the panel's event. */

/** @typedef {import('../../state/bench.js').Bench} Bench */
/** @typedef {import('../../state/instrument.js').Instrument} Instrument */
/** @typedef {Record<string, (event: any) => void>} Listeners */

/**
 * What any bench does.
 * @param {Bench} it
 * @param {() => boolean} [isFixed] whether the settings stay as they are
 * @returns {Listeners}
 */
export function requestsOfBench(it, isFixed = () => false) {
  return {
    ...guarded(isFixed, {
      'logit-set': ({ detail }) => it.set(detail),
      'logit-preset': ({ detail }) => it.usePreset(detail.settings),
      'logit-seed': ({ detail }) => it.setSeed(detail.seed),
      'logit-bias': ({ detail }) => it.setBias(detail.id, detail.bias),
      'logit-order': ({ detail }) => it.setOrder(detail.order),
    }),
    'logit-conventions': ({ detail }) => it.setPair(detail.pair),
    'logit-view': ({ detail }) => it.setView(detail.view),
    'logit-draw': ({ detail }) => {
      if (detail.draws) it.drawMany(detail.draws);
      else if (isFixed()) return;
      else if (detail.method) it.setMethod(detail.method);
      else it.setWhatIf(detail.u);
    },
  };
}

/**
 * What the bench over a text does besides.
 * @param {Instrument} it
 * @param {() => boolean} isFixed whether prompt and settings stay as they are
 * @returns {Listeners}
 */
export function requestsOf(it, isFixed) {
  return {
    ...requestsOfBench(it, isFixed),
    ...stepsOf(it, isFixed),
    ...guarded(isFixed, changesOf(it)),
  };
}

/** @param {() => boolean} isFixed @param {Listeners} changes */
function guarded(isFixed, changes) {
  const entries = Object.entries(changes).map(([type, change]) => [
    type,
    (/** @type {any} */ event) => isFixed() || change(event),
  ]);
  return Object.fromEntries(entries);
}

/** Other prompts and tokens. @param {Instrument} it @returns {Listeners} */
function changesOf(it) {
  return {
    'logit-prompt': ({ detail }) => it.setPrompt(detail.prompt),
    'logit-force': ({ detail }) => it.force(detail.id),
    'logit-constraint': ({ detail }) => it.setGates(detail),
    'logit-own-stage': ({ detail: { own, failed } }) => {
      if (failed) it.stop();
      it.setOwn(own);
    },
    'logit-branch': ({ detail }) => it.branch(detail.index, detail.id),
  };
}

/**
 * Steps through the text and other looks at it, which end where another one would come of them.
 * @param {Instrument} it
 * @param {() => boolean} isFixed
 * @returns {Listeners}
 */
function stepsOf(it, isFixed) {
  return {
    'logit-alternatives': ({ detail }) => it.findAlternatives(detail.index),
    'logit-rewind': ({ detail }) => it.rewind(detail.n),
    'logit-walk': ({ detail }) => it.show(detail.node),
    'logit-command': ({ detail: { command } }) => {
      if (command === 'step') it.step();
      else if (command === 'run') it.run();
      else if (command === 'stop') it.stop();
      else if (command === 'reset') it.reset();
    },
    'logit-option': ({ detail }) => {
      if (detail.pace !== undefined) it.setPace(detail.pace);
      if (detail.max_new_tokens !== undefined && !isFixed()) it.setLimit(detail.max_new_tokens);
      if (detail.stopAtEnd !== undefined && !isFixed()) it.setStopAtEnd(detail.stopAtEnd);
    },
  };
}
