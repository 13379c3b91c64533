/**
 * The tokens of a statement as a document. Brackets break at commas or, around statements, at semicolons; statements at
 * their clauses, and long conditions at AND and OR. It goes as deep as the parser went, which has a bound.
 */
import type { Statement } from '../ast.js';
import { clauseWords } from './clauses.js';
import type { Comment } from './comments.js';
import { concat, type Doc, group, type Hugging, indent, line, lineBreak } from './document.js';
import { beginsRecursion, is, separatesItems, spaceBefore, tokenText } from './spacing.js';
import type { StatementSpan, Token, TokenizedText } from './tokens.js';

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
/** Arrays of more numbers, such as vectors, fill lines. */
const LIST_OF_NUMBERS = 8;

/** Tokens from one place to another that are laid out together. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** A part of a sequence: a word, or what is in brackets, with what stands before it. */
interface Piece {
  readonly index: number;
  readonly space: '' | ' ';
  readonly doc: Doc;
  readonly isBracket: boolean;
}

export class StatementLayout {
  readonly #tokens: readonly Token[];
  readonly #closers = new Map<number, number>();
  /** The last tokens of statements that stand on lines of their own, whose comments stand behind the statement. */
  readonly #ends = new Set<Token>();
  /** The statements that begin at a token, from the outside. */
  readonly #begun = new Map<number, StatementSpan[]>();

  constructor({ tokens, spans }: Pick<TokenizedText, 'tokens' | 'spans'>) {
    this.#tokens = tokens;
    const open: number[] = [];
    for (const [index, token] of tokens.entries()) {
      if (token.kind !== 'punct') continue;
      if (token.text in CLOSERS) open.push(index);
      else if (')]}'.includes(token.text)) this.#closers.set(open.pop() as number, index);
    }
    for (const span of spans.toReversed()) this.#begun.set(span.from, [...(this.#begun.get(span.from) ?? []), span]);
  }

  /** A statement, without the comments before its first token and, on a line of its own, behind its last one. */
  statement({ from, to, kind }: StatementSpan): Doc {
    const starts = this.#clauseStarts({ from, to }, clauseWords(kind));
    const clauses = starts.map((start, index) =>
      this.#clause({ from: start, to: starts[index + 1] ?? to }, from, kind),
    );
    const [head, ...others] = clauses as [Clause, ...Clause[]];
    if (others.length === 0) return group(head.doc);
    const whole = concat([head.doc, indent(concat(others.flatMap(({ doc }) => [line(' '), doc])))]);
    const last = others.at(-1) as Clause;
    if (last.hugging === undefined) return group(whole);
    const before = concat([head.doc, ...others.slice(0, -1).flatMap(({ doc }) => [' ', doc]), ' ', last.hugging.head]);
    return group(whole, { ...last.hugging, head: before });
  }

  /** A statement as it is written in the text, without the comments around it. */
  asWritten({ from, to }: StatementSpan, text: string): Doc {
    const [first, last] = [this.#tokens[from] as Token, this.#tokens[to - 1] as Token];
    return { kind: 'verbatim', text: text.slice(first.start, last.end) };
  }

  /** Statements with their semicolons, each on a line, laid out by `docOf`. */
  statements<Span extends StatementSpan>(
    { from, to }: Range,
    statements: readonly Span[],
    docOf: (span: Span) => Doc = (span) => this.statement(span),
  ): Doc {
    const parts: Doc[] = [];
    let next = 0;
    for (let at = from; at < to; ) {
      const span = statements[next];
      const token = this.#tokens[at] as Token;
      if (token.kind === 'end') {
        parts.push(...this.#onLinesBefore(token, parts.length === 0));
        at++;
      } else if (span?.from === at) {
        // A comment at the end of its last line doesn't break a statement.
        const last = this.#tokens[span.to - 1] as Token;
        this.#ends.add(last);
        const doc = docOf(span);
        // One that moved behind a comma is in the statement as it was written.
        const isWithin = ({ start }: Comment) => isVerbatim(doc) && start < last.end;
        const behind = last.trailing.filter((comment) => !isWithin(comment));
        parts.push(...this.#onLinesBefore(token, parts.length === 0), doc, ...commentDocs(behind));
        at = span.to;
        next++;
      } else {
        parts.push(...this.#leading(token), token.text, ...this.#trailing(token));
        at++;
      }
    }
    return concat(parts);
  }

  /** The comments of a token, and the token's line. */
  #onLinesBefore(token: Token, isFirst: boolean): Doc[] {
    const parts: Doc[] = [];
    const begin = (isParagraph: boolean) => {
      if (!isFirst || parts.length > 0) parts.push(lineBreak(isParagraph));
    };
    for (const { text, isLine, isParagraph } of token.leading) {
      begin(isParagraph);
      parts.push({ kind: 'comment', text, isOwn: true, isLine });
    }
    if (token.kind !== 'end') begin(token.isParagraph);
    return parts;
  }

  #leading({ leading }: Token): Doc[] {
    return leading.map(({ text, isLine }) => ({ kind: 'comment', text, isOwn: true, isLine }) as const);
  }

  #trailing(token: Token): Doc[] {
    return this.#ends.has(token) ? [] : commentDocs(token.trailing);
  }

  /** Where clauses begin, the first of which is the statement's head. */
  #clauseStarts({ from, to }: Range, words: ReadonlySet<string>): number[] {
    const starts = [from];
    for (let at = from + 1; at < to; at = this.#behind(at, to)) {
      const [before, token] = [this.#tokens[at - 1] as Token, this.#tokens[at] as Token];
      if (words.has(token.keyword) && !NAMING.has(before.keyword)) starts.push(at);
    }
    return starts;
  }

  /** The place behind the token, bracket or inner statement at `at`. */
  #behind(at: number, to: number): number {
    const inner = this.#begun.get(at)?.find((span) => span.to <= to);
    if (inner !== undefined) return inner.to;
    return (this.#closers.get(at) ?? at) + 1;
  }

  #clause(range: Range, statementFrom: number, kind: Statement['kind']): Clause {
    const { from, to } = range;
    const isPermissions = this.#tokens[from]?.keyword === 'PERMISSIONS' || this.#tokens[from]?.keyword === 'DURATION';
    const actions = isPermissions ? this.#clauseStarts(range, FOR) : [from];
    if (actions.length > 1) {
      const [head = from, ...rest] = actions;
      const each = rest.map((start, index) => this.#sequence({ from: start, to: rest[index + 1] ?? to }, start, kind));
      const first = this.#sequence({ from: head, to: rest[0] ?? to }, statementFrom, kind);
      return { doc: group(concat([first.doc, indent(concat(each.flatMap(({ doc }) => [line(' '), doc])))])) };
    }
    return this.#sequence(range, statementFrom, kind);
  }

  /** Tokens one behind the other, with breaks at commas, or at AND and OR where there are none. */
  #sequence(range: Range, statementFrom: number, kind: Statement['kind']): Clause {
    const pieces = this.#pieces(range, statementFrom);
    const head = this.#keywordsAhead(pieces);
    const hasCommas = this.#tokens[range.from]?.keyword !== 'FOR' && this.#hasCommas(pieces);
    if (hasCommas && head > 0 && head < pieces.length) {
      const [words, items] = [pieces.slice(0, head), pieces.slice(head)];
      return { doc: group(concat([this.#inline(words), indent(concat([line(' '), this.#items(items)]))])) };
    }
    const [first = '', ...rest] = this.#parts(pieces, (index) =>
      hasCommas ? separatesItems(this.#tokens, index - 1) : this.#isConnective(index),
    );
    const doc = concat([first, ...rest.map((part) => indent(concat([line(' '), part])))]);
    const last = pieces.at(-1);
    if (last === undefined || pieces.length === 1 || !this.#mayHug(last, kind)) return { doc: group(doc) };
    const hugging = { head: concat([this.#inline(pieces.slice(0, -1)), last.space]), last: last.doc, tail: '' };
    return { doc: group(doc, hugging), hugging };
  }

  /** Whether a statement may break within its last bracket alone. */
  #mayHug({ index, isBracket }: Piece, kind: Statement['kind']): boolean {
    if (!isBracket || kind === 'select') return false;
    return is(this.#tokens[index], '{') || !/^(?:define|alter)/.test(kind);
  }

  /** How many words at the beginning are keywords. */
  #keywordsAhead(pieces: readonly Piece[]): number {
    const count = pieces.findIndex(
      ({ index, isBracket }) => isBracket || (this.#tokens[index] as Token).keyword === '',
    );
    return count === -1 ? pieces.length : count;
  }

  /** What stands between commas, or between AND and OR, in brackets or behind the word of a clause. */
  #items(pieces: readonly Piece[]): Doc {
    const hasCommas = this.#hasCommas(pieces);
    const [first = '', ...rest] = this.#parts(pieces, (index) =>
      hasCommas ? separatesItems(this.#tokens, index - 1) : this.#isConnective(index),
    );
    return concat([first, ...rest.flatMap((part) => [line(' '), part])]);
  }

  #inline(pieces: readonly Piece[]): Doc {
    return concat(this.#parts(pieces, () => false));
  }

  /** The pieces in parts, each of which begins where `begins` says so. */
  #parts(pieces: readonly Piece[], begins: (index: number) => boolean): Doc[] {
    const parts: Doc[][] = [];
    for (const { index, space, doc } of pieces) {
      const part = parts.at(-1);
      if (part === undefined || begins(index)) parts.push([doc]);
      else part.push(space, startsWithComment(this.#tokens[index]) ? indent(doc) : doc);
    }
    return parts.map((part) => concat(part));
  }

  #isConnective(index: number): boolean {
    const { keyword, text, kind } = this.#tokens[index] as Token;
    if (is(this.#tokens[index - 1], '@') || is(this.#tokens[index + 1], '@')) return false;
    return keyword === 'AND' || keyword === 'OR' || (kind === 'punct' && (text === '&&' || text === '||'));
  }

  #pieces({ from, to }: Range, statementFrom: number): Piece[] {
    const pieces: Piece[] = [];
    for (let at = from; at < to; ) {
      const space = spaceBefore(this.#tokens, at);
      const inner = at === statementFrom ? undefined : this.#begun.get(at)?.find((span) => span.to <= to);
      const close = this.#closers.get(at);
      const token = this.#tokens[at] as Token;
      // Those before a statement are laid out with it.
      const before = at === statementFrom ? [] : this.#leading(token);
      if (inner !== undefined) {
        pieces.push({ index: at, space, doc: concat([...before, this.statement(inner)]), isBracket: false });
        at = inner.to;
      } else if (close !== undefined) {
        const bracket = this.#bracket(at, close);
        pieces.push({
          index: at,
          space,
          doc: before.length === 0 ? bracket : concat([...before, bracket]),
          isBracket: true,
        });
        at = close + 1;
      } else {
        const text = tokenText(this.#tokens, at);
        const written: Doc = text.includes('\n') ? { kind: 'verbatim', text } : text;
        const doc = concat([...before, written, ...this.#trailing(token)]);
        pieces.push({ index: at, space, doc, isBracket: false });
        at++;
      }
    }
    return pieces;
  }

  #bracket(at: number, close: number): Doc {
    const opener = this.#tokens[at] as Token;
    const closer = this.#tokens[close] as Token;
    const opening = [opener.text, ...this.#trailing(opener)];
    const closing = [closer.text, ...this.#trailing(closer)];
    const edge = line(opener.text !== '{' || this.#isTight(at, close) ? '' : ' ');
    const dangling = this.#leading(closer);
    if (close === at + 1) {
      if (dangling.length === 0) return group(concat([...opening, ...closing]));
      return group(concat([...opening, indent(concat([edge, ...dangling])), edge, ...closing]));
    }
    const statements = this.#blockOf(at, close);
    if (statements !== undefined) {
      const edges = statements.length > 1 ? lineBreak(false) : edge;
      const content = this.statements({ from: at + 1, to: close }, statements);
      const inner = this.#tokens[at + 1]?.leading.length === 0 ? [edges, content] : [lineBreak(false), content];
      return group(concat([...opening, indent(concat([...inner, ...dangling])), edges, ...closing]));
    }
    const range = { from: at + 1, to: close };
    const pieces = this.#pieces(range, -1);
    const [only] = pieces;
    if (pieces.length === 1 && only?.isBracket && dangling.length === 0 && !startsWithComment(this.#tokens[at + 1])) {
      return concat([...opening, only.doc, ...closing]);
    }
    const content = this.#isListOfNumbers(range) ? this.#filled(pieces) : this.#items(pieces);
    const whole = concat([...opening, indent(concat([edge, content, ...dangling])), edge, ...closing]);
    const last = pieces.at(-1);
    const hugs = last?.isBracket === true && opener.text === '(' && is(this.#tokens[last.index], '{');
    if (!hugs || dangling.length > 0) return group(whole);
    const head = concat([...opening, this.#inline(pieces.slice(0, -1)), last.space]);
    return group(whole, { head, last: last.doc, tail: concat(closing) });
  }

  #hasCommas(pieces: readonly Piece[]): boolean {
    return pieces.some(({ index }) => separatesItems(this.#tokens, index));
  }

  /** `{,}`, `{;}` and `{1..3}`. */
  #isTight(at: number, close: number): boolean {
    const first = this.#tokens[at + 1] as Token;
    const isEmpty = close === at + 1 || (close === at + 2 && (is(first, ',') || is(first, ';')));
    return isEmpty || beginsRecursion(this.#tokens, at);
  }

  /** The statements in braces, if they are a block. */
  #blockOf(at: number, close: number): readonly StatementSpan[] | undefined {
    if (!is(this.#tokens[at], '{')) return undefined;
    const statements: StatementSpan[] = [];
    for (let next = at + 1; next < close; ) {
      if (is(this.#tokens[next], ';')) {
        next++;
        continue;
      }
      const span = this.#begun.get(next)?.find(({ to }) => to <= close);
      if (span === undefined) return undefined;
      statements.push(span);
      next = span.to;
      if (is(this.#tokens[next], ',')) return undefined;
    }
    return statements.length === 0 ? undefined : statements;
  }

  #isListOfNumbers({ from, to }: Range): boolean {
    if (to - from < 2 * LIST_OF_NUMBERS) return false;
    for (let at = from; at < to; at++) {
      const token = this.#tokens[at] as Token;
      const isNumber = token.kind === 'number' || is(token, ',') || is(token, '-');
      if (!isNumber || token.leading.length + token.trailing.length > 0) return false;
    }
    return true;
  }

  #filled(pieces: readonly Piece[]): Doc {
    return concat(
      pieces.map(({ index, space, doc }, at) => {
        if (at === 0 || !is(this.#tokens[index - 1], ',')) return concat([space, doc]);
        const { start } = this.#tokens[index] as Token;
        const next = this.#tokens.slice(index, index + 3).find((token) => is(token, ',') || is(token, ']'));
        return concat([{ kind: 'fill', next: (next?.end ?? start) - start }, doc]);
      }),
    );
  }
}

const FOR: ReadonlySet<string> = new Set(['FOR']);
/** Behind these stands what is defined or dropped, as in `DEFINE FUNCTION` and `DROP COMMENT`, rather than a clause. */
const NAMING: ReadonlySet<string> = new Set(['DEFINE', 'OVERWRITE', 'EXISTS', 'ALTER', 'DROP']);

interface Clause {
  readonly doc: Doc;
  /** With breaks within its last bracket alone. */
  readonly hugging?: Hugging;
}

function isVerbatim(doc: Doc): boolean {
  return typeof doc === 'object' && doc.kind === 'verbatim';
}

/** Comments behind a token. */
function commentDocs(comments: readonly Comment[]): Doc[] {
  return comments.map(({ text, isLine }) => ({ kind: 'comment', text, isOwn: false, isLine }) as const);
}

function startsWithComment(token: Token | undefined): boolean {
  return (token?.leading.length ?? 0) > 0;
}
