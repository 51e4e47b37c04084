/** The entry of the single-file page: first reads its files, then starts the page. */
import './single-page.js';
import './main.js';
