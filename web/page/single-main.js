/** The entry of the single-file page: its files first, then the page. */
import './single-page.js';
import './main.js';
