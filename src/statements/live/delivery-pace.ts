/**
 * Keeps writers from outrunning those who listen: a server that is busy with commits would deliver ever later changes,
 * until live queries end with `live_queries_behind`.
 */
import type { Timers } from '../../env/environment.js';
import type { LiveQuery } from '../../runtime/execution.js';
import type { Transaction } from '../../storage/contract.js';

/** Milliseconds after which a writer looks again, and for which it waits at most. */
const STEP = 5;
const MOST = 100;

type Queries = Pick<ReadonlyMap<LiveQuery, unknown>, 'keys' | 'size'>;

/** Whether most listeners are late by the server's own doing. A few whose queries are slow don't count. */
export function areLate(queries: Queries): boolean {
  const enough = queries.size / 2;
  let onTime = 0;
  for (const { listener } of queries.keys()) if (!listener.isLate && ++onTime >= enough) return false;
  return queries.size > 0;
}

/** Has who commits a transaction that changes a table wait for those who listen to it, if they are late. */
export function paceWriter(transaction: Transaction, queries: Queries, timers: Timers): void {
  if (transaction.pace === undefined && areLate(queries)) transaction.pace = () => untilOnTime(queries, timers);
}

/** Waits until most listeners are on time, for a tenth of a second at most. */
export async function untilOnTime(queries: Queries, timers: Timers): Promise<void> {
  for (let waited = 0; waited < MOST && areLate(queries); waited += STEP) await timers.wait(STEP);
}
