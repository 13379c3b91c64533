/**
 * Lays out a text: each statement on a line of its own, or on several where it is longer than `WIDTH`, keywords in
 * capitals, comments and empty lines where they were. It works on the tokens as they are written: printed from their
 * trees (`print.ts`), definitions would get their defaults, and strings other quotes.
 */
import type { Doc } from './formatter/document.js';
import { StatementLayout } from './formatter/layout.js';
import { render } from './formatter/render.js';
import { type Token, type TopStatement, tokenize } from './formatter/tokens.js';
import { printStatement } from './print.js';

/** Characters of a line, at most, where it can be broken. */
const WIDTH = 100;

/**
 * The text, laid out. Doing so again changes nothing, and its statements are the same.
 *
 *     formatText('select * from person where age>18')   // 'SELECT * FROM person WHERE age > 18\n'
 *
 * @throws TesseraError `parse_error`, `query_too_deep`, `query_too_long`
 */
export function formatText(text: string): string {
  const read = tokenize(text);
  const { tokens, statements } = read;
  const layout = new StatementLayout(read);
  const docOf = (top: TopStatement): Doc => {
    const doc = layout.statement(top);
    return isSame(render(doc, WIDTH), top, tokens) ? doc : layout.asWritten(top, text);
  };
  const result = render(layout.statements({ from: 0, to: tokens.length }, statements, docOf), WIDTH);
  return result === '' ? '' : `${result}\n`;
}

/** Whether a text is the statement with its comments. What a blank means depends on where it stands. */
function isSame(text: string, { from, to, statement }: TopStatement, tokens: readonly Token[]): boolean {
  const read = tokenize(text);
  const [again] = read.statements;
  return (
    read.statements.length === 1 &&
    printStatement((again as TopStatement).statement, { secrets: true }) ===
      printStatement(statement, { secrets: true }) &&
    commentsWithin(read.tokens).join('\n') === commentsWithin(tokens.slice(from, to)).join('\n')
  );
}

/** Without those around the statement: before its first token, behind its last one. */
function commentsWithin(tokens: readonly Token[]): string[] {
  const within = tokens.filter(({ kind }) => kind !== 'end');
  return within.flatMap(({ leading, trailing }, index) =>
    [...(index === 0 ? [] : leading), ...(index === within.length - 1 ? [] : trailing)].map(({ text }) => text),
  );
}
