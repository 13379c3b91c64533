import { describe, expect, test } from 'vitest';
import { isPromise, type PromiseOrValue } from '../../src/base/promise-or-value.js';
import { databaseArea, sequenceKey } from '../../src/catalog/keys/store-keys.js';
import { SequenceCounters } from '../../src/ddl/define/sequence-counters.js';
import { failure } from '../../src/errors/error.js';
import type { Interrupt } from '../../src/runtime/interrupt.js';
import type { BeginOptions, Transaction } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { withRetries } from '../../src/storage/retry.js';

const SEQUENCE = {
  kind: 'define-sequence',
  name: 'numbers',
  identity: 'one',
  batch: { kind: 'literal', value: 3 },
  start: { kind: 'literal', value: 10 },
} as const;

/** Fails from the first look on, if it is to. */
function interrupt(fails = false): Interrupt {
  const check = () => {
    if (fails) throw failure('cancelled');
  };
  return { check, checkpoint: check, within: () => interrupt(fails), onEnd: () => () => undefined };
}

const next = (counters: SequenceCounters, fails = false) => counters.next(1, SEQUENCE, interrupt(fails));

describe('sequences', () => {
  test('are stored once a batch', async () => {
    const engine = new MemoryEngine();
    const counters = new SequenceCounters(engine);
    expect([next(counters), next(counters)]).toEqual([10n, 11n]);
    expect(engine.begin({ writable: false }).get(sequenceKey(databaseArea(1), 'one'))).toBe(12);
    expect([next(counters), next(counters)]).toEqual([12n, 13n]);
  });

  test('go on behind what another process of the server had taken', () => {
    const engine = new MemoryEngine();
    expect(next(new SequenceCounters(engine))).toBe(10n);
    expect(next(new SequenceCounters(engine))).toBe(13n);
  });

  test('give numbers to work that has reserved what it reads', async () => {
    const engine = new MemoryEngine();
    const counters = new SequenceCounters(engine);
    const numbers: bigint[] = [];
    await withRetries(engine, async (transaction) => {
      const before = (transaction.get('a') ?? 0) as number;
      numbers.push(await next(counters));
      // Another client changes the same record, until that has to wait.
      const other = engine.begin({ writable: true });
      other.put('a', 100);
      if (isPromise(other.commit())) return transaction.put('b', 1);
      transaction.put('a', before + 1);
    });
    expect(numbers).toEqual([10n, 11n, 12n, 13n, 14n, 15n]);
  });

  test('are fetched for one whose neighbour is cancelled while both wait', async () => {
    const engine = new MemoryEngine();
    const waiting: (() => void)[] = [];
    const begin: (options: BeginOptions) => PromiseOrValue<Transaction> = engine.begin.bind(engine);
    Object.assign(engine, {
      begin: (options: BeginOptions) =>
        new Promise<void>((resolve) => waiting.push(resolve)).then(() => begin(options)),
    });
    const counters = new SequenceCounters(engine);
    const cancelled = next(counters, true);
    const other = next(counters);
    const ends = Promise.allSettled([cancelled, other]);
    waiting.shift()?.();
    while (waiting.length === 0) await Promise.resolve();
    waiting.shift()?.();
    expect(await ends).toMatchObject([{ reason: { code: 'cancelled' } }, { value: 10n }]);
  });

  test('keep counting when the transaction that used a number is cancelled', () => {
    const engine = new MemoryEngine();
    const counters = new SequenceCounters(engine);
    expect(() =>
      withRetries(engine, () => {
        throw new Error(`no use for ${next(counters)}`);
      }),
    ).toThrow('no use for 10');
    expect(next(counters)).toBe(11n);
  });
});
