import { describe, expect, test } from 'vitest';
import { MemoryScope } from '../../../src/base/work/memory-scope.js';

const exceeded = (name: string) => (limit: number) => new Error(`${name}: ${limit}`);

describe('a budget of memory', () => {
  test('takes up to its limit, and again what was given back', () => {
    const budget = new MemoryScope(100, exceeded('session'));
    budget.charge(60);
    budget.charge(40);
    expect(() => budget.charge(1)).toThrow('session: 100');
    budget.release(40);
    budget.charge(1);
    expect(budget.used).toBe(61);
    expect(budget.refusals).toBe(1);
  });

  test('counts for the budgets around it', () => {
    const outer = new MemoryScope(100, exceeded('process'));
    const one = new MemoryScope(80, exceeded('one'), outer);
    const other = new MemoryScope(80, exceeded('other'), outer);
    one.charge(70);
    expect(() => other.charge(40)).toThrow('process: 100');
    // What an outer budget refuses is taken nowhere.
    expect([one.used, other.used, outer.used]).toEqual([70, 0, 70]);
    one.close();
    other.charge(40);
    expect([one.used, other.used, outer.used]).toEqual([0, 40, 40]);
  });
});

test('can be given another limit', () => {
  const budget = new MemoryScope(10, () => new Error('full'));
  budget.charge(10);
  budget.limit = 5;
  expect(() => budget.charge(1)).toThrow('full');
  budget.release(6);
  budget.charge(1);
  expect(budget.used).toBe(5);
});

test('holds for one thing what its size is by then', () => {
  const budget = new MemoryScope(10, () => new Error('full'));
  const reservation = budget.part();
  reservation.resize(8);
  expect(() => reservation.resize(11)).toThrow('full');
  expect(budget.used).toBe(8);
  reservation.resize(3);
  expect(budget.used).toBe(3);
  reservation.resize(0);
  expect(budget.used).toBe(0);
});
