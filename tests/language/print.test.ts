import { describe, expect, test } from 'vitest';
import { parseExpression, parseStatement } from '../../src/language/parse.js';
import { printConfig, printExpression, printStatement } from '../../src/language/print.js';
import definitions from './fixtures/definitions.json' with { type: 'json' };
import expressions from './fixtures/expressions.json' with { type: 'json' };

/** The fixtures hold what the reference engine printed for each text. */
const pairs = (rows: string[][]) => rows as [text: string, printed: string][];

describe('canonical text', () => {
  test.each(pairs(expressions))('%s', (text, printed) => {
    const tree = parseExpression(text);
    expect(printExpression(tree)).toBe(printed);
    const exact = printExpression(tree, { secrets: true });
    expect(parseExpression(exact)).toEqual(tree);
    expect(printExpression(parseExpression(exact), { secrets: true })).toBe(exact);
  });
});

describe('definitions as INFO shows them', () => {
  test.each(pairs(definitions))('%s', (text, printed) => {
    const tree = parseStatement(text);
    expect(tree.kind === 'define-config' ? printConfig(tree) : printStatement(tree)).toBe(printed);
    expect(parseStatement(printStatement(tree, { secrets: true }))).toEqual(tree);
  });
});

describe('where the reference engine prints what reads back as something else', () => {
  test.each([
    ['a + (b + c)', 'a + (b + c)'],
    ['a - (b - c)', 'a - (b - c)'],
    ['a OR (b OR c)', 'a OR (b OR c)'],
    ['(1 ?? 1)..2', '(1 ?? 1)..2'],
    ['1..(2 ?: 3)', '1..(2 ?: 3)'],
    ['1 ?? (..2)', '1 ?? ..2'],
    ['(1..2) ?? 3', '1..2 ?? 3'],
    ['<int> (1 ?? 2..3)', '<int> 1 ?? 2..3'],
    ['(<int> 1)..2', '(<int> 1)..2'],
    ['-(1)', '-(1)'],
    ['- -a', '-(-a)'],
    ['-(->a)', '-(->a)'],
    ['!(!a)', '!(!a)'],
    ['(a.b)(1)', '(a.b)(1)'],
    ['$f(1)(2)', '($f)(1)(2)'],
    ['{ (a:1) }', '{ (a:1) }'],
    ['{(a:1), a:2}', '{(a:1), a:2}'],
    ['(a:1)..5', '(a:1)..5'],
    ['IF a THEN { (b:1) } END', 'IF a { (b:1) }'],
    [
      'IF a THEN { b: 1 } ELSE IF c THEN {1, 2} ELSE { d } END',
      'IF a THEN { b: 1 } ELSE IF c THEN {1, 2} ELSE { d } END',
    ],
    ['(1.5, -2)', '(1.5f, -2f)'],
    ['r"person:1..3"', 'person:1..3'],
    ['rand::int(1, 2)', '`rand`::int(1, 2)'],
    ['@.{2}->a->b', '@.{2}->a->b'],
    ['-Infinity', '-Infinity'],
    ['a @AND@ b', 'a @@ b'],
  ])('%s', (text, printed) => {
    const tree = parseExpression(text);
    expect(printExpression(tree)).toBe(printed);
    expect(parseExpression(printed)).toEqual(tree);
  });
});

describe('statements that the reference engine hasn’t', () => {
  test.each([
    'INFO FOR SESSIONS',
    'INFO FOR SIGNIN ATTEMPTS',
    'INFO FOR AUDIT',
    'INFO FOR AUDIT VERIFY',
    "INFO FOR AUDIT WHERE action = 'sign-in' AND who.name = $name LIMIT 20",
    'INFO FOR NODES',
    'INFO FOR TABLES',
    'INFO FOR BUCKETS',
    'EXPLAIN PERMISSIONS FOR get ON f"b:/k"',
    'EXPLAIN PERMISSIONS FOR copy ON $file TO f"b:/k" AS user:ann ACCESS people',
    'EXPLAIN PERMISSIONS FOR delete ON f"b:/k" AS user:ann',
    'KILL SESSION $id',
    "KILL SESSION u'01a3185c-5000-7c91-b7fb-69e769742c8d'",
    'KILL SESSIONS',
    'KILL SESSIONS FOR USER ann',
    'KILL SESSIONS FOR USER `a b` ON NAMESPACE',
    'KILL SESSIONS FOR RECORD user:ann',
  ])('%s', (text) => {
    const tree = parseStatement(text);
    expect(printStatement(tree)).toBe(text);
    expect(parseStatement(text.toLowerCase())).toEqual(tree);
  });
});

describe('secrets', () => {
  const user = parseStatement("DEFINE USER u ON ROOT PASSWORD 'hunter2' ROLES OWNER");
  const hashed = parseStatement("DEFINE USER u ON ROOT PASSHASH '$argon2id$x'");
  const access = parseStatement("DEFINE ACCESS a ON NS TYPE JWT ALGORITHM HS256 KEY 'shh' WITH ISSUER KEY 'shh'");

  test('are never printed unless asked for', () => {
    expect(printStatement(user)).not.toContain('hunter2');
    expect(printStatement(hashed)).not.toContain('argon2');
    expect(printStatement(access)).not.toContain('shh');
  });

  test('are printed to be stored', () => {
    expect(printStatement(user, { secrets: true })).toBe("DEFINE USER u ON ROOT PASSWORD 'hunter2' ROLES OWNER");
    expect(printStatement(hashed, { secrets: true })).toContain("PASSHASH '$argon2id$x'");
    expect(printStatement(access, { secrets: true })).toContain("KEY 'shh' WITH ISSUER KEY 'shh'");
  });
});
