/** Planning takes time in proportion to the condition, however many indexes a table has. */
import { expect, test } from 'vitest';
import type { TableEntry } from '../../src/catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../../src/catalog/definitions/definition.js';
import type { Expression, Idiom } from '../../src/language/ast.js';
import { parseQuery } from '../../src/language/parse.js';
import { chooseAccess, type ReaderRights, rulesWithout } from '../../src/plan/rewrite.js';

const OWNER: ReaderRights = { isChecked: false, mayHide: () => false };
const ALL = rulesWithout([]);

/** A table with an index on each field, and how often what the planner knows of an index was looked at. */
function tableOf(fields: readonly string[], indexKind: IndexDefinition['indexKind']) {
  let looks = 0;
  const answering = fields.map((name): IndexDefinition => {
    const path: Idiom = { kind: 'idiom', parts: [{ kind: 'field', name }] };
    return {
      kind: 'define-index',
      name,
      table: 't',
      id: 0,
      fields: [path],
      get indexKind() {
        looks++;
        return indexKind;
      },
    } as unknown as IndexDefinition;
  });
  return { entry: { definition: { name: 't' }, answering } as unknown as TableEntry, looks: () => looks };
}

function whereOf(condition: string): Expression {
  const [statement] = parseQuery(`SELECT * FROM t WHERE ${condition}`).statements;
  if (statement?.kind !== 'select' || statement.where === undefined) throw new Error('no condition');
  return statement.where;
}

const joined = (count: number, one: (at: number) => string, by: string) =>
  Array.from({ length: count }, (_, at) => one(at)).join(` ${by} `);

const fields = Array.from({ length: 100 }, (_, at) => `x${at}`);
const KINDS = {
  plain: { kind: { kind: 'plain' }, compare: (field: string) => `${field} = 1` },
  'full-text': { kind: { kind: 'fulltext', analyzer: 'a' }, compare: (field: string) => `${field} @@ 'tea'` },
} as const;

test.each(Object.entries(KINDS))('of 100 %s indexes each alternative looks at its own', (_, { kind, compare }) => {
  const table = tableOf(fields, kind as unknown as IndexDefinition['indexKind']);
  const others = joined(100, (at) => compare(`y${at}`), 'AND');
  const alternatives = joined(800, (at) => compare(`x${at % 100}`), 'OR');
  const access = chooseAccess(table.entry, { where: whereOf(`${others} AND (${alternatives})`) }, OWNER, true, ALL);
  expect(access.kind === 'union-scan' && access.branches.length).toBe(800);
  expect(table.looks()).toBeLessThan(10 * 800);
});

test('no more than 1,024 alternatives of a condition are planned, and 128 parts', () => {
  const { entry } = tableOf(['x', 'z'], { kind: 'plain' } as IndexDefinition['indexKind']);
  const accessFor = (condition: string) => chooseAccess(entry, { where: whereOf(condition) }, OWNER, true, ALL).kind;
  const choice = (field: string, count: number) => `(${joined(count, (at) => `${field} = ${at}`, 'OR')})`;
  expect(accessFor(choice('x', 900))).toBe('union-scan');
  expect(accessFor(`${choice('y', 124)} AND ${choice('x', 900)}`)).toBe('union-scan');
  expect(accessFor(`${choice('y', 125)} AND ${choice('x', 900)}`)).toBe('table-scan');
  expect(accessFor(`${joined(127, (at) => `y${at} = 1`, 'AND')} AND x = 1`)).toBe('index-scan');
  expect(accessFor(`${joined(128, (at) => `y${at} = 1`, 'AND')} AND x = 1`)).toBe('table-scan');
});
