import { expect, test } from 'vitest';
import type { Expression } from '../../src/language/ast.js';
import { parseExpression, parseStatement } from '../../src/language/parse.js';
import { printExpression, printStatement } from '../../src/language/print.js';
import { transform, transformExpression, walk } from '../../src/language/visitor.js';
import definitions from './fixtures/definitions.json' with { type: 'json' };
import expressions from './fixtures/expressions.json' with { type: 'json' };

const renameParams = (each: Expression): Expression | undefined =>
  each.kind === 'param' ? { kind: 'param', name: `${each.name}_` } : undefined;

test('finds every expression and statement', () => {
  const text =
    'SELECT a[$1x], ->(e WHERE $b), fn::x($c) AS y, z FROM $d, (SELECT * FROM t WHERE $e) WHERE $f GROUP BY z ORDER BY w LIMIT $g START $h FETCH $i';
  const params: string[] = [];
  const statements: string[] = [];
  walk(parseStatement(text.replace('$1x', '$a')), {
    expression: (node) => {
      if (node.kind === 'param') params.push(node.name);
    },
    statement: (node) => statements.push(node.kind),
  });
  expect(params.sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
  expect(statements).toEqual(['select', 'select']);
});

test('false leaves out what stands inside', () => {
  const seen: string[] = [];
  walk(parseExpression('fn::f($a, (SELECT * FROM $b)) + $c'), {
    expression: (node) => {
      seen.push(node.kind);
      return node.kind !== 'subquery';
    },
  });
  expect(seen).toEqual(['binary', 'call', 'param', 'subquery', 'param']);
});

test('rewrites, subqueries included or left alone', () => {
  const tree = parseExpression('fn::f($a) + (SELECT * FROM $b) + |$x| $x');
  expect(printExpression(transform(tree, renameParams))).toBe('fn::f($a_) + (SELECT * FROM $b_) + (|$x: any| $x_)');
  expect(printExpression(transformExpression(tree, renameParams))).toBe(
    'fn::f($a_) + (SELECT * FROM $b) + (|$x: any| $x)',
  );
});

test('keeps what has not changed', () => {
  for (const [text] of expressions as [string, string][]) {
    const tree = parseExpression(text);
    expect(transform(tree, () => undefined)).toBe(tree);
  }
  for (const [text] of definitions as [string, string][]) {
    const tree = parseStatement(text);
    expect(transform(tree, () => undefined)).toBe(tree);
  }
});

test('rewrites in definitions', () => {
  const tree = parseStatement('DEFINE FIELD a ON t VALUE $value PERMISSIONS FOR select WHERE $auth');
  expect(printStatement(transform(tree, renameParams))).toBe(
    'DEFINE FIELD a ON t VALUE $value_ PERMISSIONS FOR select WHERE $auth_, FOR create, update FULL',
  );
});
