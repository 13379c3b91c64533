/** What every engine must do for transactions that have failed with conflicts too often. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failure, TesseraError } from '../../src/errors/error.js';
import {
  type Engine,
  type Key,
  RESERVATION_TIME,
  type Reservation,
  type Transaction,
  type WaitInterrupt,
} from '../../src/storage/contract.js';
import { withRetries } from '../../src/storage/retry.js';
import type { StubbedEnvironment } from '../support/environment.js';

interface Subject {
  readonly engine: Engine;
  readonly environment: StubbedEnvironment;
  /** Lets commits end that aren't kept waiting; unless given, some turns of the event loop. */
  readonly settle?: ((rounds?: number) => Promise<void>) | undefined;
}

/** How a commit went, once it has: `done`, or the code of its error. */
interface Watched {
  outcome: string | undefined;
}

/** Long enough for any commit that isn't kept waiting. */
async function settle({ engine, settle: settleEngine }: Subject): Promise<void> {
  if (settleEngine !== undefined) return settleEngine();
  // As many turns as an engine that answers later may need.
  for (let turn = 0; turn < 16; turn++) {
    await new Promise(setImmediate);
    await engine.earlyAnswers?.durable();
  }
}

function watch(work: () => unknown): Watched {
  const watched: Watched = { outcome: undefined };
  void (async () => work())().then(
    () => {
      watched.outcome = 'done';
    },
    (error: unknown) => {
      watched.outcome = error instanceof TesseraError ? error.code : String(error);
    },
  );
  return watched;
}

export function reservationConformance(subject: () => Subject): void {
  describe('reservations', () => {
    /** A transaction that has read some keys, would have written others, and is over. */
    async function failed(
      read: readonly Key[],
      written: readonly Key[] = [],
      interrupt?: WaitInterrupt,
    ): Promise<Transaction> {
      const transaction = await subject().engine.begin({ writable: true, interrupt });
      await transaction.getMany(read);
      for (const key of written) transaction.put(key, 1);
      transaction.cancel();
      return transaction;
    }

    /** Begins to commit a transaction that writes a key without having read it. */
    async function writing(key: Key, reservation?: Reservation, interrupt?: WaitInterrupt): Promise<Watched> {
      const transaction = await subject().engine.begin({ writable: true, reservation, interrupt });
      transaction.put(key, 1);
      const watched = watch(() => transaction.commit());
      await settle(subject());
      return watched;
    }

    it('keep those waiting who write what is reserved, and no one else', async () => {
      const reservation = await (await failed(['a'])).reserve();
      const [same, other] = [await writing('a'), await writing('b')];
      expect([same.outcome, other.outcome]).toEqual([undefined, 'done']);
      reservation.release();
      await settle(subject());
      expect(same.outcome).toBe('done');
    });

    it('hold for ranges, and for entries of logs', async () => {
      const { engine } = subject();
      const reading = await engine.begin({ writable: true });
      await reading.count({ from: 'log/', to: 'log0' });
      reading.cancel();
      const reservation = await reading.reserve();
      const appending = await engine.begin({ writable: true });
      appending.append('log/', 'entry');
      const [entry, key] = [watch(() => appending.commit()), await writing('log/1')];
      expect([entry.outcome, key.outcome, (await writing('log0')).outcome]).toEqual([undefined, undefined, 'done']);
      reservation.release();
      await settle(subject());
      expect([entry.outcome, key.outcome]).toEqual(['done', 'done']);
    });

    it('last until their transaction commits', async () => {
      const { engine, environment } = subject();
      const reservation = await (await failed(['a'])).reserve();
      const own = await engine.begin({ writable: true, reservation });
      expect(await own.get('a')).toBeUndefined();
      const other = await writing('a');
      own.put('a', 'own');
      await own.commit();
      expect(reservation.isOver).toBe(true);
      expect(environment.nextTimer).toBeUndefined();
      await settle(subject());
      expect(other.outcome).toBe('done');
      const after = await engine.begin({ writable: false });
      expect(await after.get('a')).toBe(1);
      after.cancel();
    });

    it('last a second at most', async () => {
      const { engine, environment } = subject();
      const reservation = await (await failed(['a'])).reserve();
      const own = await engine.begin({ writable: true, reservation });
      await own.get('a');
      const other = await writing('a');
      environment.advance(RESERVATION_TIME - 1);
      await settle(subject());
      expect([reservation.isOver, other.outcome]).toEqual([false, undefined]);
      environment.advance(1);
      await settle(subject());
      expect([reservation.isOver, other.outcome]).toEqual([true, 'done']);
      own.put('a', 'own');
      expect((await watchedEnd(own)).outcome).toBe('transaction_conflict');
      expect(watch(() => own.reserve())).toBeDefined();
      await expect((async () => own.reserve())()).rejects.toMatchObject({ code: 'transaction_conflict' });
    });

    async function watchedEnd(transaction: Transaction): Promise<Watched> {
      const watched = watch(() => transaction.commit());
      await settle(subject());
      return watched;
    }

    it('are granted one after the other where one would disturb the other', async () => {
      const first = await (await failed(['a'], ['a'])).reserve();
      let second: Reservation | undefined;
      const waiting = (async () => (await failed(['a'], ['a'])).reserve())().then((granted) => {
        second = granted;
      });
      const apart = await (await failed(['b'], ['b'])).reserve();
      apart.release();
      await settle(subject());
      expect(second).toBeUndefined();
      // Who came before the second was granted doesn't wait for it.
      const other = await writing('a');
      first.release();
      await waiting;
      await settle(subject());
      expect(other.outcome).toBe('done');
      expect((await writing('a')).outcome).toBeUndefined();
      second?.release();
    });

    it('are waited for a second at most by others', async () => {
      const { environment } = subject();
      const first = await (await failed(['a'], ['a'])).reserve();
      environment.advance(RESERVATION_TIME / 2);
      const second = watch(async () => (await failed(['a'], ['a'])).reserve());
      await settle(subject());
      const third = watch(async () => (await failed(['a'], ['a'])).reserve());
      await settle(subject());
      environment.advance(RESERVATION_TIME / 2);
      await settle(subject());
      expect([first.isOver, second.outcome, third.outcome]).toEqual([true, 'done', undefined]);
      environment.advance(RESERVATION_TIME / 2);
      await settle(subject());
      expect(third.outcome).toBe('transaction_conflict');
      environment.advance(RESERVATION_TIME);
      expect(environment.nextTimer).toBeUndefined();
      expect((await writing('a')).outcome).toBe('done');
    });

    it('never make the older wait for the younger', async () => {
      const older = await (await failed(['a'])).reserve();
      const younger = await (await failed(['b'])).reserve();
      expect((await writing('a', younger)).outcome).toBeUndefined();
      expect((await writing('b', older)).outcome).toBe('done');
      younger.release();
    });

    it('are waited for no longer than the statement may run', async () => {
      const { environment } = subject();
      const reservation = await (await failed(['a'], ['a'])).reserve();
      const ends = new Set<(reason: TesseraError) => void>();
      const interrupt: WaitInterrupt = {
        onEnd(callback) {
          ends.add(callback);
          return () => ends.delete(callback);
        },
      };
      const commit = await writing('a', undefined, interrupt);
      let isClaiming = false;
      const claim = watch(async () => {
        const loser = await failed(['a'], ['a'], interrupt);
        isClaiming = true;
        return loser.reserve();
      });
      await expect.poll(() => isClaiming).toBe(true);
      await settle(subject());
      for (const end of ends) end(failure('cancelled'));
      await expect.poll(() => claim.outcome).toBeDefined();
      await settle(subject());
      expect(ends.size).toBe(0);
      expect([commit.outcome, claim.outcome]).toEqual(['cancelled', 'cancelled']);
      reservation.release();
      expect(environment.nextTimer).toBeUndefined();
      expect((await writing('a')).outcome).toBe('done');
    });

    it('end with the store', async () => {
      const { engine, environment } = subject();
      await (await failed(['a'])).reserve();
      const commit = await writing('a');
      await engine.close();
      await new Promise(setImmediate);
      expect(commit.outcome).toBe('storage_unavailable');
      expect(environment.nextTimer).toBeUndefined();
    });

    it('never hold up a transaction for ever, and lose nothing, whichever transactions conflict', async () => {
      const keys: readonly Key[] = ['a', 'b', 'c', 'd'];
      const key = fc.constantFrom(...keys);
      const client = fc.record({
        adds: fc.array(key, { minLength: 1, maxLength: 3 }),
        reads: fc.array(key, { maxLength: 3 }),
        pauses: fc.nat(12),
        rounds: fc.integer({ min: 1, max: 3 }),
        fails: fc.boolean(),
      });
      let reserved = 0;
      const rivals = Array.from({ length: 10 }, (_, at) => {
        return { adds: keys.slice(at % 3, (at % 3) + 2), reads: [...keys], pauses: at, rounds: 2, fails: at === 9 };
      });
      await fc.assert(
        fc.asyncProperty(fc.array(client, { minLength: 2, maxLength: 12 }), async (clients) => {
          const { engine, environment, settle: settleEngine } = subject();
          const clean = await engine.begin({ writable: true });
          for (const each of keys) clean.put(each, 0);
          await clean.commit();
          const added = new Map<Key, number>(keys.map((each) => [each, 0]));
          let left = 0;
          const counting = (transaction: Transaction) => {
            const reserve = transaction.reserve.bind(transaction);
            transaction.reserve = () => {
              reserved++;
              return reserve();
            };
          };
          const run = async ({ adds, reads, pauses, fails }: (typeof clients)[number]) => {
            try {
              await withRetries(engine, async (transaction) => {
                counting(transaction);
                await transaction.getMany(reads);
                for (let pause = 0; pause < pauses; pause++) await new Promise(setImmediate);
                for (const each of adds) transaction.put(each, ((await transaction.get(each)) as number) + 1);
                if (fails) throw failure('cancelled');
              });
              for (const each of adds) added.set(each, (added.get(each) as number) + 1);
            } catch (error) {
              if (!(error instanceof TesseraError) || !['cancelled', 'transaction_conflict'].includes(error.code)) {
                throw error;
              }
            } finally {
              left--;
            }
          };
          const all = clients.map(async (each) => {
            left += each.rounds;
            for (let round = 0; round < each.rounds; round++) await run(each);
          });
          // The clock goes on only while a transaction works, so that one that waits for ever is found.
          for (let turn = 0; left > 0 && turn < 5_000; turn++) {
            await new Promise(setImmediate);
            if (settleEngine === undefined) await engine.earlyAnswers?.durable();
            else await settleEngine(1);
            environment.advance(5);
          }
          expect(left).toBe(0);
          await Promise.all(all);
          expect(environment.nextTimer).toBeUndefined();
          const after = await engine.begin({ writable: false });
          for (const each of keys) expect(await after.get(each)).toBe(added.get(each));
          after.cancel();
        }),
        // Each takes its time over a network.
        { numRuns: subject().settle === undefined ? 200 : 50, examples: [[rivals]] },
      );
      expect(reserved).toBeGreaterThan(10);
    });
  });
}
