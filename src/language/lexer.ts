/**
 * Text to tokens, one at a time and on demand: what `/` or `1a` means depends on where it stands, which only the parser
 * knows. The current token lies in the lexer's own fields, so that reading one allocates nothing but its text.
 */
import '../base/well-formed.js';
import { BLANK, CLASS, DIGIT, LETTER, PUNCTUATION, SYMBOLS } from './character-classes.js';
import { decodeEscapes } from './escapes.js';
import { invalidToken } from './invalid-token.js';
import { type Mark, type SourceText, sourceFailure } from './source-error.js';
import { wordOf } from './word.js';

export type TokenKind =
  /** The end of the text. */
  | 'end'
  /** A bare word; `word` is its upper-case form, if it may be a keyword. */
  | 'word'
  /** A word in backticks or ⟨⟩. */
  | 'quoted'
  /** `$name`; `text` is the name. */
  | 'param'
  /** Digits with an optional fraction, exponent or suffix (`form`); `text` is as written, without `_` and suffix. */
  | 'number'
  | 'duration'
  /** `text` is the content, decoded. */
  | 'string'
  /** A string with a prefix for its type; `form` is the prefix. */
  | 'prefixed'
  /** An operator or delimiter; `text` is its ASCII spelling. */
  | 'punct'
  /** An invalid token; `fault` describes why. */
  | 'invalid';

export type NumberForm = 'int' | 'float' | 'decimal';
export type StringPrefix = 'r' | 'd' | 'u' | 'b' | 'f';

const DOUBLE_QUOTE = 34;
const DOLLAR = 36;
const AMPERSAND = 38;
const QUOTE = 39;
const COLON = 58;
const BACKTICK = 96;
/** `⟨`. */
const ANGLE = 0x27e8;

/** No keyword is longer; a longer word needs no upper-case form. */
const LONGEST_KEYWORD = 24;

/** Characters of a number or a duration. What is made of its digits takes time that grows with their square. */
const LONGEST_NUMBER = 4096;

const UNIT = /(?:ns|us|µs|μs|ms|[smhdwy])/y;
const BLANK_BEYOND_ASCII = /[\s\u0085\u200e\u200f]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The outer text, and where in it the one that is read stands. */
export interface OuterSource extends SourceText {
  readonly offset: number;
  /** Maps an offset in the decoded text to one in the source, which differ by escapes. */
  readonly outermost?: (offset: number) => number;
}

export class Lexer {
  kind: TokenKind = 'end';
  /** Offsets of the current token and of the one before it. */
  start = 0;
  end = 0;
  previousStart = 0;
  previousEnd = 0;
  /** Number of tokens read, and their limit. */
  tokens = 0;
  protected lastToken = 2 ** 30;
  text = '';
  word = '';
  form: NumberForm | StringPrefix | '' = '';
  /**
   * The error of the current token itself. It is thrown when the token is consumed: if none of its kind is
   * allowed, the error is about that, as in the peer.
   */
  protected fault: unknown;

  /** `origin` locates the text within an outer one, for errors. */
  constructor(
    readonly source: string,
    protected readonly origin: OuterSource = { source, offset: 0 },
  ) {
    const nul = source.indexOf('\0');
    const bad = nul === -1 && !source.isWellFormed() ? source.search(LONE_SURROGATE) : nul;
    if (bad !== -1) this.fail('Invalid token, the text may not contain this character', { start: bad, end: bad + 1 });
    this.advance();
  }

  /** Ends the parse: something is wrong at the marks. */
  fail(what: string, ...marks: readonly Mark[]): never {
    const shifted = marks.map((mark) => ({
      ...mark,
      start: this.outermostOffset(mark.start),
      end: this.outermostOffset(mark.end),
    }));
    throw sourceFailure('parse_error', this.origin, what, ...shifted);
  }

  /** The position of an offset in the outermost text. */
  protected outermostOffset(offset: number): number {
    return this.origin.outermost?.(offset) ?? offset + this.origin.offset;
  }

  /** Reads the next token into the fields. */
  advance(): void {
    if (this.fault !== undefined) throw this.fault;
    if (++this.tokens > this.lastToken) this.tooMany();
    this.previousStart = this.start;
    this.previousEnd = this.end;
    this.readFrom(this.skipBlanks(this.end));
  }

  /** More tokens were read than may be read in one go. */
  protected tooMany(): never {
    return this.fail('Too many tokens', { start: this.start, end: this.end });
  }

  /** Ends the current token at `offset` and reads the next one. */
  jump(offset: number): void {
    if (this.fault !== undefined) throw this.fault;
    this.end = offset;
    this.advance();
  }

  /** Makes the token that begins at `offset` the current one again. */
  reset(offset: number): void {
    this.fault = undefined;
    this.previousEnd = offset;
    this.readFrom(offset);
  }

  /** The code of the character right behind the current token. */
  adjacent(ahead = 0): number {
    return this.source.charCodeAt(this.end + ahead);
  }

  /** The offset of the first character of the next token. */
  nextOffset(): number {
    return this.skipBlanks(this.end);
  }

  private readFrom(start: number): void {
    const source = this.source;
    this.start = start;
    this.word = '';
    if (start >= source.length) {
      this.kind = 'end';
      this.text = '';
      this.end = source.length;
      return;
    }
    const code = source.charCodeAt(start);
    try {
      this.readToken(start, code);
    } catch (fault) {
      this.fault = fault;
      this.setFaulty(start, code);
    }
  }

  private readToken(start: number, code: number): void {
    const type = CLASS[code];
    if (code >= 128) this.readBeyondAscii(start, code);
    else if (type === LETTER) this.readWordOrPrefixed(start);
    else if (type === DIGIT) this.readNumber(start);
    else if (code === QUOTE || code === DOUBLE_QUOTE) this.setText('string', this.readString(start, start, code));
    else if (code === DOLLAR) this.readParam(start);
    else if (code === BACKTICK) this.setText('quoted', this.readQuoted(start, '`'));
    else this.readPunct(start, code);
  }

  /** The extent of an invalid token, and its intended kind: a number has leading digits, a string an end. */
  private setFaulty(start: number, code: number): void {
    const source = this.source;
    this.form = 'int';
    this.text = '0';
    if (CLASS[code] === DIGIT) {
      this.kind = 'number';
      this.end = this.digitsEnd(start);
      return;
    }
    const { kind, end } = invalidToken(source, start);
    this.kind = kind;
    this.end = end;
    if (kind === 'prefixed') this.form = source[start] as StringPrefix;
  }

  private setText(kind: TokenKind, text: string): void {
    this.kind = kind;
    this.text = text;
  }

  private readPunct(start: number, code: number): void {
    const source = this.source;
    for (const text of PUNCTUATION.get(code) ?? []) {
      if (text.length === 1 || source.startsWith(text, start)) {
        // `a<-1` compares with minus one: no edge table begins with a digit.
        if (text === '<-' && CLASS[source.charCodeAt(start + 2)] === DIGIT) continue;
        this.setPunct(text, start + text.length);
        return;
      }
    }
    const hint = code === AMPERSAND ? ', single `&` are not a valid token, did you mean `&&`?' : '';
    this.fail(`Invalid token \`${source[start]}\`${hint}`, { start, end: start + 1 });
  }

  private setPunct(text: string, end: number): void {
    this.kind = 'punct';
    this.text = text;
    this.end = end;
  }

  private readBeyondAscii(start: number, code: number): void {
    if (code === ANGLE) {
      this.setText('quoted', this.readQuoted(start, '⟩'));
      return;
    }
    const character = String.fromCodePoint(this.source.codePointAt(start) as number);
    const symbol = SYMBOLS[character];
    if (symbol === undefined) {
      this.fail(`Invalid token \`${character}\``, { start, end: start + character.length });
    }
    this.setPunct(symbol, start + 1);
    if (/^[A-Z]/.test(symbol)) {
      this.kind = 'word';
      this.word = symbol;
    }
  }

  private readWordOrPrefixed(start: number): void {
    const next = this.source.charCodeAt(start + 1);
    if ((next === QUOTE || next === DOUBLE_QUOTE) && this.readPrefixed(start)) return;
    const end = this.wordEnd(start + 1);
    this.kind = 'word';
    this.end = end;
    const text = this.source.slice(start, end);
    const { length } = text;
    const { written, upper } = wordOf(text);
    this.text = written;
    // `from:1` is a record id, wherever it stands.
    const isTable = this.source.charCodeAt(end) === COLON && this.source.charCodeAt(end + 1) !== COLON;
    if (length <= LONGEST_KEYWORD && !isTable) this.word = upper;
  }

  /** The end of the letters, digits and underscores that begin at `offset`. */
  wordEnd(offset: number): number {
    const source = this.source;
    let end = offset;
    for (let code = source.charCodeAt(end); code < 128; code = source.charCodeAt(++end)) {
      const type = CLASS[code] as number;
      if (type !== LETTER && type !== DIGIT) break;
    }
    return end;
  }

  private readParam(start: number): void {
    const next = this.source.charCodeAt(start + 1);
    if (next === BACKTICK || next === ANGLE) {
      this.setText('param', this.readQuoted(start, next === BACKTICK ? '`' : '⟩', start + 1));
    } else if (CLASS[next] === LETTER) {
      this.end = this.wordEnd(start + 2);
      this.setText('param', this.source.slice(start + 1, this.end));
    } else {
      this.setPunct('$', start + 1);
    }
  }

  private readNumber(start: number): void {
    const source = this.source;
    let end = this.digitsEnd(start);
    let form: NumberForm = 'int';
    if (source.charCodeAt(end) === 46 && CLASS[source.charCodeAt(end + 1)] === DIGIT) {
      end = this.digitsEnd(end + 1);
      form = 'float';
    }
    const letter = source.charCodeAt(end);
    if (letter === 101 || letter === 69) {
      const sign = source.charCodeAt(end + 1);
      const digits = end + (sign === 43 || sign === 45 ? 2 : 1);
      if (CLASS[source.charCodeAt(digits)] !== DIGIT) this.noExponent(end, digits);
      end = this.digitsEnd(digits);
      form = 'float';
    }
    if (end - start > LONGEST_NUMBER) this.longNumber(start);
    const numberEnd = end;
    if (source.startsWith('dec', end)) {
      end += 3;
      form = 'decimal';
    } else if (source.charCodeAt(end) === 102) {
      end += 1;
      form = 'float';
    } else if (form === 'int' && this.readDuration(start, end)) {
      return;
    }
    const after = source.charCodeAt(end);
    if (after < 128 && CLASS[after] === LETTER) {
      this.fail(`Invalid token, found unexpected character \`${source[end]}\` after number token`, {
        start,
        end: end + 1,
      });
    }
    this.kind = 'number';
    this.form = form;
    this.end = end;
    const text = source.slice(start, numberEnd);
    this.text = text.includes('_') ? text.replaceAll('_', '') : text;
  }

  private longNumber(start: number): never {
    const end = start + LONGEST_NUMBER;
    return this.fail(`Invalid number token, it has more than ${LONGEST_NUMBER} characters`, { start: end - 1, end });
  }

  /** The `e` at `start` isn't followed by digits. */
  private noExponent(start: number, end: number): never {
    const found = this.source[end];
    const what =
      found === undefined
        ? 'Unexpected end of file, expected a number token digit'
        : `Invalid number token, expected a digit, found: ${found}`;
    return this.fail(what, { start, end });
  }

  /** The end of the digits and underscores that begin at `offset`. */
  protected digitsEnd(offset: number): number {
    const source = this.source;
    let end = offset;
    for (let code = source.charCodeAt(end); (code >= 48 && code <= 57) || code === 95; code = source.charCodeAt(++end));
    return end;
  }

  /** `1h30m`: whether the digits that end at `offset` are followed by a unit. */
  private readDuration(start: number, offset: number): boolean {
    const source = this.source;
    let end = offset;
    let digits = start;
    for (;;) {
      UNIT.lastIndex = end;
      const unit = UNIT.exec(source);
      if (unit === null) {
        if (digits === start) return false;
        this.noUnit(start, end);
      }
      end += unit[0].length;
      digits = end;
      if (CLASS[source.charCodeAt(end)] !== DIGIT) break;
      end = this.digitsEnd(end);
      if (end - start > LONGEST_NUMBER) this.longNumber(start);
    }
    const after = source.charCodeAt(end);
    if (after < 128 && CLASS[after] === LETTER) {
      this.fail(`Invalid token, found invalid character \`${source[end]}\` after duration suffix`, {
        start,
        end: end + 1,
      });
    }
    this.kind = 'duration';
    this.text = source.slice(start, end);
    this.end = end;
    return true;
  }

  /** Fails since the digits up to `end`, by default those of the current number token, lack a unit. */
  noUnit(start = this.start, end = this.digitsEnd(start)): never {
    const found = this.source[end];
    if (found === undefined) return this.fail('Unexpected end of file, expected a duration suffix', { start, end });
    return this.fail(`Invalid duration token, expected a duration suffix found \`${found}\``, { start, end: end + 1 });
  }

  /** `r'…'` and its like. */
  private readPrefixed(start: number): boolean {
    const prefix = this.source[start] as string;
    if (!'rdubfs'.includes(prefix)) return false;
    const text = this.readString(start, start + 1, this.source.charCodeAt(start + 1));
    if (prefix === 's') this.kind = 'string';
    else {
      this.kind = 'prefixed';
      this.form = prefix as StringPrefix;
    }
    this.text = text;
    return true;
  }

  private readString(tokenStart: number, quoteAt: number, quote: number): string {
    const source = this.source;
    const from = quoteAt + 1;
    for (let at = from; at < source.length; at++) {
      const code = source.charCodeAt(at);
      if (code === quote) {
        this.end = at + 1;
        return source.slice(from, at);
      }
      if (code === 92) return this.readEscaped(from, at, quote) ?? this.unterminatedString(tokenStart);
    }
    return this.unterminatedString(tokenStart);
  }

  private unterminatedString(start: number): never {
    this.fail('Unexpected end of file, expected string to end.', {
      start,
      end: start + 1,
      label: 'String starting here.',
    });
  }

  /** The name in quotes that open at `quoteAt`, of the token that begins at `start`. */
  private readQuoted(start: number, close: string, quoteAt = start): string {
    const source = this.source;
    const quote = close.charCodeAt(0);
    let text: string | undefined;
    for (let at = quoteAt + 1; at < source.length; at++) {
      const code = source.charCodeAt(at);
      if (code === quote) {
        this.end = at + 1;
        text = source.slice(quoteAt + 1, at);
        break;
      }
      if (code === 92) {
        text = this.readEscaped(quoteAt + 1, at, quote);
        break;
      }
    }
    if (text === undefined) return this.unterminatedName(start, close);
    if (text.includes('\0'))
      this.fail('Invalid token, a name may not contain this character', { start, end: this.end });
    return text;
  }

  private unterminatedName(start: number, close: string): never {
    this.fail(`Unexpected end of file, expected identifier to end with \`${close}\``, {
      start,
      end: this.source.length,
    });
  }

  /** The rest of a quoted text in which the first backslash stands at `firstEscape`; `undefined` if it has no end. */
  private readEscaped(from: number, firstEscape: number, quote: number): string | undefined {
    const decoded = decodeEscapes(this.source, from, firstEscape, quote, (what, mark) => this.fail(what, mark));
    if (decoded === undefined) return undefined;
    this.end = decoded.end;
    return decoded.text;
  }

  /** Reads a regular expression whose opening slash is the current token; gives its source. */
  readRegex(): string {
    const source = this.source;
    const start = this.start;
    for (let at = start + 1; at < source.length; at++) {
      const code = source.charCodeAt(at);
      if (code === 10) break;
      if (code === 92) at++;
      else if (code === 47) {
        this.end = at + 1;
        this.advance();
        return source.slice(start + 1, at).replaceAll('\\/', '/');
      }
    }
    this.fail('Failed to lex regex, unexpected eof', { start, end: source.length });
  }

  private skipBlanks(offset: number): number {
    const source = this.source;
    let at = offset;
    for (;;) {
      const code = source.charCodeAt(at);
      if (code < 128) {
        if (CLASS[code] === BLANK) at++;
        else if (code === 35) at = this.lineEnd(at);
        else if (code === 45 && source.charCodeAt(at + 1) === 45) at = this.lineEnd(at);
        else if (code === 47) {
          const next = source.charCodeAt(at + 1);
          if (next === 47) at = this.lineEnd(at);
          else if (next === 42) {
            const close = source.indexOf('*/', at + 2);
            if (close === -1) {
              this.fail('Unexpected end of file, expected multi-line comment to end.', {
                start: at,
                end: at + 2,
                label: 'Comment starts here.',
              });
            }
            at = close + 2;
          } else return at;
        } else return at;
      } else if (code >= 128 && BLANK_BEYOND_ASCII.test(source[at] as string)) at++;
      else return at;
    }
  }

  private lineEnd(offset: number): number {
    const end = this.source.indexOf('\n', offset);
    return end === -1 ? this.source.length : end + 1;
  }
}
