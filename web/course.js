/**
 * Writes the lessons into dist/lessons/: a static page for each lesson and language, an index, and packages for SCORM
 * 1.2 and 2004. A package has all files that its lesson needs.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LESSON_LANGUAGES, SHIPPED, lessonFile } from './lessons/shipped.js';
import { PICTURE, withPreview, withoutPreview } from './preview.js';
import { signSite } from './sign.js';
import { MODELS, findModel } from './state/models.js';
import { pack, zip } from './zip.js';

/** @import { Lesson } from './lessons/lesson-file.js' */
/** @typedef {ReturnType<typeof pack>} Packed */

/** Files of the site that no package needs. */
const LEFT_OUT = [
  ...['index.html', 'logitscope.html', 'logitscope.js', 'anywidget.js'],
  ...['SHA256SUMS', '_headers', 'sw.js', 'update.js', PICTURE],
];
/** Matches the link to the service worker. Packages have none, because the course system stores their files. */
const WORKER = /\n *<link rel="serviceworker"[^>]*>/;

/** @type {Record<string, string>} */
const NAMED = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** @param {string} text */
const escape = (text) => text.replace(/[&<>"]/g, (sign) => NAMED[sign]);
/** Removes the markup from a lesson's text. @param {string} text */
const plain = (text) => escape(text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\*+|`/g, ''));

/**
 * Makes a page with a lesson, or with the list of lessons, from the site's index.html.
 * @param {string} site text of index.html
 * @param {{ language: string, title: string, about: string, attributes: string, body: string,
 *   path?: string, others?: string }} page `path` is the page's path in the site; undefined in a package
 */
function pageOf(site, { language, title, about, attributes, body, path, others = '' }) {
  const up = path ? '../' : '';
  const shown = { title: `${plain(title)} · Logitscope`, about: plain(about) };
  const linked = path
    ? withPreview(site, { ...shown, path, up })
    : withoutPreview(site).replace(WORKER, '');
  /** Returns the head of the page, with the lesson's language and description. */
  const lesson = (/** @type {string} */ head) =>
    `<logit-lesson ${attributes}>${head.replace('<logit-preferences', `$& written="${language}"`)}  ${body}
      </logit-lesson>`;
  return linked
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replace(/<title>.*<\/title>/, () => `<title>${shown.title}</title>`)
    .replace(/(name="description" content=")[^"]*/, (_, start) => start + shown.about)
    .replace(/(href|src)="(?!data:)([\w.-]+)"/g, `$1="${up}$2"`)
    .replace('</title>', () => `</title>${others}`)
    .replace(/<logit-scope[^>]*>([^]*)<\/logit-scope>/, (_, head) => lesson(head));
}

/** @param {Lesson} lesson */
const bodyOf = ({ title, aim }) => `<h2>${plain(title)}</h2>\n        <p>${plain(aim)}</p>`;

/**
 * Returns all objects inside a lesson, at any depth.
 * @param {any} value
 * @returns {Record<string, any>[]}
 */
function objectsIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

/** Returns the files of the models that a lesson uses; its package has no others. @param {Lesson} lesson */
function modelsOf(lesson) {
  const states = objectsIn(lesson).filter(({ model, prompt }) => model ?? prompt);
  const named = new Set(states.map(({ model = MODELS[0].name }) => model));
  return [...named]
    .map(findModel)
    .flatMap(({ model, grammar }) => [String(model), grammar].filter(Boolean));
}

/**
 * Returns the file imsmanifest.xml of a package.
 * @param {'scorm12' | 'scorm2004'} version
 * @param {{ id: string, title: string, files: string[] }} lesson
 */
function manifest(version, { id, title, files }) {
  const old = version === 'scorm12';
  const spaces = old
    ? 'xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"'
    : 'xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3" xmlns:imsss="http://www.imsglobal.org/xsd/imsss"';
  const sequencing = old
    ? ''
    : '<imsss:sequencing><imsss:deliveryControls completionSetByContent="true" objectiveSetByContent="true"/></imsss:sequencing>';
  return `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="${id}" version="1.0" ${spaces}>
  <metadata><schema>ADL SCORM</schema><schemaversion>${old ? '1.2' : '2004 3rd Edition'}</schemaversion></metadata>
  <organizations default="course">
    <organization identifier="course">
      <title>${escape(title)}</title>
      <item identifier="lesson" identifierref="page"><title>${escape(title)}</title>${sequencing}</item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="page" type="webcontent" adlcp:${old ? 'scormtype' : 'scormType'}="sco" href="index.html">
${files.map((file) => `      <file href="${escape(file)}"/>`).join('\n')}
    </resource>
  </resources>
</manifest>
`;
}

/** @param {string} name */
const alternates = (name) =>
  LESSON_LANGUAGES.map(
    (each) => `\n    <link rel="alternate" hreflang="${each}" href="${name}.${each}.html">`,
  ).join('');

/**
 * Makes the page with the list of lessons.
 * @param {string} site text of index.html
 * @param {string} language
 * @param {Lesson[]} lessons
 * @param {string} path
 */
async function indexPage(site, language, lessons, path) {
  const words = JSON.parse(
    await readFile(new URL(`locale/${language}.json`, import.meta.url), 'utf8'),
  );
  const rows = lessons.map(
    ({ name, title, aim }) =>
      `<li><a href="${name}.${language}.html">${plain(title)}</a>: ${plain(aim)}</li>`,
  );
  return pageOf(site, {
    language,
    title: words['lesson.index'],
    about: words['lesson.index.about'],
    attributes: 'links="pages"',
    body: `<ol>\n          ${rows.join('\n          ')}\n        </ol>`,
    others: alternates('index'),
    path,
  });
}

/**
 * Makes the package of a lesson.
 * @param {string} site text of index.html
 * @param {'scorm12' | 'scorm2004'} version
 * @param {string} language
 * @param {Lesson} lesson
 * @param {Packed[]} files all files except the page and the manifest
 */
function packageOf(site, version, language, lesson, files) {
  const { name, title } = lesson;
  const page = pageOf(site, {
    ...contentOf(language, lesson),
    attributes: `lesson="${name}" links="none" report="${version}"`,
  });
  const id = `logitscope-${name}-${language}`;
  const all = ['index.html', ...files.map(({ path }) => path.toString())];
  return zip([
    pack('imsmanifest.xml', Buffer.from(manifest(version, { id, title, files: all }))),
    pack('index.html', Buffer.from(page)),
    ...files,
  ]);
}

/** @param {string} language @param {Lesson} lesson */
const contentOf = (language, lesson) => ({
  language,
  title: lesson.title,
  about: lesson.aim,
  body: bodyOf(lesson),
});

/**
 * @param {string} dist folder with the site that web/build.js has written
 * @param {string} [out]
 * @param {string[]} [names] names of the lessons to pack
 */
export async function buildCourse(dist, out = join(dist, 'lessons'), names = SHIPPED) {
  const site = await readFile(join(dist, 'index.html'), 'utf8');
  const top = (await readdir(dist, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && !LEFT_OUT.includes(entry.name))
    .map(({ name }) => name)
    .sort();
  /** @type {Map<string, Promise<Packed>>} */
  const packed = new Map();
  /** @param {string} name */
  const fileOf = (name) => {
    const made = packed.get(name) ?? readFile(join(dist, name)).then((bytes) => pack(name, bytes));
    packed.set(name, made);
    return made;
  };

  for (const language of LESSON_LANGUAGES) {
    /** @type {Lesson[]} */
    const lessons = [];
    for (const name of SHIPPED)
      lessons.push(JSON.parse(await readFile(join(dist, lessonFile(name, language)), 'utf8')));
    for (const file of [`index.${language}.html`, ...(language === 'en' ? ['index.html'] : [])])
      await writeFile(join(out, file), await indexPage(site, language, lessons, `lessons/${file}`));

    for (const lesson of lessons) {
      const { name } = lesson;
      const file = `${name}.${language}.html`;
      const page = pageOf(site, {
        ...contentOf(language, lesson),
        attributes: `lesson="${name}" links="pages"`,
        path: `lessons/${file}`,
        others: alternates(name),
      });
      await writeFile(join(out, file), page);
      if (!names.includes(name)) continue;
      const inLanguages = LESSON_LANGUAGES.map((each) => lessonFile(name, each));
      const files = await Promise.all([...top, ...inLanguages, ...modelsOf(lesson)].map(fileOf));
      for (const version of /** @type {const} */ (['scorm12', 'scorm2004']))
        await writeFile(
          join(out, `${name}.${language}.${version}.zip`),
          packageOf(site, version, language, lesson, files),
        );
    }
  }
  if (out === join(dist, 'lessons')) await signSite(dist);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');
  await buildCourse(dist);
  const made = (await readdir(join(dist, 'lessons'))).filter((name) => /\.(html|zip)$/.test(name));
  for (const name of made.sort()) process.stdout.write(`dist/lessons/${name}\n`);
}
