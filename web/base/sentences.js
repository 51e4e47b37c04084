/**
 * Which sentence of the locale files an English sentence of the engine is. The engine says what was
 * wrong in one sentence, which en.json holds under "fault.CODE.NAME" with placeholders; any other
 * language has the same key. Parts of a sentence stand under "fault.phrase.NAME".
 */

/** @typedef {{ key: string, values: Record<string, string> }} Found */

/**
 * @param {Record<string, any>} english the messages that begin with "fault."
 * @returns {(code: string, text: string) => Found | null}
 */
export function reader(english) {
  const forms = Object.entries(english)
    .map(([key, text]) => ({ key, ...form(text) }))
    .sort((a, b) => b.literal - a.literal);
  return (code, text) => {
    for (const { key, pattern } of forms) {
      const groups = key.startsWith(`fault.${code}.`) ? pattern.exec(text) : null;
      if (groups) return { key, values: { ...groups.groups } };
    }
    return null;
  };
}

/**
 * A sentence with placeholders as a pattern, and how much of it is fixed: the more, the surer.
 * @param {string} text
 */
function form(text) {
  const parts = text.split(/\{(\w+)\}/);
  const source = parts.map((part, i) =>
    i % 2 ? `(?<${part}>.+?)` : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  const literal = parts.reduce((sum, part, i) => sum + (i % 2 ? 0 : part.length), 0);
  return { pattern: new RegExp(`^${source.join('')}$`, 's'), literal };
}
