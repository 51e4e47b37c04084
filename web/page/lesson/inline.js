/**
 * Renders the text of a lesson. The only markup is **strong**, *stressed*, `code`, [links](https:/…) and
 * [buttons](#temperature=0). A button emits "logit-show" to change a figure.
 */
import { html } from 'lit';

const MARKS =
  /\*\*([^*]+)\*\*|\*([^*]+)\*|`([^`]+)`|\[([^\]]+)\]\((https?:\/\/[^\s)]+|#[^\s)]*)\)/g;

/** Puts no-break spaces into "T = 1" and "36 %". @param {string} text */
const withNoBreakSpaces = (text) =>
  text.replace(/ = | (?=%)/g, (gap) => gap.replaceAll(' ', '\u00a0'));

/** @param {Event} event */
function emitAsk({ currentTarget }) {
  const button = /** @type {HTMLElement} */ (currentTarget);
  const detail = { address: button.dataset.show };
  button.dispatchEvent(new CustomEvent('logit-show', { detail, bubbles: true, composed: true }));
}

/**
 * @param {string} text
 * @param {boolean} [held] true to disable the buttons
 */
export function inline(text, held = false) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(MARKS)) {
    const [whole, strong, stressed, code, link, address] = match;
    parts.push(withNoBreakSpaces(text.slice(from, match.index)));
    if (strong) parts.push(html`<strong>${withNoBreakSpaces(strong)}</strong>`);
    else if (stressed) parts.push(html`<em>${withNoBreakSpaces(stressed)}</em>`);
    else if (code) parts.push(html`<code>${code}</code>`);
    else if (address.startsWith('#'))
      parts.push(
        html`<button type="button" class="show" data-show=${address} ?disabled=${held} @click=${emitAsk}>${withNoBreakSpaces(link)}</button>`,
      );
    else parts.push(html`<a href=${address} target="_blank" rel="noopener noreferrer">${link}</a>`);
    from = match.index + whole.length;
  }
  return [...parts, withNoBreakSpaces(text.slice(from))];
}
