/**
 * The page's entry. The modules define the elements, which index.html contains; the address sets their
 * state.
 */
import './query.js';
import './preferences.js';
import './scope.js';
import './page.js';
