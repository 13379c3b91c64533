/** Commits of records that belong together, and what must be there of those that were acknowledged. */
import type { Engine, Versionstamp } from '../../../src/storage/contract.js';
import type { LmdbEngine } from '../../../src/storage/lmdb/engine/lmdb.js';
import { withRetries } from '../../../src/storage/retry.js';

export const WRITERS = ['a', 'b', 'c'] as const;
export type Writer = (typeof WRITERS)[number] | 'many';

/** How many of its rows a writer leaves. */
const ROWS = 5;
/** As many changes go into the tree at once, by a thread. */
const MANY = 4_200;

/** The last commit of each writer that was acknowledged, and the last versionstamp. */
export interface Acknowledged {
  readonly rounds: ReadonlyMap<string, number>;
  readonly stamp: Versionstamp;
}

export const NOTHING: Acknowledged = { rounds: new Map(), stamp: 0n };

/** With what the process says once a commit is acknowledged. */
export function heard({ rounds, stamp }: Acknowledged, line: string): Acknowledged {
  const [writer = '', round = '', given = '0'] = line.split(' ');
  const next = BigInt(given);
  return { rounds: new Map([...rounds, [writer, Number(round)]]), stamp: next > stamp ? next : stamp };
}

/** The number of a writer's last commit; 0 if there is none. */
export async function lastOf(engine: Engine, writer: Writer): Promise<number> {
  const transaction = await engine.begin({ writable: false });
  const last = await transaction.get(writer === 'many' ? 'many/0' : `last/${writer}`);
  transaction.cancel();
  return typeof last === 'number' ? last : 0;
}

/** Most are large, so that they fill the log; three at once still go into it. */
const contentOf = (round: number) => `${round}`.padEnd(round % 3 === 0 ? (round * 977) % 3_000 : 75_000, '.');

/** Answers what is to be said. */
export async function commitLinked(engine: Engine, writer: Writer, round: number): Promise<string> {
  let given: Versionstamp = 0n;
  await withRetries(engine, (transaction) => {
    transaction.afterCommit((stamp) => {
      given = stamp;
    });
    transaction.append('log/', `${writer} ${round}`);
    if (writer === 'many') for (let at = 0; at < MANY; at++) transaction.put(`many/${at}`, round);
    else {
      transaction.put(`last/${writer}`, round);
      transaction.put(`content/${writer}`, contentOf(round));
      transaction.put(`row/${writer}/${round}`, round);
      transaction.delete(`row/${writer}/${round - ROWS}`);
    }
  });
  return `${writer} ${round} ${given}`;
}

/** What is wrong with a store: a commit that is lost or in half, or an order that isn't that of the commits. */
export async function faultsIn(engine: LmdbEngine, { rounds, stamp }: Acknowledged): Promise<string[]> {
  const faults: string[] = [];
  const must = (isRight: boolean, what: string) => void (isRight || faults.push(what));
  const transaction = engine.begin({ writable: false });
  const logged = new Map<string, number>();
  let before = '';
  const log = transaction.scan({ from: 'log/', to: 'log0' });
  for (let batch = log.next() as [string, unknown][] | undefined; batch !== undefined; batch = log.next() as never) {
    for (const [key, value] of batch) {
      const [writer = '', round = ''] = String(value).split(' ');
      must(key > before, 'the log is not in order');
      must(Number(round) === (logged.get(writer) ?? 0) + 1, `the log has ${writer} ${round} in the wrong place`);
      logged.set(writer, Number(round));
      before = key;
    }
  }
  for (const writer of [...WRITERS, 'many'] as const) {
    const last = await lastOf(engine, writer);
    const acknowledged = rounds.get(writer) ?? 0;
    must(last >= acknowledged, `${writer} ${acknowledged} is lost: ${last} is the last one`);
    must((logged.get(writer) ?? 0) === last, `the log has ${writer} up to ${logged.get(writer)}, not ${last}`);
    if (writer === 'many') continue;
    must(last === 0 || transaction.get(`content/${writer}`) === contentOf(last), `${writer} has another content`);
    for (let round = last - ROWS; round <= last + 1; round++) {
      const isThere = round > Math.max(0, last - ROWS) && round <= last;
      const value = transaction.get(`row/${writer}/${round}`);
      must(value === (isThere ? round : undefined), `${writer} ${last} has ${value} as row ${round}`);
    }
  }
  const many = await lastOf(engine, 'many');
  for (let at = 0; many > 0 && at < MANY; at++)
    must(transaction.get(`many/${at}`) === many, `many ${many} is not complete`);
  must(many > 0 || transaction.count({ from: 'many/', to: 'many0' }) === 0, 'many is in half');
  transaction.cancel();
  must((await engine.copying.lastStamp()) >= stamp, 'a versionstamp may be given again');
  return faults;
}
