/** The elements over the panels and at the foot of the page, fetched while the first model loads. */
import './model-sheet.js';
import '../panels/distribution/glance.js';
import '../panels/text/alternatives.js';
import '../panels/text/branches.js';
import '../panels/text/token-menu.js';
import '../panels/text/verdict.js';
