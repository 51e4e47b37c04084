/** Adds the strings of the page's glossary. */
import { locales } from '#locales/term';
import { addMessages } from '../locale/locale.js';

addMessages(locales);
