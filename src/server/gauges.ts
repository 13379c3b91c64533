/** Gauges of a server, read when its metrics are written. */
import { VERSION } from '../base/package-version.js';
import type { MemoryScope } from '../base/work/memory-scope.js';
import type { Clock } from '../env/environment.js';
import { realEnvironment } from '../env/real.js';
import { type Family, GaugeFamily, type Sample } from '../metrics/families.js';
import type { OpenDatabase } from '../session/database/database.js';

/** The gauges that `/metrics` reads at each scrape: sessions, memory, live queries, the version, the time since now. */
export function gaugesOf(database: OpenDatabase, clock: Clock = realEnvironment.clock): readonly Family[] {
  const { memory } = database;
  const started = clock.monotonic();
  const budgets: Readonly<Record<string, MemoryScope>> = { total: memory.budget, incoming: memory.incoming };
  const ofBudgets = (read: (budget: MemoryScope) => number) => (): Sample[] =>
    Object.entries(budgets).map(([budget, each]) => ({ labels: { budget }, value: read(each) }));
  return [
    new GaugeFamily({ name: 'tessera_build_info', help: 'The version, as a label.' }, () => [
      { labels: { version: VERSION }, value: 1 },
    ]),
    // Unlike the time of the start it is right after the clock was set.
    new GaugeFamily(
      { name: 'tessera_uptime_seconds', help: 'Time since the start, by the monotonic clock.' },
      () => (clock.monotonic() - started) / 1000,
    ),
    new GaugeFamily(
      { name: 'tessera_sessions', help: 'Open sessions: all, and those signed in for longer than one request.' },
      () => {
        const { sessions, signedIn } = database.resourceUsage;
        return [
          { labels: { state: 'open' }, value: sessions },
          { labels: { state: 'signed_in' }, value: signedIn },
        ];
      },
    ),
    new GaugeFamily({ name: 'tessera_live_queries', help: 'Live queries.' }, () => database.resourceUsage.liveQueries),
    new GaugeFamily(
      { name: 'tessera_open_transactions', help: 'Transactions and snapshots that clients hold open.' },
      () => database.resourceUsage.transactions,
    ),
    new GaugeFamily(
      { name: 'tessera_open_transaction_bytes', help: 'Bytes reserved for them.' },
      () => database.resourceUsage.memory,
    ),
    new GaugeFamily(
      { name: 'tessera_index_work', help: 'Indexes that wait to be built, or for their entries to be deleted.' },
      () => database.backgroundState.indexes,
    ),
    new GaugeFamily(
      { name: 'tessera_file_uploads', help: 'Files whose bytes are being received; at most 32 at once.' },
      () => database.resourceUsage.uploads,
    ),
    new GaugeFamily(
      { name: 'tessera_file_open_uploads', help: 'Uploads in several requests that aren’t complete, within a minute.' },
      () => database.backgroundState.pendingContents.uploads,
    ),
    new GaugeFamily(
      {
        name: 'tessera_file_waiting_bytes',
        help: 'Bytes of uploads that weren’t put and of deleted files, which are deleted when they are due.',
      },
      () => database.backgroundState.pendingContents.bytes,
    ),
    ...gaugesOfNode(database),
    new GaugeFamily(
      { name: 'tessera_memory_used_bytes', help: 'Bytes reserved in the budgets of the process.' },
      ofBudgets(({ used }) => used),
    ),
    new GaugeFamily(
      { name: 'tessera_memory_limit_bytes', help: 'Limits of these budgets.' },
      ofBudgets(({ limit }) => limit),
    ),
    new GaugeFamily(
      { name: 'tessera_memory_refusals_total', help: 'Reservations that they refused.', type: 'counter' },
      ofBudgets(({ refusals }) => refusals),
    ),
  ];
}

/** Where other servers use the store. */
function gaugesOfNode(database: OpenDatabase): readonly Family[] {
  if (database.backgroundState.leases === undefined) return [];
  return [
    new GaugeFamily(
      { name: 'tessera_node_staleness_seconds', help: 'How far this server is behind the commits of others.' },
      () => (database.backgroundState.staleness ?? 0) / 1000,
    ),
    new GaugeFamily(
      {
        name: 'tessera_node_leases',
        help: 'Leases of this server on background work: of work on databases one for each of eight groups.',
      },
      () => {
        const held = database.backgroundState.leases ?? new Map<string, number>();
        return [...held].map(([work, value]) => ({ labels: { work }, value }));
      },
    ),
  ];
}
