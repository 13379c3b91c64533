/** A statement answers by the plan of its shape, which was made with other literals, what it answers when it is parsed itself. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQuery } from '../../src/language/parse.js';
import type { Session, StatementResult } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';
import { planWithOtherLiterals } from '../support/other-literals.js';
import { atLeast } from '../support/timeouts.js';

const number = fc.oneof(
  fc.integer({ min: -30, max: 30 }).map(String),
  fc.constantFrom(
    '0.5',
    '-0f',
    '2f',
    '1.5dec',
    '1e2',
    '9007199254740993',
    '00',
    '1_0',
    '9223372036854775807',
    '1h',
    '1w2d',
  ),
);
const string = fc
  .oneof(fc.constantFrom('a', 'b', 'p:1', 'x;y', "it''s", '\\n', '--', '{'), fc.string({ maxLength: 4 }))
  .map((text) => `'${text.replace(/[\\'\0]/g, '\\$&').replace('\\\0', '')}'`);
const key = fc.oneof(
  fc.integer({ min: 0, max: 9 }).map(String),
  fc.constantFrom(
    'a',
    'select',
    '1a',
    '01',
    '⟨x y⟩',
    '`z`',
    '[1, 2]',
    "{ a: 'b' }",
    '1..4',
    '1..=4',
    '-1',
    'rand',
    'u',
  ),
);
const record = key.map((each) => `p:${each}`);
const literal = fc.oneof(
  number,
  string,
  record,
  fc.constantFrom('NONE', 'true', "d'2024-01-01T00:00:00Z'", "u'018e6b4c-1c1c-7d3a-8a4e-0123456789ab'"),
);
const value: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    literal,
    fc.tuple(tie('value'), tie('value')).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(tie('value'), tie('value')).map(([a, b]) => `{ a: ${a}, b:${b} }`),
    fc
      .tuple(tie('value'), fc.constantFrom('+', '=', 'IN', '??', '||', '&&', '<'), tie('value'))
      .map((all) => `(${all.join(' ')})`),
    tie('value').map((each) => `array::len([${each}])`),
    tie('value').map((each) => `<string> ${each}`),
    tie('value').map((each) => `(SELECT VALUE n FROM p WHERE n = ${each})`),
    tie('value').map((each) => `(IF ${each} { ${each} } ELSE { 1 })`),
  ),
})).value;
const condition = fc
  .tuple(fc.constantFrom('n', 's', 'id', 'a.b'), fc.constantFrom('=', '!=', '>', '<=', 'IN', 'CONTAINS'), value)
  .map((all) => all.join(' '));
const statement = fc.oneof(
  value.map((each) => `RETURN ${each}`),
  fc.tuple(record, condition).map(([from, where]) => `SELECT * FROM ${from} WHERE ${where}`),
  fc
    .tuple(condition, condition, literal)
    .map(([one, other, shown]) => `SELECT id, ${shown} FROM p WHERE ${one} OR ${other}`),
  fc.tuple(condition, condition).map(([one, other]) => `SELECT * FROM p WHERE ${one} AND ${other} LIMIT 3`),
  fc.tuple(record, value, value).map(([to, n, s]) => `UPSERT ${to} SET n = ${n}, s += ${s}`),
  fc.tuple(record, value).map(([to, data]) => `UPSERT ${to} MERGE { n: ${data}, a: { b: ${data} } }`),
  fc.tuple(record, value).map(([id, n]) => `INSERT IGNORE INTO p [{ id: ${id}, n: ${n} }]`),
  fc.tuple(record, condition).map(([from, where]) => `DELETE ${from} WHERE ${where} RETURN BEFORE`),
  fc.tuple(record, record, value).map(([from, to, n]) => `RELATE ${from}->e:1->${to} SET n = ${n}`),
  fc.tuple(value, value).map(([one, other]) => `LET $x = ${one}; RETURN [$x, ${other}]`),
);

async function open(plansAtOnce: boolean): Promise<[OpenDatabase, Session]> {
  const database = await openDatabase(await openEngine('memory'), { tuning: { plansAtOnce } });
  const session = database.ownerSession();
  await session.use('test', 'test');
  await session.query(
    'DEFINE TABLE p; DEFINE INDEX n ON p FIELDS n; CREATE p:1 SET n = 1; CREATE p:a SET n = 2, s = 3',
  );
  return [database, session];
}

const answered = async (work: () => StatementResult[] | Promise<StatementResult[]>): Promise<string[]> => {
  try {
    const results = await work();
    return results.map(({ outcome }) =>
      outcome.ok ? toText(outcome.value) : `${outcome.error.code} ${outcome.error.message}`,
    );
  } catch (error) {
    return [(error as Error).message];
  }
};

test('a plan made with other literals answers the same', { timeout: atLeast(60_000) }, async () => {
  const [planned, one] = await open(true);
  const [parsed, other] = await open(false);
  await fc.assert(
    fc.asyncProperty(statement, async (text) => {
      planWithOtherLiterals(planned.statements, text);
      const answer = await answered(() => one.query(text));
      expect(answer).toEqual(await answered(() => other.execute(parseQuery(text).statements)));
    }),
    { numRuns: 1_500 },
  );
  await planned.close();
  await parsed.close();
});
