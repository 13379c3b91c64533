// What a statement costs before it does anything, and when its text comes only once.
import { PEOPLE } from '../data/people.mjs';

const IN_PROCESS = [
  'tessera:memory',
  'tessera:lmdb',
  'client:memory',
  'surrealdb:memory',
  'client:lmdb',
  'surrealdb:disk',
];
const CHANGED = 1_000;
const MOST_WRITES = 2_000;

/** A text that differs each time, since its values are written in it. */
const literal =
  (text) =>
  ({ query }, { rows }) =>
  (n) =>
    query(text(n, rows));

/** A text too long to be kept parsed, of statements that never run. */
const SCRIPT_STATEMENTS = 1_000;
const BLOCKS = 5;
const script = `${Array.from(
  { length: BLOCKS },
  () => `IF false {
${Array.from(
  { length: SCRIPT_STATEMENTS / BLOCKS / 4 },
  (
    _,
    n,
  ) => `  LET $adults = SELECT name, age FROM person WHERE age >= ${n} AND city IN ['Turin', 'Oslo'] ORDER BY name LIMIT 10;
  CREATE person:${n} SET name = 'Ada', tags = ['a', 'b'], made = time::now(), address = { city: 'Turin', code: ${n} };
  UPDATE person SET score += math::max([1, 2, $score]) WHERE id = person:${n} RETURN AFTER;
  RELATE person:${n}->knows->person:${n + 1} SET since = d'2024-01-01T00:00:00Z';`,
).join('\n')}
}`,
).join(';\n')};
RETURN 1`;

/** @type {import('../harness/contract.mjs').Workload[]} */
export const STATEMENTS = [
  {
    name: 'RETURN 1',
    surrealql: 'RETURN 1',
    sql: 'SELECT 1 AS one',
    answer: (given) => given[0]?.one ?? given,
  },
  {
    name: 'parse a script of 1,000 statements',
    per: SCRIPT_STATEMENTS,
    surrealql: script,
  },
  {
    name: 'read by id, values in the text',
    data: PEOPLE,
    only: IN_PROCESS,
    surrealql: literal((n, rows) => `SELECT * FROM person:${n % rows}`),
  },
  {
    name: 'create, values in the text',
    data: PEOPLE,
    only: IN_PROCESS,
    most: MOST_WRITES,
    surrealql: literal((n) => `CREATE made:${n} SET name = 'Ada ${n}', score = ${n}`),
    after: ({ clear }) => clear('made'),
  },
  {
    name: 'update, values in the text',
    data: PEOPLE,
    only: IN_PROCESS,
    most: MOST_WRITES,
    surrealql: literal((n) => `UPDATE changed:${n % CHANGED} SET score = ${n}`),
  },
];
