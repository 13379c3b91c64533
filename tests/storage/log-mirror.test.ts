import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Key, Stored } from '../../src/storage/contract.js';
import { LOG_GROUPS } from '../../src/storage/lmdb/file/lmdb-databases.js';
import { LogMirror, type LogSource } from '../../src/storage/lmdb/shared/log-mirror.js';
import { encodeGroup, groupOf, type LoggedGroup, RangeSummary } from '../../src/storage/lmdb/shared/logged-group.js';
import { ReadSet } from '../../src/storage/transaction/read-set.js';
import { WriteSet } from '../../src/storage/transaction/write-set.js';
import { decodeSealed } from '../../src/value/codecs/sealed-record.js';

function group(version: number, keys: readonly Key[], isMaintenance = false): LoggedGroup {
  return {
    version,
    node: 'other',
    commits: [{ versionstamp: BigInt(version) << 16n, keys, ranges: [], isMaintenance }],
  };
}

/** A log that has groups from one version on. */
function logFrom(first: number, keysOf: (version: number) => readonly Key[]): LogSource {
  return {
    groups(after, upTo, visit) {
      for (let version = Math.max(first, after + 1); version <= upTo; version++) visit(group(version, keysOf(version)));
    },
  };
}

function reading(...keys: readonly Key[]): ReadSet {
  const reads = new ReadSet();
  for (const key of keys) reads.addKey(key);
  return reads;
}

const WRITES = new WriteSet();

describe('LogMirror', () => {
  it('validates against what others have committed since a snapshot', () => {
    const mirror = new LogMirror(10);
    const before = mirror.commits.hold(mirror.shown);
    mirror.read(
      logFrom(1, (version) => [`k${version}`]),
      12,
    );
    expect(mirror.known).toBe(12);
    expect(mirror.show(11).map(({ version }) => version)).toEqual([11]);
    const between = mirror.commits.hold(mirror.shown);
    const conflicts = (moment: typeof before, key: Key) => mirror.commits.conflicts(moment, reading(key), WRITES);
    expect(['k10', 'k11', 'k12'].map((key) => conflicts(before, key))).toEqual([false, true, true]);
    expect(['k10', 'k11', 'k12'].map((key) => conflicts(between, key))).toEqual([false, false, true]);
    expect(mirror.show(12).map(({ isOwn, isGap }) => [isOwn, isGap])).toEqual([[false, false]]);
  });

  it('knows own groups before they are visible, and reads the log behind them', () => {
    const mirror = new LogMirror(1);
    mirror.append(['own'], [], false);
    mirror.addOwn(group(2, ['own']), []);
    expect(mirror.show(1)).toEqual([]);
    mirror.read(
      logFrom(1, (version) => [`k${version}`]),
      3,
    );
    expect(mirror.show(3).map(({ version, isOwn }) => [version, isOwn])).toEqual([
      [2, true],
      [3, false],
    ]);
  });

  it.each([
    ['groups are missing', logFrom(8, () => ['k']), 9],
    ['too many have been missed', logFrom(1, () => ['k']), 1 + LOG_GROUPS],
  ])('conflicts with everything begun before, and says so, where %s', (_, log, upTo) => {
    const mirror = new LogMirror(1);
    const before = mirror.commits.hold(mirror.shown);
    mirror.read(log, upTo);
    expect(mirror.known).toBe(upTo);
    expect(mirror.show(upTo).some(({ isGap }) => isGap)).toBe(true);
    expect(mirror.commits.conflicts(before, reading('unrelated'), WRITES)).toBe(true);
    const after = mirror.commits.hold(mirror.shown);
    expect(mirror.commits.conflicts(after, reading('k'), WRITES)).toBe(false);
  });

  it('takes ranges for whatever may be in them', () => {
    const mirror = new LogMirror(1);
    const before = mirror.commits.hold(mirror.shown);
    mirror.append([], [{ from: 'b', to: 'd' }], false);
    const scanning = new ReadSet();
    scanning.addRange('c', 'x');
    expect(mirror.commits.conflicts(before, scanning, WRITES)).toBe(true);
    expect(['a', 'b', 'c', 'd'].map((key) => mirror.commits.conflicts(before, reading(key), WRITES))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('the log of commits', () => {
  it('gives back what was logged', () => {
    const logged: LoggedGroup = {
      version: 7,
      node: '00ff00ff00ff00ff',
      commits: [
        { versionstamp: 117_000_000_000_000_001n, keys: ['a', '\0\xff'], ranges: [], isMaintenance: false },
        { versionstamp: 117_000_000_000_000_002n, keys: [], ranges: [{ from: 'a', to: 'b' }], isMaintenance: true },
      ],
    };
    expect(groupOf(7, decodeSealed(encodeGroup(logged)) as Stored)).toEqual(logged);
  });

  it('covers every key of a large commit by few ranges, which keep tables apart', () => {
    const keys = fc.uniqueArray(
      fc.string({ unit: fc.constantFrom('a', 'b', '\0', '\xff'), minLength: 1, maxLength: 9 }),
      {
        minLength: 1,
        maxLength: 600,
      },
    );
    fc.assert(
      fc.property(keys, (written) => {
        const ascending = [...written].sort((a, b) => (a < b ? -1 : 1));
        const summary = new RangeSummary();
        for (const key of ascending) summary.add(key);
        const { ranges } = summary;
        expect(ranges.length).toBeLessThanOrEqual(128);
        for (const key of ascending) expect(ranges.some(({ from, to }) => key >= from && key < to)).toBe(true);
      }),
    );
    const tables = new RangeSummary();
    for (const table of ['t1', 't2']) {
      for (let at = 0; at < 10_000; at++) tables.add(`D/${table}/${String(at).padStart(8, '0')}`);
    }
    expect(tables.ranges.some(({ from, to }) => 'D/t1/~' >= from && 'D/t1/~' < to)).toBe(false);
  });
});
