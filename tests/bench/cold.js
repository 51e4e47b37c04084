/** A page that measures only the time from navigation to the first token, with either engine. */
const query = new URLSearchParams(location.search);
const model = String(query.get('model'));
const prompt = String(query.get('prompt'));

async function ours() {
  const engine = '../../build/bench/engine/remote.js'; // chromium.js bundles it before it opens a page
  const { RemoteLogitscope } = await import(engine);
  const scope = await RemoteLogitscope.load({ model: new URL(model, location.href).href });
  for await (const { id } of scope.generate({ prompt, max_new_tokens: 1, temperature: 0 }))
    return id;
}

async function theirs() {
  const { loadWllama } = await import('./wllama.js');
  const wllama = await loadWllama({ model, context: Number(query.get('context')) });
  await wllama.samplingInit({ temp: 0 });
  const ids = await wllama.tokenize(prompt);
  await wllama.decode([wllama.getBOS(), ...ids], {});
  return (await wllama.samplingSample()).token;
}

globalThis.cold = (query.get('engine') === 'wllama' ? theirs() : ours()).then((id) => ({
  id,
  ms: performance.now(),
}));
