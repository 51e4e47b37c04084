/**
 * What the page's address asks of the instrument (?model=, ?view=, ?controls=, ?readonly), before
 * that comes alive.
 */
import { MODELS, mayLoad } from '../state/models.js';
import { parseControls } from '../state/page-state.js';

const scope = document.querySelector('logit-scope');
const query = new URLSearchParams(location.search);
const model = query.get('model') ?? MODELS[0].name;
scope?.setAttribute('model', mayLoad(model) ? model : MODELS[0].name);
const view = query.get('view');
if (view) scope?.setAttribute('view', view);
const controls = query.get('controls');
if (controls) {
  scope?.setAttribute('controls', controls);
  const header = document.querySelector('header');
  if (header) header.hidden = !parseControls(controls)?.parts.has('masthead');
}
if (query.has('readonly')) scope?.setAttribute('readonly', '');
// A frame is part of another page, which says itself what there is to see.
if (controls || window.parent !== window) scope?.removeAttribute('guide');
