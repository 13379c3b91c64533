/**
 * JSON text (RFC 8259) as values, built in one pass. Unlike `JSON.parse` it bounds the depth, keeps ints to 64 bits and
 * `1.0` a float, and makes objects that inherit nothing. It takes about as long as `JSON.parse` and a walk over its
 * result.
 */
import { runAtOnce, type Stepwise } from '../../base/work/stepwise.js';
import '../../base/well-formed.js';
import { failure } from '../../errors/error.js';
import { DEFAULT_DECODE_LIMITS, type DecodeLimits, nextDepth } from '../nesting.js';
import { parseInteger } from '../number.js';
import { float, type MutableObject, newObject, type Value } from '../value.js';

/**
 * The value of a JSON text. Of keys that come twice the last counts; ints beyond 64 bits become floats; lone surrogates
 * become U+FFFD.
 * @throws TesseraError `json_invalid`, `nesting_too_deep`
 */
export function parseJson(text: string, limits: DecodeLimits = DEFAULT_DECODE_LIMITS): Value {
  return runAtOnce(new JsonParser(text, limits, text.length));
}

/** The same in pieces. @throws TesseraError also `too_many_values`, `too_many_keys` */
export function parseJsonStepwise(text: string, limits: DecodeLimits): Stepwise<Value> {
  return new JsonParser(text, limits, PIECE);
}

/** Characters that are read in one step. */
const PIECE = 8 * 1024;

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
const LETTER_U = 0x75;

const WRONG_TEXT = 'a text with a wrong escape or without an end';

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Characters of a number, which is read in one go. */
const LONGEST_NUMBER = 4096;
/** So many digits are always exact. */
const SAFE_DIGITS = 15;

const WORDS: ReadonlyMap<number, readonly [word: string, value: Value]> = new Map<number, readonly [string, Value]>([
  ['t'.charCodeAt(0), ['true', true]],
  ['f'.charCodeAt(0), ['false', false]],
  ['n'.charCodeAt(0), ['null', null]],
]);

/** A small integer, as counts are. */
const ANY_NUMBER = 2 ** 30;

const NOTHING_OPEN: Suspended[] = [];

/** Placeholder of a value whose end isn't reached in a step. */
const UNFINISHED: unique symbol = Symbol('unfinished');
type Read<T extends Value = Value> = T | typeof UNFINISHED;

/** A list or an object whose members haven't all been read when a step ended. */
interface Suspended {
  readonly container: Value[] | MutableObject;
  /** Of the member that is being read. */
  readonly key: string | undefined;
  /** Keys so far. */
  readonly count: number;
}

class JsonParser implements Stepwise<Value> {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #maxKeys: number;
  readonly #maxValues: number;
  readonly #piece: number;
  #at = 0;
  /** The end of this step. */
  #stop = 0;
  #values = 0;
  /** The containers open when the last step ended, the innermost first. */
  #suspended: Suspended[] = NOTHING_OPEN;
  /**
   * How far a text was looked through by then whose end hasn't been found, and what is read of one that has escapes.
   */
  #scanned = 0;
  #pieces: string[] | undefined;
  result: Value;

  constructor(text: string, limits: DecodeLimits, piece: number) {
    this.#text = text;
    this.#maxDepth = limits.maxDepth;
    this.#maxKeys = limits.maxKeys ?? ANY_NUMBER;
    this.#maxValues = limits.maxValues ?? ANY_NUMBER;
    this.#piece = piece;
  }

  step(): boolean {
    this.#stop = Math.min(Math.max(this.#at, this.#scanned) + this.#piece, this.#text.length) + 1;
    if (this.#at === 0) this.#skipSpace();
    const value = this.#suspended.length === 0 ? this.#value(0) : this.#resumed();
    if (value === UNFINISHED) return false;
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail('text after the end');
    this.result = value;
    return true;
  }

  /** The value in which the last step ended. */
  #resumed(): Read {
    const open = this.#suspended;
    this.#suspended = [];
    let member: Read = UNFINISHED;
    for (let index = 0; index < open.length; index++) {
      const { container, key, count } = open[index] as Suspended;
      const depth = open.length - index;
      const value: Read = Array.isArray(container)
        ? this.#items(container, depth, member)
        : this.#members(container, depth, count, key, member);
      if (value === UNFINISHED) {
        this.#suspended.push(...open.slice(index + 1));
        return UNFINISHED;
      }
      member = value;
    }
    return member;
  }

  #suspend(container: Suspended['container'], count: number, key?: string): typeof UNFINISHED {
    if (this.#suspended === NOTHING_OPEN) this.#suspended = [];
    this.#suspended.push({ container, key, count });
    return UNFINISHED;
  }

  /** The value that begins here. */
  #value(depth: number): Read {
    const first = this.#text.charCodeAt(this.#at);
    if (first === QUOTE) return this.#string();
    if (++this.#values > this.#maxValues) throw failure('too_many_values', { limit: this.#maxValues });
    if (first === OPEN_OBJECT) return this.#object(nextDepth(depth, this.#maxDepth));
    if (first === OPEN_ARRAY) return this.#array(nextDepth(depth, this.#maxDepth));
    if (first === MINUS || (first >= ZERO && first <= NINE)) return this.#number();
    const [word, value] = WORDS.get(first) ?? this.#fail('expected a value');
    if (!this.#text.startsWith(word, this.#at)) this.#fail('expected a value');
    this.#at += word.length;
    return value;
  }

  #object(depth: number): Read {
    const object = newObject();
    this.#at++;
    this.#skipSpace();
    return this.#take(CLOSE_OBJECT) ? object : this.#members(object, depth, 0, undefined, UNFINISHED);
  }

  /** The rest of an object: from a key on, or from the value of `unread`, or from what stands behind that value. */
  #members(object: MutableObject, depth: number, before: number, unread: string | undefined, member: Read): Read {
    let count = before;
    let key = unread;
    let value = member;
    for (;;) {
      if (key === undefined) {
        if (this.#at >= this.#stop) return this.#suspend(object, count);
        if (this.#text.charCodeAt(this.#at) !== QUOTE) this.#fail('expected a key in double quotes');
        const name = this.#string();
        if (name === UNFINISHED) return this.#suspend(object, count);
        if (++count > this.#maxKeys) throw failure('too_many_keys', { limit: this.#maxKeys });
        key = name;
        this.#skipSpace();
        if (!this.#take(COLON)) this.#fail("expected ':'");
        this.#skipSpace();
      }
      if (value === UNFINISHED) {
        value = this.#value(depth);
        if (value === UNFINISHED) return this.#suspend(object, count, key);
      }
      object[key] = value;
      this.#skipSpace();
      if (this.#take(CLOSE_OBJECT)) return object;
      if (!this.#take(COMMA)) this.#fail("expected ',' or '}'");
      this.#skipSpace();
      key = undefined;
      value = UNFINISHED;
    }
  }

  #array(depth: number): Read {
    const items: Value[] = [];
    this.#at++;
    this.#skipSpace();
    return this.#take(CLOSE_ARRAY) ? items : this.#items(items, depth, UNFINISHED);
  }

  /** The rest of a list: from an item on, or from what stands behind `item`. */
  #items(items: Value[], depth: number, item: Read): Read {
    let value = item;
    for (;;) {
      if (value === UNFINISHED) {
        if (this.#at >= this.#stop) return this.#suspend(items, 0);
        value = this.#value(depth);
        if (value === UNFINISHED) return this.#suspend(items, 0);
      }
      items.push(value);
      this.#skipSpace();
      if (this.#take(CLOSE_ARRAY)) return items;
      if (!this.#take(COMMA)) this.#fail("expected ',' or ']'");
      this.#skipSpace();
      value = UNFINISHED;
    }
  }

  #number(): Value {
    NUMBER.lastIndex = this.#at;
    const digits = NUMBER.exec(this.#text)?.[0] ?? this.#fail('expected a number');
    if (digits.length > LONGEST_NUMBER) this.#fail('a number of too many digits');
    this.#at += digits.length;
    const number = Number(digits);
    if (digits.length <= SAFE_DIGITS && Number.isInteger(number) && !/[.eE]/.test(digits)) return number + 0;
    return parseInteger(digits) ?? float(number);
  }

  /** The text that begins here; a long one takes several steps, each of which looks through some of it. */
  #string(): Read<string> {
    const text = this.#text;
    const start = this.#at + 1;
    if (this.#pieces !== undefined) return this.#escapedString();
    const stop = Math.min(this.#stop, text.length);
    for (let index = Math.max(start, this.#scanned); index < stop; index++) {
      const unit = text.charCodeAt(index);
      if (unit === QUOTE) {
        this.#at = index + 1;
        return text.slice(start, index);
      }
      if (unit === BACKSLASH) {
        this.#pieces = [text.slice(start, index)];
        this.#scanned = index;
        return this.#escapedString();
      }
      if (unit < 0x20) {
        this.#at = index;
        this.#fail('a control character in a text');
      }
    }
    return stop < text.length ? this.#unfinished(stop) : this.#fail('a text without an end');
  }

  /** A text with escapes: its end is searched, the rest left to `JSON.parse`. */
  #escapedString(): Read<string> {
    const text = this.#text;
    const pieces = this.#pieces as string[];
    const stop = Math.min(this.#stop, text.length);
    let end = this.#scanned;
    while (end < stop && text.charCodeAt(end) !== QUOTE) {
      if (text.charCodeAt(end) !== BACKSLASH) end++;
      else end += text.charCodeAt(end + 1) === LETTER_U ? 6 : 2;
    }
    const isWhole = text.charCodeAt(end) === QUOTE;
    if (!isWhole && end >= text.length) this.#fail(WRONG_TEXT);
    try {
      pieces.push(JSON.parse(`"${text.slice(this.#scanned, end)}"`) as string);
    } catch {
      this.#fail(WRONG_TEXT);
    }
    if (!isWhole) return this.#unfinished(end);
    this.#at = end + 1;
    this.#pieces = undefined;
    return pieces.join('').toWellFormed();
  }

  #unfinished(scanned: number): typeof UNFINISHED {
    this.#scanned = scanned;
    return UNFINISHED;
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
