/** What the instrument does when a panel asks for something, by the type of the panel's event. */

/** @typedef {import('../../state/instrument.js').Instrument} Instrument */
/** @typedef {Record<string, (event: any) => void>} Listeners */

/**
 * @param {Instrument} it
 * @param {() => boolean} isFixed whether prompt and settings stay as they are
 * @returns {Listeners}
 */
export function requestsOf(it, isFixed) {
  const guarded = Object.entries(changesOf(it)).map(([type, change]) => [
    type,
    (/** @type {any} */ event) => isFixed() || change(event),
  ]);
  return { ...stepsOf(it, isFixed), ...Object.fromEntries(guarded) };
}

/** Other prompts, settings and tokens. @param {Instrument} it @returns {Listeners} */
function changesOf(it) {
  return {
    'logit-set': ({ detail }) => it.set(detail),
    'logit-preset': ({ detail }) => it.usePreset(detail.settings),
    'logit-seed': ({ detail }) => it.setSeed(detail.seed),
    'logit-prompt': ({ detail }) => it.setPrompt(detail.prompt),
    'logit-bias': ({ detail }) => it.setBias(detail.id, detail.bias),
    'logit-force': ({ detail }) => it.force(detail.id),
    'logit-order': ({ detail }) => it.setOrder(detail.order),
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
    'logit-conventions': ({ detail }) => it.setPair(detail.pair),
    'logit-view': ({ detail }) => it.setView(detail.view),
    'logit-alternatives': ({ detail }) => it.findAlternatives(detail.index),
    'logit-rewind': ({ detail }) => it.rewind(detail.n),
    'logit-walk': ({ detail }) => it.show(detail.node),
    'logit-command': ({ detail: { command } }) => {
      if (command === 'step') it.step();
      else if (command === 'run') it.run();
      else if (command === 'stop') it.stop();
      else if (command === 'reset') it.reset();
    },
    'logit-draw': ({ detail }) => {
      if (detail.draws) it.drawMany(detail.draws);
      else if (isFixed()) return;
      else if (detail.method) it.setMethod(detail.method);
      else it.setWhatIf(detail.u);
    },
    'logit-option': ({ detail }) => {
      if (detail.pace !== undefined) it.setPace(detail.pace);
      if (detail.stopAtEnd !== undefined && !isFixed()) it.setStopAtEnd(detail.stopAtEnd);
    },
  };
}
