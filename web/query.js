/** What the page's address asks of the instrument (?model=, ?view=), before that comes alive. */
import { MODELS, mayLoad } from './components/models.js';

const scope = document.querySelector('logit-scope');
const query = new URLSearchParams(location.search);
const model = query.get('model') ?? MODELS[0].name;
scope?.setAttribute('model', mayLoad(model) ? model : MODELS[0].name);
const view = query.get('view');
if (view) scope?.setAttribute('view', view);
