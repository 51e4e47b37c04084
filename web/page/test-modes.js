/** Starts the test modes that the address names: a pseudo-locale, or random input. */
import { parseQuery } from '../state/page-state.js';

const { strings, fuzz } = parseQuery(location.search).asked;
if (strings) import('../locale/pseudo.js').then(({ beginPseudo }) => beginPseudo(strings));
if (fuzz) import('./fuzz.js').then(({ beginFuzz }) => beginFuzz(Number(fuzz)));
