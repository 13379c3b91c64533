/**
 * One call on as much as a user can make (70): it pauses on the way, or is refused. `tests/functions/steps.test.ts`
 * goes through all functions.
 */
import { afterAll, beforeAll, expect } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { answer, World } from '../support/world.js';
import { YieldingEnvironment } from '../support/yielding-environment.js';
import { attack } from './attack.js';

const environment = new YieldingEnvironment();

let world: World;
let eve: Session;
beforeAll(async () => {
  world = await World.open({ environment });
  eve = await world.person('eve');
});
afterAll(() => world.close());

const TEXT = `LET $s = string::repeat('a', 1000000); LET $t = $s + $s + $s + $s + $s + $s + $s + $s; `;
const LIST = 'LET $l = <array> 0..250000; ';

/** What yields at least so often. */
const IN_STEPS: readonly (readonly [statements: string, least: number])[] = [
  [`${TEXT}RETURN crypto::sha512($t) != crypto::blake3($t)`, 1500],
  [`${TEXT}RETURN string::len(string::reverse($t))`, 1500],
  ['LET $l = <array> 0..130000; RETURN array::len(array::sort::desc($l))', 500],
  ['LET $l = <array> 0..130000; RETURN array::len(array::distinct($l))', 100],
  ['LET $l = <array> 0..32000; RETURN math::median($l) + math::percentile($l, 9)', 100],
  [`${LIST}RETURN [math::mean($l), math::stddev($l), math::sum($l), count($l)].len()`, 100],
  [`${LIST}RETURN count((SELECT * FROM $l LIMIT 20000))`, 250],
];

attack(70, 'what takes any amount gives way to others', async () => {
  for (const [statements, least] of IN_STEPS) {
    const before = environment.yields;
    expect([statements, await answer(eve, statements)]).toEqual([statements, expect.not.stringMatching(/^\w+: /)]);
    expect([statements, environment.yields - before >= least]).toEqual([statements, true]);
  }
});

attack(70, 'what can’t be taken in steps is refused', async () => {
  const calls = [
    `${TEXT}RETURN string::slug($t)`,
    `${TEXT}RETURN string::similarity::jaro($t, $t)`,
    `${TEXT}RETURN string::uppercase($t)`,
    `${TEXT}RETURN string::html::sanitize($t)`,
    `${TEXT}RETURN encoding::json::decode($t)`,
    `${TEXT}RETURN parse::email::host($t)`,
    `${TEXT}RETURN $t CONTAINS 'b'`,
    `${TEXT}RETURN <int> $t`,
    `${LIST}RETURN vector::dot($l, $l)`,
    `${LIST}RETURN value::diff($l, [])`,
    `${LIST}RETURN $l CONTAINSALL $l`,
    `${LIST}RETURN <string> $l`,
  ];
  for (const call of calls)
    expect([call, await answer(eve, call)]).toEqual([call, expect.stringMatching(/^input_too_large/)]);
});

attack(70, 'a text that is almost found everywhere in another', async () => {
  const half = `LET $h = string::repeat('a', 60000); LET $s = string::repeat('a', 300000); `;
  expect(await answer(eve, `${half}RETURN [$s CONTAINS $h + 'b' + $h, $h + 'b' + $h IN $s]`)).toBe('[false, false]');
  expect(await answer(eve, `${half}RETURN string::len(string::replace($s, $h + 'b' + $h, ''))`)).toBe('300000');
});

attack(70, 'a long list that each row of many is looked up in', async () => {
  const before = environment.yields;
  const text = 'LET $l = <array> 0..8000; RETURN array::len((<array> 0..2000)[WHERE $this IN $l])';
  expect(await answer(eve, text)).toBe('2000');
  // A list is sorted once; going through it for each row would pause for each.
  expect(environment.yields - before).toBeLessThan(500);
});

attack(70, 'a record that grows without end', async () => {
  const limit = expect.stringMatching(/^value_too_large: .* limit of 262144/);
  expect(await answer(eve, 'UPDATE $auth SET a = <array> 0..262144 RETURN NONE')).toEqual(limit);
  expect(await answer(eve, 'UPDATE $auth SET a = <array> 0..200000 RETURN NONE')).toBe('[]');
  // What is there counts, whether or not it is changed, and however deep.
  expect(await answer(eve, 'UPDATE $auth SET o.b = <array> 0..60000 RETURN NONE')).toBe('[]');
  expect(await answer(eve, 'UPDATE $auth SET c = <array> 0..3000 RETURN NONE')).toEqual(limit);
  expect(await answer(eve, 'UPDATE $auth SET a += <array> 0..3000 RETURN NONE')).toEqual(limit);
  expect(await answer(eve, 'RETURN [$auth.a.len(), $auth.o.b.len(), $auth.c]')).toBe('[200000, 60000, NONE]');
  expect(await answer(eve, 'UPDATE $auth UNSET a, o RETURN NONE')).toBe('[]');
});
