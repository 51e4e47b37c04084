/**
 * The content of an element on another website until its model is loaded: for a model on another host, a question with
 * host and size; then the progress.
 */
import { html, nothing, render } from 'lit';
import { ModelElement } from '../base/model-element.js';
import { findModel } from '../state/models.js';
import './open-model.js';

/** @type {WeakMap<ModelElement, HTMLElement>} */
const places = new WeakMap();

/** @param {ModelElement} element @param {unknown} content `nothing` removes the placeholder */
function showContent(element, content) {
  const place = places.get(element) ?? document.createElement('div');
  places.set(element, place);
  place.className = 'waiting';
  if (!place.isConnected) element.renderRoot.prepend(place);
  render(content, place);
  element.toggleAttribute('waiting', content !== nothing);
}

ModelElement.placeholder = {
  ask: (element) =>
    new Promise((resolve) => {
      const agree = (/** @type {CustomEvent} */ event) => {
        event.stopPropagation(); // must not load this model in an instrument around this element
        showContent(element, nothing);
        resolve(event.detail);
      };
      const { model } = element.offer;
      showContent(element, html`<logit-open .asked=${model} @logit-model=${agree}></logit-open>`);
    }),

  follow(element, progress, cancel) {
    if (!progress) return void (places.has(element) && showContent(element, nothing));
    const { name } = findModel(element.offer.model);
    showContent(
      element,
      html`<logit-fetching .name=${name} .progress=${progress} @logit-cancel=${cancel}></logit-fetching>`,
    );
  },
};
