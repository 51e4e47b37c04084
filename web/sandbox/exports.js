/**
 * Converts a module to the body of a function that returns the module's exports. It finds only exports
 * at the beginning of a line.
 * @param {string} code
 * @returns {string} the body; the function must define `exported` as an empty object
 */
export function withoutExports(code) {
  /** @type {[string, string][]} */
  const names = [];
  const named =
    /^([ \t]*)export\s+(default\s+)?((?:async\s+)?function\b\s*\*?|class|const|let|var)\s+(\w+)/gm;
  const body = code
    .replace(named, (_, space, byDefault, kind, name) => {
      names.push([byDefault ? 'default' : name, name]);
      return `${space}${kind} ${name}`;
    })
    .replace(/^([ \t]*)export\s+default\b/gm, '$1exported.default =');
  const taken = names.map(([as, name]) => `exported.${as} = ${name};`);
  return `${body}\n;${taken.join('')}return exported;`;
}
