/**
 * JSON text (RFC 8259) as values, built in one pass. Unlike `JSON.parse` it bounds the depth, keeps ints to 64 bits and `1.0` a float, and
 * makes objects that inherit nothing. It takes about as long as `JSON.parse` and a walk over its result.
 */
import { failure } from '../errors/error.js';
import { DEFAULT_LIMITS, type DecodeLimits, deeper } from './nesting.js';
import { parseInteger } from './number.js';
import { float, newObject, type Value } from './value.js';

/**
 * The value of a JSON text. Of keys that come twice the last counts; ints beyond 64 bits become floats; lone surrogates become U+FFFD.
 * @throws TesseraError `json_invalid`, `nesting_too_deep`
 */
export function parseJson(text: string, limits: DecodeLimits = DEFAULT_LIMITS): Value {
  const parser = new JsonParser(text, limits.maxDepth);
  return parser.parse();
}

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** So many digits are always exact. */
const SAFE_DIGITS = 15;

const WORDS: ReadonlyMap<number, readonly [word: string, value: Value]> = new Map<number, readonly [string, Value]>([
  ['t'.charCodeAt(0), ['true', true]],
  ['f'.charCodeAt(0), ['false', false]],
  ['n'.charCodeAt(0), ['null', null]],
]);

class JsonParser {
  readonly #text: string;
  readonly #maxDepth: number;
  #at = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  parse(): Value {
    this.#skipSpace();
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail('text after the end');
    return value;
  }

  /** The value that begins here. */
  #value(depth: number): Value {
    const first = this.#text.charCodeAt(this.#at);
    if (first === QUOTE) return this.#string();
    if (first === OPEN_OBJECT) return this.#object(deeper(depth, this.#maxDepth));
    if (first === OPEN_ARRAY) return this.#array(deeper(depth, this.#maxDepth));
    if (first === MINUS || (first >= ZERO && first <= NINE)) return this.#number();
    const [word, value] = WORDS.get(first) ?? this.#fail('expected a value');
    if (!this.#text.startsWith(word, this.#at)) this.#fail('expected a value');
    this.#at += word.length;
    return value;
  }

  #object(depth: number): Value {
    const object = newObject();
    this.#at++;
    this.#skipSpace();
    if (this.#take(CLOSE_OBJECT)) return object;
    for (;;) {
      if (this.#text.charCodeAt(this.#at) !== QUOTE) this.#fail('expected a key in double quotes');
      const key = this.#string();
      this.#skipSpace();
      if (!this.#take(COLON)) this.#fail("expected ':'");
      this.#skipSpace();
      object[key] = this.#value(depth);
      this.#skipSpace();
      if (this.#take(CLOSE_OBJECT)) return object;
      if (!this.#take(COMMA)) this.#fail("expected ',' or '}'");
      this.#skipSpace();
    }
  }

  #array(depth: number): Value {
    const items: Value[] = [];
    this.#at++;
    this.#skipSpace();
    if (this.#take(CLOSE_ARRAY)) return items;
    for (;;) {
      items.push(this.#value(depth));
      this.#skipSpace();
      if (this.#take(CLOSE_ARRAY)) return items;
      if (!this.#take(COMMA)) this.#fail("expected ',' or ']'");
      this.#skipSpace();
    }
  }

  #number(): Value {
    NUMBER.lastIndex = this.#at;
    const digits = NUMBER.exec(this.#text)?.[0] ?? this.#fail('expected a number');
    this.#at += digits.length;
    const number = Number(digits);
    if (digits.length <= SAFE_DIGITS && Number.isInteger(number) && !/[.eE]/.test(digits)) return number + 0;
    return parseInteger(digits) ?? float(number);
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at + 1;
    for (let index = start; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit === QUOTE) {
        this.#at = index + 1;
        return text.slice(start, index);
      }
      if (unit === BACKSLASH) return this.#escapedString(start - 1);
      if (unit < 0x20) {
        this.#at = index;
        this.#fail('a control character in a text');
      }
    }
    return this.#fail('a text without an end');
  }

  /** A text with escapes: its end is searched, the rest left to `JSON.parse`. */
  #escapedString(start: number): string {
    const text = this.#text;
    let end = start + 1;
    while (end < text.length && text.charCodeAt(end) !== QUOTE) end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
    this.#at = end + 1;
    try {
      return (JSON.parse(text.slice(start, end + 1)) as string).replace(LONE_SURROGATE, '\ufffd');
    } catch {
      this.#at = start;
      return this.#fail('a text with a wrong escape or without an end');
    }
  }

  #skipSpace(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at++;
    }
  }

  #take(unit: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== unit) return false;
    this.#at++;
    return true;
  }

  #fail(what: string): never {
    const atEnd = this.#at >= this.#text.length;
    throw failure('json_invalid', { what: atEnd ? 'unexpected end' : what, offset: this.#at });
  }
}

const LONE_SURROGATE = /\p{Cs}/gu;
