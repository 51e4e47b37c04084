/**
 * The page's entry: the elements define themselves, index.html places them, the address sets them.
 */
import './query.js';
import './preferences.js';
import './scope.js';
import './page.js';
