import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommitLog } from '../../src/storage/commit-log.js';
import { after, ReadSet } from '../../src/storage/read-set.js';

function key(number: number): string {
  return String(number).padStart(7, '0');
}

describe('ReadSet', () => {
  it('meets exactly the keys and ranges that were read, whichever side is larger', () => {
    const number = fc.nat(60);
    fc.assert(
      fc.property(
        fc.array(number, { maxLength: 8 }),
        fc.array(fc.tuple(number, number), { maxLength: 8 }),
        fc.array(number, { maxLength: 12 }),
        (points, ranges, written) => {
          const reads = new ReadSet();
          for (const [from, to] of ranges) reads.addRange(key(from), key(to));
          for (const point of points) reads.addKey(key(point));
          const sorted = [...new Set(written)].sort((a, b) => a - b);
          const expected = sorted.some(
            (each) => points.includes(each) || ranges.some(([from, to]) => each >= from && each < to),
          );
          expect(reads.meets(sorted.map(key))).toBe(expected);
          for (const each of sorted) {
            const met = points.includes(each) || ranges.some(([from, to]) => each >= from && each < to);
            expect(reads.meets([key(each)])).toBe(met);
          }
        },
      ),
    );
  });

  it('never forgets a read, however many there are', () => {
    const reads = new ReadSet();
    for (let index = 0; index < 200_000; index += 2) reads.addKey(key(index));
    for (let index = 300_000; index < 400_000; index += 2) reads.addRange(key(index), after(key(index)));
    for (let index = 0; index < 200_000; index += 2_222) expect(reads.meets([key(index)])).toBe(true);
    for (let index = 300_000; index < 400_000; index += 2_222) expect(reads.meets([key(index)])).toBe(true);
    expect(reads.meets([key(400_000)])).toBe(false);
  });
});

describe('CommitLog', () => {
  const readOf = (name: string) => {
    const reads = new ReadSet();
    reads.addKey(name);
    return reads;
  };

  it('validates against the commits after a moment only', () => {
    const log = new CommitLog();
    const first = log.hold(log.latest);
    const a = log.append(() => ['a']);
    const second = log.hold(log.latest);
    const b = log.append(() => ['b']);
    expect(log.conflict(first, readOf('a'))).toBe(a);
    expect(log.conflict(second, readOf('a'))).toBeUndefined();
    expect(log.conflict(second, readOf('b'))).toBe(b);
    expect(log.conflict(log.latest, readOf('b'))).toBeUndefined();
  });

  it('remembers nothing when nobody needs it, and asks for no keys', () => {
    const log = new CommitLog();
    const keys = () => {
      throw new Error('asked for keys');
    };
    const before = log.latest;
    log.append(keys);
    expect(before.next).toBeUndefined();
    const held = log.hold(log.latest);
    log.append(() => ['a']);
    log.release(held);
    expect(held.next).toBeUndefined();
    log.append(keys);
  });

  it('forgets what a transaction left behind would need, and tells it so', () => {
    const log = new CommitLog(100);
    const abandoned = log.hold(log.latest);
    for (let index = 0; index < 1_000; index++) log.append(() => [key(index)]);
    expect(abandoned.next).toBeUndefined();
    expect(log.conflict(abandoned, readOf('never written'))).toBe('forgotten');
    const recent = log.hold(log.latest);
    log.append(() => ['a']);
    expect(log.conflict(recent, readOf('b'))).toBeUndefined();
    log.release(abandoned);
    log.release(recent);
    expect(recent.next).toBeUndefined();
  });

  it('keeps the last commit even when it alone is too large', () => {
    const log = new CommitLog(10);
    const moment = log.hold(log.latest);
    const large = log.append(() => Array.from({ length: 100 }, (_, index) => key(index)));
    expect(log.conflict(moment, readOf(key(50)))).toBe(large);
    expect(log.conflict(moment, readOf('other'))).toBeUndefined();
  });
});
