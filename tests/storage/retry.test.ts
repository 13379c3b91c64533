import { describe, expect, it } from 'vitest';
import { failure } from '../../src/errors/error.js';
import { MemoryEngine } from '../../src/storage/engines/memory.js';
import { withRetries } from '../../src/storage/retry.js';

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

  it('takes the engine for itself when it loses again and again', async () => {
    const engine = new MemoryEngine();
    let attempts = 0;
    const rival: (void | Promise<void>)[] = [];
    await withRetries(engine, async (transaction) => {
      attempts++;
      const before = (transaction.get('a') ?? 0) as number;
      await Promise.resolve();
      // Another client changes the same record each time.
      const other = engine.begin({ writable: true });
      other.put('a', 100);
      rival.push(other.commit());
      transaction.put('a', before + 1);
    });
    expect(attempts).toBe(6);
    await Promise.all(rival);
    expect(engine.begin({ writable: false }).get('a')).toBe(100);
  });
});
