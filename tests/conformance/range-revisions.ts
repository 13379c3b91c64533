/** What engines must do that keep account of ranges (`Transaction.rangeRevision`). */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyRange, Stored, Transaction } from '../../src/storage/contract.js';
import { StubbedEnvironment } from '../support/environment.js';
import { code, type OpenStorage, type StorageFixture, scanAll } from './storage.js';

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
const ENDS = [...KEYS, 'g'];
const rangeArbitrary = fc
  .tuple(fc.constantFrom(...ENDS), fc.constantFrom(...ENDS))
  .filter(([from, to]) => from < to)
  .map(([from, to]): KeyRange => ({ from, to }));
const stepArbitrary = fc.oneof(
  fc.record({ what: fc.constant('begin' as const), writable: fc.boolean(), early: fc.boolean() }),
  fc.record({ what: fc.constant('write' as const), key: fc.constantFrom(...KEYS), value: fc.option(fc.nat(3)) }),
  fc.record({ what: fc.constant('commit' as const), early: fc.boolean() }),
  fc.record({ what: fc.constant('ask' as const), range: rangeArbitrary }),
);

export function rangeRevisionConformance(name: string, open: OpenStorage): void {
  describe(`revisions of ranges: ${name}`, () => {
    let fixture: StorageFixture;

    beforeEach(async () => {
      const environment = new StubbedEnvironment();
      environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
      fixture = await open(environment.timers);
    });
    afterEach(() => fixture.dispose());

    const begin = async (writable: boolean, early = false) => {
      const { earlyAnswers } = fixture.engine;
      return early && earlyAnswers ? earlyAnswers.beginOnAccepted({ writable }) : fixture.engine.begin({ writable });
    };
    const revision = (transaction: Transaction, range: KeyRange) => transaction.rangeRevision(range);

    async function write(...keys: readonly string[]): Promise<void> {
      const transaction = await begin(true);
      for (const key of keys) transaction.put(key, 1);
      await transaction.commit();
    }

    it('cost a transaction nothing that does not ask', async () => {
      for (const writable of [false, true]) {
        const transaction = await begin(writable);
        const own = Object.keys(transaction).filter((name) => Reflect.get(transaction, name) !== undefined);
        expect(own).toEqual([]);
        expect(transaction.tracksRevisions).toBe(true);
        transaction.cancel();
      }
    });

    it('are the same until something changes there', async () => {
      await write(...KEYS);
      const inTransaction = async (range: KeyRange) => {
        const transaction = await begin(false);
        const found = revision(transaction, range);
        transaction.cancel();
        return found;
      };
      const [low, high] = [
        { from: 'a', to: 'c' },
        { from: 'c', to: 'g' },
      ] as const;
      const before = [await inTransaction(low), await inTransaction(high)];
      expect(before).not.toContain(undefined);
      await write('z', 'b');
      expect(await inTransaction(low)).not.toBe(before[0]);
      expect(await inTransaction(high)).toBe(before[1]);
    });

    it('are read, and unknown where the transaction has written itself', async () => {
      await write(...KEYS);
      const transaction = await begin(true);
      transaction.put('b', 2);
      expect(revision(transaction, { from: 'a', to: 'c' })).toBeUndefined();
      expect(revision(transaction, { from: 'c', to: 'd' })).toBeDefined();
      await write('c');
      expect(await code(() => transaction.commit())).toBe('transaction_conflict');
    });

    it('are the same only where the same is seen, however transactions overlap', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 40 }), async (steps) => {
          const seen = new Map<string, readonly (readonly [string, Stored])[]>();
          const opened: Transaction[] = [await begin(true)];
          for (const step of steps) {
            const newest = opened.at(-1) as Transaction;
            if (step.what === 'begin') opened.push(await begin(step.writable, step.early));
            else if (step.what === 'write') {
              if (!newest.writable) continue;
              if (step.value === null) newest.delete(step.key);
              else newest.put(step.key, step.value);
            } else if (step.what === 'commit') {
              opened.pop();
              const { earlyAnswers } = fixture.engine;
              await code(() => (step.early && earlyAnswers ? earlyAnswers.accept(newest) : newest.commit()));
              if (opened.length === 0) opened.push(await begin(true));
            } else {
              for (const transaction of opened) {
                const found = revision(transaction, step.range);
                if (found === undefined) continue;
                const entries = await scanAll(transaction, step.range);
                const of = `${step.range.from} ${step.range.to} ${found}`;
                expect(entries).toEqual(seen.get(of) ?? entries);
                seen.set(of, entries);
              }
            }
          }
          for (const transaction of opened) transaction.cancel();
        }),
        { numRuns: 60 },
      );
    });
  });
}
