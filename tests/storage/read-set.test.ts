import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Commit, CommitLog } from '../../src/storage/commit/commit-log.js';
import { after, ReadSet } from '../../src/storage/transaction/read-set.js';
import { WriteSet } from '../../src/storage/transaction/write-set.js';

const NOTHING_WRITTEN = new WriteSet();

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
    log.append(() => ['a']);
    const second = log.hold(log.latest);
    log.append(() => ['b']);
    expect(log.conflicts(first, readOf('a'), NOTHING_WRITTEN)).toBe(true);
    expect(log.conflicts(second, readOf('a'), NOTHING_WRITTEN)).toBe(false);
    expect(log.conflicts(second, readOf('b'), NOTHING_WRITTEN)).toBe(true);
    expect(log.conflicts(log.latest, readOf('b'), NOTHING_WRITTEN)).toBe(false);
  });

  it('knows of each key when it was last written, however many come and go', () => {
    const log = new CommitLog();
    const written: string[] = [];
    const held: { readonly moment: Commit; readonly at: number }[] = [];
    // Spread, and the same in each run.
    const draw = (step: number, below: number) => (step * 7_919 + (step >> 3)) % below;
    let conflicts = 0;
    for (let step = 0; step < 20_000; step++) {
      if (step % 3 === 0) held.push({ moment: log.hold(log.latest), at: written.length });
      const name = key(draw(step, 900));
      written.push(name);
      log.append(() => [name]);
      // Now few and now many are under way, and now and then none.
      while (held.length > (step % 5_000) / 10) {
        const { moment, at } = held.splice(draw(step, held.length), 1)[0]!;
        const asked = key(draw(step + 1, 900));
        const expected = written.includes(asked, at);
        expect(log.conflicts(moment, readOf(asked), NOTHING_WRITTEN)).toBe(expected);
        conflicts += Number(expected);
        log.release(moment);
      }
    }
    expect(conflicts).toBeGreaterThan(100);
  });

  it('remembers nothing when no one needs it, and asks for no keys', () => {
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

  it('forgets what a transaction left behind would need, and reports that', () => {
    const log = new CommitLog(100);
    const abandoned = log.hold(log.latest);
    for (let index = 0; index < 1_000; index++) log.append(() => [key(index)]);
    expect(abandoned.next).toBeUndefined();
    expect(log.conflicts(abandoned, readOf('never written'), NOTHING_WRITTEN)).toBe(true);
    const recent = log.hold(log.latest);
    log.append(() => ['a']);
    expect(log.conflicts(recent, readOf('b'), NOTHING_WRITTEN)).toBe(false);
    log.release(abandoned);
    log.release(recent);
    expect(recent.next).toBeUndefined();
  });

  it('keeps the last commit even when it alone is too large', () => {
    const log = new CommitLog(10);
    const moment = log.hold(log.latest);
    log.append(() => Array.from({ length: 100 }, (_, index) => key(index)));
    expect(log.conflicts(moment, readOf(key(50)), NOTHING_WRITTEN)).toBe(true);
    expect(log.conflicts(moment, readOf('other'), NOTHING_WRITTEN)).toBe(false);
  });

  it('gives the same for many commits, whichever side is looked through', () => {
    const log = new CommitLog(60);
    const moments: { readonly moment: Commit; readonly at: number }[] = [];
    const history: string[][] = [];
    for (let at = 0; at < 200; at++) {
      if (at % 7 === 0) moments.push({ moment: log.hold(log.latest), at });
      if (at % 11 === 0 && moments.length > 3) log.release(moments.shift()!.moment);
      const written = Array.from({ length: at % 4 }, (_, n) => key((at * 13 + n * 5) % 40)).sort();
      history.push(written);
      log.append(() => written);
      for (const { moment, at: since } of moments) {
        for (const wanted of [1, 2, 17]) {
          const read = Array.from({ length: wanted }, (_, n) => key((at * 3 + n * 7) % 40));
          const reads = new ReadSet();
          for (const each of read) reads.addKey(each);
          const known = history.slice(since).flat();
          expect(log.conflicts(moment, reads, NOTHING_WRITTEN)).toBe(
            moment.forgotten || read.some((each) => known.includes(each)),
          );
        }
      }
    }
  });
});
