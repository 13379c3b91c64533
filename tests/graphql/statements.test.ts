import { expect, it } from 'vitest';
import { InternedStatements } from '../../src/graphql/execution/interned-statements.js';
import type { Statement } from '../../src/language/ast.js';

const throwing = (text: string): Statement => ({ kind: 'throw', value: { kind: 'literal', value: text } });

it('equal statements are one', () => {
  const statements = new InternedStatements();
  const first = throwing('a');
  expect(statements.same(first)).toBe(first);
  expect(statements.same(throwing('a'))).toBe(first);
  expect(statements.same(throwing('b'))).not.toBe(first);
});

it('what is not asked for again is forgotten, and what is too long is not kept', () => {
  const statements = new InternedStatements();
  const first = statements.same(throwing('first'));
  const long = throwing('x'.repeat(100_000));
  statements.same(long);
  expect(statements.same(throwing('x'.repeat(100_000)))).not.toBe(long);
  for (let count = 0; count < 200; count++) statements.same(throwing(`${count} ${'x'.repeat(90_000)}`));
  expect(statements.same(throwing('first'))).not.toBe(first);
});
