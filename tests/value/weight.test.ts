import { expect, it } from 'vitest';
import { Closure, objectFrom, RecordId, type Value } from '../../src/value/value.js';
import {
  Weighing,
  weightOf,
  weightOfJoined,
  weightOfResult,
  weightOfRows,
  weightWithin,
} from '../../src/value/weight.js';

it('grows with what a value holds', () => {
  expect(weightOf('x'.repeat(1_000))).toBeGreaterThan(1_000);
  expect(weightOf(objectFrom({ a: ['x'.repeat(1_000)] }))).toBeGreaterThan(1_000);
  expect(weightOf(objectFrom({ ['x'.repeat(1_000)]: 1 }))).toBeGreaterThan(1_000);
  expect(weightOf(new RecordId('a', 'x'.repeat(1_000)))).toBeGreaterThan(1_000);
  expect(weightOf(new Uint8Array(1_000), undefined, null)).toBeGreaterThan(1_000);
  expect(weightOf(new Closure('|| 1', undefined))).toBeGreaterThan(1_000);
  expect(weightOf(1, true)).toBeLessThan(1_000);
});

it('counts what is shared once, and follows what is deep', () => {
  let bomb: Value = ['x'.repeat(1_000)];
  for (let level = 0; level < 50; level++) bomb = [bomb, bomb];
  expect(weightOf(bomb)).toBeLessThan(10_000);
  let deep: Value = 'x';
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(weightOf(deep)).toBeGreaterThan(100_000);
});

it('looks no further than a limit', () => {
  expect(weightWithin('x'.repeat(1_000), 100)).toBe(100);
  expect(weightWithin('x', 100)).toBeLessThan(100);
  expect(weightWithin(Array<Value>(1_000_000).fill('x'.repeat(100)), 1_000)).toBe(1_000);
});

it('judges lists by a few of their members', () => {
  const texts = Array.from({ length: 1_000 }, () => 'x'.repeat(100));
  expect(weightOfRows(texts)).toBeGreaterThan(200_000);
  expect(weightOfRows(texts)).toBeLessThan(300_000);
  expect(weightOfRows([])).toBe(0);
  expect(weightOfResult(texts)).toBeGreaterThan(200_000);
  // What is large by itself was counted where it was made.
  expect(weightOfResult(Array<Value>(1_000).fill('x'.repeat(1_000_000)))).toBeLessThan(1_000_000);
  expect(weightOfJoined(texts)).toBe(8_000);
});

it('is counted in steps of a fixed number of parts', () => {
  const many: Value = Array.from(
    { length: 100_000 },
    (_, at): Value => (at % 2 === 0 ? objectFrom({ a: at }) : 'text'),
  );
  for (const isTree of [false, true]) {
    const weighing = new Weighing([many], { isTree });
    let steps = 1;
    while (!weighing.step()) steps++;
    expect(weighing.result).toBe(weightOf(many));
    expect(steps).toBeGreaterThan(100_000 / 4096);
  }
});
