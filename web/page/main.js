/** The entry script of the page. It defines the elements in index.html; the address sets their state. */
import './query.js';
import './preferences.js';
import './scope.js';
import './page.js';
