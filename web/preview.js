/**
 * Writes the tags for link previews in chats and social networks. The variable SITE_URL makes their
 * addresses absolute. Without it, the picture's address is relative, which some programs accept, and
 * the page's address is left out.
 */

export const PICTURE = 'preview.png';
const TAGS = /\n *<meta (property="og:|name="twitter:)[^>]*>/g;

/** @param {string} [text] the address of the site's folder; empty for none */
export function readSiteUrl(text = '') {
  if (!text) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new Error(`SITE_URL must be like https://example.org/, got ${JSON.stringify(text)}`);
  return url.href.replace(/\/*$/, '/');
}

/** Removes the preview tags from a page. @param {string} page */
export const withoutPreview = (page) => page.replace(TAGS, '');

/**
 * Adds the preview tags to a page and removes earlier ones.
 * @param {string} page
 * @param {{ title: string, about: string, path: string, up?: string }} shown texts, escaped for
 *   an attribute; `path` is the page's path in the site, `up` the relative path to the site's
 *   folder
 * @param {string | null} [site] address of the site; null if unknown
 */
export function withPreview(
  page,
  { title, about, path, up = '' },
  site = readSiteUrl(process.env.SITE_URL),
) {
  const tags = {
    'og:type': 'website',
    'og:title': title,
    'og:description': about,
    ...(site ? { 'og:url': site + path } : {}),
    'og:image': (site ?? up) + PICTURE,
  };
  const lines = Object.entries(tags).map(
    ([name, content]) => `\n    <meta property="${name}" content="${content}">`,
  );
  const card = '\n    <meta name="twitter:card" content="summary_large_image">';
  return withoutPreview(page).replace(/\n *<title>/, (start) => `${lines.join('')}${card}${start}`);
}
