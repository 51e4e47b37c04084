/** Tests models opened from other hosts: hub names, faulty hosts, split files, and the stored copy. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { RangeFile } from '../../web/engine/range-file.js';
import { pathOf } from '../../web/engine/folder-store.js';
import { addressOf, nameOf, partNames, wholeName } from '../../web/engine/model-names.js';
import { atEnd, temporaryFolder } from '../cleanup.js';
import { openHost } from '../faulty_host.js';
import { long } from '../long.js';
import { splitGguf } from '../fixtures/split.js';
import { layoutGguf, writeGguf } from '../fixtures/gguf_writer.js';
import { cli } from './command_line.js';
import { smallContents } from './small_model.js';

const contents = smallContents({ dim: 64, context: 64, layers: 4, seed: 3 });
const image = writeGguf(contents);
const other = writeGguf(smallContents({ dim: 64, context: 64, layers: 4, seed: 4 }));
const partsOf = (/** @type {number} */ count) =>
  splitGguf(contents, count).map((bytes, i) => [
    partNames(`m-00001-of-0000${count}.gguf`)[i],
    bytes,
  ]);
const host = await openHost({
  'm.gguf': image,
  'other.gguf': other,
  'owner/name/resolve/main/q/m.gguf': image,
  ...Object.fromEntries([...partsOf(2), ...partsOf(5)]),
});
const address = `${host.url}m.gguf`;
const linked = `${host.url}redirect/m.gguf`;
const cache = temporaryFolder();
process.env.XDG_CACHE_HOME = cache;
process.env.HF_ENDPOINT = host.url;
atEnd(() => {
  delete process.env.XDG_CACHE_HOME;
  delete process.env.HF_ENDPOINT;
});
beforeEach(() => host.behave({}));
RangeFile.wait = 5;

/**
 * Returns the logits of a text under a model. Each model has its own, so they show which model was opened.
 * @param {any} options
 */
async function logitsOf(options) {
  const scope = await Logitscope.load(options);
  scope.feed(scope.encode('abc'));
  const logits = Array.from(scope.logits());
  scope.close();
  return logits;
}
const expected = await logitsOf({ model: image });

/** Asserts that loading fails for the reason `key`. @param {any} options @param {string} key */
async function refuses(options, key) {
  await assert.rejects(Logitscope.load(options), (error) => {
    const { code, values, message } = /** @type {any} */ (error);
    assert.equal(values.reason?.key ?? key, key, message);
    assert.match(code, /load_failed|bad_file|invalid_argument/);
    assert.doesNotMatch(message, /\n|undefined/);
    return true;
  });
}

describe('a name', () => {
  test('of the hub or of its pages leads to one address with one name', () => {
    const far = 'https://huggingface.co/owner/a.b-c/resolve/main/q/file-Q8_0.gguf';
    for (const name of [
      'hub:owner/a.b-c/q/file-Q8_0.gguf',
      'https://huggingface.co/owner/a.b-c/blob/main/q/file-Q8_0.gguf',
      'https://huggingface.co/owner/a.b-c/resolve/main/q/file-Q8_0.gguf?download=true',
    ]) {
      assert.equal(addressOf(name), far);
      assert.equal(nameOf(far), 'hub:owner/a.b-c/q/file-Q8_0.gguf');
    }
    const pinned = 'https://huggingface.co/o/n/resolve/0123abc/f.gguf';
    assert.equal(addressOf('hub:o/n@0123abc/f.gguf'), pinned);
    assert.equal(nameOf(pinned), 'hub:o/n@0123abc/f.gguf');
    assert.equal(addressOf('https://example.org/a.gguf'), 'https://example.org/a.gguf');
    assert.equal(nameOf('https://example.org/a.gguf'), 'https://example.org/a.gguf');
  });

  test('without a file stands for the whole model', () => {
    for (const [name, whole] of [
      ['hub:o/a.b-c', 'hub:o/a.b-c'],
      ['hub:o/n@0123abc', 'hub:o/n@0123abc'],
      ['hub:o/n@main', 'hub:o/n'],
      ['https://huggingface.co/o/n', 'hub:o/n'],
      ['https://huggingface.co/o/n/tree/v2', 'hub:o/n@v2'],
      ['hub:o/n/', null],
      ['hub:o/..', null],
      ['hub:o/n@..', null],
      ['hub:o', null],
      ['hub:o/n/f.gguf', null],
      ['https://huggingface.co/o/n/blob/main/f.gguf', null],
      ['https://example.org/o/n', null],
      ['models/verbs.gguf', null],
    ])
      assert.equal(wholeName(String(name)), whole, String(name));
  });

  test('that is invalid is refused', async () => {
    for (const name of [
      'hub:',
      'hub:a/b',
      'hub:a/../b.gguf',
      'hub:a/b/../c',
      'hub:a/b/c d',
      'hub:/a/b',
    ])
      assert.equal(addressOf(name), null, name);
    await assert.rejects(Logitscope.load({ model: 'hub:a/b' }), { key: 'load_failed_from' });
    assert.deepEqual(host.requests, []);
  });

  test('of one part names all parts', () => {
    assert.deepEqual(partNames('a/m-00002-of-00003.gguf?x'), [
      'a/m-00001-of-00003.gguf?x',
      'a/m-00002-of-00003.gguf?x',
      'a/m-00003-of-00003.gguf?x',
    ]);
    for (const name of ['m.gguf', 'm-00001-of-00001.gguf', 'm-00001-of-99999.gguf'])
      assert.deepEqual(partNames(name), [name]);
  });

  test('opens its file without a referrer', async () => {
    assert.deepEqual(await logitsOf({ model: 'hub:owner/name/q/m.gguf' }), expected);
    const [{ path, headers }] = host.requests;
    assert.equal(path, 'owner/name/resolve/main/q/m.gguf');
    assert.equal(headers.referer, undefined);
    assert.equal(headers.cookie, undefined);
  });
});

describe('a host', () => {
  test('that cuts the transfer is asked for the rest of the same file', async () => {
    host.behave({ cut: 200_000, cuts: 3 });
    assert.deepEqual(await logitsOf({ model: address }), expected);
    const ranges = host.requests.map(({ headers }) => headers.range);
    assert.equal(ranges.length, 4);
    assert.equal(ranges[0], undefined);
    for (const range of ranges.slice(1)) assert.match(String(range), /^bytes=\d+-$/);
    assert.match(String(host.requests[1].headers['if-range']), /^"t[0-9a-f]{64}"$/);
  });

  test('without ranges is asked for the whole file again', async () => {
    host.behave({ cut: 200_000, cuts: 2, noRanges: true });
    assert.deepEqual(await logitsOf({ model: address }), expected);
    assert.equal(host.requests.length, 3);
  });

  test('that never sends the whole file is refused with both numbers', {
    timeout: 30_000,
  }, async () => {
    host.behave({ cut: 1, cuts: 99, noRanges: true });
    await refuses({ model: address }, 'far_cut');
  });

  test('may send the length only with the rest', async () => {
    host.behave({ cut: 200_000, cuts: 1, unsized: true });
    assert.deepEqual(await logitsOf({ model: address }), expected);
    assert.equal(host.requests.length, 2);
  });

  test('that answers a range without naming it is asked for the whole file again', async () => {
    host.behave({ cut: 200_000, cuts: 1, rangeless: true });
    assert.deepEqual(await logitsOf({ model: address }), expected);
    const ranges = host.requests.map(({ headers }) => Boolean(headers.range));
    assert.deepEqual(ranges, [false, true, false]);
  });

  test('without a tag sends its file again from the start, and a changed file is refused', async () => {
    for (const tagless of [{ noTag: true }, { noTag: true, split: true }]) {
      host.behave({ cut: 200_000, cuts: 2, ...tagless });
      const model = tagless.split ? `${host.url}m-00002-of-00002.gguf` : address;
      assert.deepEqual(await logitsOf({ model }), expected);
      assert.ok(host.requests.every(({ headers }) => !headers.range));
    }
    host.behave({ cut: 200_000, cuts: 1, noTag: true, flip: 1000 });
    await refuses({ model: address }, 'far_changed');
  });

  test('without a tag is checked by the date of the last change', async () => {
    const modified = 'Wed, 21 Oct 2015 07:28:00 GMT';
    host.behave({ cut: 200_000, cuts: 1, noTag: true, modified });
    assert.deepEqual(await logitsOf({ model: address }), expected);
    assert.equal(host.requests[1].headers['if-range'], modified);
    assert.match(String(host.requests[1].headers.range), /^bytes=\d+-$/);
  });

  test('is refused if its file changes', async () => {
    host.behave({ cut: 200_000, cuts: 1, tag: 'another' });
    await refuses({ model: address }, 'far_changed');
  });

  test('is refused if its length is false', async () => {
    host.behave({ length: image.length - 4096, cuts: 0 });
    await refuses({ model: address }, 'load_length');
    host.behave({ linkedSize: image.length - 1 });
    await refuses({ model: linked }, 'far_length');
  });

  test('that redirects gives a checksum, and its bytes must have it', async () => {
    assert.deepEqual(await logitsOf({ model: linked }), expected);
    host.behave({ cut: 200_000, cuts: 2 });
    assert.deepEqual(await logitsOf({ model: linked }), expected);
    host.behave({ sum: 'a'.repeat(64) });
    await refuses({ model: linked }, 'far_sum');
  });

  test('that refuses is reported with its status', async () => {
    host.behave({ status: 403 });
    await refuses({ model: address }, 'http_status');
    await refuses({ model: `${host.url}nothing.gguf` }, 'http_status');
  });

  test('that is slow can be cancelled', async () => {
    host.behave({ pause: 20 });
    const control = new AbortController();
    const load = Logitscope.load({
      model: address,
      signal: control.signal,
      onprogress: ({ loaded }) => loaded > 0 && control.abort(),
    });
    await assert.rejects(load, { code: 'cancelled' });
    assert.equal(host.requests.length, 1);
    const signal = AbortSignal.abort(new DOMException('too slow', 'TimeoutError'));
    await assert.rejects(Logitscope.load({ model: address, signal }), { code: 'cancelled' });
  });

  test('is not read further after a refused answer', async () => {
    for (const status of [200, 404]) {
      let cancelled = 0;
      const body = new ReadableStream({
        pull: (to) => to.enqueue(new Uint8Array(1 << 16)),
        cancel: () => void cancelled++,
      });
      const model = new Response(body, { status });
      await refuses({ model }, status === 200 ? 'not_gguf' : 'http_status');
      assert.equal(cancelled, 1);
    }
  });

  /**
   * Opens a host whose file contains only the head of a large model and a few more bytes.
   * @param {number} dim
   * @param {number} length context length
   */
  async function openGiant(dim, length) {
    const u32 = (/** @type {number} */ value) => ({ type: 'uint32', value });
    const metadata = {
      ...contents.metadata,
      'gpt2.context_length': u32(length),
      'gpt2.embedding_length': u32(dim),
      'gpt2.feed_forward_length': u32(8),
    };
    const tensors = contents.tensors.map(({ name, shape, type }) => {
      const wide = shape.map((n) => ({ 64: dim, 192: 3 * dim, 256: 8 })[n] ?? n);
      return { name, type, shape: /position_embd/.test(name) ? [dim, length] : wide };
    });
    const { head, size } = layoutGguf({ metadata, tensors });
    const far = await openHost({ 'big.gguf': new Uint8Array(head.length + (1 << 21)) });
    far.behave({ length: size });
    far.files['big.gguf'].set(head);
    return { far, size };
  }

  /**
   * Returns the reason why a model does not open.
   * @param {import('../../web/engine/types.js').LoadOptions} options
   */
  async function reasonOf(options) {
    const error = await Logitscope.load(options).then(
      () => assert.fail('it opened'),
      (e) => e,
    );
    return error.values.reason ?? error;
  }

  test('is not read beyond the head of a model that cannot fit, and both numbers are reported', async () => {
    const { far, size } = await openGiant(8192, 64);
    const { key, values } = await reasonOf({ model: `${far.url}big.gguf` });
    assert.equal(key, 'model_too_large');
    assert.ok(values.n > size && values.limit < size, JSON.stringify(values));
    assert.equal(far.requests.length, 1);
  });

  test('is not read beyond the head of a model whose session cannot fit, and a fitting context is reported', async () => {
    const { far, size } = await openGiant(4096, 32768);
    const model = `${far.url}big.gguf`;
    const { key, values } = await reasonOf({ model, context: 32768 });
    const { n, limit, fits } = values;
    assert.equal(key, 'context_too_large');
    assert.ok(size < limit && limit < n && fits < 32768, JSON.stringify(values));
    assert.equal((await reasonOf({ model, context: fits + 1000 })).values.fits, fits);
    assert.equal(far.requests.length, 2);
  });
});

describe('a split file', () => {
  test('opens from all parts in any order and from the name of any part', async () => {
    for (const count of [2, 5]) {
      const blobs = partsOf(count).map(
        ([name, bytes]) => new File([/** @type {any} */ (bytes)], String(name)),
      );
      assert.deepEqual(await logitsOf({ model: blobs.reverse() }), expected);
      const name = `m-00002-of-0000${count}.gguf`;
      host.behave({ cut: 100_000, cuts: 2 });
      assert.deepEqual(await logitsOf({ model: host.url + name }), expected);
      const folder = temporaryFolder();
      for (const [file, bytes] of partsOf(count)) writeFileSync(join(folder, String(file)), bytes);
      assert.deepEqual(await logitsOf({ model: join(folder, name) }), expected);
    }
  });

  test('has one open connection at a time, and none after a refusal', async (t) => {
    let open = 0;
    let most = 0;
    const { fetch } = globalThis;
    t.mock.method(globalThis, 'fetch', (/** @type {any[]} */ ...[url, options]) => {
      most = Math.max(most, ++open);
      options.signal.addEventListener('abort', () => open--);
      return fetch(url, options);
    });
    const model = `${host.url}m-00001-of-00005.gguf`;
    assert.deepEqual(await logitsOf({ model }), expected);
    assert.deepEqual([open, most], [0, 1]);
    await refuses({ model: `${host.url}m-00001-of-00007.gguf` }, 'http_status');
    assert.deepEqual([open, most], [0, 1]);
  });

  test('with a broken part is not kept', async () => {
    const model = `${host.url}m-00001-of-00002.gguf`;
    const second = pathOf(partNames(model)[1]);
    assert.deepEqual(await logitsOf({ model, keep: true }), expected);
    writeFileSync(second, '<html>please log in</html>');
    await refuses({ model, keep: true }, 'not_gguf');
    assert.ok(!existsSync(second));
    assert.deepEqual(await logitsOf({ model, keep: true }), expected);
  });

  test('with a part missing, repeated or from another file is refused', async () => {
    const blobs = partsOf(5).map(([, bytes]) => new Blob([/** @type {any} */ (bytes)]));
    const key = { model: blobs.slice(1) };
    await refuses(key, 'parts_differ');
    await refuses({ model: [...blobs.slice(0, 4), blobs[3]] }, 'parts_differ');
    await refuses({ model: [...blobs, new Blob([/** @type {any} */ (image)])] }, 'parts_differ');
    const two = new Blob([/** @type {any} */ (partsOf(2)[0][1])]);
    await refuses({ model: [two, new Blob(['GGUF'])] }, 'parts_head');
    await refuses({ model: [two, new Blob(['no model at all, but long enough'])] }, 'not_gguf');
    await assert.rejects(Logitscope.load({ model: blobs[0] }), { key: 'model_shard' });
  });
});

long('an endless head is read only to its bound', async () => {
  const head = new Uint8Array(64);
  const view = new DataView(head.buffer);
  view.setUint32(0, 0x46554747, true);
  view.setUint32(4, 3, true);
  view.setBigUint64(16, 1n, true); // number of metadata keys
  view.setBigUint64(24, 1n, true); // length of the key
  head[32] = 97;
  view.setUint32(33, 9, true); // type of the value: array
  view.setUint32(37, 0, true); // type of the elements: byte
  view.setBigUint64(41, 2n ** 40n, true);
  for (const parts of [1, 2]) {
    let sent = head.length;
    const more = new Uint8Array(1 << 20);
    const body = new ReadableStream({
      start: (to) => to.enqueue(head),
      pull(to) {
        sent += more.length;
        to.enqueue(more);
      },
    });
    const endless = Object.assign(new Blob([head]), { stream: () => body, slice: () => endless });
    const model = parts === 1 ? new Response(body) : [endless, endless];
    await refuses({ model }, parts === 1 ? 'incomplete' : 'parts_head');
    assert.ok(sent <= 2 ** 28 + 2 ** 22, `${sent} bytes`);
  }
});

describe('the command line', () => {
  const flags = ['--prompt', 'abc', '--max-new-tokens', '2', '--json'];
  const ids = (/** @type {{ stdout: string }} */ { stdout }) => JSON.parse(stdout).ids;

  test('keeps a fetched file and continues an unfinished one', async () => {
    const path = pathOf(address);
    host.behave({ cut: 200_000, cuts: 99, noRanges: true });
    const cut = await cli(['generate', '--model', address, ...flags]);
    assert.equal(cut.status, 2);
    assert.match(cut.stderr, /the connection was lost at byte/);
    assert.ok(!existsSync(path) && existsSync(`${path}.part`));
    host.behave({});
    const first = await cli(['generate', '--model', address, ...flags]);
    assert.equal(first.status, 0, first.stderr);
    assert.match(first.stderr, /MB of .* MB/);
    assert.ok(host.requests.some(({ headers }) => headers.range));
    assert.ok(readFileSync(path).equals(image));
    assert.deepEqual(
      readdirSync(join(path, '..')).filter((name) => /part|json|lock/.test(name)),
      [],
    );
    host.behave({});
    const again = await cli(['generate', '--model', address, ...flags]);
    assert.deepEqual(ids(again), ids(first));
    assert.deepEqual(host.requests, []);
  });

  test('does not keep a broken file: it refuses once and fetches it again', async () => {
    const path = pathOf(address);
    writeFileSync(path, image.subarray(0, image.length - 5000));
    const broken = await cli(['generate', '--model', address, ...flags]);
    assert.equal(broken.status, 2);
    assert.match(broken.stderr, /reaches beyond the end of the file/);
    assert.deepEqual(host.requests, []);
    assert.ok(!existsSync(path) && !existsSync(`${path}.lock`));
    assert.equal((await cli(['generate', '--model', address, ...flags])).status, 0);
    assert.ok(readFileSync(path).equals(image));
  });

  test('finds a changed byte in a kept file, finished or not, and fetches it again', async () => {
    const name = `${host.url}bytes.gguf`;
    host.files['bytes.gguf'] = image;
    const path = pathOf(name);
    /** @param {string} file @param {number} at */
    const flip = (file, at) => {
      const bytes = readFileSync(file);
      bytes[at] ^= 1;
      writeFileSync(file, bytes);
    };
    const removed = (/** @type {string} */ left) => {
      assert.ok(!existsSync(path) && !existsSync(`${path}.part`), left);
      assert.ok(!existsSync(`${path}.lock`) && !existsSync(`${path}.json`), left);
    };
    assert.deepEqual(await logitsOf({ model: name, keep: true }), expected);
    flip(path, image.length - 1);
    await refuses({ model: name, keep: true }, 'kept_damaged');
    removed('whole');
    host.behave({ cut: 200_000, cuts: 99, noRanges: true });
    await refuses({ model: name, keep: true }, 'far_cut');
    flip(`${path}.part`, 150_000);
    host.behave({});
    await refuses({ model: name, keep: true }, 'kept_damaged');
    removed('part');
    assert.deepEqual(await logitsOf({ model: name, keep: true }), expected);
  });

  test('continues no part without a checksum', async () => {
    const name = `${host.url}sumless.gguf`;
    host.files['sumless.gguf'] = image;
    const path = pathOf(name);
    const tag = `"t${createHash('sha256').update(image).digest('hex')}"`;
    const known = { address: name, size: image.length, tag };
    mkdirSync(join(path, '..'), { recursive: true });
    const beyond = { ...known, length: 1e12, sum: 'a' };
    for (const record of ['', 'null', JSON.stringify(known), JSON.stringify(beyond)]) {
      writeFileSync(`${path}.part`, other.subarray(0, 100_000));
      writeFileSync(`${path}.json`, record);
      assert.deepEqual(await logitsOf({ model: name, keep: true }), expected);
      rmSync(path);
    }
  });

  test('drops the rest of a file that has changed on its host', async () => {
    const path = pathOf(`${host.url}other.gguf`);
    host.behave({ cut: 200_000, cuts: 99, noRanges: true });
    await cli(['generate', '--model', `${host.url}other.gguf`, ...flags]);
    assert.ok(existsSync(`${path}.part`));
    writeFileSync(`${path}.json`, JSON.stringify({ tag: '"old"', size: other.length }));
    host.behave({});
    const got = await cli(['generate', '--model', `${host.url}other.gguf`, ...flags]);
    assert.equal(got.status, 0, got.stderr);
    assert.ok(readFileSync(path).equals(other));
  });

  test('leaves a file to the process that fetches it, unless that process has ended', async () => {
    const name = `${host.url}owner/name/resolve/main/q/m.gguf`;
    const path = pathOf(name);
    await cli(['info', '--model', `${host.url}nothing.gguf`]);
    host.behave({ cut: 100_000, cuts: 99, noRanges: true });
    await cli(['info', '--model', name]);
    host.behave({});
    writeFileSync(`${path}.lock`, String(process.pid));
    const busy = await cli(['info', '--model', name]);
    assert.equal(busy.status, 0, busy.stderr);
    assert.match(busy.stderr, /not kept: another process is fetching it/);
    assert.ok(!existsSync(path));
    // Another process may now have the id of the killed process, so an old lock must not block the download.
    utimesSync(`${path}.lock`, 0, 0);
    assert.equal((await cli(['info', '--model', name])).status, 0);
    assert.ok(existsSync(path) && !existsSync(`${path}.lock`));
    rmSync(path);
    writeFileSync(`${path}.lock`, '999999999');
    assert.equal((await cli(['info', '--model', name])).status, 0);
    assert.ok(existsSync(path) && !existsSync(`${path}.lock`));
  });

  test('keeps a file if a killed process left its lock or record empty', async () => {
    for (const left of ['lock', 'json']) {
      host.files[left] = image;
      const path = pathOf(host.url + left);
      writeFileSync(`${path}.${left}`, '');
      assert.equal((await cli(['info', '--model', host.url + left])).status, 0);
      assert.ok(existsSync(path) && !existsSync(`${path}.${left}`));
    }
  });

  test('leaves no lock when a signal ends it', async () => {
    const name = `${host.url}ended.gguf`;
    host.files['ended.gguf'] = image;
    host.behave({ pause: 40 });
    const run = [join(import.meta.dirname, '../../web/cli.js'), 'info', '--model', name];
    const child = spawn(process.execPath, run, { env: process.env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    const lock = `${pathOf(name)}.lock`;
    for (let i = 0; !existsSync(lock); i++) {
      assert.ok(i < 2000, 'it never began');
      await wait(10);
    }
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [null, 'SIGTERM']);
    assert.ok(!existsSync(lock));
  });

  test('opens a file that it cannot keep, and says why', async () => {
    const name = 'x'.repeat(256); // file systems allow at most 255 bytes, so the model cannot be stored
    host.files[name] = image;
    const long = await cli(['info', '--model', host.url + name]);
    assert.equal(long.status, 0);
    assert.match(long.stderr, /not kept: the folder cannot be written/);
  });
});

test('a user’s access token goes to the hub only and never through a redirect', async () => {
  /** @type {[string, string | undefined][]} */
  const asked = [];
  const answer = (name, location) => (request, response) => {
    asked.push([name, request.headers.authorization]);
    if (location) response.writeHead(302, { location: location() }).end();
    else response.writeHead(200, { 'content-length': image.length }).end(image);
  };
  const listen = async (handler) => {
    const server = createServer(handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    atEnd(() => server.close());
    return `http://127.0.0.1:${server.address().port}`;
  };
  const store = await listen(answer('store'));
  const hub = await listen(answer('hub', () => `${store}/bytes`));
  const before = process.env.HF_ENDPOINT;
  process.env.HF_ENDPOINT = hub;
  try {
    for (const token of ['hf_abc', 'two words', undefined]) {
      if (token) process.env.HF_TOKEN = token;
      else delete process.env.HF_TOKEN;
      assert.deepEqual(await logitsOf({ model: 'hub:owner/name/q/m.gguf' }), expected);
    }
    process.env.HF_TOKEN = 'hf_abc';
    assert.deepEqual(await logitsOf({ model: `${store}/bytes` }), expected);
  } finally {
    delete process.env.HF_TOKEN;
    process.env.HF_ENDPOINT = before;
  }
  assert.deepEqual(asked, [
    ['hub', 'Bearer hf_abc'],
    ['store', undefined],
    ...Array(2)
      .fill([
        ['hub', undefined],
        ['store', undefined],
      ])
      .flat(),
    ['store', undefined],
  ]);
});
