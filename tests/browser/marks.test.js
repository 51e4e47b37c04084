/**
 * Tests that results reach course systems. Each adapter runs against a third-party runtime, or against a page written
 * from the text of its protocol.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { buildCourse } from '../../web/course.js';
import { questionIds } from '../../web/lessons/lesson-file.js';
import { SHIPPED, lessonFile } from '../../web/lessons/shipped.js';
import { closed, temporaryFolder } from '../cleanup.js';
import { LONG, long, sample } from '../long.js';
import { openBench, until } from './bench.js';

const { resolve } = createRequire(import.meta.url);
/** Server of a stand-in for a course system. Its origin differs from the lessons'. */
let system;
/** HTML of the course system's pages by name. @type {Map<string, string>} */
const pages = new Map();
/** Requests that the course system's store has received. @type {{ method: string, path: string, body: string }[]} */
const asked = [];
/** The state in the course system's store. */
let stored = '';
/** Status code of the store's answers while the store fails; 0 while it works. */
let broken = 0;
/** Folder of the lessons' static pages and of unpacked packages. */
const course = temporaryFolder();
/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;

before(async () => {
  bench = await openBench((path) => {
    const [, folder, rest] = /^\/([\w-]+)\/(.*)/.exec(path) ?? [];
    if (folder === 'scorm-again') return resolve(`scorm-again/${rest.replace('.js', '/min')}`);
    if (folder === 'lessons' && rest.endsWith('.html')) return join(course, rest);
    return folder?.startsWith('scorm') ? join(course, folder, rest) : undefined;
  });
  await buildCourse(bench.dist, course, ['top-p', 'cost']);
  const host = closed(createServer(answer));
  await new Promise((done) => host.listen(0, '127.0.0.1', done));
  system = `http://127.0.0.1:${host.address().port}/`;
});
after(() => bench?.close());

/** Serves the pages, and a store of states and statements under /xapi/. */
async function answer(request, response) {
  const { method, url, headers } = request;
  let body = '';
  for await (const chunk of request) body += chunk;
  response.setHeader('access-control-allow-origin', headers.origin ?? '*');
  response.setHeader('access-control-allow-headers', 'content-type, x-experience-api-version');
  response.setHeader('access-control-allow-methods', 'GET, POST, PUT');
  if (method === 'OPTIONS') return response.writeHead(204).end();
  if (!url.startsWith('/xapi/')) {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const page = pages.get(url.slice(1).replace(/\?.*/, ''));
    return response.end(
      `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Course</title>${page}`,
    );
  }
  if (broken) return response.writeHead(broken).end();
  asked.push({ method, path: url, body });
  if (url.startsWith('/xapi/activities/state')) {
    if (method === 'PUT') stored = body;
    return response
      .writeHead(method === 'PUT' ? 204 : stored ? 200 : 404)
      .end(method === 'GET' ? stored : '');
  }
  response.end('["id"]');
}

const LESSON = {
  lesson: 1,
  name: 'marked',
  title: 'Marked',
  aim: 'a',
  result: 'b',
  parts: [
    {
      figure: {
        show: 'landscape',
        state: { logits: [2, 1, 0], tokens: ['A', 'B', 'C'] },
        knob: 'top_k',
      },
      questions: ['one', 'two'].map((id) => ({
        id,
        kind: 'choice',
        ask: id,
        right: 'r',
        options: [{ text: 'yes', right: true }, { text: 'no' }],
      })),
    },
  ],
};
const carried = `#lesson=${encodeURIComponent(JSON.stringify(LESSON))}`;
/** Returns the address of a lesson that reports its results to `report`. */
const lessonAt = (report) => `${bench.url}?lesson&lang=en&report=${report}${carried}`;
const attribute = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** Opens a page of the course system in a new browser context. */
async function openCourse(name, body, { clock = false, ...options } = {}) {
  pages.set(name, body);
  const path = 'source/tests/browser/blank.html';
  const opened = await bench.open({ path, ready: false, ...options });
  if (clock) await opened.page.clock.install();
  await opened.page.goto(system + name);
  return opened;
}

/** Answers a question of the lesson in the page or frame `place`. */
async function reply(place, id, right) {
  const question = place.locator('logit-question', { hasText: id });
  await question.getByRole('radio', { name: right ? 'yes' : 'no' }).check();
  await question.locator('button.primary').click();
}

/** Returns the results that the browser keeps because no course system has them yet. */
const unsent = (page) => page.evaluate(() => localStorage['logitscope-lessons_unsent']);

/** Unpacks a ZIP archive by its central directory, as unpacking programs do. */
function unzip(bytes) {
  const end = bytes.lastIndexOf('PK\x05\x06');
  let at = bytes.readUInt32LE(end + 16);
  return Array.from({ length: bytes.readUInt16LE(end + 10) }, () => {
    const [method, size, whole, length] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 24),
      bytes.readUInt16LE(at + 28),
    ];
    const start = bytes.readUInt32LE(at + 42) + 30 + length;
    const name = bytes.toString('utf8', at + 46, at + 46 + length);
    const data = bytes.subarray(start, start + size);
    at += 46 + length;
    const file = method === 8 ? inflateRawSync(data) : data;
    assert.equal(file.length, whole, name);
    return [name, file];
  });
}

const SCORM = [
  ['scorm12', 'API', 'LMS', ['cmi.core.score.raw', 'cmi.core.lesson_status']],
  ['scorm2004', 'API_1484_11', '', ['cmi.score.raw', 'cmi.completion_status']],
];
for (const scorm of sample(SCORM, 1))
  test(`${scorm[0]}: a package plays its lesson, scorm-again hears the mark and keeps the state`, async () => {
    const [version, api, prefix, keys] = scorm;
    const files = unzip(await readFile(join(course, `top-p.en.${version}.zip`)));
    const manifest = files[0][1].toString();
    const listed = [...manifest.matchAll(/<file href="([^"]+)"/g)].map(([, name]) => name);
    assert.deepEqual(
      ['imsmanifest.xml', ...listed],
      files.map(([name]) => name),
    );
    const models = (all) => all.map(([name]) => name).filter((name) => name.endsWith('.gguf'));
    const counted = unzip(await readFile(join(course, `cost.en.${version}.zip`)));
    assert.deepEqual([models(files), models(counted)], [['models/stories.gguf'], []]);
    for (const [name, bytes] of files) {
      await mkdir(dirname(join(course, version, name)), { recursive: true });
      await writeFile(join(course, version, name), bytes);
    }
    const { page, complaints, foreign, close } = await bench.open({
      path: 'source/tests/browser/blank.html',
      ready: false,
    });
    /** Begins a session with the data of the session before, as a course system does. */
    const begin = async (cmi) => {
      await page.goto(`${bench.url}source/tests/browser/blank.html`);
      await page.addScriptTag({ url: `${bench.url}scorm-again/${version}.js` });
      await page.evaluate(
        ({ api, version, cmi }) => {
          const Api = version === 'scorm12' ? 'Scorm12API' : 'Scorm2004API';
          window[api] = new window[Api]({ logLevel: 5 });
          if (cmi) window[api].loadFromJSON(cmi, 'cmi');
          const src = `/${version}/index.html`;
          document.body.append(
            Object.assign(document.createElement('iframe'), { src, width: 900 }),
          );
        },
        { api, version, cmi },
      );
    };
    const get = (name) =>
      page.evaluate(([a, method, n]) => window[a][method](n), [api, `${prefix}GetValue`, name]);
    const becomes = (name, value) => until(() => get(name), value);
    const frame = page.frameLocator('iframe');
    const give = async (text) => {
      const input = frame.locator('logit-question').nth(1).locator('input');
      await input.fill(text);
      await input.press('Enter');
    };
    const [score, status] = keys;
    await begin(null);
    await becomes(status, 'incomplete');
    assert.equal(await frame.locator('logit-lesson nav a').count(), 0);
    assert.equal(await get(score), '', 'one who has only come has no score');
    await give('0.588');
    await becomes(score, '0');
    await give('0.556');
    await becomes(score, '14.29');
    const { cmi } = await page.evaluate((name) => window[name].renderCMIToJSONObject(), api);
    const lesson = JSON.parse(await readFile(join(bench.dist, lessonFile('top-p', 'en')), 'utf8'));
    const ids = questionIds(lesson);
    assert.equal(cmi.suspend_data, `${ids[1]}:2r`);

    // A new session continues from the stored state, as on another machine: one of seven questions is right.
    await begin(cmi);
    await frame.locator('.done', { hasText: 'answered' }).waitFor();
    await becomes(score, '14.29');
    assert.deepEqual([complaints, foreign], [[], []]);
    if (!LONG) return close();
    // If the stored state is lost, for example by a new edition of the lesson, the score stays.
    await begin({ ...cmi, suspend_data: '' });
    await give('0.588');
    await becomes('cmi.suspend_data', `${ids[1]}:1`);
    assert.equal(await get(score), '14.29');
    const others = ids.filter((id) => id !== ids[1]).map((id) => `${id}:1r`);
    await begin({ ...cmi, suspend_data: others.join(' ') });
    await frame.locator('.done', { hasText: 'answered' }).first().waitFor();
    await give('0.556');
    await becomes(score, '100');
    await becomes(status, 'completed');
    await page.locator('iframe').evaluate((inner) => (inner.src = 'about:blank'));
    await until(() => page.evaluate((name) => window[name].isTerminated(), api), Boolean);

    await page.goto(`${bench.url}${version}/index.html`);
    await page.locator('.unreported', { hasText: 'No course system was found' }).waitFor();
    assert.deepEqual([complaints, foreign], [[], []]);
    await close();
  });

/**
 * Opens a page at the lessons' origin with a test API, and the lesson in a frame. The method `fails` returns "false",
 * or throws if `throws` is true. The API appears after `late` ms.
 */
async function openApi(version, { store = {}, fails = null, throws = false, late = 0 } = {}) {
  const opened = await bench.open({
    path: 'source/tests/browser/blank.html',
    ready: false,
    fresh: true,
  });
  const { page } = opened;
  const src = lessonAt(version).replace(bench.url, '/');
  await page.evaluate(
    (given) => {
      const { old, late: wait, src: address, ...rest } = given;
      Object.assign(window, { calls: [], code: '0', ...rest });
      const answer = (method, args, value = 'true') => {
        window.calls.push([method, ...args].join(' '));
        window.code = window.fails === method ? '391' : '0';
        if (window.fails !== method) return value;
        if (window.throws) throw new Error('the connection is gone');
        return 'false';
      };
      const methods = {
        Initialize: () => answer('Initialize', []),
        GetValue: (key) => answer('GetValue', [key], window.store[key] ?? ''),
        SetValue(key, value) {
          const done = answer('SetValue', [key, value]);
          if (done === 'true') window.store[key] = value;
          return done;
        },
        Commit: () => answer('Commit', []),
        [old ? 'Finish' : 'Terminate']: () => answer('Terminate', []),
        GetLastError: () => window.code,
        GetErrorString: (code) => (code === '391' ? 'General Commit Failure' : ''),
      };
      const api = Object.fromEntries(
        Object.entries(methods).map(([name, does]) => [(old ? 'LMS' : '') + name, does]),
      );
      setTimeout(() => (window[old ? 'API' : 'API_1484_11'] = api), wait);
      const frame = Object.assign(document.createElement('iframe'), {
        src: address,
        width: 900,
        height: 800,
      });
      document.body.append(frame);
    },
    { old: version === 'scorm12', store, fails, throws, late, src },
  );
  const frame = page.frameLocator('iframe');
  await frame.locator('logit-question').first().waitFor();
  return {
    ...opened,
    frame,
    unreported: () => frame.locator('.unreported').allInnerTexts(),
    says: (pattern) => frame.locator('.unreported', { hasText: pattern }).waitFor(),
    get: (key) => page.evaluate((name) => window.store[name], key),
    log: () => page.evaluate(() => window.calls.filter((each) => !each.startsWith('GetValue'))),
    set: (values) => page.evaluate((given) => void Object.assign(window, given), values),
    leave: () => page.locator('iframe').evaluate((inner) => (inner.src = 'about:blank')),
  };
}

const SCORES = { scorm12: 'cmi.core.score.raw', scorm2004: 'cmi.score.raw' };
for (const version of ['scorm2004', 'scorm12'])
  long(
    `${version}: refused marks are reported, kept, and sent when the system works again`,
    async () => {
      const key = SCORES[version];
      const learner = version === 'scorm12' ? 'cmi.core.student_id' : 'cmi.learner_id';
      // If one call throws, the lesson still makes later reports.
      let at = await openApi(version, { fails: 'SetValue', throws: true, late: 500 });
      await until(at.log, (log) => log.includes('Initialize'));
      assert.deepEqual(await at.unreported(), [], 'an API that comes late is found');
      await reply(at.frame, 'one', true);
      await at.says(
        /^The course system did not take the marks: .*SetValue: the connection is gone\. Your answers are kept while this page stays open/,
      );
      await at.set({ fails: null });
      await reply(at.frame, 'two', true);
      await at.says('Your answers have been sent.');
      assert.equal(await at.get(key), '100');
      assert.deepEqual(at.complaints, []);
      await at.close();

      // An error message contains the course system's own words. The lesson reports again after some time, and when
      // the page closes.
      at = await openApi(version, { fails: 'Commit' });
      await reply(at.frame, 'one', true);
      await at.says(/Commit: 391 General Commit Failure/);
      const commits = async () => (await at.log()).filter((each) => each === 'Commit').length;
      const tried = await commits();
      await until(commits, (n) => n > tried);
      await at.set({ fails: null });
      await at.leave();
      await until(at.log, (log) => log.at(-1) === 'Terminate');
      const log = await at.log();
      assert.ok(log.lastIndexOf(`SetValue ${key} 50`) < log.lastIndexOf('Commit'));
      await at.close();

      // If the session does not begin, the lesson shows the error and reports nothing.
      at = await openApi(version, { fails: 'Initialize' });
      await at.says(/Initialize: 391/);
      await reply(at.frame, 'one', true);
      assert.ok(!(await at.log()).some((each) => each.startsWith('SetValue')));
      await at.set({ fails: null });
      await at.frame.locator('.unreported [data-command=again]').click();
      await until(() => at.get(key), '50');
      await at.close();

      // If the course system names the learner, the browser keeps the unsent results and gives them only to that
      // learner.
      at = await openApi(version, { fails: 'SetValue', store: { [learner]: 'ada' } });
      await reply(at.frame, 'one', true);
      await at.says(/Your answers are kept in this browser/);
      await at.leave();
      const kept = await unsent(at.page);
      await at.close();
      for (const [id, score] of [
        ['bob', undefined],
        ['ada', '50'],
      ]) {
        at = await openApi(version, { store: { [learner]: id } });
        await at.page.evaluate((text) => (localStorage['logitscope-lessons_unsent'] = text), kept);
        await at.page.locator('iframe').evaluate((inner) => inner.contentWindow.location.reload());
        await until(at.log, (all) => all.filter((each) => each === 'Initialize').length === 2);
        await until(() => at.get(key), score);
        if (score) await at.frame.locator('.done', { hasText: 'answered' }).waitFor();
        if (score) await until(() => unsent(at.page), '{}');
        await at.close();
      }
    },
  );

long(
  'SCORM in review mode writes nothing; otherwise the lesson reports success and each answer',
  async () => {
    for (const [version, mode] of [
      ['scorm12', { 'cmi.core.lesson_mode': 'review', 'cmi.core.score.raw': '95' }],
      ['scorm2004', { 'cmi.mode': 'browse' }],
    ]) {
      const at = await openApi(version, { store: mode });
      await at.says(/opened this lesson for review/);
      await reply(at.frame, 'one', true);
      await at.frame.locator('.done', { hasText: 'answered' }).waitFor();
      await at.leave();
      await until(at.log, (log) => log.at(-1) === 'Terminate');
      assert.deepEqual(await at.log(), ['Initialize', 'Terminate']);
      await at.close();
    }
    const at = await openApi('scorm2004', { store: { 'cmi.scaled_passing_score': '0.6' } });
    await reply(at.frame, 'one', false);
    await until(() => at.get('cmi.interactions.0.result'), 'incorrect');
    assert.deepEqual(
      [await at.get('cmi.interactions.0.id'), await at.get('cmi.interactions.0.type')],
      ['one', 'choice'],
    );
    await reply(at.frame, 'one', true);
    await reply(at.frame, 'two', true);
    await until(() => at.get('cmi.success_status'), 'passed');
    await at.close();
  },
);

test('each static page names its language and lesson, and links only to pages of the site', async () => {
  for (const name of SHIPPED)
    for (const language of ['en', 'es']) {
      const html = await readFile(join(course, `${name}.${language}.html`), 'utf8');
      assert.match(html, new RegExp(`<html lang="${language}">[^]*lesson="${name}"`));
      for (const [, address] of html.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g))
        assert.match(address, /^(\.\.\/[\w.-]+|[\w-]+\.(en|es)\.html)$/, name);
    }
});

long(
  'the static pages have an index that leads to each lesson, in its language, and to the instrument',
  async () => {
    const { page, complaints, foreign, close } = await bench.open({
      path: 'lessons/index.es.html',
      ready: false,
    });
    const row = page.locator('logit-lesson .list li a[href^=temperature]');
    assert.match(await row.innerText(), /temperatura/i);
    await row.click();
    await page.locator('logit-question').first().waitFor();
    assert.equal(new URL(page.url()).pathname, '/lessons/temperature.es.html');
    assert.equal(await page.locator('html').getAttribute('lang'), 'es');
    const links = page.locator('logit-lesson nav a');
    const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    const views = ['landscape', 'bench', 'compare', 'sweep'].map(
      (view) => `../?lang=es&view=${view}`,
    );
    assert.deepEqual(hrefs, [...views, 'index.es.html']);
    assert.deepEqual([complaints, foreign], [[], []]);
    await close();
  },
);

/** Waits for a message to the page for which `good` is true, and returns it. */
function hear(page, good) {
  return until(() => page.evaluate(() => window.heard).then((all) => all.find(good)), Boolean);
}

long(
  'a SPLICE parent gets score, state and events, and gives the state back to a new frame',
  async () => {
    const { page, complaints, close } = await openCourse(
      'splice',
      `<iframe src="${attribute(lessonAt('splice'))}" width="900"></iframe><script>
      window.heard = [];
      addEventListener('message', ({ source, data }) => {
        const iframe = [...document.getElementsByTagName('iframe')].find((each) => each.contentWindow === source);
        heard.push(data);
        if (data.subject === 'lti.frameResize') iframe.style.height = data.height + 'px';
        if (data.subject === 'SPLICE.reportScoreAndState') localStorage.kept = JSON.stringify(data.state);
        if (data.subject === 'SPLICE.getState')
          source.postMessage({ subject: 'SPLICE.getState.response', message_id: data.message_id, state: JSON.parse(localStorage.kept ?? 'null') }, '*');
      });
    </script>`,
    );
    const frame = page.frameLocator('iframe');
    const subjects = () => page.evaluate(() => window.heard.map(({ subject }) => subject));
    await hear(page, (told) => told.subject === 'SPLICE.getState' && told.message_id);
    await hear(page, (told) => told.subject === 'lti.frameResize' && told.height > 300);
    await hear(page, (told) => told.type === 'logitscope:ready' && told.lesson === 'marked');
    assert.ok(
      !(await subjects()).includes('SPLICE.reportScoreAndState'),
      'nothing was answered yet',
    );
    await reply(frame, 'one', false);
    const wrong = await hear(page, (told) => told.subject === 'SPLICE.reportScoreAndState');
    assert.deepEqual([wrong.score, wrong.state.state], [0, 'one:1']);
    const { data } = await hear(page, (told) => told.subject === 'SPLICE.sendEvent');
    assert.deepEqual(data, { lesson: 'marked', id: 'one', right: false });
    await reply(frame, 'one', true);
    await hear(page, (told) => told.subject === 'SPLICE.reportScoreAndState' && told.score === 0.5);

    // The page also receives the current state of the question, even after a user moved the figure.
    const result = await hear(
      page,
      (told) => told.type === 'logitscope:result' && told.score === 0.5,
    );
    assert.deepEqual([result.verdict, result.kept], [{ question: 'one', right: true }, 3]);
    await frame.locator('logit-figure [role=slider]').first().press('ArrowRight');
    const moved = await hear(page, (told) => told.type === 'logitscope:result' && told.kept === 1);
    assert.deepEqual([moved.score, moved.complete, moved.entropy], [0.5, false, 0]);
    assert.deepEqual(
      moved.distribution.map(({ text, p }) => [text, p]),
      [
        ['A', 1],
        ['B', 0],
        ['C', 0],
      ],
    );

    await page.reload();
    await frame.locator('.done', { hasText: 'answered' }).waitFor();
    await reply(frame, 'two', false);
    const again = await hear(page, (told) => told.state?.attempts === 3);
    assert.deepEqual([again.score, again.state.state], [0.5, 'one:2r two:1']);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long(
  'JSInput of Open edX calls the three functions, by its channel and in the window',
  async () => {
    const { page, complaints, close } = await openCourse(
      'jsinput',
      `<iframe src="${attribute(lessonAt('jsinput'))}" width="900"></iframe><script>
      // Sends a message as edX's JSChannel does: it waits until the frame is ready.
      window.heard = [];
      const send = (message) => frames[0].postMessage(JSON.stringify(message), '*');
      let ready, calls = 0;
      const open = new Promise((resolve) => (ready = resolve));
      addEventListener('message', ({ data }) => {
        if (typeof data !== 'string') return;
        const message = JSON.parse(data);
        if (message.method === 'JSInput::__ready') {
          if (message.params === 'ping') send({ method: 'JSInput::__ready', params: 'pong' });
          ready();
        } else heard.push(message);
      });
      window.call = async (method, params) => {
        const id = ++calls;
        await open;
        send({ id, method: 'JSInput::' + method, params });
        while (!heard.some((told) => told.id === id)) await new Promise((resolve) => setTimeout(resolve, 10));
        return heard.find((told) => told.id === id).result;
      };
    </script>`,
    );
    const frame = page.frameLocator('iframe');
    const call = (method, params = '') =>
      page.evaluate(([m, p]) => window.call(m, p), [method, params]);
    const grade = async () => JSON.parse(await call('getGrade'));
    assert.equal((await grade()).score, null);
    await reply(frame, 'one', true);
    const { score, complete, attempts } = await until(grade, (now) => now.score !== null);
    assert.deepEqual([score, complete, attempts], [0.5, false, 1]);
    const state = await call('getState');
    assert.equal(await frame.locator('body').evaluate(() => window.getState()), state);

    await page.reload();
    assert.equal((await grade()).score, null, 'the browser keeps nothing of what the course keeps');
    await call('setState', state);
    await frame.locator('.done', { hasText: 'answered' }).waitFor();
    assert.equal((await until(grade, (now) => now.score !== null)).score, 0.5);
    await call('setState', '{"state": 7, "score": 9}');
    await call('setState', '<nonsense>');
    assert.equal((await grade()).score, 0.5);
    assert.deepEqual(complaints, []);
    await close();
  },
);

const element = (attributes) =>
  `<script type="module" src="${bench.url}logitscope.js"></script><logit-lesson ${attributes}></logit-lesson>`;
const actor = { mbox: 'mailto:ada@example.org' };

long(
  'an xAPI store named by the page takes statements and keeps the state; a store that the policy forbids is named',
  async () => {
    const named = `xapi="/xapi/" actor="${attribute(JSON.stringify(actor))}"`;
    const { page, complaints, close } = await openCourse(`xapi${carried}`, '');
    pages.set('xapi', element(named));
    await page.reload();
    await reply(page, 'one', true);
    const statements = () =>
      asked.filter(({ path }) => path === '/xapi/statements').map(({ body }) => JSON.parse(body));
    const [answered, scored] = await until(statements, ({ length }) => length === 2);
    assert.deepEqual(answered.actor, { objectType: 'Agent', ...actor });
    assert.match(answered.verb.id, /answered$/);
    assert.match(answered.object.id, /\?lesson=marked#one$/);
    assert.deepEqual(answered.result, { success: true });
    assert.match(scored.verb.id, /scored$/);
    assert.deepEqual(scored.result, { score: { scaled: 0.5 }, completion: false });
    await until(async () => stored, Boolean);
    assert.deepEqual(JSON.parse(stored), { state: 'one:1r', score: 0.5 });

    await page.reload();
    await page.locator('.done', { hasText: 'answered' }).waitFor();
    await reply(page, 'two', true);
    const last = await until(
      async () => statements().at(-1),
      ({ verb }) => verb.id.endsWith('completed'),
    );
    assert.deepEqual(last.result, { score: { scaled: 1 }, completion: true });
    await until(
      async () => stored,
      (text) => JSON.parse(text).score === 1,
    );
    assert.equal(statements().length, 4, 'a mark that the store has is not told again');
    // The store answers 404 if it has no state, and the browser reports each 404 in its console.
    assert.match(complaints.splice(0, 1)[0], /404/);
    assert.deepEqual(complaints, []);

    pages.set(
      'xapi',
      `<meta http-equiv="content-security-policy" content="connect-src ${new URL(bench.url).origin}">${element(named)}`,
    );
    const before = asked.length;
    await page.reload();
    const said = page.locator('logit-lesson .unreported');
    await said.filter({ hasText: 'Content-Security-Policy' }).waitFor();
    assert.match(
      await said.innerText(),
      /does not let the lesson send marks to 127\.0\.0\.1:\d+\.$/,
    );
    for (const [attributes, sentence] of [
      ['xapi="/xapi/" actor="{"', /^The learner that the page names is not JSON of an xAPI actor/],
      ['report="scorm"', /^The page wants the marks told to “scorm”, but .* splice, scorm12, /],
    ]) {
      pages.set('xapi', element(attributes));
      await page.reload();
      await until(() => said.innerText(), sentence);
    }
    assert.equal(asked.length, before);
    await close();
  },
);

test('a failing xAPI store is reported; when it works, each statement comes once and in order', async () => {
  const named = `xapi="/xapi/" actor="${attribute(JSON.stringify(actor))}"`;
  [stored, broken, asked.length] = ['', 503, 0];
  const { page, close } = await openCourse(`xapi${carried}`, '');
  pages.set('xapi', element(named));
  await page.reload();
  const unreported = page.locator('.unreported');
  await unreported
    .filter({ hasText: /did not take the marks: 503\. Your answers are kept/ })
    .waitFor();
  await reply(page, 'one', false);
  await reply(page, 'one', true);
  await unreported.filter({ hasText: 'kept in this browser' }).waitFor();
  // Each failed attempt renders the notice again, so one call presses the button and reads the next notice.
  const notice = await page.locator('logit-lesson').evaluate(async (lesson) => {
    lesson.shadowRoot.querySelector('.unreported button').click();
    await lesson.updateComplete;
    return lesson.shadowRoot.querySelector('.unreported').textContent.trim();
  });
  assert.equal(notice, 'Sending your answers again…');
  broken = 0;
  await unreported.filter({ hasText: 'Your answers have been sent.' }).waitFor();
  const statements = asked
    .filter(({ path }) => path === '/xapi/statements')
    .map(({ body }) => JSON.parse(body));
  assert.deepEqual(
    statements.map(({ verb, result }) => [verb.display.en, result.success ?? result.score.scaled]),
    [
      ['answered', false],
      ['answered', true],
      ['scored', 0.5],
    ],
  );
  assert.equal(new Set(statements.map(({ id }) => id)).size, 3);
  assert.deepEqual(JSON.parse(stored), { state: 'one:2r', score: 0.5 });

  // While the store fails, the browser keeps the results. The store gets them when it works again.
  broken = 503;
  await reply(page, 'two', true);
  await unreported.filter({ hasText: '503' }).waitFor();
  broken = 0;
  await page.reload();
  await until(async () => JSON.parse(stored).score, 1);
  // The browser forgets the results only after it has the store's response.
  await until(() => unsent(page), '{}');
  await close();
  stored = '';
  asked.length = 0;
});

long(
  'a page that should keep the state and does not answer is reported until it does',
  async () => {
    const named = 'silent';
    const { page, close } = await openCourse(
      named,
      `<iframe src="${attribute(lessonAt('splice'))}" width="900"></iframe><script>
      window.heard = [];
      const state = { state: 'one:1r', score: 0.5 };
      addEventListener('message', ({ source, data }) => {
        heard.push(data);
        if (window.speaks && data.subject === 'SPLICE.getState')
          source.postMessage({ subject: 'SPLICE.getState.response', message_id: data.message_id, state }, '*');
        // This message of the host page comes before the lesson is ready. The lesson must not lose it.
        if (data.subject === 'SPLICE.getState')
          source.postMessage({ type: 'logitscope:set', state: 'two:3' }, '*');
      });
    </script>`,
      { own: true, clock: true },
    );
    const frame = page.frameLocator('iframe');
    await hear(page, ({ type, state }) => type === 'logitscope:result' && state === 'two:3');
    await page.clock.fastForward(15_000);
    const unreported = frame.locator('.unreported');
    await unreported.filter({ hasText: 'has not answered' }).waitFor();
    await page.evaluate(() => (window.speaks = true));
    await reply(frame, 'two', true);
    await unreported.waitFor({ state: 'detached' });
    await hear(
      page,
      ({ type, state }) => type === 'logitscope:result' && state === 'one:1r two:4r',
    );
    await close();
  },
);

long('anywidget renders a lesson, hears its marks and restores its state', async () => {
  const { page, complaints, close } = await openCourse(
    'anywidget',
    `<main></main><script type="module">
      import widget from '${bench.url}anywidget.js';
      const values = JSON.parse(localStorage.values ?? '{"lesson": "top-p", "lang": "en"}');
      const heard = new Map();
      const model = {
        get: (name) => values[name],
        set(name, value) { if (values[name] === value) return; values[name] = value; heard.get('change:' + name)?.(); },
        save_changes: () => { localStorage.values = JSON.stringify(values); },
        on: (event, listener) => heard.set(event, listener),
        off: (event) => heard.delete(event),
      };
      window.end = widget.render({ model, el: document.querySelector('main') });
    </script>`,
  );
  const frame = page.frameLocator('iframe');
  const values = () => page.evaluate(() => JSON.parse(localStorage.values ?? '{}'));
  const input = frame.locator('logit-question').nth(1).locator('input');
  await input.fill('0.556');
  await input.press('Enter');
  const told = await until(values, ({ score }) => score !== undefined);
  assert.deepEqual([told.score, told.complete, told.attempts], [1 / 7, false, 1]);
  assert.deepEqual([told.verdict.right, told.distribution.length > 2], [true, true]);
  // The learner continues in a browser with empty storage, as on another machine.
  await frame.locator('body').evaluate(() => localStorage.clear());
  await page.reload();
  await frame.locator('.done', { hasText: 'answered' }).waitFor();
  assert.equal(
    await page.evaluate(() => (window.end(), document.querySelectorAll('iframe').length)),
    0,
  );
  assert.deepEqual(complaints, []);
  await close();
});
