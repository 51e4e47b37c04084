/**
 * The elements without the page, for a lesson that keeps its own copy: the whole instrument, its
 * views, and its panels. All over one model share one engine and one download.
 */
import './alone.js';
import '../views/compare/compare.js';
import '../views/cost/cost.js';
import '../views/logits/own.js';
import '../views/sweep/sweep.js';

export { LogitScope } from './scope.js';
export { language, languages, setLanguage } from '../locale/locale.js';
