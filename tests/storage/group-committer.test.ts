/** How commits of several databases share groups, on a store that the test answers for. */
import { beforeEach, expect, test } from 'vitest';
import type { Timers } from '../../src/env/environment.js';
import { GroupCommitter } from '../../src/storage/remote/group-committer.js';
import { type HeadLocks, ROOT_HEAD } from '../../src/storage/remote/heads.js';
import type { CommitGroup, CommitOutcome, CommitRequest, RemoteStore } from '../../src/storage/remote/store.js';

interface Sent {
  readonly group: CommitGroup;
  answer(outcomes: readonly CommitOutcome[]): Promise<void>;
}

let sent: Sent[];
let committer: GroupCommitter;
let applied: string[];
/** Timers that are still to fire. */
let due: (() => void)[];

beforeEach(() => {
  sent = [];
  applied = [];
  due = [];
  const apply = (group: CommitGroup) =>
    new Promise<readonly CommitOutcome[]>((resolve) => {
      sent.push({
        group,
        answer: async (outcomes) => {
          resolve(outcomes);
          await settled();
        },
      });
    });
  const timers = {
    after: (_: number, callback: () => void) => {
      due.push(callback);
      return () => undefined;
    },
  };
  committer = new GroupCommitter({ known: 0n, apply } as unknown as RemoteStore, timers as unknown as Timers);
});

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** Commits a key under a head, or under several. */
function commit(
  key: string,
  written: number | readonly number[],
  read: HeadLocks['read'] = [ROOT_HEAD],
  size = 10,
): void {
  const heads: HeadLocks = { written: typeof written === 'number' ? [written] : written, read };
  const request: CommitRequest = {
    heads,
    since: new Map(),
    keysRead: [],
    rangesRead: [],
    changes: [[key, 1]],
    appended: [],
    loggedRanges: [],
    size,
    isMaintenance: false,
  };
  committer
    .submit(request, (stamp) => applied.push(`${key} ${stamp}`))
    .catch(({ code }) => applied.push(`${key} ${code}`));
}

const shown = ({ group: { commits, heads, waits } }: Sent) =>
  `${commits.map(({ changes }) => changes[0]![0]).join(' ')} under ${heads.written}${waits ? ', waits' : ''}`;
const groups = (from = 0) => sent.slice(from).map(shown);

test('a database by itself waits for its head; what comes meanwhile goes out together, and waits for none', async () => {
  for (let head = 1; head <= 5; head++) commit(`k${head}`, head);
  commit('l1', 1);
  commit('l3', 3);
  expect(groups()).toEqual(['k1 under 1, waits', 'k2 under 2']);
  await sent[1]!.answer([5n]);
  expect(groups(2)).toEqual(['k3 l3 k4 k5 under 3,4,5']);
  // Under each head one group at a time.
  await sent[0]!.answer([6n]);
  expect(groups(3)).toEqual(['l1 under 1, waits']);
  await sent[2]!.answer([7n, 8n, 9n, 'conflict']);
  await sent[3]!.answer([10n]);
  expect(applied).toEqual(['k2 5', 'k1 6', 'k3 7', 'l3 8', 'k4 9', 'k5 transaction_conflict', 'l1 10']);
  await committer.close();
});

/** One is under way, which waits, and one of several that the server locked for others. */
async function lockedTwice(): Promise<void> {
  for (const [at, key] of ['a', 'b', 'c', 'd'].entries()) commit(key, at + 1);
  await sent[1]!.answer([3n]);
  expect(groups()).toEqual(['a under 1, waits', 'b under 2', 'c d under 3,4']);
  commit('d2', 4);
  await sent[2]!.answer(['locked', 'locked']);
}

test('locked ones are tried again, before later ones of their database and beside others', async () => {
  await lockedTwice();
  // All that wait were locked: one waits for its lock.
  expect(groups(3)).toEqual(['c under 3, waits']);
  commit('e', 5);
  expect(groups(4)).toEqual(['d d2 e under 4,5']);
  await sent[4]!.answer([4n, 5n, 6n]);
  expect(applied).toEqual(['b 3', 'd 4', 'd2 5', 'e 6']);
});

test('databases that wait for long hold up only themselves, however many there are', async () => {
  // The heads up to 6 stay locked: who waits for one gets no answer.
  let answered = 0;
  const serve = async () => {
    for (; answered < sent.length; answered++) {
      const { group, answer } = sent[answered]!;
      const outcomes = group.commits.map((_, place): CommitOutcome => BigInt(100 * answered + place));
      const isLocked = group.commits.map(({ heads }) => heads.written[0]! <= 6);
      if (group.waits && isLocked[0]) continue;
      await answer(outcomes.map((stamp, place) => (isLocked[place] ? 'locked' : stamp)));
    }
  };
  for (let head = 1; head <= 6; head++) commit(`locked${head}`, head);
  for (let round = 0; round < 20; round++) {
    commit(`x${round}`, 7 + (round % 3));
    await serve();
    for (const fire of due.splice(0)) fire();
    await serve();
  }
  expect(applied.map((line) => line.split(' ')[0])).toEqual(Array.from({ length: 20 }, (_, round) => `x${round}`));
  expect(sent.filter(({ group }) => group.waits && group.heads.written[0]! <= 6)).toHaveLength(3);
});

test('a large commit goes out by itself', async () => {
  commit('a', 1);
  commit('b', 2);
  commit('c', 3);
  commit('large', 4, [ROOT_HEAD], 100_000);
  commit('d', 4);
  expect(groups()).toEqual(['a under 1, waits', 'b under 2', 'large under 4, waits']);
  await sent[1]!.answer([1n]);
  expect(groups(3)).toEqual(['c under 3']);
  await sent[2]!.answer([2n]);
  await sent[3]!.answer([3n]);
  expect(groups(4)).toEqual(['d under 4']);
});

test("commits that write under several heads, or the root's, or have read other databases, share no group", async () => {
  commit('a', 1);
  commit('b', 2, [3]);
  commit('c', [4, 5]);
  commit('r', ROOT_HEAD, []);
  commit('all', 6, 'all');
  commit('d', 5);
  expect(groups()).toEqual([
    'a under 1, waits',
    'b under 2, waits',
    'c under 4,5, waits',
    'r under 0, waits',
    'all under 6, waits',
  ]);
  await sent[2]!.answer([1n]);
  expect(groups(5)).toEqual(['d under 5']);
});
