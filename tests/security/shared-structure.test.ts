/** Values that share their parts are small to make and have 2^40 parts for a function that follows them down (`value/walk.ts`). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { open, type Tessera } from '../../src/embedded/index.js';
import { encodeCbor } from '../../src/value/codecs/cbor-encode.js';
import { stringifyJson } from '../../src/value/codecs/json.js';
import { encodeKey, encodeOrder } from '../../src/value/codecs/key-codec.js';
import { encodeRecord } from '../../src/value/codecs/record-encode.js';
import { toDisplay, toText } from '../../src/value/text/text.js';
import type { Value } from '../../src/value/value.js';

const doubled = (name: string, first: string, next: string) =>
  `LET $${name} = ${first}; ${`LET $${name} = ${next.replaceAll('_', `$${name}`)}; `.repeat(40)}`;
const type = (item: string) => `${'array<'.repeat(41)}${item}${'>'.repeat(41)}`;

const BOMBS = [
  doubled('a', '[1]', '[_, _]'),
  doubled('b', '[1]', '[_, _]'),
  doubled('o', '{ z: 1 }', '{ x: _, y: _ }'),
  doubled('p', '{ z: 1 }', '{ x: _, y: _ }'),
  doubled('n', '{ z: NONE }', '{ x: _, y: _ }'),
  "LET $r = type::record('t', $a); LET $q = type::record('t', $b); ",
].join('');

let db: Tessera;
beforeAll(async () => {
  db = await open('memory');
  await db.use('test', 'test');
});
afterAll(() => db.close());

async function lastOf(text: string) {
  const results = await db.run(text);
  return results.at(-1)?.outcome;
}

it.each([
  'RETURN <string>$a',
  'RETURN <string>$o',
  'RETURN <string>$r',
  'RETURN encoding::json::encode($o)',
  'RETURN encoding::cbor::encode($o)',
  'RETURN $a = $b',
  'RETURN $o < $p',
  'RETURN $r = $q',
  'RETURN $a IN [$b]',
  'RETURN $a CONTAINSALL $b',
  'RETURN array::sort([$a, $b])',
  'RETURN array::distinct([$r, $q])',
  'RETURN array::sort_natural([$a, $b])',
  'RETURN <set>[$a, $b]',
  'RETURN array::sort(array::concat(array::repeat($a, 10000), array::repeat($b, 10000)))',
  'RETURN value::diff($a, $b)',
  'RETURN value::diff($o, $p)',
  "RETURN value::patch($a, [{ op: 'test', path: '', value: $b }])",
  `RETURN <${type('int')}>$a`,
  `LET $z: ${type('int')} = $a`,
  'RETURN <geometry>{ type: "MultiPolygon", coordinates: array::repeat(array::repeat(array::repeat([1, 2], 900), 900), 900) }',
  'THROW $o',
  'CREATE t SET v = $a',
  'CREATE t CONTENT $o',
  'CREATE t CONTENT $n',
  'UPSERT t:1 MERGE $n',
  'INSERT INTO t $o',
  "CREATE type::record('t', $a)",
  'RELATE t:1->e->t:2 CONTENT $o',
  'DEFINE PARAM $bomb VALUE $a',
  'DEFINE FIELD v ON checked ASSERT $value = $value.x; CREATE checked SET v = $a',
  'SELECT * FROM [{ v: $a }, { v: $b }] ORDER BY v',
  'SELECT v FROM [{ v: $a }, { v: $b }] GROUP BY v',
  'SELECT <string>v FROM [{ v: $a }]',
  'DELETE $a',
  `RETURN $a${'.*'.repeat(30)}.x`,
  'RETURN $a.x',
  'RETURN [t:9, $a].*',
  'RETURN $a->e',
  'RETURN $a[0]->e->t',
  'RETURN $a.{1..40}.x',
  'RETURN array::repeat(string::repeat("a\\n", 500000), 18000) = 1 OR <string>array::repeat(string::repeat("a\\n", 500000), 18000)',
])('%s is refused, and the next query answered', async (attack) => {
  const outcome = await lastOf(BOMBS + attack);
  // Asked first, because a matcher follows down whatever it is given.
  expect(outcome?.ok).toBe(false);
  expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringContaining('larger than the limit') } });
  expect(await db.query('RETURN 1')).toEqual([1]);
});

it('shows the beginning of a bomb in an error, and no more is written of it', async () => {
  const outcome = await lastOf(`${BOMBS}RETURN 1 - $a`);
  const message = outcome?.ok === false ? outcome.error.message : '';
  expect(message).toMatch(/^Cannot perform subtraction with '1' and '\[\[/);
  expect(message.length).toBeLessThan(3000);
});

it('answers quickly what the same value stands on both sides of', async () => {
  expect(await lastOf(`${BOMBS}RETURN [$a = $a, [1, $o] = [1, $o], $r IN [$r]]`)).toMatchObject({
    value: [true, true, true],
  });
});

it('refuses collections of geometries that unfold', async () => {
  const grow = 'LET $g = <geometry>{ type: "GeometryCollection", geometries: [$g, $g] }; ';
  const results = await db.run(`LET $g = <geometry>(1, 2); ${grow.repeat(30)}`);
  expect(results.at(-1)?.outcome.ok).toBe(false);
});

it('ends texts that double', async () => {
  const results = await db.run(`LET $s = 'aaaaaaaaaaaaaaaa'; ${'LET $s = $s + $s; '.repeat(40)}`);
  expect(results.at(-1)?.outcome).toMatchObject({ ok: false });
});

/** As an embedding program may make one. */
function bomb(wrap: (inner: Value) => Value): Value {
  let value: Value = 'a text';
  for (let level = 0; level < 60; level++) value = wrap(value);
  return value;
}

it.each([toText, toDisplay, stringifyJson, encodeCbor, encodeRecord, encodeKey, encodeOrder])(
  '%o ends',
  (write: (value: Value) => unknown) => {
    const value = bomb((inner) => [inner, inner]);
    expect(() => write(value)).toThrow(expect.objectContaining({ code: 'value_too_large' }));
    expect(() => write(['\n'.repeat(2 ** 27)])).toThrow(expect.objectContaining({ code: 'value_too_large' }));
    // Large, but honestly so.
    expect(() => write(Array.from({ length: 400_000 }, (_, index) => index))).not.toThrow();
  },
);
