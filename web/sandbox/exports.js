/**
 * Makes a module the body of a function that returns its exports. It finds exports that begin a line.
 * @param {string} code
 * @returns {string} for a function in which `exported` is an empty object
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
