import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import type { EarlyAnswers, Engine } from '../../src/storage/contract.js';
import { code, EVERYTHING, type OpenStorage, type StorageFixture, scanAll } from './storage.js';

/** What an engine must do that answers before durability. */
export function earlyAnswersConformance(name: string, open: OpenStorage): void {
  describe(`answers before durability: ${name}`, () => {
    let fixture: StorageFixture;
    let engine: Engine;
    let early: EarlyAnswers;

    beforeEach(async () => {
      fixture = await open(realEnvironment.timers);
      engine = fixture.engine;
      if (engine.earlyAnswers === undefined) throw new Error(`${engine.name} has no early answers`);
      early = engine.earlyAnswers;
    });
    afterEach(() => fixture.dispose());

    it('shows accepted commits to those who begin on them, and durable ones to all', async () => {
      const before = await engine.begin({ writable: true });
      for (const [key, value] of Object.entries({ a: 1, b: 2, c: 3 })) before.put(key, value);
      await before.commit();
      const accepted = await engine.begin({ writable: true });
      accepted.put('b', 20);
      accepted.put('d', 4);
      accepted.delete('a');
      await early.accept(accepted);
      const reading = await early.beginOnAccepted({ writable: false });
      const seen = [
        ['b', 20],
        ['c', 3],
        ['d', 4],
      ];
      expect(await scanAll(reading)).toEqual(seen);
      expect(await scanAll(reading, EVERYTHING, { reverse: true, batch: 1 })).toEqual([...seen].reverse());
      expect(await reading.getMany(['a', 'b', 'c', 'd', 'e'])).toEqual([undefined, 20, 3, 4, undefined]);
      expect(await reading.count(EVERYTHING)).toBe(3);
      reading.cancel();
      await early.durable();
      const after = await engine.begin({ writable: false });
      expect(await scanAll(after)).toEqual(seen);
      after.cancel();
    });

    it('lets those who begin on accepted commits change what these wrote, and reports conflicts at once', async () => {
      const begin = () => early.beginOnAccepted({ writable: true });
      for (let round = 0; round < 20; round++) {
        const transaction = await begin();
        transaction.put('n', (((await transaction.get('n')) ?? 0) as number) + 1);
        await early.accept(transaction);
      }
      const [one, two] = [await begin(), await begin()];
      for (const each of [one, two]) each.put('n', ((await each.get('n')) as number) + 1);
      await early.accept(one);
      expect(await code(() => early.accept(two))).toBe('transaction_conflict');
      await early.durable();
      const after = await engine.begin({ writable: false });
      expect(await after.get('n')).toBe(21);
      after.cancel();
    });
  });
}
