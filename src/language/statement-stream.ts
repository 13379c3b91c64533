/**
 * The statements of a text that comes in pieces, each as soon as all of it is there: for texts that are too long to be
 * held whole.
 *
 *     const stream = new StatementStream();
 *     stream.push('CREATE person; CREA');
 *     [...stream.statements()].length === 1
 *     stream.push('TE pet');
 *     stream.end();
 *     [...stream.statements()].length === 1
 */
import { failure, type SourcePosition, TesseraError } from '../errors/error.js';
import type { Statement } from './ast.js';
import { beyondStatement, checkTokens, GRAMMAR } from './parse.js';
import { DEFAULT_PARSER_LIMITS, Parser, type ParserLimits } from './parser/parser.js';
import { PAUSE, Pauses } from './parser/pauses.js';
import { exportedStatement, topStatement } from './parser/statement.js';
import { positionOf } from './source-error.js';
import { NO_TOKENS, type TokenCount, tokensRead, weightOfTrees } from './tree-weight.js';

export interface ReceivedStatement {
  readonly statement: Statement;
  /** Its offset in the whole text. */
  readonly position: SourcePosition;
  /** UTF-16 units. */
  readonly length: number;
  readonly tokens: TokenCount;
}

/** Bytes of a unit of text, at most: it is flattened when it is parsed. */
const UNIT = 2;
const WIDE_UNIT = 4;
const BEYOND_LATIN_1 = /[^\0-\xff]/;

/** Bytes of memory that an appended piece takes besides its text, until the text is flattened. */
const APPENDED = 64;
/** Pieces aren't flattened before they take so much. */
const LEAST_FLATTENED = 16 * 1024;

interface ReadStatement {
  readonly statement: Statement;
  readonly start: number;
  readonly tokens: TokenCount;
}

export class StatementStream {
  readonly #limits: ParserLimits;
  readonly #statement: (parser: Parser) => Statement;
  /** Received text that isn't parsed yet; it begins at a statement. */
  #rest = '';
  /** Pieces of it since it was last flattened. */
  #pieces = 0;
  #begin: SourcePosition = { line: 1, column: 1 };
  /** Before there is so much, the statement that was found incomplete isn't looked at again. */
  #enough = 0;
  /** Whether what isn't read yet has no semicolon behind the beginning of its statement, which so isn't all there. */
  #lacksEnd = false;
  #isOver = false;
  /** Whether a text has characters beyond Latin-1. */
  #isWide = false;
  /** Of the statement that is being read. */
  #tokens = NO_TOKENS;

  /** `length` bounds one statement. An export has forms of its own. */
  constructor(limits: ParserLimits = DEFAULT_PARSER_LIMITS, isExport = false) {
    this.#limits = limits;
    this.#statement = isExport ? exportedStatement : topStatement;
  }

  /** Pieces are cut between characters. */
  push(piece: string): void {
    this.#rest += piece;
    this.#isWide ||= BEYOND_LATIN_1.test(piece);
    if (++this.#pieces * APPENDED > LEAST_FLATTENED + this.#rest.length) this.#flatten();
    if (piece.includes(';')) this.#lacksEnd = false;
  }

  /** V8 keeps an appended text as a tree of its pieces, until a regular expression reads it. */
  #flatten(): void {
    BEYOND_LATIN_1.test(this.#rest);
    this.#pieces = 0;
  }

  /** Bytes that the text that isn't parsed yet takes, and the tree of the statement that is being read. */
  get weight(): number {
    return this.#rest.length * (this.#isWide ? WIDE_UNIT : UNIT) + weightOfTrees(this.#tokens);
  }

  /** The end of the text. */
  end(): void {
    this.#isOver = true;
  }

  /**
   * The complete statements: those followed by a semicolon or the end of the text. Must be exhausted before the next
   * `push`.
   *
   * An unparsable statement may merely be incomplete. Its error is reported once the text has ended, or it exceeds the
   * length of a statement. What has no semicolon yet isn't parsed, so that a long statement is parsed once.
   * @throws TesseraError `parse_error`, `query_too_deep`, `query_too_long`
   */
  *statements(): Generator<ReceivedStatement> {
    for (const each of this.#read(undefined)) if (each !== undefined) yield each;
  }

  /** `statements`, with `undefined` at each point to yield. */
  statementsAndPauses(): Generator<ReceivedStatement | undefined> {
    return this.#read(new Pauses());
  }

  *#read(pauses: Pauses | undefined): Generator<ReceivedStatement | undefined> {
    if (!this.#isOver && (this.#lacksEnd || this.#rest.length < this.#enough)) return this.#checkLength(this.#rest);
    const source = this.#rest;
    const limits = { ...this.#limits, length: source.length };
    const parser = this.#attempt(() => new Parser(source, GRAMMAR, limits, { source, offset: 0, begin: this.#begin }));
    if (parser !== undefined) parser.pauses = pauses;
    let done = 0;
    for (;;) {
      const found = this.#attempt(() => parser && this.#next(parser));
      if (parser === undefined || found === undefined) break;
      if (found === PAUSE) {
        yield undefined;
        continue;
      }
      const position = this.#goTo(source, done, found.start);
      const { statement, start, tokens } = found;
      yield { statement, position, length: parser.start - start, tokens };
      done = parser.start;
      this.#goTo(source, found.start, done);
    }
    this.#keep(source.slice(done));
  }

  /** Moves the place that is known from one offset to another. */
  #goTo(source: string, from: number, to: number): SourcePosition {
    this.#begin = positionOf({ source: source.slice(from, to), begin: this.#begin }, to - from);
    return this.#begin;
  }

  /** The next complete statement, with the parser at the semicolon behind it, or at the end of the text. */
  #next(parser: Parser): ReadStatement | typeof PAUSE | undefined {
    this.#tokens = NO_TOKENS;
    while (parser.acceptPunct(';'));
    if (parser.atEnd()) return undefined;
    const { start, state, pauses } = parser;
    const before = tokensRead(parser);
    this.#lacksEnd = !this.#isOver && this.#rest.indexOf(';', start) === -1;
    if (this.#lacksEnd) return undefined;
    let statement: Statement;
    try {
      if (pauses !== undefined) parser.allowPiece();
      statement = this.#statement(parser);
    } catch (thrown) {
      if (thrown !== PAUSE) throw thrown;
      checkTokens(parser.tokens - parser.repeated - state.tokens, this.#limits);
      this.#tokens = tokensRead(parser, before);
      pauses?.goOn(parser.start);
      parser.goTo(state);
      return PAUSE;
    }
    pauses?.forget();
    const read = { statement, start, tokens: tokensRead(parser, before) };
    if (parser.atEnd()) return this.#isOver ? read : undefined;
    return parser.isPunct(';') ? read : beyondStatement(parser, read);
  }

  /** A parse error is final only if no further text could resolve it. */
  #attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (this.#isOver || !(error instanceof TesseraError) || error.code !== 'parse_error') throw error;
      return undefined;
    }
  }

  #keep(rest: string): void {
    this.#checkLength(rest);
    this.#rest = rest;
    this.#isWide = rest !== '' && this.#isWide;
    this.#enough = this.#lacksEnd ? 0 : Math.min(2 * rest.length, this.#longest);
  }

  #checkLength(rest: string): void {
    if (rest.length > this.#longest) throw failure('query_too_long', { limit: this.#longest });
  }

  get #longest(): number {
    return this.#limits.length ?? DEFAULT_PARSER_LIMITS.length;
  }
}
