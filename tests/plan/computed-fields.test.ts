import { expect, test } from 'vitest';
import type { FieldDefinition } from '../../src/catalog/definitions/definition.js';
import type { Select } from '../../src/language/ast.js';
import { parseStatement } from '../../src/language/parse.js';
import { computedCycle, computedGraph, computedOrder, neededFields } from '../../src/plan/computed-fields.js';
import { fieldsReturned, fieldsSelected, readOfField } from '../../src/plan/fields-read.js';

function fields(clauses: Readonly<Record<string, string>>): FieldDefinition[] {
  return Object.entries(clauses).map(
    ([name, clause]) => parseStatement(`DEFINE FIELD ${name} ON t COMPUTED ${clause}`) as FieldDefinition,
  );
}

function selected(text: string): string[] | 'all' {
  const { names, all, functions } = fieldsSelected(parseStatement(text) as Select);
  return all ? 'all' : [...names, ...[...functions].map((name) => `fn::${name}`)].sort();
}

test.each([
  ['SELECT a, b.c FROM t WHERE d = $p ORDER BY a', ['a', 'b', 'd']],
  ['SELECT VALUE 1 FROM t', []],
  ['SELECT count() FROM t GROUP ALL', []],
  ['SELECT $this.a, $self["b"], @.c FROM t', ['a', 'b', 'c']],
  ['SELECT ->k->u AS z FROM t', ['id', 'in', 'out']],
  ['SELECT (SELECT x FROM u WHERE y = $parent.a) AS z FROM t', ['a', 'x', 'y']],
  ['SELECT [1].map(|$x| $x + a) AS z FROM t', ['a']],
  ['SELECT type::field("a.b"), type::fields(["c", "d"]) FROM t', ['a', 'c', 'd']],
  ['SELECT a FROM t START b LIMIT c FETCH d', ['a']],
  ['SELECT a FROM t SPLIT a', ['a']],
  ['SELECT a, *, b FROM t', 'all'],
  ['SELECT a FROM t WHERE $this', 'all'],
  ['SELECT (SELECT VALUE $parent FROM u) AS z FROM t', 'all'],
  ['SELECT $this[$name] AS z FROM t', 'all'],
  ['SELECT $this.* AS z FROM t', 'all'],
  ['SELECT fn::f(a) FROM t', ['a', 'fn::f']],
  ['SELECT type::field($name) FROM t', 'all'],
  ['SELECT type::field("`a b`") FROM t', 'all'],
  ['SELECT function() { return this.a } AS z FROM t', 'all'],
])('%s reads %j', (text, read) => {
  expect(selected(text)).toEqual(read);
});

test.each([
  ['NONE', [], []],
  ['NULL', [], []],
  ['BEFORE', 'all', []],
  ['AFTER', [], 'all'],
  ['DIFF', 'all', 'all'],
  ['a', [], ['a']],
  ['VALUE $before.a', 'all', []],
  ['a, $after.b AS b', [], 'all'],
  ['fn::f()', 'all', 'all'],
])('RETURN %s shows %j before and %j after', (output, before, after) => {
  const statement = parseStatement(`UPDATE t SET a = 1 RETURN ${output}`);
  if (statement.kind !== 'update' || statement.output === undefined) throw new TypeError('an UPDATE with RETURN');
  const reads = fieldsReturned(statement.output);
  const told = ({ names, all }: typeof reads.before) => (all ? 'all' : [...names]);
  expect([told(reads.before), told(reads.after)]).toEqual([before, after]);
});

test('what is named is computed first, and what may read anything last', () => {
  const graph = computedGraph(
    fields({ a: 'b + 1', b: 'c', c: '1', d: '(SELECT 1 FROM u)', e: 'd', f: '$this', g: '2' }),
  );
  expect(computedOrder(graph)).toEqual(['c', 'b', 'a', 'g', 'd', 'e', 'f']);
});

test('what is needed is closed over what is named', () => {
  const graph = computedGraph(fields({ a: 'b + 1', b: 'c', c: '1', d: '$auth', e: 'd' }));
  const needed = (name: string) => [...neededFields(graph, readOfField(name))].sort();
  expect([needed('a'), needed('c'), needed('e'), needed('none')]).toEqual([
    ['a', 'b', 'c'],
    ['c'],
    ['a', 'b', 'c', 'd', 'e'],
    [],
  ]);
});

test('a chain may have more fields than calls can be nested', () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `f${at}`);
  const [one] = fields({ f: 'g' });
  if (one === undefined) throw new TypeError('a field');
  const chain = names.map((name, at): FieldDefinition => {
    const next = { kind: 'field', name: names[(at + 1) % names.length] ?? '' } as const;
    return {
      ...one,
      path: { kind: 'idiom', parts: [{ kind: 'field', name }] },
      computed: { kind: 'idiom', parts: [next] },
    };
  });
  expect(computedCycle(computedGraph(chain))).toHaveLength(names.length + 1);
  const open = computedGraph(chain.slice(0, -1));
  expect(computedCycle(open)).toBeUndefined();
  expect(computedOrder(open).at(-1)).toBe('f0');
});
