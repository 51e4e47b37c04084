/**
 * The entry script for other websites: defines the elements of the instrument, its views and panels, and lessons.
 * Elements with the same model share an engine and a download. Their language is that of the document, or of the
 * nearest `lang` around them.
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
