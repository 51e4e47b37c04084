/** The entry script of the single-file page: reads the files inside it, then starts the page. */
import './single-page.js';
import './main.js';
