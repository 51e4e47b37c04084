/** The page of a bundle with the elements. It stores its results in `globalThis` for the test. */
import 'logitscope/elements';

/** @param {string} name @param {Record<string, string>} attributes */
function add(name, attributes) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  document.body.append(element);
  return element;
}

/** @param {any} element @param {(element: any) => unknown} isDone */
const until = (element, isDone) =>
  new Promise((resolve, reject) => {
    element.addEventListener('logit-error', (event) => reject(new Error(event.detail.message)));
    const look = () => (isDone(element) ? resolve(element) : setTimeout(look, 10));
    look();
  });

async function answer() {
  const chat = await until(
    add('logit-scope', { model: '/model.gguf', chat: 'Hi', view: 'bench' }),
    ({ ready, busy, result }) => ready && !busy && result.trace,
  );
  const verbs = await until(add('logit-landscape', {}), ({ engine }) => engine);
  const quick = add('logit-compare', { model: '/model.gguf' });
  const { variant } = (await until(quick, ({ engine }) => engine)).engine;
  return {
    p: chat.result.trace.tokens.slice(0, 5).map((token) => token.p),
    vocab_size: verbs.engine.info.vocab_size,
    variant,
  };
}

globalThis.result = answer().catch(({ message }) => message);
