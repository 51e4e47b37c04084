/**
 * The formats of JSON Schema as regular expressions. Each expression matches only texts that a strict
 * validator accepts, but not all: a host name has at most four labels of 62 characters, and a time
 * has no leap second. Any other format is ignored.
 */

const DAY =
  '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29|' +
  '\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|' +
  '02-(?:0[1-9]|1\\d|2[0-8]))';
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const TIME = `${CLOCK}:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-]${CLOCK})`;
const TIME_SPAN = 'T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)';
const DAY_SPAN = '(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)';
const LABEL = '[A-Za-z0-9]{1,20}(?:-[A-Za-z0-9]{1,20}){0,2}';
const HOST = `${LABEL}(?:\\.${LABEL}){0,3}`;
const LOCAL = '[A-Za-z0-9_+-]{1,20}(?:\\.[A-Za-z0-9_+-]{1,20}){0,2}';
const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const HEX = '[0-9a-fA-F]';
const GROUP = `${HEX}{1,4}`;
/** IPv6 addresses with groups on both sides of "::", which replaces the missing groups. */
const SHORTENED = [1, 2, 3, 4, 5, 6].map((n) => `(?:${GROUP}:){1,${n}}(?::${GROUP}){1,${7 - n}}`);
const IPV6 = [`(?:${GROUP}:){7}${GROUP}`, `(?:${GROUP}:){1,7}:`, `:(?::${GROUP}){1,7}`, '::'];
const PATH = "[A-Za-z0-9._~!$&'()*+,;=:@/-]*";

/** @type {Record<string, string>} */
const WHOLE = {
  date: DAY,
  time: TIME,
  'date-time': `(?:${DAY})T${TIME}`,
  duration: `P(?:\\d+W|${DAY_SPAN}(?:${TIME_SPAN})?|${TIME_SPAN})`,
  uuid: `${HEX}{8}-(?:${HEX}{4}-){3}${HEX}{12}`,
  email: `${LOCAL}@(?:${LABEL}\\.){1,3}[A-Za-z]{2,10}`,
  hostname: HOST,
  ipv4: `${BYTE}(?:\\.${BYTE}){3}`,
  ipv6: [...IPV6, ...SHORTENED].join('|'),
  uri: `[a-z][a-z0-9+.-]{1,9}://${HOST}(?::\\d{1,4})?(?:/${PATH})?(?:\\?${PATH})?(?:#${PATH})?`,
};

/** The regular expression of a format; undefined for any other name. @param {unknown} name */
export const patternOfFormat = (name) =>
  typeof name === 'string' && Object.hasOwn(WHOLE, name) ? `^(?:${WHOLE[name]})$` : undefined;

/** The lowest and the highest number of OpenAPI's integer formats. @type {Record<string, [string, string]>} */
export const INTEGER_FORMATS = {
  int32: ['-2147483648', '2147483647'],
  int64: ['-9223372036854775808', '9223372036854775807'],
};
