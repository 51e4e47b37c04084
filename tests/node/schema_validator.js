/**
 * A plain validator of JSON Schema, independent of web/engine/schema.js. It knows the supported keywords of draft
 * 2020-12 and of OpenAPI 3.0, and ignores formats.
 */

/** @param {any} value */
const kindOf = (value) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : /** @type {string} */ (typeof value);

/** @param {any} value @param {string} type */
const isType = (value, type) =>
  type === 'integer' ? Number.isInteger(value) : kindOf(value) === type;

/** @param {any} value @returns {string} a text that is equal for equal values */
const key = (value) =>
  kindOf(value) === 'object'
    ? `{${Object.keys(value)
        .sort()
        .map((name) => JSON.stringify(name) + key(value[name]))
        .join()}}`
    : Array.isArray(value)
      ? `[${value.map(key).join()}]`
      : JSON.stringify(value);

/** @param {any} root @param {string} reference */
function follow(root, reference) {
  const words = reference.split('/').slice(1);
  return words.reduce(
    (at, word) => at[decodeURIComponent(word).replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  );
}

/**
 * @param {any} schema
 * @param {any} value
 * @param {any} [root] of the document
 * @returns {boolean}
 */
export function isValid(schema, value, root = schema) {
  if (typeof schema === 'boolean') return schema;
  const fits = (/** @type {any} */ each) => isValid(each, value, root);
  const { $ref, allOf = [], anyOf, oneOf, type, enum: values } = schema;
  if ($ref !== undefined && !fits(follow(root, $ref))) return false;
  if (!allOf.every(fits) || (anyOf && !anyOf.some(fits))) return false;
  if (oneOf && oneOf.filter(fits).length !== 1) return false;
  if (type !== undefined) {
    const types = [type, schema.nullable ? 'null' : []].flat(2);
    if (!types.some((one) => isType(value, one))) return false;
  }
  if (values && !values.some((/** @type {any} */ one) => key(one) === key(value))) return false;
  if ('const' in schema && key(schema.const) !== key(value)) return false;
  if (typeof value === 'number') return fitsNumber(schema, value);
  if (typeof value === 'string') return fitsString(schema, value);
  if (Array.isArray(value)) return fitsArray(schema, value, root);
  return value === null || typeof value !== 'object' || fitsObject(schema, value, root);
}

/** @param {any} schema @param {number} value */
function fitsNumber(schema, value) {
  const { minimum = -Infinity, maximum = Infinity, multipleOf } = schema;
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  if (value < minimum || (above === true && value <= minimum)) return false;
  if (value > maximum || (below === true && value >= maximum)) return false;
  if (typeof above === 'number' && value <= above) return false;
  if (typeof below === 'number' && value >= below) return false;
  if (multipleOf === undefined) return true;
  const times = value / multipleOf;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

/** @param {any} schema @param {string} value */
function fitsString({ minLength = 0, maxLength = Infinity, pattern }, value) {
  const { length } = [...value];
  if (length < minLength || length > maxLength) return false;
  return pattern === undefined || new RegExp(pattern, 'u').test(value);
}

/** @param {any} schema @param {any[]} value @param {any} root */
function fitsArray(schema, value, root) {
  const { minItems = 0, maxItems = Infinity, items, prefixItems = [] } = schema;
  if (value.length < minItems || value.length > maxItems) return false;
  const first = Array.isArray(items) ? items : prefixItems;
  const others = Array.isArray(items) ? schema.additionalItems : items;
  return value.every((each, i) => isValid(first[i] ?? others ?? true, each, root));
}

/** @param {any} schema @param {Record<string, any>} value @param {any} root */
function fitsObject(schema, value, root) {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = schema;
  const { required = [], propertyNames = true, minProperties = 0 } = schema;
  const names = Object.keys(value);
  if (required.some((/** @type {string} */ name) => !Object.hasOwn(value, name))) return false;
  if (names.length < minProperties || names.length > (schema.maxProperties ?? Infinity))
    return false;
  return names.every((name) => {
    if (!isValid(propertyNames, name, root)) return false;
    const found = Object.entries(patternProperties).flatMap(([source, each]) =>
      new RegExp(source, 'u').test(name) ? [each] : [],
    );
    if (Object.hasOwn(properties, name)) found.push(properties[name]);
    if (!found.length) found.push(additionalProperties);
    return found.every((each) => isValid(each, value[name], root));
  });
}
