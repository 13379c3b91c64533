/**
 * The shared state of the parser: the tokens, the bounds, and access to the other parts.
 *
 * The grammar goes round in circles (a statement holds expressions, an expression holds statements). The parser files
 * don't: they reach what lies behind them through `Grammar`, which `parse.ts` fills in.
 * Each function of the grammar throws `parse_error`, and moves on behind what it has read.
 */
import { failure } from '../../errors/error.js';
import type { Expression, Idiom, Param, RecordIdLiteral, Statement } from '../ast.js';
import { sourceOffset } from '../escapes.js';
import { wordName } from '../keywords.js';
import { Lexer, type OuterSource, type StringPrefix } from '../lexer.js';
import { type Mark, sourceFailure } from '../source-error.js';
import { type OpenList, PAUSE, type ParserState, type Pauses } from './pauses.js';
import { marksAfter, type ReadStatement, suggesting, wordsIn } from './suggestion.js';

/**
 * The limits of a text. Beyond these the error is `query_too_deep` or `query_too_long`.
 *
 * Two bounds keep the stack safe: `depth` bounds the parser's own recursion, and `height` the tree's, since a long flat
 * chain (`a + a + a …`) is read in a loop but gives a tree as high as the chain is long, which printers and compilers
 * walk down.
 */
export interface ParserLimits {
  /** Levels of brackets, blocks, subqueries, prefix operators and types within each other. */
  readonly depth?: number;
  /** Levels of the syntax tree. */
  readonly height?: number;
  /** UTF-16 units of text. */
  readonly length?: number;
  /** Limits of a text parsed in steps: statements, tokens, and tokens of a statement outside of literal data. */
  readonly statements?: number;
  readonly tokens?: number;
  readonly code?: number;
}

export const DEFAULT_PARSER_LIMITS = {
  depth: 128,
  height: 1_000,
  length: 64 * 1024 * 1024,
  statements: 100_000,
  tokens: 1_000_000,
  code: 16_384,
} as const satisfies ParserLimits;

/** The ways into the grammar that other parts need. */
export interface Grammar {
  expression(parser: Parser): Expression;
  /** An operand with the operators that bind tighter than `power`. */
  tighter(parser: Parser, power: number): Expression;
  idiom(parser: Parser): Idiom;
  /** A statement as it may stand in a block. */
  statement(parser: Parser): Statement;
  /** A record id and nothing else, to the end of the text. */
  recordId(parser: Parser): RecordIdLiteral;
  /** The statement that the current word introduces, if one does that may be used as a value. */
  keywordStatement(parser: Parser): Statement | undefined;
  define(parser: Parser): Statement;
  alter(parser: Parser): Statement;
  /** A configuration, without the words before it. */
  config(parser: Parser): Statement;
  /** A path as text, to compare and for errors. */
  readonly pathText: (path: Idiom) => string;
}

export class Parser extends Lexer {
  private depth = 0;
  /** The height of the highest tree read since the enclosing level began. */
  private height = 0;
  /** Set while a text is read in pieces. */
  pauses: Pauses | undefined;
  /** Numbers of tokens read again after a pause, and of tokens in literal data. */
  repeated = 0;
  data = 0;
  /** The offsets of nodes, if requested: of literals and params, and of what names something. */
  offsets: Map<object, number> | undefined;
  private readonly maxDepth: number;
  private readonly maxHeight: number;

  constructor(
    source: string,
    readonly grammar: Grammar,
    limits: ParserLimits = DEFAULT_PARSER_LIMITS,
    origin?: OuterSource,
  ) {
    const length = limits.length ?? DEFAULT_PARSER_LIMITS.length;
    if (source.length > length) throw failure('query_too_long', { limit: length });
    super(source, origin);
    this.maxDepth = limits.depth ?? DEFAULT_PARSER_LIMITS.depth;
    this.maxHeight = limits.height ?? DEFAULT_PARSER_LIMITS.height;
  }

  // ─── Bounds ───

  /** Goes one level down. Every recursion of the parser passes here; `leave` goes up again with what this gave. */
  enter(): number {
    if (++this.depth > this.maxDepth) this.tooDeep();
    const outer = this.height;
    this.height = 0;
    return outer;
  }

  leave(outer: number): void {
    this.depth--;
    this.height = Math.max(outer, this.height + 1);
  }

  /** The tree that is being read has got one level higher without the parser going deeper. */
  grow(): void {
    if (++this.height > this.maxHeight) this.tooDeep();
  }

  private tooDeep(): never {
    const mark = { start: this.start, end: this.start + 1 };
    const text = this.isInner ? { source: this.source } : this.origin;
    throw sourceFailure('query_too_deep', text, 'Exceeded query recursion depth limit', mark);
  }

  /** Like `enter`, for nesting bounded by the levels of operators. */
  beginTree(): number {
    const outer = this.height;
    this.height = 0;
    return outer;
  }

  endTree(outer: number): void {
    this.height = Math.max(outer, this.height);
  }

  /** Whether this parses the content of a string. */
  get isInner(): boolean {
    return this.origin.source !== this.source;
  }

  /** A parser for the content of the string that is the current token. */
  within(text: string): Parser {
    const limits = { depth: this.maxDepth - this.depth, height: this.maxHeight - this.height };
    if (text.length > LONGEST_INNER) throw failure('query_too_long', { limit: LONGEST_INNER });
    const begin = this.start + 2;
    const outermost = (offset: number) => this.outermostOffset(sourceOffset(this.source, begin, offset));
    return new Parser(text, this.grammar, limits, { ...this.origin, outermost });
  }

  /** Fails with an error at the mark within the current token, a prefixed string. */
  failInContent(what: string, mark: Mark): never {
    const begin = this.start + 2;
    const [start, end] = [sourceOffset(this.source, begin, mark.start), sourceOffset(this.source, begin, mark.end)];
    this.fail(what, { ...mark, start, end });
  }

  // ─── Tokens ───

  atEnd(): boolean {
    return this.kind === 'end';
  }

  /** Whether the current token can be a name: a word, quoted or not. */
  isName(): boolean {
    return this.kind === 'word' || this.kind === 'quoted';
  }

  isWord(word: string): boolean {
    return this.word === word;
  }

  isPunct(text: string): boolean {
    return this.kind === 'punct' && this.text === text;
  }

  acceptWord(word: string): boolean {
    if (this.word !== word) return false;
    this.advance();
    return true;
  }

  acceptPunct(text: string): boolean {
    if (this.kind !== 'punct' || this.text !== text) return false;
    this.advance();
    return true;
  }

  expectWord(word: string): void {
    if (!this.acceptWord(word)) this.unexpected(word);
  }

  expectPunct(text: string): void {
    if (!this.acceptPunct(text)) this.unexpected(text);
  }

  /** The first of the words that the current token is, taken. */
  acceptOneOf<W extends string>(...words: readonly W[]): W | undefined {
    for (const word of words) {
      if (this.acceptWord(word)) return word;
    }
    return undefined;
  }

  /**
   * The delimiter that closes what was opened at `openedAt`. `>` and `|` are also taken from the front of a longer
   * operator.
   */
  expectClose(text: string, openedAt: number): void {
    if (this.acceptPunct(text)) return;
    if (this.kind === 'punct' && (text === '>' || text === '|') && this.text.startsWith(text)) {
      this.reset(this.start + 1);
      return;
    }
    this.unclosed(text, openedAt);
  }

  /**
   * There is something else than the delimiter that closes what was opened at `openedAt`, perhaps behind a statement.
   */
  unclosed(text: string, openedAt: number, after?: ReadStatement): never {
    const [mark, ...hints] = after === undefined ? [this.tokenMark()] : marksAfter(this, after);
    const opening = { start: openedAt, end: openedAt + text.length, label: 'expected this delimiter to close' };
    this.fail(`Unexpected token \`${this.tokenName()}\` expected delimiter \`${text}\``, mark, opening, ...hints);
  }

  /** Items with commas between and perhaps one behind, up to the closing delimiter, which is taken. */
  listUntil<T>(close: string, openedAt: number, item: () => T): T[] {
    if (this.isPunct(close)) {
      this.advance();
      return [];
    }
    const items = this.list(2 * openedAt, item, () => this.acceptPunct(',') && !this.isPunct(close));
    this.expectClose(close, openedAt);
    return tight(items);
  }

  /** At least one item, with commas between. */
  commaList<T>(item: () => T): T[] {
    return tight(this.list(2 * this.start + 1, item, () => this.acceptPunct(',')));
  }

  /** At least one item, and further ones as long as `goesOn`. `key` identifies the list among all lists of the text. */
  private list<T>(key: number, item: () => T, goesOn: () => boolean): T[] {
    const { pauses } = this;
    if (pauses === undefined) {
      const items = [item()];
      while (goesOn()) items.push(item());
      return items;
    }
    const list = this.openList<T>(key, []);
    const { items } = list;
    if (items.length === 0) items.push(item());
    for (this.mayPause(list); goesOn(); this.mayPause(list)) items.push(item());
    pauses.close(key, list);
    return items;
  }

  /** The items of a list so far; after a pause, the parser is behind the last of them. */
  openList<T>(key: number, items: T[]): OpenList<T> {
    const list = this.pauses?.list(key, items) ?? { items, begun: 0, state: undefined };
    if (list.state !== undefined) this.goTo(list.state);
    return list;
  }

  /** An item of a list has been read, so that a pause would lose nothing. @throws PAUSE */
  mayPause(list: OpenList<unknown>): void {
    if (this.pauses === undefined) return;
    list.state = this.state;
    if (this.pauses.isDue(this.start)) throw PAUSE;
  }

  get state(): ParserState {
    const { start, previousStart, previousEnd, depth, height, data } = this;
    return { start, previousStart, previousEnd, depth, height, data, tokens: this.tokens - this.repeated };
  }

  /** Goes back, or ahead, to a place where the parser was. */
  goTo({ start, previousStart, previousEnd, depth, height, tokens, data }: ParserState): void {
    this.reset(start);
    this.previousStart = previousStart;
    this.previousEnd = previousEnd;
    this.depth = depth;
    this.height = height;
    this.repeated = this.tokens - tokens;
    this.data = data;
  }

  /** Number of tokens read up to here that aren't part of literal data. */
  get code(): number {
    return this.tokens - this.repeated - this.data;
  }

  /**
   * Begins another piece of the text.
   * @throws TesseraError `query_too_large` when there is no place for a pause for too long
   */
  allowPiece(): void {
    this.lastToken = this.tokens + LONGEST_PIECE;
  }

  protected override tooMany(): never {
    throw failure('query_too_large', { limit: LONGEST_PIECE, what: 'tokens outside of lists', setting: 'fixed' });
  }

  /** `words` are those that may stand here; the one that is nearly the current token is suggested. */
  unexpected(expected: string, words: Iterable<string> = wordsIn(expected)): never {
    this.unexpectedAt(expected, suggesting(this, this.tokenMark(), words));
  }

  /** The current token is wrong after a statement that could have ended. */
  unexpectedAfter(expected: string, statement: ReadStatement): never {
    this.unexpectedAt(expected, ...marksAfter(this, statement));
  }

  private unexpectedAt(expected: string, ...marks: readonly [Mark, ...Mark[]]): never {
    if (this.kind === 'invalid') throw this.fault;
    const found = this.kind === 'end' ? 'end of file' : `token \`${this.tokenName()}\``;
    this.fail(`Unexpected ${found}, expected ${expected}`, ...marks);
  }

  /**
   * Where errors point for the current token: for the end of the text its last character, or the quote that ends it;
   * for a number its first digits.
   */
  tokenMark(): Mark {
    if (this.kind === 'number' || this.kind === 'duration')
      return { start: this.start, end: this.digitsEnd(this.start) };
    if (this.kind === 'punct' && JOINED.has(this.text))
      return { start: this.start, end: this.start + this.tokenName().length };
    if (this.kind !== 'end') return { start: this.start, end: this.end };
    if (this.isInner) return { start: this.source.length, end: this.source.length + 1 };
    // A line end is shown as the character before it, unless the line is empty.
    let last = Math.max(0, this.source.length - 1);
    if (this.source[last] === '\n' && (this.source[last - 1] ?? '\n') !== '\n') last--;
    return { start: last, end: last + 1 };
  }

  /** The current token is wrong in itself. */
  failToken(what: string, label?: string): never {
    const mark = this.kind === 'end' ? this.tokenMark() : { start: this.start, end: this.end };
    this.fail(what, { ...mark, ...(label !== undefined && { label }) });
  }

  /** The current token as error texts name it. Contents of strings are never shown. */
  tokenName(): string {
    if (this.kind === 'word') return wordName(this.text, this.word);
    if (this.kind === 'punct') return JOINED.get(this.text) ?? this.text;
    return this.kind === 'prefixed' ? PREFIXED_NAMES[this.form as StringPrefix] : TOKEN_NAMES[this.kind];
  }

  // ─── What occurs everywhere ───

  /** A name: any word, quoted or not. */
  name(expected = 'an identifier'): string {
    if (!this.isName()) this.unexpected(expected);
    const name = this.text;
    this.advance();
    return name;
  }

  param(): string {
    if (this.kind !== 'param') this.unexpected('a parameter');
    const name = this.text;
    this.advance();
    return name;
  }

  /** The parameter that is the current token, as an expression. */
  paramNode(): Param {
    const { start } = this;
    return this.begunAt(start, { kind: 'param', name: this.param() });
  }

  /** The node, whose token begins at an offset. */
  begunAt<Node extends object>(start: number, node: Node): Node {
    this.offsets?.set(node, start);
    return node;
  }

  /** A plain string. */
  string(): string {
    if (this.kind !== 'string') this.unexpected('a strand');
    const text = this.text;
    this.advance();
    return text;
  }

  /** An int that isn't negative, at most 2^32 − 1. */
  natural(expected = 'an unsigned integer', most = 0xffff_ffff): number {
    if (this.isPunct('-') || this.isPunct('+')) {
      this.failToken(`Unexpected token \`${this.text}\``, 'Only positive integers allowed here');
    }
    if (this.kind === 'number' && this.form !== 'int') this.fractionalNumber();
    const value = this.kind === 'number' ? Number(this.text) : Number.NaN;
    if (Number.isNaN(value)) this.unexpected(expected);
    if (value > most) this.failToken('Invalid integer: number too large to fit in target type');
    this.advance();
    return value;
  }

  /** `<1.0.0>`, which is part of a name. It is read from the text, since no token is like it. */
  version(): string {
    if (!this.isPunct('<')) this.unexpected('<');
    VERSION.lastIndex = this.start;
    const match = VERSION.exec(this.source);
    if (match === null) return this.failToken('Expected a version as in `<1.0.0>`');
    this.jump(VERSION.lastIndex);
    return `<${match.slice(1).join('.')}>`;
  }

  private fractionalNumber(): never {
    const at = this.digitsEnd(this.start);
    this.fail(`Unexpected character \`${this.source[at]}\` starting float, only integers are allowed here`, {
      start: at,
      end: at + 1,
    });
  }

  /** Whether the character right behind the current token is this one. */
  isAdjacent(character: string): boolean {
    return this.source[this.end] === character;
  }

  /** `(a, b)`: the arguments of a call. */
  args(): Expression[] {
    const openedAt = this.start;
    this.advance();
    return this.listUntil(')', openedAt, () => this.expression());
  }

  expression(): Expression {
    return this.grammar.expression(this);
  }

  idiom(): Idiom {
    return this.grammar.idiom(this);
  }
}

/**
 * V8 makes room for 17 items at the first that is added to a list. Most lists are shorter, and their trees are kept.
 */
function tight<T>(items: T[]): T[] {
  return items.length > 1 ? items.slice() : items;
}

/** Tokens that are read in one go in a text that is read in pieces: some milliseconds' work. */
const LONGEST_PIECE = 20_000;

/** Maximum characters of a record id in a string. */
const LONGEST_INNER = 2 ** 16;

const VERSION = /<\s*(\d+)\.(\d+)\.(\d+)\s*>/y;

const TOKEN_NAMES = {
  end: 'Eof',
  quoted: 'an identifier',
  param: 'a parameter',
  number: 'a number',
  duration: 'a number',
  string: 'a strand',
  invalid: 'Invalid',
} as const;

/** Operators that the peer makes of several tokens, with the first of these, which its errors name. */
const JOINED: ReadonlyMap<string, string> = new Map([
  ['<-', '<'],
  ['<->', '<'],
  ['<~', '<'],
  ['..=', '..'],
  ['>..', '>'],
  ['>..=', '>'],
  ['|>', '|'],
  ['!!', '!'],
  ['??', '?'],
]);

const PREFIXED_NAMES: Readonly<Record<StringPrefix, string>> = {
  r: 'a record-id strand',
  d: 'a datetime',
  u: 'a uuid',
  b: 'a bytestring',
  f: 'a file',
};
