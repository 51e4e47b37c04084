/**
 * The elements without the page, for a lesson that keeps its own copy: the whole instrument, its
 * views, and its panels. All over one model share one engine and one download.
 */
import './components/alone.js';
import './components/compare/compare.js';
import './components/cost/cost.js';
import './components/own/own.js';
import './components/sweep/sweep.js';

export { LogitScope } from './components/scope.js';
export { language, languages, setLanguage } from './locale/locale.js';
