/**
 * Records the exchange of web/sources/server.js with a running server, each question once:
 *   llama-server -m build/bench/260K.f32.gguf --alias 260K -ctk f32 -ctv f32 -fa off
 *   node tests/vectors/make_servers.js http://127.0.0.1:8080 'llama.cpp v0.5.0, 2026-09-28' > tests/vectors/llama_server.json.gz
 */
import { gzipSync } from 'node:zlib';
import { Server } from '../../web/sources/server.js';

export const TEXT = 'Once upon a time';

const [address, source] = process.argv.slice(2);
/** @type {Map<string, object>} */
const exchanges = new Map();
const { fetch } = globalThis;
globalThis.fetch = async (url, options) => {
  const response = await fetch(url, options);
  const { pathname: path } = new URL(String(url));
  const body = options?.body && JSON.parse(String(options.body));
  const answer = await response.clone().json();
  exchanges.set(`${path} ${options?.body}`, { path, body, status: response.status, answer });
  return response;
};
const { source: model } = await Server.open(address);
const how = { signal: new AbortController().signal };
await model?.logits(Uint32Array.from(await model.encode(TEXT, how)), how);
const text = JSON.stringify({ source, text: TEXT, exchanges: [...exchanges.values()] });
process.stdout.write(gzipSync(text, { level: 9 }));
