/**
 * Text to syntax tree.
 *
 *     parseQuery('SELECT * FROM person; RETURN 1').statements.length === 2
 *
 * A `parse_error` shows the place that is wrong; the other errors are of texts beyond the limits.
 */
import type { Stepwise } from '../base/work/stepwise.js';
import { failure, TesseraError } from '../errors/error.js';
import type { Type } from '../value/type.js';
import { RecordId, type Value } from '../value/value.js';
import type { Expression, Idiom, Query, RecordIdLiteral, Statement } from './ast.js';
import { constantRecordId, constantValue } from './constant-value.js';
import { alter } from './definitions/alter.js';
import { define, defineConfig } from './definitions/define.js';
import { type Parameterized, parameterize } from './parameterize.js';
import { expression, tighter } from './parser/expression/expression.js';
import { idiom } from './parser/expression/idiom.js';
import { recordId } from './parser/expression/record-id.js';
import { DEFAULT_PARSER_LIMITS, type Grammar, Parser, type ParserLimits } from './parser/parser.js';
import { PAUSE, Pauses } from './parser/pauses.js';
import { beginsStatement, keywordStatement, statement, topStatement } from './parser/statement.js';
import type { ReadStatement } from './parser/suggestion.js';
import { type } from './parser/type.js';
import { printIdiom } from './print.js';
import type { Shape } from './shape.js';
import { NO_TOKENS, type TokenCount, tokensRead } from './tree-weight.js';

export { DEFAULT_PARSER_LIMITS, type ParserLimits } from './parser/parser.js';

/** All of the grammar. */
export const GRAMMAR: Grammar = {
  expression,
  tighter,
  idiom,
  statement,
  keywordStatement,
  recordId: wholeRecordId,
  define,
  alter,
  config: defineConfig,
  pathText: printIdiom,
};

/**
 * A query: statements with semicolons between.
 * @throws TesseraError `parse_error`, `query_too_deep`, `query_too_long`, `query_too_large`
 */
export function parseQuery(text: string, limits?: ParserLimits): Query {
  return { statements: statementsOf(new Parser(text, GRAMMAR, limits)) };
}

function statementsOf(parser: Parser): Statement[] {
  const statements: Statement[] = [];
  for (;;) {
    while (parser.acceptPunct(';'));
    if (parser.atEnd()) return statements;
    const { start } = parser;
    const statement = topStatement(parser);
    statements.push(statement);
    endStatement(parser, statement, start);
  }
}

/** A query, and the offsets of the nodes that name tables, fields and functions. @throws as `parseQuery` */
export function parseQueryPlaced(text: string): {
  readonly query: Query;
  readonly offsets: ReadonlyMap<object, number>;
} {
  const parser = new Parser(text, GRAMMAR);
  const offsets = new Map<object, number>();
  parser.offsets = offsets;
  return { query: { statements: statementsOf(parser) }, offsets };
}

/** The same in pieces of so many characters, for long texts. @throws TesseraError also `query_too_large` */
export function parseQueryStepwise(text: string, limits?: ParserLimits, piece?: number): StepwiseParse {
  return new QueryParse(new Parser(text, GRAMMAR, limits), { ...DEFAULT_PARSER_LIMITS, ...limits }, new Pauses(piece));
}

/** The parse of a long text. */
export interface StepwiseParse extends Stepwise<Query> {
  /** Those of which trees were made so far. */
  readonly tokens: TokenCount;
}

class QueryParse implements StepwiseParse {
  readonly #parser: Parser;
  readonly #limits: Required<ParserLimits>;
  readonly #pauses: Pauses;
  readonly #statements: Statement[] = [];
  #tokens = NO_TOKENS;

  constructor(parser: Parser, limits: Required<ParserLimits>, pauses: Pauses) {
    this.#parser = parser;
    this.#pauses = pauses;
    this.#limits = limits;
    parser.pauses = pauses;
  }

  step(): boolean {
    const parser = this.#parser;
    const pauses = this.#pauses;
    parser.allowPiece();
    while (!parser.atEnd()) {
      if (pauses.isDue(parser.start)) {
        pauses.goOn(parser.start);
        return false;
      }
      if (parser.acceptPunct(';')) continue;
      if (!this.#statement()) return false;
    }
    return true;
  }

  /** Reads a statement, or up to a pause. Returns which. */
  #statement(): boolean {
    const parser = this.#parser;
    const { state, code } = parser;
    try {
      const statement = topStatement(parser);
      this.#check('code', parser.code - code);
      this.#check('statements', this.#statements.push(statement));
      endStatement(parser, statement, state.start);
      this.#pauses.forget();
      return true;
    } catch (thrown) {
      if (thrown !== PAUSE) throw thrown;
      checkTokens(parser.tokens - parser.repeated, this.#limits);
      this.#tokens = tokensRead(parser);
      this.#pauses.goOn(parser.start);
      parser.goTo(state);
      return false;
    }
  }

  get result(): Query {
    return { statements: this.#statements };
  }

  get tokens(): TokenCount {
    const count = tokensRead(this.#parser);
    return count.code + count.data < this.#tokens.code + this.#tokens.data ? this.#tokens : count;
  }

  #check(name: keyof QueryLimits, found: number): void {
    const limit = this.#limits[name];
    if (found > limit) throw failure('query_too_large', { limit, ...QUERY_LIMITS[name] });
  }
}

/** Reads statements of a text from where they begin, when it is known where they end. */
export class StatementReader {
  readonly #parser: Parser;

  /** @throws TesseraError `parse_error` */
  constructor(text: string) {
    this.#parser = new Parser(text, GRAMMAR);
  }

  /**
   * The statement at a place; `undefined` if it ends elsewhere.
   * @throws TesseraError `parse_error`, of the statement alone
   */
  read({ start, end }: Pick<Shape, 'start' | 'end'>): Statement | undefined {
    const parser = this.#parser;
    parser.reset(start);
    const statement = topStatement(parser);
    return parser.start === end ? statement : undefined;
  }

  /** The same with its literals in slots. */
  lifted(shape: Shape): Parameterized | undefined {
    const offsets = new Map<object, number>();
    this.#parser.offsets = offsets;
    const statement = this.read(shape);
    this.#parser.offsets = undefined;
    return statement && parameterize(statement, shape, offsets);
  }
}

/** The limits of long texts: what they count, and the flag of `tessera start` that sets them. */
export const QUERY_LIMITS = {
  tokens: { what: 'tokens', setting: '--max-query-tokens' },
  statements: { what: 'statements', setting: '--max-query-statements' },
  code: { what: 'tokens in one statement, besides data written out', setting: '--max-statement-code' },
} as const;
export type QueryLimits = { readonly [K in keyof typeof QUERY_LIMITS]: number };

/** @throws TesseraError `query_too_large` when more tokens were read than `limits` allow */
export function checkTokens(found: number, { tokens: limit = DEFAULT_PARSER_LIMITS.tokens }: ParserLimits): void {
  if (found > limit) throw failure('query_too_large', { limit, ...QUERY_LIMITS.tokens });
}

function endStatement(parser: Parser, statement: Statement, start: number): void {
  if (!parser.isPunct(';') && !parser.atEnd()) beyondStatement(parser, { statement, start });
}

/**
 * Something follows a statement, or another thing that was read, that a semicolon should come before, if anything.
 * @throws TesseraError `parse_error`
 */
export function beyondStatement(parser: Parser, read?: ReadStatement): never {
  const { start, end } = parser;
  if (parser.kind === 'word' && beginsStatement(parser)) {
    return parser.fail(`Unexpected token \`${parser.tokenName()}\`, expected the query to end`, {
      start,
      end,
      label: 'maybe forgot a semicolon after the previous statement?',
    });
  }
  return read === undefined ? parser.unexpected('Eof') : parser.unexpectedAfter('Eof', read);
}

/** One statement. @throws TesseraError `parse_error`, `query_too_deep`, `query_too_long`, `query_too_large` */
export function parseStatement(text: string, limits?: ParserLimits): Statement {
  return whole(text, limits, (parser) => {
    const { start } = parser;
    const result = topStatement(parser);
    endStatement(parser, result, start);
    parser.acceptPunct(';');
    return result;
  });
}

/** One expression. @throws TesseraError `parse_error`, `query_too_deep`, `query_too_long`, `query_too_large` */
export function parseExpression(text: string, limits?: ParserLimits): Expression {
  return whole(text, limits, expression);
}

/**
 * One type, as `TYPE` takes it.
 * @throws TesseraError `parse_error`, `query_too_deep`, `query_too_long`, `query_too_large`
 */
export function parseType(text: string, limits?: ParserLimits): Type {
  return whole(text, limits, type);
}

/**
 * One path, as `SET` or `ORDER BY` takes it.
 * @throws TesseraError `parse_error`, `query_too_deep`, `query_too_long`, `query_too_large`
 */
export function parseIdiom(text: string, limits?: ParserLimits): Idiom {
  return whole(text, limits, idiom);
}

/**
 * One value that is written out: nothing in it is looked up, called or run.
 * @throws TesseraError `parse_error`, `query_too_deep`, `query_too_long`, `query_too_large`
 */
export function parseValue(text: string, limits?: ParserLimits): Value {
  return whole(text, limits, (parser) => {
    const value = constantValue(expression(parser));
    if (value === undefined) return parser.fail('Expected a value, found an expression', { start: 0, end: 1 });
    return value.value;
  });
}

/** The form of most record ids, which need no parser. */
const SIMPLE_RECORD_ID = /^([A-Za-z_][A-Za-z0-9_]*):([A-Za-z_][A-Za-z0-9_]*)$/;

/**
 * A record id whose key is written out, or `undefined` if the text is anything else. Never throws.
 *
 *     parseRecordId('person:1')       // new RecordId('person', 1)
 *     parseRecordId('person:1 + 1')   // undefined
 */
export function parseRecordId(text: string, limits?: ParserLimits): RecordId | undefined {
  const simple = SIMPLE_RECORD_ID.exec(text);
  if (simple !== null) return new RecordId(simple[1] as string, simple[2] as string);
  try {
    return constantRecordId(wholeRecordId(new Parser(text, GRAMMAR, limits)));
  } catch (error) {
    if (error instanceof TesseraError) return undefined;
    throw error;
  }
}

function wholeRecordId(parser: Parser): RecordIdLiteral {
  if (!parser.isName()) return parser.unexpected('an identifier');
  if (!parser.isAdjacent(':')) {
    parser.advance();
    return parser.unexpected(':');
  }
  const result = recordId(parser);
  return parser.atEnd() ? result : parser.unexpected('the end of the record id');
}

/** Reads all of the text as one thing. */
function whole<T>(text: string, limits: ParserLimits | undefined, read: (parser: Parser) => T): T {
  const parser = new Parser(text, GRAMMAR, limits);
  const result = read(parser);
  return parser.atEnd() ? result : beyondStatement(parser);
}
