/**
 * The shape of a statement: its text without the literals that differ from one time to the next, so that `SELECT * FROM p:1` and
 * `SELECT * FROM p:2` have the same. Each literal that is left out is a blank, of which only the kind stays in the shape.
 *
 * A shape says how a statement would be parsed: statements of one shape have trees that differ by the values in their blanks alone.
 */
import { TesseraError } from '../errors/error.js';
import { parseDatetime } from '../value/datetime.js';
import { parseDecimal } from '../value/decimal.js';
import { parseDuration } from '../value/duration.js';
import { parseUuid } from '../value/uuid.js';
import { float, type Value } from '../value/value.js';
import { uuidFault } from './content-fault.js';
import { Lexer } from './lexer.js';

/** `name`, `mixed` and `quoted` are keys of records: `p:abc`, `p:1abc`, `p:⟨a b⟩`. A `param` is one that a client has made up. */
export type BlankKind = keyof typeof READERS;

export interface Blank {
  readonly kind: BlankKind;
  readonly start: number;
  readonly end: number;
  /** What is between quotes, decoded; the name of a param. */
  readonly text: string;
}

export interface Shape {
  /** The text with its blanks taken out. It begins like no text that parses. */
  readonly text: string;
  readonly blanks: readonly Blank[];
  /** Where the statement begins, and where the semicolon stands that ends it. */
  readonly start: number;
  readonly end: number;
}

/** Marks a blank. It can't stand in a text that parses. */
const MARK = '\0';

/** Digits of a number that is the same as an int and as the key of a record, and exact as a double. */
const MOST_DIGITS = 15;

const read = (parse: (text: string) => Value): ((text: string) => Value) => parse;
const itself = read((text) => text);

/** What a blank stands for, by the letter that marks it; `undefined` if its text is no such value. */
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

/** The value that a blank stands for, with a minus ahead of it if that was read as part of the number; `undefined` if there is none. */
export function blankValue({ kind, text }: Blank, negative = false): Value {
  return READERS[kind].value(negative ? `-${text}` : text);
}

/** How the official client names the parameters that it makes up, counting them through all of its life. */
const MADE_UP = /^bind__\d+$/;

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

const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);
const COLON = 58;

/** The shapes of the statements of a text; `undefined` where only the parser can tell what is a token, or what is wrong. */
export function shapesOf(text: string): readonly Shape[] | undefined {
  try {
    return new ShapeReader(text).read();
  } catch (error) {
    if (error instanceof TesseraError) return undefined;
    throw error;
  }
}

class ShapeReader extends Lexer {
  #blanks: Blank[] = [];
  /** The shape up to `#taken`. */
  #text = '';
  #taken = 0;
  /** The params that a client has made up, as they are counted from 0 in each statement: their names tell which of them are the same. */
  #params: string[] = [];

  /** @throws TesseraError where a token is wrong */
  read(): readonly Shape[] | undefined {
    const shapes: Shape[] = [];
    while (this.kind !== 'end') {
      if (this.kind === 'punct' && this.text === ';') this.advance();
      else if (!this.#statement(shapes)) return undefined;
    }
    return shapes;
  }

  #statement(shapes: Shape[]): boolean {
    const { start } = this;
    const hasBlanks = this.kind !== 'word' || OF_DATA.has(this.word);
    this.#blanks = [];
    this.#params = [];
    this.#text = MARK;
    this.#taken = start;
    let depth = 0;
    for (; this.kind !== 'end'; this.#next(hasBlanks)) {
      if (this.kind === 'punct') {
        if (OPENING.has(this.text)) depth++;
        else if (CLOSING.has(this.text)) depth--;
        else if (this.text === ';' && depth === 0) break;
        // A division, or a regular expression.
        else if (this.text.startsWith('/')) return false;
      } else if (this.kind === 'word' && !this.#isClear()) return false;
    }
    // Blanks and comments behind the statement are left out, too.
    shapes.push({
      text: this.#text + this.source.slice(this.#taken, this.kind === 'end' ? this.source.length : this.start),
      blanks: this.#blanks,
      start,
      end: this.start,
    });
    return depth === 0;
  }

  /** Whether what follows the current word is made of tokens, and hides no param that a client has made up. */
  #isClear(): boolean {
    if (this.word === 'FUNCTION') return false;
    return (this.word !== 'LET' && this.word !== 'FOR') || !this.source.startsWith('$bind__', this.nextOffset());
  }

  /** Leaves the current token out of the shape if it is a blank, and goes on to the next. */
  #next(hasBlanks: boolean): void {
    if (!hasBlanks) return this.advance();
    const { kind, end } = this;
    if ((kind === 'word' || kind === 'quoted') && this.adjacent() === COLON && this.adjacent(1) !== COLON) {
      return this.#key(end + 1);
    }
    const blank = this.#kind();
    if (blank !== undefined) {
      this.#leaveOut(blank, this.start, end, this.text);
      if (blank === 'param') this.#text += this.#count(this.text);
    }
    this.advance();
  }

  #count(name: string): number {
    const known = this.#params.indexOf(name);
    return known === -1 ? this.#params.push(name) - 1 : known;
  }

  /** What the current token is as a blank. */
  #kind(): BlankKind | undefined {
    switch (this.kind) {
      case 'string':
      case 'duration':
        return this.kind;
      case 'number':
        return this.#numberKind();
      case 'prefixed':
        return this.form === 'd' ? 'datetime' : this.form === 'u' ? 'uuid' : undefined;
      case 'param':
        return MADE_UP.test(this.text) ? 'param' : undefined;
      default:
        return undefined;
    }
  }

  #numberKind(): BlankKind | undefined {
    const form = this.form as 'int' | 'float' | 'decimal';
    return form === 'int' && this.end - this.start > MOST_DIGITS ? undefined : form;
  }

  /** Behind a name and a colon: perhaps the key of a record, which is read by its characters; or a value in an object. */
  #key(start: number): void {
    const { source } = this;
    const end = this.wordEnd(start);
    const text = source.slice(start, end);
    const next = source[end];
    if (text === '' || next === '(' || next === "'" || next === '"') return this.#quotedKey(start);
    if (/^[0-9]+$/.test(text)) {
      // `{a:1.5}`: a number that goes on.
      if (next === '.' && /[0-9]/.test(source[end + 1] ?? '')) return this.jump(start);
      if (text.length <= MOST_DIGITS) this.#leaveOut('int', start, end, text);
    } else this.#leaveOut(/^[0-9]/.test(text) ? 'mixed' : 'name', start, end, text);
    this.jump(end);
  }

  #quotedKey(start: number): void {
    this.jump(start);
    if (this.kind !== 'quoted' || this.start !== start) return;
    const { end } = this;
    this.#leaveOut('quoted', start, end, this.text);
    this.advance();
  }

  #leaveOut(kind: BlankKind, start: number, end: number, text: string): void {
    this.#text += this.source.slice(this.#taken, start) + MARK + READERS[kind].letter;
    this.#taken = end;
    this.#blanks.push({ kind, start, end, text });
  }
}
