/** Offers the sampler settings that a GGUF file brings along. The page applies none of them by itself. */
import { html } from 'lit';
import { locales } from '#locales/offer';
import { addressOf, partNames } from '../engine/model-names.js';
import { readHead } from '../import/settings/gguf.js';
import { addMessages, list, plain, t } from '../locale/locale.js';

addMessages(locales);

/** The metadata of a file begins with the keys that matter here. In bytes. */
const HEAD = 1 << 20;

/**
 * Returns the first bytes of a file of the user, or of a stored model of another host; null for other models.
 * @param {unknown} model as in state/engines.js
 */
async function headOf(model) {
  const [part] = [model].flat();
  if (part instanceof File) return new Uint8Array(await part.slice(0, HEAD).arrayBuffer());
  const { store } = await import('../engine/browser-store.js');
  const found = await store.find(partNames(addressOf(String(part)) ?? '')[0]);
  if (!found) return null;
  for await (const bytes of found.read(0)) return bytes.subarray(0, HEAD);
  return null;
}

/**
 * Shows one line about the settings in the file of a model, with a button that shows them; removes the line if the
 * file has none.
 * @param {import('./scope.js').LogitScope} scope
 * @param {unknown} model as in state/engines.js
 */
export async function offerSettings(scope, model) {
  const head = await headOf(model).catch(() => null);
  const isGguf = head && String.fromCharCode(...head.subarray(0, 4)) === 'GGUF';
  const pairs = isGguf ? readHead(head) : [];
  const text = pairs.map(([key, value]) => `${key} = ${value}\n`).join('');
  const close = () => (scope.offer = null);
  const show = () => {
    scope.emit('logit-programs', { text });
    close();
  };
  const named = () =>
    list(
      pairs.map(
        ([key, value]) =>
          `${key.split('.').pop()} ${typeof value === 'number' ? plain(value) : value}`,
      ),
    );
  scope.offer =
    pairs.length === 0 || scope.readonly
      ? null
      : () => html`
        <div class="panel said offer" role="status">
          <p>${t('offer.words', { name: `\u2068${nameOf(model)}\u2069`, settings: named() })}</p>
          <span><button data-command="offer" @click=${show}>${t('offer.show')}</button>
            <button class="quiet" @click=${close}>${t('offer.close')}</button></span>
        </div>`;
}

/** @param {unknown} model */
function nameOf(model) {
  const [part] = [model].flat();
  return part instanceof File ? part.name : String(part).replace(/^.*\//, '');
}
