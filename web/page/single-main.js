/** The single-file page: its files first, then the page as it is elsewhere. */
import './single-page.js';
import './main.js';
