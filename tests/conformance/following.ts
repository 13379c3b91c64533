import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommitFollower, Engine, FollowedCommit, SharedStore, Transaction } from '../../src/storage/contract.js';
import { positionIn, stampIn } from '../../src/storage/transaction/append.js';
import { atLeast } from '../support/timeouts.js';
import { code } from './storage.js';

/** Two engines over one empty store. */
export interface FollowingFixture {
  readonly nodes: readonly Engine[];
  close(): Promise<void>;
}

const ONE = 'D\0\0\0\x01';
const TWO = 'D\0\0\0\x02';

/** Collects what it is given. */
class Collector implements CommitFollower {
  readonly commits: FollowedCommit[] = [];
  gaps = 0;

  onCommits(commits: readonly FollowedCommit[]): void {
    this.commits.push(...commits);
  }

  onGap(): void {
    this.gaps++;
  }

  get keys(): (readonly string[])[] {
    return this.commits.map(({ keys }) => [...keys].sort());
  }
}

/** What every engine must do whose store several processes use. */
export function followingConformance(name: string, open: () => Promise<FollowingFixture>): void {
  describe(`following commits: ${name}`, () => {
    let fixture: FollowingFixture;
    let nodes: readonly Engine[];
    beforeEach(async () => {
      fixture = await open();
      nodes = fixture.nodes;
    });
    afterEach(() => fixture.close());

    const shared = (node: number): SharedStore => {
      const store = nodes[node]!.shared;
      if (store === undefined) throw new Error(`${nodes[node]!.name} is not shared`);
      return store;
    };
    const followed = async (node: number): Promise<Collector> => {
      const collector = new Collector();
      await shared(node).follow(collector);
      return collector;
    };
    const commit = async (node: number, work: (transaction: Transaction) => unknown): Promise<void> => {
      const transaction = await nodes[node]!.begin({ writable: true });
      await work(transaction);
      await transaction.commit();
    };
    const put = (node: number, ...keys: readonly string[]) =>
      commit(node, (transaction) => {
        for (const key of keys) transaction.put(key, 1);
      });

    it('names each node by 16 hexadecimal digits of its own', () => {
      expect(shared(0).node).toMatch(/^[0-9a-f]{16}$/);
      expect(shared(1).node).toMatch(/^[0-9a-f]{16}$/);
      expect(shared(0).node).not.toBe(shared(1).node);
    });

    it('delivers the commits of all nodes to all, each once, in the order of commits', async () => {
      const collectors = [await followed(0), await followed(1)];
      for (let round = 0; round < 20; round++) await put(round % 2, `${ONE}${round}`);
      const expected = Array.from({ length: 20 }, (_, round) => [`${ONE}${round}`]);
      for (const [node, collector] of collectors.entries()) {
        await shared(node).catchUp();
        expect(collector.keys).toEqual(expected);
        expect(collector.commits.map(({ isOwn }) => isOwn)).toEqual(expected.map((_, round) => round % 2 === node));
        expect(collector.gaps).toBe(0);
        expect(collector.commits.every(({ ranges }) => ranges.length === 0)).toBe(true);
      }
    });

    it('keeps the order of commits that are made at once', async () => {
      const collectors = [await followed(0), await followed(1)];
      const clients = Array.from({ length: 16 }, async (_, client) => {
        for (let round = 0; round < 10; round++) await put(client % 2, `${round % 2 ? ONE : TWO}${client} ${round}`);
      });
      await Promise.all(clients);
      for (const [node, { commits }] of collectors.entries()) {
        await shared(node).catchUp();
        expect(new Set(commits.flatMap(({ keys }) => keys)).size).toBe(160);
        expect(commits).toHaveLength(160);
        for (const area of [ONE, TWO]) {
          const stamps = commits.filter(({ keys }) => keys[0]!.startsWith(area)).map((each) => each.versionstamp);
          expect(stamps).toEqual([...new Set(stamps)].sort((a, b) => (a < b ? -1 : 1)));
        }
      }
    });

    it('delivers what was put, deleted and appended', async () => {
      await put(0, `${ONE}old`);
      const collector = await followed(1);
      let last = 0n;
      await commit(0, (transaction) => {
        transaction.put(`${ONE}new`, 1);
        transaction.delete(`${ONE}old`);
        transaction.append(`${ONE}L`, 'logged');
        transaction.afterCommit((stamp) => {
          last = stamp;
        });
      });
      await shared(1).catchUp();
      const [{ keys, versionstamp } = { keys: [], versionstamp: undefined }] = collector.commits;
      expect(collector.commits).toHaveLength(1);
      expect(keys).toHaveLength(3);
      expect(keys).toEqual(expect.arrayContaining([`${ONE}new`, `${ONE}old`]));
      const appended = keys.find((key) => key.startsWith(`${ONE}L`))!;
      expect(positionIn(`${ONE}L`, appended)).toHaveLength(12);
      expect(stampIn(`${ONE}L`, appended)).toBe(versionstamp);
      expect(versionstamp).toBe(last);
    });

    it('delivers a commit in several databases once, whole', async () => {
      const collector = await followed(1);
      const keys = ['root', `${ONE}x`, `${TWO}x`].sort();
      for (let round = 0; round < 3; round++) await put(round % 2, ...keys);
      await shared(1).catchUp();
      expect(collector.keys).toEqual([keys, keys, keys]);
    });

    it('delivers nothing of commits that conflicted, were cancelled, or wrote nothing', async () => {
      const collector = await followed(1);
      const late = await nodes[1]!.begin({ writable: true });
      await late.get(`${ONE}x`);
      late.put(`${ONE}late`, 1);
      await put(0, `${ONE}x`);
      expect(await code(() => late.commit())).toBe('transaction_conflict');
      const cancelled = await nodes[0]!.begin({ writable: true });
      cancelled.put(`${ONE}cancelled`, 1);
      cancelled.cancel();
      await commit(0, (transaction) => transaction.get(`${ONE}x`));
      await shared(1).catchUp();
      expect(collector.keys).toEqual([[`${ONE}x`]]);
    });

    it('delivers many commits that came at once', { timeout: atLeast(60_000) }, async () => {
      const collector = await followed(1);
      const commits = Array.from({ length: 1_500 }, (_, number) => put(0, `${ONE}${number}`, `${TWO}${number}`));
      await Promise.all(commits);
      await shared(1).catchUp();
      expect(collector.commits).toHaveLength(1_500);
      expect(new Set(collector.commits.flatMap(({ keys }) => keys)).size).toBe(3_000);
    });

    it('begins with what is committed after it has answered, and ends when asked to', async () => {
      await put(0, `${ONE}before`);
      const collector = new Collector();
      const end = await shared(1).follow(collector);
      const other = await followed(1);
      await put(0, `${ONE}during`);
      await shared(1).catchUp();
      end();
      await put(0, `${ONE}after`);
      await shared(1).catchUp();
      expect(collector.keys).toEqual([[`${ONE}during`]]);
      expect(other.keys).toEqual([[`${ONE}during`], [`${ONE}after`]]);
      const again = new Collector();
      await shared(1).follow(again);
      await put(1, `${ONE}again`);
      await shared(1).catchUp();
      expect(again.keys).toEqual([[`${ONE}again`]]);
    });

    it('says up to when it has caught up', async () => {
      await followed(1);
      const before = shared(1).caughtUpAt;
      await shared(1).catchUp();
      const first = shared(1).caughtUpAt;
      expect(first).toBeGreaterThan(before);
      await shared(1).catchUp();
      expect(shared(1).caughtUpAt).toBeGreaterThan(first);
    });

    it('delivers by itself', async () => {
      const collector = await followed(1);
      await put(0, `${ONE}x`);
      await expect.poll(() => collector.keys, { timeout: 30_000 }).toEqual([[`${ONE}x`]]);
    });

    it('refuses to follow once it is closed', async () => {
      await nodes[1]!.close();
      expect(await code(() => followed(1))).toBe('storage_unavailable');
      expect(await code(() => shared(1).catchUp())).toBe('storage_unavailable');
    });
  });
}
