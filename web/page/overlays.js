/** Elements that appear over the page or at its foot. They are fetched while the first model loads. */
import './model-sheet.js';
import '../panels/distribution/glance.js';
import '../panels/text/alternatives.js';
import '../panels/text/branches.js';
import '../panels/text/token-menu.js';
import '../panels/text/verdict.js';
