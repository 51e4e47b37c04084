/** What the warpers of the shelf and their parameters are called and do, in every language. */
import { locales } from '#locales/shelf';
import { addMessages, announceLanguage } from '../../locale/locale.js';

addMessages(locales);
announceLanguage();
