import { describe, expect, it } from 'vitest';
import { isPromise } from '../../src/base/promise-or-value.js';
import { failure } from '../../src/errors/error.js';
import { RESERVATION_TIME } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { withRetries } from '../../src/storage/retry.js';
import { StubbedEnvironment } from '../support/environment.js';

describe('withRetries', () => {
  it('stays synchronous when nothing waits', () => {
    const engine = new MemoryEngine();
    const answer = withRetries(engine, (transaction) => {
      transaction.put('a', 1);
      return 'done';
    });
    expect(answer).toBe('done');
    expect(engine.begin({ writable: false }).get('a')).toBe(1);
  });

  it('hands on other errors at once, having written nothing', () => {
    const engine = new MemoryEngine();
    let attempts = 0;
    const work = () =>
      withRetries(engine, (transaction) => {
        attempts++;
        transaction.put('a', 1);
        throw failure('storage_unavailable', { reason: 'a test' });
      });
    expect(work).toThrow('a test');
    expect(attempts).toBe(1);
    expect(engine.begin({ writable: false }).get('a')).toBeUndefined();
  });

  it('reserves what it reads when it loses again and again', async () => {
    const engine = new MemoryEngine();
    let attempts = 0;
    const rivals: (void | Promise<void>)[] = [];
    await withRetries(engine, async (transaction) => {
      attempts++;
      const before = (transaction.get('a') ?? 0) as number;
      await Promise.resolve();
      // Another client changes the same record each time.
      const other = engine.begin({ writable: true });
      other.put('a', 100);
      rivals.push(other.commit());
      transaction.put('a', before + 1);
    });
    expect(attempts).toBe(6);
    expect(rivals.map(isPromise)).toEqual([false, false, false, false, false, true]);
    await Promise.all(rivals);
    expect(engine.begin({ writable: false }).get('a')).toBe(100);
  });

  it('fails with a conflict when what it reads is still changed after the time of its reservation', async () => {
    const environment = new StubbedEnvironment();
    const engine = new MemoryEngine(environment);
    let attempts = 0;
    const work = withRetries(engine, async (transaction) => {
      attempts++;
      const before = (transaction.get('a') ?? 0) as number;
      const other = engine.begin({ writable: true });
      other.put('a', 100);
      const commit = other.commit();
      // It holds out until the other one waits no more.
      if (isPromise(commit)) environment.advance(RESERVATION_TIME);
      await commit;
      transaction.put('a', before + 1);
    });
    await expect(work).rejects.toMatchObject({ code: 'transaction_conflict', retryable: true });
    expect(attempts).toBe(6);
    expect(environment.nextTimer).toBeUndefined();
  });

  it('extends its reservation while it meets with something new, but not for ever', async () => {
    const engine = new MemoryEngine();
    let attempts = 0;
    const once = (limit: number) =>
      withRetries(engine, async (transaction) => {
        const key = `key ${attempts++}`;
        transaction.get(key);
        await Promise.resolve();
        const other = engine.begin({ writable: true });
        if (attempts <= limit) other.put(key, 1);
        await other.commit();
        transaction.put('done', attempts);
      });
    await once(12);
    expect(attempts).toBe(13);
    attempts = 0;
    await expect(once(1_000)).rejects.toMatchObject({ code: 'transaction_conflict' });
    expect(attempts).toBe(25);
  });

  it('leaves no reservation behind, whatever the work comes to', async () => {
    const environment = new StubbedEnvironment();
    const engine = new MemoryEngine(environment);
    let attempts = 0;
    const work = withRetries(engine, async (transaction) => {
      transaction.get('a');
      const other = engine.begin({ writable: true });
      other.put('a', attempts);
      await (attempts++ < 5 ? other.commit() : other.cancel());
      transaction.put('b', 1);
      if (attempts === 6) throw failure('cancelled');
    });
    await expect(work).rejects.toMatchObject({ code: 'cancelled' });
    expect(environment.nextTimer).toBeUndefined();
    const after = engine.begin({ writable: true });
    after.put('a', 1);
    expect(after.commit()).toBeUndefined();
  });
});
