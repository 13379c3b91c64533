/**
 * Errors that show where in a query text something is wrong, in the peer's form:
 *
 *     Parse error: Unexpected token `an identifier`, expected Eof
 *      --> [1:5]
 *       |
 *     1 | SEL ECT * FORM person
 *       |     ^^^
 *
 * The arrow is indented by as many blanks as the number of the line has digits.
 */
import type { SourcePosition, TesseraError } from '../errors/error.js';
import { failure } from '../errors/error.js';
import { pointCount } from '../value/code-points.js';

/** A stretch of the text, by offsets, with what to say about it. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly label?: string;
}

/** A text, and where it begins where it is part of a longer one. */
export interface SourceText {
  readonly source: string;
  readonly begin?: SourcePosition;
}

/**
 * A line is cut to about this many characters around the mark, so that a huge query doesn't come back as its own error.
 */
const WIDTH = 80;
/** Characters of the line kept before the mark if the mark is too far to the right. */
const CONTEXT = 10;
/** Marks further right than this make the line be cut on its left. */
const FAR = 50;
/** Maximum number of marked characters of a token. The reference engine has no bound. */
const LONGEST_MARK = 1_000;

/** The error for `what` being wrong at the marks; the first mark is its position. */
export function sourceFailure(
  code: 'parse_error' | 'query_too_deep',
  text: SourceText,
  what: string,
  ...marks: readonly Mark[]
): TesseraError {
  const snippets = marks.map((mark) => excerptAt(text, mark)).join('');
  const first = marks[0];
  return failure(
    code,
    { what: `${what}\n${snippets}` },
    first === undefined ? {} : { position: positionOf(text, first.start) },
  );
}

const START: SourcePosition = { line: 1, column: 1 };

/** The place of an offset. Columns count code points, lines end at LF. */
export function positionOf({ source, begin = START }: SourceText, offset: number): SourcePosition {
  let line = begin.line;
  let lineStart = 0;
  for (let at = source.indexOf('\n'); at !== -1 && at < offset; at = source.indexOf('\n', at + 1)) {
    line++;
    lineStart = at + 1;
  }
  const before = lineStart === 0 ? begin.column : 1;
  return { line, column: pointCount(source.slice(lineStart, offset)) + before };
}

/** The line of a mark, with its place above and carets below. */
export function excerptAt(text: SourceText, mark: Mark): string {
  const { source } = text;
  const { line, column } = positionOf(text, mark.start);
  const lineStart = source.lastIndexOf('\n', mark.start - 1) + 1;
  const markAt = pointCount(source.slice(lineStart, mark.start));
  const lineEnd = source.indexOf('\n', mark.start);
  const whole = characters(
    source.slice(lineStart, Math.min(lineEnd === -1 ? source.length : lineEnd, lineStart + 100_000)).trimEnd(),
  );
  const indent = leadingBlanks(whole, markAt);
  // In a blank line the mark is all there is to see.
  const shown = aroundMark(whole.slice(indent), whole.length === 0 ? 0 : markAt - indent);
  const markEnd = lineEnd === -1 ? mark.end : Math.min(mark.end, lineEnd);
  const width = Math.max(1, pointCount(source.slice(mark.start, Math.min(markEnd, mark.start + LONGEST_MARK))));
  const gutter = ' '.repeat(String(line).length);
  const label = mark.label === undefined ? '' : ` ${mark.label}`;
  return `${gutter}--> [${line}:${column}]\n${gutter} |\n${line} | ${shown.text}\n${gutter} | ${' '.repeat(shown.before)}${'^'.repeat(width)}${label}\n`;
}

/** The part of a line around the mark, and how many characters stand before the mark in it. */
function aroundMark(line: readonly string[], markAt: number): { readonly text: string; readonly before: number } {
  const from = line.length > FAR && markAt > FAR ? markAt - CONTEXT : 0;
  const prefix = from > 0 ? '...' : '';
  const rest = line.slice(from);
  // Only a line that is truncated on the right leaves room for the ellipsis on its left.
  const text = rest.length > WIDTH ? `${rest.slice(0, WIDTH - prefix.length - 3).join('')}...` : rest.join('');
  return { text: prefix + text, before: prefix.length + markAt - from };
}

function leadingBlanks(line: readonly string[], limit: number): number {
  let count = 0;
  while (count < limit && /\s/.test(line[count] ?? 'x')) count++;
  return count;
}

function characters(text: string): string[] {
  return Array.from(text);
}
