/**
 * The shape of a statement: its text without the literals that differ from one time to the next, so that `SELECT * FROM
 * p:1` and `SELECT * FROM p:2` have the same. Each literal that is left out is a blank, of which only the kind stays in
 * the shape.
 *
 * A shape says how a statement would be parsed: statements of one shape have trees that differ by the values in their
 * blanks alone.
 */
import '../base/well-formed.js';
import { parseDecimal } from '../value/decimal.js';
import { parseDatetime } from '../value/time/datetime.js';
import { parseDuration } from '../value/time/duration.js';
import { parseUuid } from '../value/uuid.js';
import { float, type Value } from '../value/value.js';
import { BLANK, CLASS, DIGIT, LETTER } from './character-classes.js';
import { uuidFault } from './literal-fault.js';

/**
 * `name`, `mixed` and `quoted` are keys of records: `p:abc`, `p:1abc`, `p:⟨a b⟩`. A `param` is one that the official
 * client has made up (`$bind__17`), which counts them through all of its life.
 */
export type BlankKind = keyof typeof READERS;

export interface Blank {
  readonly kind: BlankKind;
  readonly start: number;
  readonly end: number;
  /** The text between quotes, the digits of a number, or the name of a param. */
  readonly text: string;
}

export interface Shape {
  /**
   * Of the text without its blanks: the same for all statements of a shape, and hardly ever for others. An int32, not
   * 0.
   */
  readonly hash: number;
  readonly blanks: readonly Blank[];
  /** Whether its literals are values. Otherwise they belong to what is defined or done, and it has no blanks. */
  readonly isData: boolean;
  /** The beginning of the statement, and the position of its semicolon. */
  readonly start: number;
  readonly end: number;
}

/** Marks a blank. It can't stand in a text that parses. */
const MARK = '\0';

/** Digits of a number that is the same as an int and as the key of a record, and exact as a double. */
const MOST_DIGITS = 15;

const read = (parse: (text: string) => Value): ((text: string) => Value) => parse;
const itself = read((text) => text);

/** The value of a blank, by the letter that marks its kind; `undefined` if its text isn't valid. */
const READERS = {
  // There is no negative zero among ints.
  int: { letter: 'i', value: read((text) => Number(text) + 0) },
  float: { letter: 'f', value: read((text) => float(Number(text))) },
  decimal: { letter: 'c', value: read((text) => parseDecimal(text, true)) },
  duration: { letter: 't', value: read(parseDuration) },
  string: { letter: 's', value: itself },
  datetime: { letter: 'd', value: read(parseDatetime) },
  uuid: { letter: 'u', value: read((text) => (uuidFault(text) === undefined ? parseUuid(text) : undefined)) },
  name: { letter: 'n', value: itself },
  mixed: { letter: 'm', value: itself },
  quoted: { letter: 'q', value: itself },
  param: { letter: 'p', value: () => undefined },
} as const;

const MARKS = Object.fromEntries(
  Object.entries(READERS).map(([kind, { letter }]) => [kind, MARK + letter]),
) as Readonly<Record<BlankKind, string>>;

/** The value of a blank, with its minus sign if that was parsed as part of the number; `undefined` if it is invalid. */
export function blankValue({ kind, text }: Blank, negative = false): Value {
  return READERS[kind].value(negative ? `-${text}` : text);
}

/** The text of the statement with its blanks marked: no other shape has the same. */
export function shapeText({ blanks, start, end }: Shape, source: string): string {
  let text = '';
  let taken = start;
  for (const blank of blanks) {
    text += source.slice(taken, blank.start) + MARKS[blank.kind];
    if (blank.kind === 'param')
      text += blanks.findIndex((other) => other.text === blank.text && other.kind === 'param');
    taken = blank.end;
  }
  // It begins like no text that parses, and is no part of the source, which it would hold on to.
  return MARK + text + source.slice(taken, end);
}

/** Statements in which literals are values. In all others, they belong to what is defined or done. */
const OF_DATA: ReadonlySet<string> = new Set([
  'SELECT',
  'CREATE',
  'UPDATE',
  'UPSERT',
  'DELETE',
  'INSERT',
  'RELATE',
  'RETURN',
  'LET',
]);

/** Distinguishes the hash of a shape from that of an identical text. */
const SEED = 1;

const DOUBLE_QUOTE = 34;
const HASH = 35;
const DOLLAR = 36;
const QUOTE = 39;
const MINUS = 45;
const DOT = 46;
const SLASH = 47;
const COLON = 58;
const SEMICOLON = 59;
const BACKTICK = 96;
const ANGLE = 0x27e8;

/** The change of bracket depth by a character. */
const DEPTH = new Int8Array(128);
for (const open of '([{') DEPTH[open.charCodeAt(0)] = 1;
for (const close of ')]}') DEPTH[close.charCodeAt(0)] = -1;

/** Numbers as most are written; others stay in the shape. */
const NUMBER = /(\d{1,15})(\.\d{1,30})?(dec|f)?(?![\w.\u0080-\uffff])/y;
const DURATION = /(?:\d{1,15}(?:ns|us|ms|[smhdwy]))+(?![\w.\u0080-\uffff])/y;
const LIKE_NUMBER = /[\w.]+/y;
const MADE_UP_NAME = /bind__\d+(?!\w)/y;

/**
 * The shapes of the statements of a text; `undefined` if only the parser can tokenize it or report its error.
 *
 * It scans characters rather than tokens, since it has to be cheaper than parsing. Parts that it cannot classify stay
 * in the shape and are compared literally. `parameterize.ts` puts only those literals into slots that the parser has
 * read in the same way.
 */
export function shapesOf(text: string): readonly Shape[] | undefined {
  if (text.includes(MARK) || !text.isWellFormed()) return undefined;
  return new ShapeReader(text).read();
}

class ShapeReader {
  readonly #source: string;
  /** Where it reads. */
  #at = 0;
  #isClear = true;
  #blanks: Blank[] = [];
  /** The hash of the shape up to `#taken`. */
  #hash = SEED;
  #taken = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): readonly Shape[] | undefined {
    const shapes: Shape[] = [];
    for (;;) {
      const start = this.#skipBlanks();
      if (start === this.#source.length) return this.#isClear ? shapes : undefined;
      if (this.#source.charCodeAt(start) === SEMICOLON) this.#at++;
      else shapes.push(this.#statement(start));
      if (!this.#isClear) return undefined;
    }
  }

  #statement(start: number): Shape {
    const source = this.#source;
    this.#blanks = [];
    this.#hash = SEED;
    this.#taken = start;
    const first = source.slice(start, wordEnd(source, start)).toUpperCase();
    const isData = first === '' || OF_DATA.has(first);
    let depth = 0;
    while (this.#isClear && this.#at < source.length) {
      const code = source.charCodeAt(this.#at);
      if (code === SEMICOLON && depth === 0) break;
      depth += DEPTH[code] ?? 0;
      this.#part(code);
    }
    const end = this.#at;
    const hash = hashOf(source, this.#taken, end, this.#hash) || 1;
    return { hash, blanks: isData ? this.#blanks : [], isData, start, end };
  }

  /** Goes over what begins with a character. */
  #part(code: number): void {
    const type = CLASS[code];
    if (type === BLANK) this.#at++;
    else if (type === LETTER) this.#word();
    else if (type === DIGIT) this.#number();
    else if (code === QUOTE || code === DOUBLE_QUOTE) this.#string('string', this.#at, code);
    else if (code === DOLLAR) this.#param();
    else if (code === BACKTICK) this.#name('`');
    else if (code === ANGLE) this.#name('⟩');
    else if (code === HASH || code === MINUS || code === SLASH) this.#commentOrSign(code);
    else if (code >= 128) this.#isClear = false;
    else this.#at++;
  }

  /** The beginning of the next statement, or a semicolon. */
  #skipBlanks(): number {
    const source = this.#source;
    while (this.#isClear && this.#at < source.length) {
      const code = source.charCodeAt(this.#at);
      if (CLASS[code] === BLANK) this.#at++;
      else if (code === HASH || code === SLASH || (code === MINUS && source.charCodeAt(this.#at + 1) === MINUS)) {
        this.#commentOrSign(code);
      } else break;
    }
    return this.#at;
  }

  /** A slash alone may be a division, or begin a regular expression. */
  #commentOrSign(code: number): void {
    const source = this.#source;
    const next = source.charCodeAt(this.#at + 1);
    if (code === HASH || (next === code && code !== HASH)) this.#skipTo('\n');
    else if (code === SLASH && source[this.#at + 1] === '*') {
      this.#at += 2;
      this.#skipTo('*/');
    } else if (code === SLASH) this.#isClear = false;
    else this.#at++;
  }

  /** Skips to the next occurrence of a text, or to the end. */
  #skipTo(text: string): void {
    const found = this.#source.indexOf(text, this.#at);
    this.#at = found === -1 ? this.#source.length : found + text.length;
  }

  #word(): void {
    const source = this.#source;
    const start = this.#at;
    const end = wordEnd(source, start);
    this.#at = end;
    const next = source.charCodeAt(end);
    if (next === COLON) this.#key();
    else if (end === start + 1 && (next === QUOTE || next === DOUBLE_QUOTE)) {
      const prefix = source[start];
      this.#string(prefix === 'd' ? 'datetime' : prefix === 'u' ? 'uuid' : undefined, end, next, start);
    } else if (end - start === 3 || end - start === 8) this.#checkWord(source.slice(start, end).toUpperCase());
  }

  #checkWord(word: string): void {
    if (word === 'FUNCTION') this.#isClear = false;
    else if (word === 'LET' || word === 'FOR') {
      // A variable of that name would hide the param.
      this.#isClear = !/^\s*\$bind__/.test(this.#source.slice(this.#at, this.#at + 32));
    }
  }

  /** A name between quotes; perhaps that of a table, with a key behind it. */
  #name(close: string): void {
    const start = this.#at;
    const end = this.#source.indexOf(close, start + 1);
    if (end === -1 || this.#source.slice(start, end).includes('\\')) this.#isClear = false;
    else {
      this.#at = end + 1;
      if (this.#source.charCodeAt(end + 1) === COLON) this.#key();
    }
  }

  /**
   * Behind a name: perhaps a colon and the key of a record, which is read by its characters; or a value in an object.
   */
  #key(): void {
    const source = this.#source;
    const start = this.#at + 1;
    this.#at = start;
    const first = source.charCodeAt(start);
    if (first === COLON) {
      this.#at++;
      return;
    }
    if (first === BACKTICK || first === ANGLE) {
      const end = source.indexOf(first === BACKTICK ? '`' : '⟩', start + 1);
      const text = source.slice(start + 1, end);
      if (end === -1 || text.includes('\\')) this.#isClear = false;
      else this.#leaveOut('quoted', start, end + 1, text);
      return;
    }
    const end = wordEnd(source, start);
    const next = source.charCodeAt(end);
    // A call, a prefixed string or a longer number is scanned as what it is.
    if (end === start || next === 40 || next === QUOTE || next === DOUBLE_QUOTE) return;
    const text = source.slice(start, end);
    if (digitsEnd(source, start) !== end) this.#leaveOut(CLASS[first] === DIGIT ? 'mixed' : 'name', start, end, text);
    else if (next === DOT && CLASS[source.charCodeAt(end + 1)] === DIGIT) return;
    else if (text.length <= MOST_DIGITS) this.#leaveOut('int', start, end, text);
    else this.#at = end;
  }

  #number(): void {
    const source = this.#source;
    const start = this.#at;
    const isPart = source.charCodeAt(start - 1) === DOT;
    const end = digitsEnd(source, start);
    const next = source.charCodeAt(end);
    if (!isPart && end - start <= MOST_DIGITS && next !== DOT && !(next >= 128) && CLASS[next] !== LETTER) {
      this.#leaveOut('int', start, end, source.slice(start, end));
      return;
    }
    NUMBER.lastIndex = start;
    const number = isPart ? null : NUMBER.exec(source);
    if (number !== null) {
      const [, digits = '', fraction, suffix] = number;
      const kind = suffix === 'dec' ? 'decimal' : suffix === 'f' || fraction !== undefined ? 'float' : 'int';
      this.#leaveOut(kind, start, NUMBER.lastIndex, fraction === undefined ? digits : digits + fraction);
      return;
    }
    DURATION.lastIndex = start;
    const duration = DURATION.exec(source);
    if (duration !== null) {
      this.#leaveOut('duration', start, DURATION.lastIndex, duration[0]);
      return;
    }
    LIKE_NUMBER.lastIndex = start;
    LIKE_NUMBER.exec(source);
    this.#at = LIKE_NUMBER.lastIndex;
  }

  /** One whose content is written with escapes stays in the shape. */
  #string(kind: BlankKind | undefined, from: number, quote: number, start = from): void {
    const source = this.#source;
    for (let at = from + 1; at < source.length; at++) {
      const code = source.charCodeAt(at);
      if (code === quote) {
        if (kind === undefined) this.#at = at + 1;
        else this.#leaveOut(kind, start, at + 1, source.slice(from + 1, at));
        return;
      }
      if (code === 92) {
        kind = undefined;
        at++;
      }
    }
    this.#isClear = false;
  }

  #param(): void {
    const source = this.#source;
    const start = this.#at;
    MADE_UP_NAME.lastIndex = start + 1;
    if (!source.startsWith('bind__', start + 1) || !MADE_UP_NAME.test(source)) {
      this.#at = wordEnd(source, start + 1);
      return;
    }
    this.#leaveOut('param', start, MADE_UP_NAME.lastIndex, source.slice(start + 1, MADE_UP_NAME.lastIndex));
  }

  #leaveOut(kind: BlankKind, start: number, end: number, text: string): void {
    this.#hash = hashOf(READERS[kind].letter, 0, 1, hashOf(this.#source, this.#taken, start, this.#hash));
    this.#taken = end;
    this.#at = end;
    this.#blanks.push({ kind, start, end, text });
  }
}

/** Of a part of a text, going on from another hash (FNV-1a). */
export function hashOf(source: string, start = 0, end = source.length, before = 0): number {
  let hash = before ^ 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ source.charCodeAt(at), 0x01000193);
  return hash;
}

/** The end of the digits that begin at `offset`. */
function digitsEnd(source: string, offset: number): number {
  let end = offset;
  while (CLASS[source.charCodeAt(end)] === DIGIT) end++;
  return end;
}

/** The end of the letters, digits and underscores that begin at `offset`. */
function wordEnd(source: string, offset: number): number {
  let end = offset;
  for (
    let type = CLASS[source.charCodeAt(end)];
    type === LETTER || type === DIGIT;
    type = CLASS[source.charCodeAt(end)]
  ) {
    end++;
  }
  return end;
}
