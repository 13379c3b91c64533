import { describe, expect, it } from 'vitest';
import { slotValue } from '../../src/language/parameterize.js';
import { StatementReader } from '../../src/language/parse.js';
import { type Shape, shapesOf, shapeText } from '../../src/language/shape.js';
import { toText } from '../../src/value/text/text.js';

const shapeOf = (text: string): Shape => {
  const [shape] = shapesOf(text) ?? [];
  if (shape === undefined) throw new Error('the text has no shape');
  return shape;
};

/** What is lifted from a statement: values, and names of params. */
const lifted = (text: string): string[] => {
  const shape = shapeOf(text);
  const slots = new StatementReader(text).lifted(shape)?.slots ?? [];
  return slots.map((slot) => {
    const blank = shape.blanks[slot.blank];
    return blank?.kind === 'param' ? `$${blank.text}` : toText(slotValue(slot, shape.blanks));
  });
};

describe('the shape of a statement', () => {
  it.each([
    ['numbers', 'RETURN 1 + 2.5 + 3dec', 'RETURN 7 + 8.25 + 9.5dec'],
    ['strings', `CREATE a SET b = 'x', c = "y"`, `CREATE a SET b = 'it is', c = "z;"`],
    ['keys of records', 'SELECT * FROM a:1, a:b, a:⟨c d⟩, a:1b', 'SELECT * FROM a:22, a:bb, a:⟨e f⟩, a:2c'],
    ['durations, times and uuids', "RETURN [1h30m, d'2020-01-01T00:00:00Z']", "RETURN [2d, d'2021-01-01T00:00:00Z']"],
    ['params that a client has made up', 'SELECT * FROM $bind__1', 'SELECT * FROM $bind__72'],
  ])('is the same whatever the %s', (_, one, other) => {
    expect(shapeText(shapeOf(one), one)).toBe(shapeText(shapeOf(other), other));
    expect(shapeOf(one).hash).toBe(shapeOf(other).hash);
  });

  it.each([
    ['kinds', 'RETURN 1', 'RETURN 1.5'],
    ['kinds of keys', 'RETURN a:1', 'RETURN a:b'],
    ['keys and calls', 'RETURN a:rand', 'RETURN a:rand()'],
    ['names', 'RETURN $a', 'RETURN $b'],
    ['orders of made-up params', 'RETURN [$bind__1, $bind__1]', 'RETURN [$bind__1, $bind__2]'],
    ['numbers too long for every int', 'RETURN 1', 'RETURN 1000000000000000'],
  ])('differs by %s', (_, one, other) => {
    expect(shapeText(shapeOf(one), one)).not.toBe(shapeText(shapeOf(other), other));
  });

  it('ends where a semicolon stands between statements', () => {
    const text = "RETURN ';'; /* ; */ CREATE a SET b = { c; 1 }; -- ;\n RETURN 2";
    expect(shapesOf(text)?.map(({ start, end }) => text.slice(start, end))).toEqual([
      "RETURN ';'",
      'CREATE a SET b = { c; 1 }',
      'RETURN 2',
    ]);
  });

  it('has no blanks where something is defined', () => {
    const text = 'DEFINE FIELD b ON a DEFAULT 1; CREATE a:1';
    expect(shapesOf(text)?.map(({ isData, blanks }) => [isData, blanks.length])).toEqual([
      [false, 0],
      [true, 1],
    ]);
  });

  it.each([
    'RETURN a / 2',
    'RETURN /a;b/',
    'RETURN function() { return 1; }',
    "RETURN 'a",
    'LET $bind__1 = 2',
    'RETURN 1 × 2',
  ])('is left to the parser: %s', (text) => {
    expect(shapesOf(text)).toBeUndefined();
  });
});

describe('the literals that are lifted', () => {
  it.each([
    ['SELECT * FROM a:1 WHERE b = 2 AND c IN [3, 4]', ['a:1', '2', '3', '4']],
    ['CREATE a:⟨x y⟩ SET n = -1, f = -0f, d = -2.5dec', ['a:`x y`', '-1', '-0f', '-2.5dec']],
    ["UPDATE a:b MERGE { c: 'd', e: { f: 1h } }", ['a:b', "'d'", '1h']],
    ["INSERT INTO a [{ id: 1, t: d'2020-01-01T00:00:00Z' }]", ['1', "d'2020-01-01T00:00:00Z'"]],
    ['INSERT INTO a (b, c) VALUES (1, 2)', ['1', '2']],
    ['RELATE a:1->b->c:2 SET d = 3', ['a:1', 'c:2', '3']],
    ["RETURN string::len('abc')", ["'abc'"]],
    ['LET $a = (SELECT * FROM b WHERE c = 1)', ['1']],
    ['UPDATE ONLY $bind__10 MERGE $bind__11', ['$bind__10', '$bind__11']],
    [
      'SELECT type::fields($bind__7) FROM $bind__8 WHERE a = $bind__9 LIMIT $bind__10 FETCH type::fields($bind__11)',
      ['$bind__7', '$bind__8', '$bind__9', '$bind__10', '$bind__11'],
    ],
    ['SELECT VALUE type::field($bind__7) FROM $bind__8', ['$bind__7', '$bind__8']],
    [
      'UPSERT $bind__7 MERGE $bind__8 WHERE (a = $bind__9 OR b != $bind__9) RETURN BEFORE',
      ['$bind__7', '$bind__8', '$bind__9'],
    ],
    ['INSERT INTO $bind__7 $bind__8', ['$bind__7', '$bind__8']],
    ['RELATE ONLY $bind__7->$bind__8->$bind__9 CONTENT $bind__10', ['$bind__7', '$bind__8', '$bind__9', '$bind__10']],
  ])('are values: %s', (text, values) => {
    // In the order of the tree, where targets come before data, or behind it.
    expect(lifted(text).sort()).toEqual([...values].sort());
  });

  it.each([
    ['name a column', "SELECT 1, 'a', $bind__7 + 1 FROM b"],
    ['bound what is read', 'SELECT * FROM a LIMIT 10 START 20'],
    ['may decide an access path', 'SELECT * FROM a WHERE b > 1 OR (b = 1 AND c > 2)'],
    ['are steps of a path', 'UPDATE a SET b[0] = c[1]'],
    ['name fields', "RETURN type::field('a')"],
    ['are in a closure', 'RETURN |$a| $a + 1 + $bind__7'],
    ['are in a block', 'RETURN { RETURN 1 }'],
    ['are shown in a plan', 'SELECT * FROM a:1 WHERE b = 1 EXPLAIN'],
    ['are in another plan', 'EXPLAIN SELECT * FROM a:1 WHERE b = $bind__7'],
    ['live on', 'LIVE SELECT * FROM a WHERE b = 1'],
    ['name what is returned', 'UPDATE a RETURN 1, $bind__7'],
    ['may be a geometry', "RETURN { type: 'Point', coordinates: [1.5, 2.5] }"],
    ['stand among other targets', 'SELECT * FROM a:1, a:2'],
    ['are part of a range', 'SELECT * FROM a:1..2'],
    ['are part of a time', 'SELECT * FROM a TIMEOUT 5s'],
  ])('are not those that %s', (_, text) => {
    expect(lifted(text)).toEqual([]);
  });
});
