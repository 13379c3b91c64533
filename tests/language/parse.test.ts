import { describe, expect, test } from 'vitest';
import type { Expression } from '../../src/language/ast.js';
import {
  parseExpression,
  parseIdiom,
  parseQuery,
  parseRecordId,
  parseStatement,
  parseType,
  parseValue,
} from '../../src/language/parse.js';
import { printExpression, printQuery } from '../../src/language/print.js';
import { Float, float, RecordId } from '../../src/value/value.js';

/** The operators of a tree, in Polish notation. */
function polish(node: Expression): string {
  if (node.kind === 'binary') return `(${String(node.operator)} ${polish(node.left)} ${polish(node.right)})`;
  if (node.kind === 'unary') return `(${node.operator} ${polish(node.operand)})`;
  if (node.kind === 'cast') return `(cast ${polish(node.operand)})`;
  if (node.kind === 'range')
    return `(.. ${node.start ? polish(node.start.value) : ''} ${node.end ? polish(node.end.value) : ''})`;
  return printExpression(node);
}

describe('precedence', () => {
  test.each([
    ['a OR b AND c', '(|| a (&& b c))'],
    ['a AND b = c', '(&& a (= b c))'],
    ['a = b < c', '(= a (< b c))'],
    ['a < b + c', '(< a (+ b c))'],
    ['a + b * c', '(+ a (* b c))'],
    ['a * b ** c', '(* a (** b c))'],
    ['2 ** 3 ** 2', '(** (** 2 3) 2)'],
    ['-2 ** 2', '(** -2 2)'],
    ['-a ** 2', '(** (- a) 2)'],
    ['<int> a ** b', '(** (cast a) b)'],
    ['<int> -a', '(cast (- a))'],
    ['<array> 1..2', '(cast (.. 1 2))'],
    ['1..2+3', '(+ (.. 1 2) 3)'],
    ['1..a ?? 2', '(?? (.. 1 a) 2)'],
    ['1 ?? 2..3 ?? 4', '(?? (?? 1 (.. 2 3)) 4)'],
    ['-a ?? b', '(?? (- a) b)'],
    ['!a = b', '(= (! a) b)'],
    ['a - b - c', '(- (- a b) c)'],
    ['a IS NOT b', '(!= a b)'],
    ['a NOT IN b', '(NOT IN a b)'],
    ['a ∈ b', '(IN a b)'],
    ['6 ÷ 2 × 3', '(* (/ 6 2) 3)'],
    ['a<-1', '(< a -1)'],
  ])('%s', (text, tree) => {
    expect(polish(parseExpression(text))).toBe(tree);
  });
});

describe('values', () => {
  test.each([
    ['1', 1],
    ['-9223372036854775808', -9223372036854775808n],
    ['1_000', 1000],
    ['1f', new Float(1)],
    ['1.5', float(1.5)],
    ['1e3', new Float(1000)],
    ["'a\\n\\u{1f600}\\u0041'", 'a\n😀A'],
    ['"\\ud83d\\ude00"', '😀'],
    ['[1, [2], NONE]', [1, [2], undefined]],
    ["r'person:1'", new RecordId('person', 1)],
    ['person:01', new RecordId('person', 1)],
    ['person:1a', new RecordId('person', '1a')],
    ['person:⟨1⟩', new RecordId('person', '1')],
    ['person:99999999999999999999', new RecordId('person', '99999999999999999999')],
    ['NaN', Number.NaN],
    ['-Infinity', Number.NEGATIVE_INFINITY],
  ])('%s', (text, value) => {
    expect(parseValue(text)).toEqual(value);
  });

  test('record ids', () => {
    expect(parseRecordId('person:tobie')).toEqual(new RecordId('person', 'tobie'));
    expect(parseRecordId('person:1')).toEqual(new RecordId('person', 1));
    expect(parseRecordId('`a b`:[1, "x"]')).toEqual(new RecordId('a b', [1, 'x']));
    expect(parseRecordId('person:')).toBeUndefined();
  });
});

describe('words', () => {
  test('are keywords in any case, fields as written', () => {
    expect(printQuery(parseQuery('select Name from Person where AGE > 1'))).toBe(
      'SELECT Name FROM Person WHERE AGE > 1;',
    );
  });

  test('may be fields nearly everywhere', () => {
    const text = 'SELECT order, `value`, type.select, in FROM group WHERE limit = 1 ORDER BY start';
    expect(printQuery(parseQuery(text))).toBe(`${text};`);
  });

  test('may be tables of record ids', () => {
    expect(parseExpression('select:1')).toEqual(parseExpression("r'select:1'"));
    expect(parseStatement('DELETE from:1')).toMatchObject({ targets: [{ kind: 'record-id', table: 'from' }] });
  });

  test('are tables where targets stand, paths elsewhere', () => {
    expect(parseStatement('SELECT a FROM a')).toMatchObject({
      projections: { items: [{ expression: { kind: 'idiom' } }] },
      from: [{ kind: 'table', name: 'a' }],
    });
    expect(parseStatement('CREATE a')).toMatchObject({ targets: [{ kind: 'table', name: 'a' }] });
    expect(parseStatement('DELETE a:1->e')).toMatchObject({
      targets: [{ kind: 'idiom', start: { kind: 'record-id' } }],
    });
  });
});

describe('braces', () => {
  test.each([
    ['{}', 'object'],
    ['{ a: 1 }', 'object'],
    ['{ "a b": 1 }', 'object'],
    ['{ 1: 1 }', 'object'],
    ['{,}', 'set'],
    ['{ 9, }', 'set'],
    ['{ a, b }', 'set'],
    ['{ 9 }', 'block'],
    ['{ a }', 'block'],
    [`{ count() }`, 'block'],
    ['{;}', 'block'],
    ['{ LET $a = 1; $a }', 'block'],
    ['{ IF a { 1 } RETURN 2 }', 'block'],
  ])('%s is a %s', (text, kind) => {
    expect(parseExpression(text).kind).toBe(kind);
  });
});

describe('spellings that give the same tree', () => {
  test.each([
    ['RELATE a:1->e->b:1', 'RELATE b:1<-e<-a:1'],
    ['INFO FOR DB', 'INFO FOR DATABASE'],
    ['INFO FOR KV', 'INFO FOR ROOT'],
    ['DEFINE NS a', 'DEFINE NAMESPACE a'],
    ['DEFINE FIELD a ON t FLEXIBLE TYPE object', 'DEFINE FIELD a ON TABLE t TYPE object FLEXIBLE'],
    ['DEFINE TABLE t SCHEMAFULL', 'DEFINE TABLE t TYPE NORMAL SCHEMAFULL'],
    ['SELECT a?.b FROM t', 'SELECT a.?.b FROM t'],
    ['SELECT * FROM t LIMIT 1 START 2', 'SELECT * FROM t START AT 2 LIMIT BY 1'],
    ['SELECT * FROM t SPLIT a', 'SELECT * FROM t SPLIT ON a'],
    ['SELECT * FROM t TIMEOUT 1s VERSION $v', 'SELECT * FROM t VERSION $v TIMEOUT 1s'],
    ['IF a { 1 } ELSE IF b { 2 } ELSE { 3 }', 'IF a THEN { 1 } ELSE IF b THEN { 2 } ELSE { 3 } END'],
    ['LET $x = CREATE a', 'LET $x = (CREATE a)'],
    ['RETURN SELECT * FROM a', 'RETURN (SELECT * FROM a)'],
    ['a[WHERE b]', 'a[? b]'],
    ['a[*]', 'a.*'],
    ['BEGIN', 'BEGIN TRANSACTION;'],
    ['-- comment\nRETURN /* here */ 1 # there', 'RETURN 1 // too'],
    ['DEFINE INDEX i ON t COLUMNS a SEARCH ANALYZER z', 'DEFINE INDEX i ON t FIELDS a FULLTEXT ANALYZER z'],
    [
      'DEFINE ACCESS a ON DB TYPE BEARER FOR USER DURATION FOR GRANT 60s FOR TOKEN 60s',
      'DEFINE ACCESS a ON DATABASE TYPE BEARER FOR USER DURATION FOR GRANT 1m, FOR TOKEN 1m',
    ],
  ])('%s', (one, other) => {
    expect(parseStatement(one)).toEqual(parseStatement(other));
  });
});

describe('statements', () => {
  test('are separated by semicolons, empty ones left out', () => {
    expect(parseQuery(';; RETURN 1;; RETURN 2;').statements).toHaveLength(2);
    expect(parseQuery('').statements).toHaveLength(0);
  });

  // What the official client sends, with its spaces.
  test.each([
    'SELECT  *  FROM ONLY  $bind__1  WHERE  a = $b  START  $c  LIMIT  $d  FETCH  type::fields($e)  TIMEOUT 1s',
    'SELECT VALUE type::field($a) FROM $b',
    'CREATE ONLY $a CONTENT $b RETURN DIFF VERSION $c',
    'INSERT RELATION IGNORE INTO $a $b RETURN NONE',
    'INSERT $a',
    'RELATE  ONLY $a->$b->$c CONTENT $d',
    'LIVE SELECT DIFF FROM $a WHERE b FETCH c',
    'LIVE SELECT * FROM a FETCH since SINCE $since',
    "KILL u'8424486b-85b3-4448-ac8d-5d51083391c7'",
    'DELETE ONLY $a RETURN BEFORE',
    'fn::x($a, $b, )',
    'REMOVE NS IF EXISTS test; REMOVE DB IF EXISTS test; DEFINE NS test; DEFINE DB test;',
    'OPTION IMPORT;',
    'ACCESS a ON DB GRANT FOR RECORD user:1',
    'ACCESS a GRANT FOR USER u',
    'ACCESS a SHOW GRANT 1XLL8F4wtI43',
    'ACCESS a REVOKE WHERE subject.record = user:1',
    'ACCESS a PURGE EXPIRED, REVOKED FOR 1h',
    'SHOW CHANGES FOR TABLE t SINCE 1 LIMIT 10',
    'USE NS a DB b',
    'REBUILD INDEX IF EXISTS i ON TABLE t CONCURRENTLY',
    'INSERT INTO t (a, b.c) VALUES (1, 2), (3, 4) ON DUPLICATE KEY UPDATE a = $input.a, b += 1',
    'SELECT ->(knows, likes WHERE since > 1 AS k)->person.name, <~(post FIELD author) FROM person:1',
  ])('%s', (text) => {
    const query = parseQuery(text);
    expect(parseQuery(printQuery(query, { secrets: true }))).toEqual(query);
  });

  test('keep passwords as text', () => {
    expect(parseStatement("DEFINE USER u ON ROOT PASSWORD 'p' ROLES OWNER DURATION FOR SESSION NONE")).toEqual({
      kind: 'define-user',
      name: 'u',
      level: 'root',
      password: 'p',
      roles: ['owner'],
      durations: { session: undefined },
    });
  });

  test.each(['BEGIN', 'CANCEL', 'COMMIT', 'KILL', 'LIVE', 'OPTION', 'SHOW', 'USE'])(
    '%s alone in a block is neither a statement nor a field',
    (word) => {
      const message = `Unexpected token \`${word}\`, expected a statement`;
      const lower = word.toLowerCase();
      for (const text of [`{ ${lower} }`, `{ 1; ${lower}; }`, `IF a THEN { ${lower} } END`, `|$a| { ${lower} }`]) {
        expect(() => parseExpression(text)).toThrow(message);
      }
      for (const text of [`DEFINE EVENT e ON t THEN { ${lower} }`, `FOR $a IN [1] { ${lower}; }`, `{ ${lower} }`]) {
        expect(() => parseStatement(text)).toThrow(message);
      }
      const field = parseExpression(`{ \`${lower}\` }`);
      expect(field).toMatchObject({ statements: [{ kind: 'expression' }] });
      expect(parseExpression(printExpression(field))).toEqual(field);
    },
  );

  test.each(['KILL foo', 'foo bar', 'CREATE x SET y = 1 CREATE z', 'LET $a = 1 RETURN 2', '1 2'])(
    '%s needs a semicolon in every kind of block',
    (text) => {
      const missing = 'expected delimiter `}`';
      expect(() => parseExpression(`{ ${text} }`)).toThrow(missing);
      expect(() => parseExpression(`IF a { ${text} }`)).toThrow(missing);
      expect(() => parseExpression(`IF a THEN { ${text} } END`)).toThrow(missing);
      expect(() => parseExpression(`|$a| { ${text} }`)).toThrow(missing);
      expect(() => parseStatement(`FOR $a IN [1] { ${text} }`)).toThrow(missing);
      expect(() => parseStatement(`DEFINE FUNCTION fn::a() { ${text} }`)).toThrow(missing);
      expect(() => parseStatement(`DEFINE EVENT e ON t THEN { ${text} }`)).toThrow(missing);
    },
  );

  test.each<[string, RegExp]>([
    ['KILL SESSIONS', /Unexpected token `}`, expected FOR/],
    ['KILL SESSIONS FOR USER ann', /Unexpected token `(USER|an identifier)`, expected RECORD/],
    ['KILL SESSION $id', /expected delimiter `}`/],
    ['KILL OTHER', /Unexpected token `}`, expected SESSIONS/],
    ['KILL $live', /expected delimiter `}`/],
  ])('%s does not stand in blocks', (text, message) => {
    expect(() => parseExpression(`{ ${text} }`)).toThrow(message);
    expect(() => parseStatement(`DEFINE FUNCTION fn::a() { ${text} }`)).toThrow(message);
  });

  test.each(['KILL OTHER SESSIONS', 'KILL SESSIONS FOR RECORD $who'])('%s stands in blocks, and alone', (text) => {
    const statement = { kind: 'kill-sessions' };
    expect(parseStatement(text)).toMatchObject(statement);
    expect(parseExpression(`{ 1; /* now */ ${text.replace(' ', ' -- those\n')}; }`)).toMatchObject({
      statements: [{ kind: 'expression' }, statement],
    });
    expect(parseStatement(`DEFINE EVENT e ON t THEN (${text})`)).toMatchObject({ kind: 'define-event' });
  });
});

test('types', () => {
  expect(parseType('option<int | string>')).toEqual({
    kind: 'union',
    of: [{ kind: 'none' }, { kind: 'int' }, { kind: 'string' }],
  });
  expect(parseType('array<record<a | b>, 3>')).toEqual({
    kind: 'array',
    item: { kind: 'record', tables: ['a', 'b'] },
    length: 3,
  });
  expect(parseType('point')).toEqual({ kind: 'geometry', shapes: ['point'] });
  expect(parseType("'a' | -1 | 1h | { a: int } | [int]")).toMatchObject({ kind: 'union', of: { length: 5 } });
  expect(parseType('array<any>')).toEqual({ kind: 'array' });
});

test('paths', () => {
  expect(parseIdiom('a.b[0].c.*')).toEqual({
    kind: 'idiom',
    parts: [
      { kind: 'field', name: 'a' },
      { kind: 'field', name: 'b' },
      { kind: 'index', index: { kind: 'literal', value: 0 } },
      { kind: 'field', name: 'c' },
      { kind: 'all' },
    ],
  });
  expect(parseExpression('@.{1..3+collect}(->a->b).c')).toMatchObject({
    start: { kind: 'param', name: 'this', current: true },
    parts: [
      { kind: 'recursion', min: 1, max: 3, instruction: { kind: 'collect' }, path: { length: 2 } },
      { name: 'c' },
    ],
  });
});
