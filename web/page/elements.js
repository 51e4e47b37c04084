/**
 * The elements without the page, for a lesson that keeps its own copy: the whole instrument, its
 * views, its panels, and lessons. All over one model share one engine and one download, and speak the
 * document's language where no element around them has another.
 */
import { matchLanguage, setLanguage } from '../locale/locale.js';
import './standalone.js';
import './model-placeholder.js';
import './lesson/lesson.js';
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
