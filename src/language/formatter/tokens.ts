/**
 * The tokens of a text as the parser took them, since what characters mean depends on where they stand: whether a word
 * is a keyword or a name, where a regular expression ends, which statement a clause belongs to.
 */
import type { Statement } from '../ast.js';
import type { TokenKind } from '../lexer.js';
import { beyondStatement, GRAMMAR } from '../parse.js';
import { type Grammar, Parser } from '../parser/parser.js';
import { topStatement } from '../parser/statement.js';
import { type Comment, commentsBetween, type Gap } from './comments.js';

export interface Token {
  readonly start: number;
  readonly end: number;
  readonly kind: TokenKind;
  /** As it is written. */
  readonly text: string;
  /** In capitals, if it is a word that was taken for a keyword; else empty. */
  readonly keyword: string;
  /** Comments on lines of their own before it, and those behind it on its line. */
  readonly leading: readonly Comment[];
  readonly trailing: readonly Comment[];
  /** Whether anything stands between it and the token before it, and whether an empty line does. */
  readonly isApart: boolean;
  readonly isParagraph: boolean;
}

/** A statement, at the top or within another, by the places of its first token and of the one behind it. */
export interface StatementSpan {
  readonly from: number;
  readonly to: number;
  readonly kind: Statement['kind'];
}

export interface TokenizedText {
  /** The last one is the end of the text, which is empty. */
  readonly tokens: readonly Token[];
  /** In the order of their ends: one that is within another stands before it. */
  readonly spans: readonly StatementSpan[];
  /** Those at the top. */
  readonly statements: readonly TopStatement[];
}

export interface TopStatement extends StatementSpan {
  readonly statement: Statement;
}

/** @throws TesseraError `parse_error`, `query_too_deep`, `query_too_long` */
export function tokenize(source: string): TokenizedText {
  const recorder = new TokenRecorder(source, RECORDING);
  recorder.begin();
  const statements: (PlacedStatement & Pick<TopStatement, 'statement'>)[] = [];
  for (;;) {
    while (recorder.acceptPunct(';'));
    if (recorder.atEnd()) break;
    const { statement, placed } = recorder.spanned(topStatement);
    statements.push({ ...placed, statement });
    if (!recorder.isPunct(';') && !recorder.atEnd()) beyondStatement(recorder, { statement, start: placed.start });
  }
  return recorder.result(statements);
}

interface PlacedStatement {
  readonly start: number;
  readonly end: number;
  readonly kind: Statement['kind'];
}

type TakenToken = Pick<Token, 'start' | 'end' | 'kind' | 'keyword'>;

class TokenRecorder extends Parser {
  /** Absent until the first token, which the lexer reads when it is made, is there. */
  private taken: TakenToken[] | undefined;
  private placed: PlacedStatement[] = [];
  private isNameNext = false;

  begin(): void {
    this.taken = [];
  }

  override advance(): void {
    this.take(this.end);
    super.advance();
  }

  override name(expected?: string): string {
    this.isNameNext = true;
    return super.name(expected);
  }

  override reset(offset: number): void {
    // The front of an operator was taken, or what was read is read again.
    if (offset > this.start) this.take(offset);
    else {
      forget(this.taken, offset);
      forget(this.placed, offset);
    }
    super.reset(offset);
  }

  /** Reads a statement, whose place is kept. */
  spanned<S extends Statement | undefined>(
    read: (parser: Parser) => S,
  ): { readonly statement: S; readonly placed: PlacedStatement } {
    const { start } = this;
    const statement = read(this);
    const placed = { start, end: this.previousEnd, kind: statement?.kind ?? 'expression' };
    if (statement !== undefined) this.placed.push(placed);
    return { statement, placed };
  }

  private take(end: number): void {
    if (this.taken === undefined || this.atEnd()) return;
    const keyword = this.kind === 'word' && !this.isNameNext ? this.word : '';
    this.isNameNext = false;
    this.taken.push({ start: this.start, end, kind: this.kind, keyword });
  }

  result(statements: readonly (PlacedStatement & Pick<TopStatement, 'statement'>)[]): TokenizedText {
    const { source } = this;
    const end = { start: source.length, end: source.length, kind: 'end', keyword: '' } as const;
    const tokens = withComments(source, [...(this.taken ?? []), end]);
    const indexAt = new Map(tokens.map(({ start }, index) => [start, index]));
    const indexBehind = new Map(tokens.slice(0, -1).map((token, index) => [token.end, index + 1]));
    const span = ({ start, end, kind }: PlacedStatement): StatementSpan => ({
      from: indexAt.get(start) as number,
      to: indexBehind.get(end) as number,
      kind,
    });
    return {
      tokens,
      spans: this.placed.map(span),
      statements: statements.map((each) => ({ ...span(each), statement: each.statement })),
    };
  }
}

/** Drops what begins at an offset or behind it. */
function forget(places: { readonly start: number }[] = [], offset: number): void {
  while ((places.at(-1)?.start ?? -1) >= offset) places.pop();
}

const RECORDING: Grammar = {
  ...GRAMMAR,
  statement: (parser) => (parser as TokenRecorder).spanned(GRAMMAR.statement).statement,
  keywordStatement: (parser) => (parser as TokenRecorder).spanned(GRAMMAR.keywordStatement).statement,
};

function withComments(source: string, taken: readonly TakenToken[]): Token[] {
  const gaps = taken.map(({ start }, index) => commentsBetween(source, taken[index - 1]?.end ?? 0, start, index === 0));
  const tokens: Token[] = [];
  // Comments that move behind the next token, and ahead of it.
  let toBehind: readonly Comment[] = [];
  let toAhead: readonly Comment[] = [];
  for (const [index, token] of taken.entries()) {
    const { own, isApart, isParagraph } = gaps[index] as Gap;
    const [next, nextGap] = [taken[index + 1], gaps[index + 1]];
    const leading = [...toAhead, ...own];
    const behind = [...toBehind, ...(nextGap?.behind ?? [])];
    // A comment up to the end of a line goes behind the separator that follows: `a -- of a` and `, b` on the next line.
    const movesOn = next !== undefined && isSeparator(source, next) && nextGap?.own.length === 0;
    toBehind = movesOn && behind.some(({ isLine }) => isLine) ? behind : [];
    const onLine = toBehind.length > 0 ? 0 : behind.findIndex(({ isLine }) => isLine) + 1 || behind.length;
    toAhead = toBehind.length > 0 ? [] : behind.slice(onLine);
    const text = source.slice(token.start, token.end);
    tokens.push({ ...token, text, leading, trailing: behind.slice(0, onLine), isApart, isParagraph });
  }
  return tokens;
}

function isSeparator(source: string, { start, end }: TakenToken): boolean {
  return end === start + 1 && (source[start] === ',' || source[start] === ';');
}
