/** Long texts are parsed in pieces: with the same trees and errors as at once, and never much between two pauses. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runAtOnce } from '../../src/base/work/stepwise.js';
import { asTesseraError } from '../../src/errors/error.js';
import { parseQuery, parseQueryStepwise } from '../../src/language/parse.js';
import { printStatement } from '../../src/language/print.js';
import { StatementStream } from '../../src/language/statement-stream.js';

const FOLDER = 'tests/scripts';

function outcome(parse: () => { readonly statements: readonly Parameters<typeof printStatement>[0][] }): string[] {
  try {
    return parse().statements.map((statement) => printStatement(statement));
  } catch (thrown) {
    const { code, message } = asTesseraError(thrown);
    return [code, message];
  }
}

const scripts = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.surql'))
  .map((name) => readFileSync(join(FOLDER, name), 'utf8'));

describe('parsing in pieces', () => {
  it.each([1, 50])('gives what parsing at once gives, in pieces of %i characters', (piece) => {
    for (const script of scripts) {
      // Some errors stand at the end of the text.
      for (const text of [
        script,
        script.slice(0, script.length / 2),
        `{ ${script} }`,
        `RETURN [{ a: { ${script} } }, 1]`,
      ]) {
        expect(outcome(() => runAtOnce(parseQueryStepwise(text, undefined, piece)))).toEqual(
          outcome(() => parseQuery(text)),
        );
      }
    }
  });

  const row = "{ id: person:1, name: 'Tobie', tags: ['a', 'b'], at: d'2024-01-01T00:00:00Z', n: { x: 1.5, y: -2 } }";
  it.each([
    ['statements', '1;'.repeat(20_000)],
    ['semicolons', ';'.repeat(40_000)],
    ['empty arrays', `RETURN [${'[],'.repeat(15_000)}]`],
    ['empty objects', `RETURN [${'{},'.repeat(15_000)}]`],
    ['rows', `INSERT [${`${row},`.repeat(400)}]`],
    ['tuples', `INSERT INTO t (a, b) VALUES ${'(1, 2),'.repeat(2_000)}(3, 4)`],
    ['a block', `{ ${'12345;'.repeat(8_000)} }`],
    ['arguments', `RETURN array::concat(${'[1, 2, 3],'.repeat(4_000)}[])`],
    ['assignments', `UPDATE t SET ${'name = 1,'.repeat(4_000)}b = 2`],
    ['two lists', `RETURN [${'1,'.repeat(9_000)}] + [${'[],'.repeat(9_000)}]`],
    ['nested lists', `RETURN ${'['.repeat(60)}${'[[],[]],'.repeat(4_000)}${']'.repeat(60)}`],
  ])('pauses every few thousand characters: %s', (_name, text) => {
    const parsing = parseQueryStepwise(text);
    let steps = 1;
    while (!parsing.step()) steps++;
    expect(steps).toBeGreaterThan(text.length / 6_000);
    expect(outcome(() => parsing.result)).toEqual(outcome(() => parseQuery(text)));
  });

  it('pauses in statements that come in, too', () => {
    const stream = new StatementStream();
    stream.push(`INSERT [${`${row},`.repeat(400)}]; RETURN 1; RETURN`);
    stream.push(' 2');
    stream.end();
    const read = [...stream.statementsAndPauses()];
    expect(read.flatMap((each) => (each === undefined ? [] : each.statement.kind))).toEqual([
      'insert',
      'return',
      'return',
    ]);
    expect(read.length).toBeGreaterThan((400 * row.length) / 6_000);
  });

  it('refuses what would take too long to be looked through at once', () => {
    const code = (text: string, limits = {}) => outcome(() => runAtOnce(parseQueryStepwise(text, limits)))[0];
    expect(code(`IF a { 1 } ${'ELSE IF a { 1 } '.repeat(9_000)}`)).toBe('query_too_deep');
    expect(code(`RETURN [${'1+1,'.repeat(15_000)}]`)).toBe('query_too_large');
    expect(code('1;'.repeat(100), { statements: 99 })).toBe('query_too_large');
    expect(code(`RETURN [${'1,'.repeat(5_000)}]`, { tokens: 5_000 })).toBe('query_too_large');
    const stream = new StatementStream({ length: 2 ** 20, tokens: 5_000 });
    stream.push(`RETURN [${'1,'.repeat(20_000)}`);
    expect([...stream.statementsAndPauses()]).toEqual([]);
    stream.push('1];');
    expect(() => [...stream.statementsAndPauses()]).toThrow('--max-query-tokens');
    // Data counts for nothing.
    expect(code(`RETURN [${`${row},`.repeat(2_000)}]`)).not.toBe('query_too_large');
  });
});
