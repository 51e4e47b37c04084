/**
 * The elements for other pages: the instrument, its views and panels, and lessons. Elements with one
 * model share one engine and one download. Their language is the document's, unless an element around
 * them has another `lang`.
 */
import { matchLanguage, setLanguage } from '../locale/locale.js';
import './standalone.js';
import './model-placeholder.js';
import './lesson/lesson.js';
import '../panels/stages/stages.js';
import '../views/compare/compare.js';
import '../views/cost/cost.js';
import '../views/landscape/landscape.js';
import '../views/logits/logits.js';
import '../views/speculative/speculative.js';
import '../views/sweep/sweep.js';

const { documentElement } = document;
const speakAsDocument = () => setLanguage(matchLanguage([documentElement.lang]));
new MutationObserver(speakAsDocument).observe(documentElement, { attributeFilter: ['lang'] });
speakAsDocument();

export { LogitScope } from './scope.js';
export { language, languages, setLanguage } from '../locale/locale.js';
