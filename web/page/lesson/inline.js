/** A lesson's text as templates: **strong**, *stressed*, `code` and [links](https://…), nothing else. */
import { html } from 'lit';

const MARKS = /\*\*([^*]+)\*\*|\*([^*]+)\*|`([^`]+)`|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g;

/** @param {string} text */
export function inline(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(MARKS)) {
    const [whole, strong, stressed, code, link, address] = match;
    parts.push(text.slice(from, match.index));
    if (strong) parts.push(html`<strong>${strong}</strong>`);
    else if (stressed) parts.push(html`<em>${stressed}</em>`);
    else if (code) parts.push(html`<code>${code}</code>`);
    else parts.push(html`<a href=${address} target="_blank" rel="noopener noreferrer">${link}</a>`);
    from = match.index + whole.length;
  }
  return [...parts, text.slice(from)];
}
