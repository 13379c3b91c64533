/**
 * Background work on indexes, step by step: builds of DEFINE and REBUILD INDEX …
 * CONCURRENTLY, and deletion of obsolete entries. Each step is a transaction that is bounded in time and
 * rows; the state for the next one is in the store.
 *
 * A step of a build reads the records that it indexes, so that it conflicts with transactions that changed one
 * meanwhile, and is repeated. They never conflict with it: writers maintain an index under construction like any other,
 * without reading the builder's entries. (Only claims of a unique index are read, so that two may conflict over equal
 * values of different records.)
 */
import { invariant } from '../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { type CatalogCache, loadDatabase } from '../../catalog/definitions/load.js';
import type { SchemaChange } from '../../catalog/definitions/schema-version.js';
import { completeIndex, failIndex, type IndexInCatalog } from '../../catalog/indexes/lifecycle.js';
import {
  buildProgress,
  endIndexWork,
  type IndexTask,
  type IndexWork,
  isQueued,
  notedFlaw,
  putBuildProgress,
} from '../../catalog/indexes/work.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import { encodedKeyOf, indexPrefix } from '../../catalog/keys/store-keys.js';
import type { Execution } from '../../runtime/execution.js';
import type { Entry, Key, KeyRange, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { asCreations } from './build.js';
import type { BulkBuild, IndexedChange, KeptIndex } from './contract.js';
import { keptIndex, maintain, notingFlaws } from './maintain.js';

/** The bounds of a step. */
export interface StepBounds {
  /** Records or entries. */
  readonly rows: number;
  /** Milliseconds, checked after each batch. */
  readonly time: number;
  /** Records or entries a batch. */
  readonly batch: number;
}

/** A transaction with the other dependencies of the work. */
export interface StepSite extends SchemaChange {
  readonly catalogs: CatalogCache;
  /** The execution in which analyzers of the database run. */
  execution(namespace: string, database: string): Execution;
}

/** Does some of the work; returns whether that was all of it. */
export function stepOfIndexWork(site: StepSite, work: IndexWork, bounds: StepBounds): PromiseOrValue<boolean> {
  return andThen(isQueued(site.transaction, work), (isThere) =>
    isThere ? STEPS[work.task](site, work, bounds) : true,
  );
}

const STEPS: {
  readonly [Task in IndexTask]: (site: StepSite, work: IndexWork, bounds: StepBounds) => PromiseOrValue<boolean>;
} = { build: stepOfBuild, clear: stepOfClearing, fold: stepOfFolding };

function stepOfClearing(
  { transaction, clock }: StepSite,
  work: IndexWork,
  bounds: StepBounds,
): PromiseOrValue<boolean> {
  const entries = prefixRange(indexPrefix(work.database, work.table, work.index));
  const walked = walk(transaction, entries, { ...bounds, until: clock.monotonic() + bounds.time, clock }, (batch) => {
    for (const [key] of batch) transaction.delete(key);
  });
  return andThen(walked, ({ next }) => {
    if (next !== undefined) return false;
    endIndexWork(transaction, work);
    return true;
  });
}

/** Folds the notes of writers into an index. The work stays queued: there will be more. */
async function stepOfFolding(site: StepSite, work: IndexWork): Promise<boolean> {
  const catalog = await loadDatabase(site.transaction, site.catalogs, work.namespace, work.databaseName);
  const table = catalog?.database.id === work.database ? catalog.tablesById.get(work.table) : undefined;
  const index = table?.maintained.find(({ id }) => id === work.index);
  const kept = table && index && keptIndex(table, index);
  if (kept?.keeping.fold === undefined) return true;
  return !(await kept.keeping.fold(kept, site.execution(work.namespace, work.databaseName)));
}

/** The index may be gone, with its table or its database. */
function stepOfBuild(site: StepSite, work: IndexWork, bounds: StepBounds): PromiseOrValue<boolean> {
  return whileBuilding(site, work, (at) => buildSome(site, at, work, bounds));
}

/** Ends a build that can't go on; `reason` is shown by INFO FOR INDEX. */
export function failBuild(site: StepSite, work: IndexWork, reason: string): PromiseOrValue<boolean> {
  return whileBuilding(site, work, (at) => andThen(failIndex(site, at, reason), () => true));
}

function whileBuilding(
  site: StepSite,
  work: IndexWork,
  then: (at: IndexInCatalog) => PromiseOrValue<boolean>,
): PromiseOrValue<boolean> {
  return andThen(loadDatabase(site.transaction, site.catalogs, work.namespace, work.databaseName), (catalog) => {
    const table = catalog?.database.id === work.database ? catalog.tablesById.get(work.table) : undefined;
    const index = table?.indexes.find(({ id, state }) => id === work.index && state === 'building');
    if (catalog === undefined || table === undefined || index === undefined) {
      endIndexWork(site.transaction, work);
      return true;
    }
    return then({ catalog, table, index });
  });
}

async function buildSome(site: StepSite, at: IndexInCatalog, work: IndexWork, bounds: StepBounds): Promise<boolean> {
  const { transaction, clock } = site;
  const { table, index } = at;
  const kept = keptIndex(table, index);
  invariant(kept !== undefined, 'what is built in the background keeps entries');
  const { records } = table.keys;
  const until = clock.monotonic() + bounds.time;
  const { initial, position } = await buildProgress(transaction, work);
  const rest = { from: position ?? records.from, to: records.to };
  const execution = site.execution(work.namespace, work.databaseName);
  const bulk = kept.keeping.build?.(kept, execution);
  const listed = bulk === undefined ? listOneByOne(kept, execution) : listTogether(kept, execution, bulk, rest);
  const most =
    bulk === undefined
      ? { ...bounds, until }
      : { ...bounds, rows: Math.min(BULK.rows, BULK.each * bounds.rows), until: until + BULK.time };
  const end = await walk(transaction, rest, { ...most, clock }, listed.add);
  await listed.finish(end);
  const { rows, next } = end;
  putBuildProgress(transaction, work, { initial: initial + rows, position: next ?? records.to });
  const flaw = await notedFlaw(transaction, work);
  if (flaw !== undefined) {
    await failIndex(site, at, flaw);
    return true;
  }
  if (next !== undefined) return false;
  const isMore = await kept.keeping.prepare?.(kept, execution);
  if (isMore === true) return false;
  await completeIndex(site, at);
  return true;
}

/** Records that are indexed together are worth a longer step, which yields on its way. */
const BULK = { rows: 2_048, each: 64, time: 50 };

interface Listing {
  readonly add: (batch: readonly Entry[]) => PromiseOrValue<void>;
  readonly finish: (end: Walked) => PromiseOrValue<void>;
}

/** The claims of these records are prefetched together if the store is asynchronous. */
function listOneByOne(kept: KeptIndex, execution: Execution): Listing {
  const { transaction } = execution.context;
  return {
    add: (batch) => {
      const changes = asCreations(batch.map(([, record]) => record));
      const fetched = transaction.prefetch?.({ keys: claimsOf(kept, changes) });
      return andThen(fetched, () => maintain(kept, execution, changes));
    },
    finish: () => undefined,
  };
}

function listTogether(kept: KeptIndex, execution: Execution, bulk: BulkBuild, rest: KeyRange): Listing {
  return {
    add: (batch) => notingFlaws(execution, kept.ids, () => bulk.add(asCreations(batch.map(([, record]) => record)))),
    finish: ({ next }) =>
      bulk.finish({ from: encodedKeyOf(rest.from), to: next === undefined ? '' : encodedKeyOf(next) }),
  };
}

function claimsOf(kept: KeptIndex, changes: readonly IndexedChange[]): Key[] {
  const { claims } = kept.keeping;
  if (claims === undefined) return [];
  return changes.flatMap(({ after }) => (after === undefined ? [] : claims(kept, after)));
}

interface WalkBounds extends StepBounds {
  readonly until: number;
  readonly clock: StepSite['clock'];
}

interface Walked {
  readonly rows: number;
  /** The beginning of the rest; `undefined` at the end of the range. */
  readonly next: Key | undefined;
}

/** Visits a range within the bounds. */
async function walk(
  transaction: Transaction,
  range: KeyRange,
  { rows: most, batch: size, until, clock }: WalkBounds,
  visit: (batch: readonly Entry[]) => PromiseOrValue<void>,
): Promise<Walked> {
  let rows = 0;
  let next: Key | undefined;
  const cursor = transaction.scan(range, { limit: most, batch: size });
  await forEachBatch(cursor, (batch) => {
    rows += batch.length;
    const last = batch.at(-1)?.[0];
    return andThen(visit(batch), () => {
      const isEnough = rows >= most || clock.monotonic() >= until;
      if (isEnough && last !== undefined) next = `${last}\0`;
      return isEnough;
    });
  });
  return { rows, next };
}
