import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryScope } from '../../src/base/work/memory-scope.js';
import { RequestMemory } from '../../src/runtime/request-memory.js';
import { objectFrom, type Value } from '../../src/value/value.js';

const MIB = 2 ** 20;
let budget: MemoryScope;
let memory: RequestMemory;
const open = (ownsRows = false) => {
  budget = new MemoryScope(8 * MIB, () => new Error('too much'));
  memory = new RequestMemory({ limit: 8 * MIB, budget, ownsRows });
};
beforeEach(() => open());

const rows = (count: number): Value[] => Array.from({ length: count }, () => objectFrom({ text: 'x'.repeat(500) }));

it('reserves in steps, and gives everything back at its end', () => {
  memory.charge(1);
  expect(budget.used).toBe(64 * 1024);
  memory.charge(64 * 1024);
  expect(budget.used).toBe(128 * 1024);
  expect(() => memory.charge(8 * MIB)).toThrow('--max-request-memory');
  const other = new RequestMemory({ limit: 9 * MIB, budget, ownsRows: false });
  expect(() => other.charge(8 * MIB)).toThrow('too much');
  expect(other.used).toBe(0);
  expect(memory.used).toBe(64 * 1024 + 1);
  memory.close();
  expect(budget.used).toBe(0);
});

it('gives back what is released by much', () => {
  memory.charge(6 * MIB);
  memory.releaseTo(MIB);
  expect(budget.used).toBeLessThan(2 * MIB);
  memory.charge(6 * MIB);
  expect(memory.used).toBe(7 * MIB);
});

describe('a scope', () => {
  it('keeps what its value weighs, and never more than was charged in it', () => {
    memory.charge(1_000);
    const mark = memory.used;
    memory.charge(MIB);
    void memory.settle(mark, 'x'.repeat(1_000));
    expect(memory.used - mark).toBeGreaterThan(1_000);
    expect(memory.used - mark).toBeLessThan(3_000);
    void memory.settle(memory.used, 'x'.repeat(MIB));
    memory.releaseTo(mark);
    memory.charge(10);
    void memory.settle(mark, 'x'.repeat(MIB));
    expect(memory.used - mark).toBe(10);
  });

  it('weighs a large value in steps', async () => {
    let turns = 0;
    const unending = {
      checkpoint: async () => {
        turns++;
      },
    };
    const charging = new RequestMemory({ limit: 64 * MIB, ownsRows: false }, { cancel: () => {}, unending });
    charging.charge(32 * MIB);
    await charging.settle(0, rows(10_000));
    // An object and its text are two parts at least.
    expect(turns).toBeGreaterThanOrEqual(Math.floor((2 * 10_000) / 4096));
    expect(charging.used).toBeGreaterThan(10 * MIB);
    expect(charging.used).toBeLessThan(13 * MIB);
  });

  it('looks no further at its value than what was charged', () => {
    let looks = 0;
    const value = objectFrom({});
    const watched = new Proxy(value, {
      ownKeys: (target) => {
        looks++;
        return Reflect.ownKeys(target);
      },
    });
    memory.charge(100);
    void memory.settle(0, [...Array<Value>(1_000).fill(1), watched]);
    expect(looks).toBe(0);
  });
});

it('charges nothing for what is small', () => {
  for (const value of ['x', 1, undefined, [1, 2], objectFrom({ a: 1 })]) expect(memory.charged(value)).toBe(value);
  expect(memory.used).toBe(0);
});

it('charges records for their slots where the storage shares them, and whole where it doesn’t', () => {
  memory.chargeRows(rows(1_000));
  expect(memory.used).toBe(8_000);
  open(true);
  memory.chargeRows(rows(1_000));
  expect(memory.used).toBeGreaterThan(1_000_000);
  open();
  memory.chargeCopies(rows(1_000));
  expect(memory.used).toBeLessThan(100_000);
});
