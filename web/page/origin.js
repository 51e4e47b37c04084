/** The notice that a link was made with a model file that is not open here. The page fetches it for such a link. */
import { locales } from '#locales/origin';
import { addMessages, t } from '../locale/locale.js';

addMessages(locales);

/**
 * Shows the notice, unless the file is open.
 * @param {import('./scope.js').LogitScope} scope
 * @param {string} file its name
 */
export async function sayOrigin(scope, file) {
  if (!scope.ready)
    await new Promise((resolve) => scope.addEventListener('logit-ready', resolve, { once: true }));
  if (scope.files.some(({ name }) => name === file)) return;
  const model = scope.files[0]?.name ?? scope.source ?? '';
  const names = { file: `\u2068${file}\u2069`, model: `\u2068${model}\u2069` };
  scope.notice ||= scope.speak(() => t('origin.file', names));
}
