/**
 * Writes the tags by which chats and social networks show a preview of a link. With the variable SITE_URL, their
 * addresses are absolute. Without it, the picture's address is relative, which only some programs accept. The picture
 * has a digest of the first frame's numbers, so that a test notices if it is outdated; `make picture` makes it,
 * because a build has no browser.
 */
import { createHash } from 'node:crypto';
import { crc32 } from './import/crc32.js';

export const PICTURE = 'preview.png';
/** Size of the picture in pixels. */
export const [WIDTH, HEIGHT] = [1200, 630];
/** Key of the digest in the picture's metadata. */
const KEY = 'First frame';
/** Bytes of a PNG file's signature and of its first chunk, IHDR. */
const [SIGNATURE, HEADER] = [8, 25];
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
 * Adds the preview tags to a page, in place of earlier ones.
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
    'og:image:width': WIDTH,
    'og:image:height': HEIGHT,
  };
  const lines = Object.entries(tags).map(
    ([name, content]) => `\n    <meta property="${name}" content="${content}">`,
  );
  const card = '\n    <meta name="twitter:card" content="summary_large_image">';
  return withoutPreview(page).replace(/\n *<title>/, (start) => `${lines.join('')}${card}${start}`);
}

/**
 * Returns a digest of all numbers and texts in the picture.
 * @param {import('./state/first-frame.js').BuiltFrame | null} frame
 */
export function digestOf(frame) {
  const { prompt, drawn, steps, rungs, ids, logits, sums } = frame ?? {};
  const shown = JSON.stringify([prompt, drawn, steps, rungs, ids, logits, sums]);
  return createHash('sha256').update(shown).digest('hex');
}

/**
 * Adds a digest to a PNG file as a text chunk.
 * @param {Buffer} png
 * @param {string} digest
 */
export function withDigest(png, digest) {
  const body = Buffer.from(`tEXt${KEY}\0${digest}`, 'latin1');
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  const at = SIGNATURE + HEADER;
  return Buffer.concat([png.subarray(0, at), chunk, png.subarray(at)]);
}

/** Returns the digest in a PNG file; undefined if there is none. @param {Buffer} png */
export function readDigest(png) {
  const text = png.toString('latin1');
  return new RegExp(`tEXt${KEY}\0([0-9a-f]{64})`).exec(text)?.[1];
}
