/** Whatever a database holds, its export gives it back. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TesseraError } from '../../src/errors/error.js';
import { parseQuery } from '../../src/language/parse.js';
import { StatementStream } from '../../src/language/statement-stream.js';
import { toText } from '../../src/value/text/text.js';
import { isArray, newObject, type Value } from '../../src/value/value.js';
import { storableValue, text } from '../support/arbitraries.js';
import { openOwned } from '../support/owned.js';
import { expectSame } from './same.js';

const name = text.filter((each) => each !== '' && !each.includes('\0'));
/** No name that is written holds U+0000; only programs in process can make such a record id. */
const NAMELESS = /`[^`]*\\0/;

const rows = fc.array(
  fc.tuple(
    name,
    storableValue.filter((value) => value !== undefined && !NAMELESS.test(toText(value))),
  ),
  { minLength: 1, maxLength: 8 },
);

describe('an import of an export', () => {
  it('gives the same records, whatever is in them and whatever they are called', async () => {
    await fc.assert(
      fc.asyncProperty(name, rows, fc.integer({ min: 1, max: 200 }), async (table, fields, size) => {
        const [from, to] = [await openOwned(), await openOwned()];
        try {
          for (const [at, [field, value]] of fields.entries()) {
            const data = newObject();
            data[`x${field}`] = value;
            data['v'] = [value];
            const variables = newObject();
            Object.assign(variables, { table, key: at % 2 === 0 ? field : at, data });
            const [result] = await from.owner.query('CREATE type::record($table, $key) CONTENT $data', variables);
            // What can't be stored can't be exported.
            if (result?.outcome.ok === false && result.outcome.error.code === 'internal') throw result.outcome.error;
          }
          const exported = await collect(from.owner.export());
          await to.owner.import(cut(exported, size));
          expect(await collect(to.owner.export())).toBe(exported);
          const all = async ({ owner }: typeof from): Promise<Value> => {
            const variables = newObject();
            variables['table'] = table;
            const [found] = await owner.query('SELECT * FROM type::table($table)', variables);
            return found?.outcome.ok === true ? found.outcome.value : undefined;
          };
          const [before, after] = [await all(from), await all(to)];
          if (isArray(before) || isArray(after)) expectSame(after, before);
        } finally {
          await from.database.close();
          await to.database.close();
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('statements of a text in pieces', () => {
  it('are those of the whole text', () => {
    const part = fc.constantFrom(
      ';',
      ' ',
      '\n',
      "'",
      '"',
      '`',
      '{',
      '}',
      '(',
      ')',
      '--',
      '/*',
      '*/',
      '#',
      '/',
      '\\',
      'IF',
      'a',
      '1',
      ':',
      'THEN',
      'ELSE',
      'END',
      'RETURN 1;',
      'CREATE a;',
      '⟨',
      '⟩',
      '💥',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const whole = parts.join('');
        const stream = new StatementStream();
        const found: unknown[] = [];
        const take = () => {
          for (const { statement } of stream.statements()) found.push(statement);
        };
        let complaint: unknown;
        try {
          for (let at = 0; at < parts.length; at += size) {
            stream.push(parts.slice(at, at + size).join(''));
            take();
          }
          stream.end();
          take();
        } catch (error) {
          complaint = error;
        }
        let expected: readonly unknown[] | undefined;
        try {
          expected = parseQuery(whole).statements;
        } catch (error) {
          expect(told(complaint)).toEqual(told(error));
        }
        if (expected !== undefined) expect([complaint, found]).toEqual([undefined, expected]);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** What is wrong and where. The line is shown only as far as it is still known. */
function told(error: unknown): unknown {
  expect(error).toBeInstanceOf(TesseraError);
  const { code, message, position } = error as TesseraError;
  return [code, message.split('\n')[0], position];
}

async function collect(pieces: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const piece of pieces) all += piece;
  return all;
}

/** Cuts between characters, as those do who decode bytes. */
async function* cut(whole: string, size: number): AsyncGenerator<string> {
  const characters = Array.from(whole);
  for (let at = 0; at < characters.length; at += size) yield characters.slice(at, at + size).join('');
}
