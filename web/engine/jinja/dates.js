/** Python's `strftime` for midnight of a day, in English and without a time zone. */

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const DAY_MS = 864e5;

/** @param {number} n @param {number} width */
const zeros = (n, width) => String(n).padStart(width, '0');
/** @param {number} n */
const blanks = (n) => String(n).padStart(2);

/** The ISO 8601 week number and its year. @param {Date} day */
function isoWeek(day) {
  const thursday = new Date(day.getTime() + (4 - (day.getUTCDay() || 7)) * DAY_MS);
  const year = thursday.getUTCFullYear();
  return { year, week: Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / DAY_MS / 7) + 1 };
}

/**
 * The text that replaces each letter after `%`.
 * @param {Date} day
 * @returns {Record<string, string>}
 */
function lettersOf(day) {
  const year = day.getUTCFullYear();
  const month = day.getUTCMonth();
  const date = day.getUTCDate();
  const weekday = day.getUTCDay();
  const ofYear = Math.round((day.getTime() - Date.UTC(year, 0, 1)) / DAY_MS);
  const iso = isoWeek(day);
  const short = zeros(year % 100, 2);
  const numbers = `${zeros(month + 1, 2)}/${zeros(date, 2)}/${short}`;
  return {
    a: DAYS[weekday].slice(0, 3),
    A: DAYS[weekday],
    b: MONTHS[month].slice(0, 3),
    B: MONTHS[month],
    c: `${DAYS[weekday].slice(0, 3)} ${MONTHS[month].slice(0, 3)} ${blanks(date)} 00:00:00 ${year}`,
    C: zeros(Math.floor(year / 100), 2),
    d: zeros(date, 2),
    D: numbers,
    e: blanks(date),
    f: '000000',
    F: `${year}-${zeros(month + 1, 2)}-${zeros(date, 2)}`,
    g: zeros(iso.year % 100, 2),
    G: String(iso.year),
    h: MONTHS[month].slice(0, 3),
    H: '00',
    I: '12',
    j: zeros(ofYear + 1, 3),
    k: ' 0',
    l: '12',
    m: zeros(month + 1, 2),
    M: '00',
    n: '\n',
    p: 'AM',
    P: 'am',
    r: '12:00:00 AM',
    R: '00:00',
    s: String(day.getTime() / 1000),
    S: '00',
    t: '\t',
    T: '00:00:00',
    u: String(weekday || 7),
    U: zeros(Math.floor((ofYear + 7 - weekday) / 7), 2),
    V: zeros(iso.week, 2),
    w: String(weekday),
    W: zeros(Math.floor((ofYear + 7 - ((weekday + 6) % 7)) / 7), 2),
    x: numbers,
    X: '00:00:00',
    y: short,
    Y: String(year),
    z: '',
    Z: '',
    '%': '%',
  };
}

/** @param {string} date YYYY-MM-DD @param {string} format */
export function formatDate(date, format) {
  const letters = lettersOf(new Date(date));
  return format.replace(/%(-?)([a-zA-Z%])/g, (all, bare, letter) => {
    const value = letters[letter];
    if (value === undefined) return all;
    return bare ? value.replace(/^[0 ]+(?=.)/, '') : value;
  });
}
