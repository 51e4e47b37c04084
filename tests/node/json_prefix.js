/**
 * Reads the beginning of a JSON text, independently of the engine, and distinguishes a wrong text from an unfinished
 * one.
 */

class Wrong extends Error {}
class Short extends Error {}
const wrong = new Wrong();
const short = new Short();

class Reader {
  at = 0;

  /** @param {Uint8Array} bytes @param {{ depth: number, space: number }} budget */
  constructor(bytes, budget) {
    this.bytes = bytes;
    this.budget = budget;
  }

  get ended() {
    return this.at === this.bytes.length;
  }

  /** Reads the next byte as a character; throws at the end of the text. */
  peek() {
    if (this.ended) throw short;
    return String.fromCharCode(this.bytes[this.at]);
  }

  take() {
    const sign = this.peek();
    this.at++;
    return sign;
  }

  /** @param {string} text */
  expect(text) {
    for (const sign of text) if (this.take() !== sign) throw wrong;
  }

  space() {
    for (let n = 0; !this.ended && ' \t\n\r'.includes(this.peek()); n++) {
      if (n === this.budget.space) throw wrong;
      this.at++;
    }
  }

  /** @param {number} depth levels of nesting that are still allowed */
  value(depth) {
    const sign = this.peek();
    if (sign === '"') this.string();
    else if (sign === '{' || sign === '[') this.container(sign, depth);
    else if (sign === 't') this.expect('true');
    else if (sign === 'f') this.expect('false');
    else if (sign === 'n') this.expect('null');
    else this.number();
  }

  /** @param {string} open @param {number} depth */
  container(open, depth) {
    const close = open === '{' ? '}' : ']';
    if (depth === 0) throw wrong;
    this.at++;
    this.space();
    if (this.peek() === close) {
      this.at++;
      return;
    }
    for (;;) {
      if (open === '{') {
        this.string();
        this.space();
        this.expect(':');
        this.space();
      }
      this.value(depth - 1);
      this.space();
      const sign = this.take();
      if (sign === close) return;
      if (sign !== ',') throw wrong;
      this.space();
    }
  }

  digits() {
    if (!/\d/.test(this.take())) throw wrong;
    while (!this.ended && /\d/.test(this.peek())) this.at++;
  }

  number() {
    if (this.peek() === '-') this.at++;
    if (this.peek() === '0') this.at++;
    else this.digits();
    if (!this.ended && this.peek() === '.') {
      this.at++;
      this.digits();
    }
    if (!this.ended && /e/i.test(this.peek())) {
      this.at++;
      if ('+-'.includes(this.peek())) this.at++;
      this.digits();
    }
  }

  string() {
    this.expect('"');
    for (;;) {
      const sign = this.take();
      if (sign === '"') return;
      if (sign < ' ') throw wrong;
      if (sign === '\\') this.escape();
      else if (sign > '\x7f') this.character(sign.charCodeAt(0));
    }
  }

  escape() {
    const sign = this.take();
    if (sign === 'u') {
      for (let i = 0; i < 4; i++) if (!/[0-9a-f]/i.test(this.take())) throw wrong;
    } else if (!'"\\/bfnrt'.includes(sign)) {
      throw wrong;
    }
  }

  /**
   * Reads the rest of a UTF-8 character, by the table of RFC 3629, section 4.
   * @param {number} first
   */
  character(first) {
    const more = first < 0xc2 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 0;
    if (more === 0) throw wrong;
    for (let i = 0; i < more; i++) {
      const byte = this.take().charCodeAt(0);
      const low = i > 0 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
      const high = i > 0 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
      if (byte < low || byte > high) throw wrong;
    }
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {{ depth?: number, space?: number }} [budget]
 * @returns {'complete' | 'open' | 'wrong'}
 */
export function judgeJson(bytes, { depth = 16, space = 20 } = {}) {
  const reader = new Reader(bytes, { depth, space });
  try {
    reader.space();
    reader.value(depth);
    reader.space();
    return reader.ended ? 'complete' : 'wrong';
  } catch (error) {
    if (error === short) return 'open';
    if (error === wrong) return 'wrong';
    throw error;
  }
}

/**
 * Makes a random JSON text.
 * @param {(n: number) => number} below
 * @param {number} depth
 * @returns {string}
 */
export function randomJson(below, depth) {
  const space = () => ' '.repeat(below(3) ? 0 : below(3));
  const list = (/** @type {() => string} */ one) =>
    Array.from({ length: below(3) }, one).join(`${space()},${space()}`);
  const string = () => {
    const signs = [
      'a',
      'name',
      ' ',
      'é',
      '日',
      '🦙',
      '\\n',
      '\\"',
      '\\\\',
      '\\u00e9',
      '\\ud83d\\ude00',
      '/',
    ];
    return `"${Array.from({ length: below(5) }, () => signs[below(signs.length)]).join('')}"`;
  };
  const inner = () => randomJson(below, depth - 1);
  switch (below(depth ? 7 : 4)) {
    case 0:
      return string();
    case 1:
      return ['true', 'false', 'null'][below(3)];
    case 2:
      return (
        ['0', '-0', '7', '-12', '305'][below(5)] +
        ['', '.5', '.00', 'e7', 'E+10', '.2e-3'][below(6)]
      );
    case 3:
      return string();
    case 4:
      return `{${space()}${list(() => `${string()}${space()}:${space()}${inner()}${space()}`)}}`;
    default:
      return `[${space()}${list(() => inner() + space())}]`;
  }
}
