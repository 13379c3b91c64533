/** Removes definitions within a transaction, with everything that depends on them. Authorization happens before. */
import { invariant } from '../../base/invariant.js';
import { forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { KeyRange, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { isObject, objectFrom, Range, RecordId, type Value } from '../../value/value.js';
import { databaseRemoved, recordsDeleted, tableRemoved } from '../credentials/incarnation.js';
import type { DatabaseCatalog, TableEntry } from '../definitions/database-catalog.js';
import type {
  BucketDefinition,
  DatabaseDefinition,
  NamespaceDefinition,
  TableDefinition,
} from '../definitions/definition.js';
import { areaOf, loadNamespace } from '../definitions/lookup.js';
import { bumpDatabaseVersion, bumpTableVersion, type SchemaChange } from '../definitions/schema-version.js';
import { readDefinition } from '../definitions/stored-definition.js';
import { vertexKey } from '../definitions/vertex-key.js';
import { forEachEntry } from '../entries.js';
import { edgeKey, edgesRange } from '../keys/edge-keys.js';
import { bucketDatabaseKey, removedBucketKey } from '../keys/file-keys.js';
import { type Id, prefixRange } from '../keys/key-bytes.js';
import { liveLogPrefix } from '../keys/live-keys.js';
import {
  type Area,
  databaseArea,
  databaseKey,
  databaseOfArea,
  definitionKey,
  definitionRange,
  encodedKeyOf,
  eventDatabaseKey,
  feedGapsPrefix,
  grantFamilyRange,
  grantRange,
  indexBuildRange,
  indexRange,
  mailDatabaseKey,
  memberKey,
  memberRange,
  namespaceArea,
  ROOT_AREA,
  sequenceKey,
  signInDatabaseKey,
  viewRange,
} from '../keys/store-keys.js';
import type { DatabasePath } from '../principal.js';
import { bumpVersionAt, type LevelKind } from './define.js';

/** Removes a namespace with its databases, users and access methods. */
export async function removeNamespace(change: SchemaChange, namespace: NamespaceDefinition): Promise<void> {
  const { transaction, work } = change;
  const found = await loadNamespace(transaction, namespace.name);
  const databases = forEachInOrder(found?.databases ?? [], async (database) => {
    await removeDatabase(change, namespace.name, database);
    return false;
  });
  await databases;
  transaction.delete(definitionKey(ROOT_AREA, 'namespace', namespace.name));
  return transaction.deleteRange(prefixRange(namespaceArea(namespace.id)), work);
}

/**
 * Removes a database with everything in it but the log for live queries, in which the last changes before the removal
 * wait for other nodes. It is pruned as always (`session/nodes/live-retention.ts`).
 */
export async function removeDatabase(
  change: SchemaChange,
  namespace: string,
  database: DatabaseDefinition,
): Promise<void> {
  const { transaction, work } = change;
  await databaseRemoved(change, database);
  transaction.delete(databaseKey(namespace, database.name));
  transaction.delete(eventDatabaseKey(database.id));
  transaction.delete(signInDatabaseKey(database.id));
  transaction.delete(mailDatabaseKey(database.id));
  transaction.delete(bucketDatabaseKey(database.id));
  await forEachEntry(transaction, definitionRange(databaseArea(database.id), 'bucket'), ([, stored]) =>
    leaveToSweeper(transaction, database.id, readDefinition('define-bucket', stored)),
  );
  const area = prefixRange(databaseArea(database.id));
  const log = prefixRange(liveLogPrefix(database.id));
  await transaction.deleteRange({ from: area.from, to: log.from }, work);
  return transaction.deleteRange({ from: log.to, to: area.to }, work);
}

/** Removes a table with its records, its fields, indexes and events, and the entries of its edges at other records. */
export async function removeTable(change: SchemaChange, catalog: DatabaseCatalog, table: TableEntry): Promise<void> {
  const { transaction, work } = change;
  const database = catalog.database.id;
  const { id, name } = table.definition;
  const ranges: readonly KeyRange[] = [
    table.keys.records,
    edgesRange(database, id),
    indexRange(database, id),
    indexBuildRange(database, id),
    memberRange(database, id),
    viewRange(database, id),
    prefixRange(feedGapsPrefix(database, id)),
  ];
  await detachEdges(change, catalog, table);
  await forEachInOrder(ranges, async (range) => {
    await transaction.deleteRange(range, work);
    return false;
  });
  transaction.delete(definitionKey(databaseArea(database), 'table', name));
  await tableRemoved(change, table);
  return bumpDatabaseVersion(change, catalog);
}

/** Deletes the records and aggregates of a view, keeping its fields, indexes and events. */
export async function emptyView(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  view: TableEntry,
  work: Work,
): Promise<void> {
  const database = catalog.database.id;
  const { id } = view.definition;
  const ranges: readonly KeyRange[] = [view.keys.records, indexRange(database, id), viewRange(database, id)];
  await forEachInOrder(ranges, async (range) => {
    await transaction.deleteRange(range, work);
    return false;
  });
  return recordsDeleted(transaction, view, work);
}

/**
 * Deletes the adjacency entries of the table's edges at other records. References from fields stay: they contain the
 * table's id, which is never reused, so that readers ignore them.
 */
function detachEdges(
  { transaction, work }: SchemaChange,
  catalog: DatabaseCatalog,
  { definition, keys }: TableEntry,
): PromiseOrValue<void> {
  if (definition.tableKind.kind === 'normal') return;
  const detach = (direction: 'in' | 'out', node: Value, edge: string): void => {
    if (!(node instanceof RecordId) || node.key instanceof Range) return;
    transaction.delete(edgeKey(vertexKey(catalog, node), direction, definition.id, edge));
  };
  return forEachBatch(transaction.scan(keys.records), async (batch) => {
    for (const [key, record] of batch) {
      if (!isObject(record)) continue;
      detach('out', record['in'], encodedKeyOf(key));
      detach('in', record['out'], encodedKeyOf(key));
    }
    await work?.checkpoint();
    return false;
  });
}

/** Removes the definition of a field or an event. */
export function removeMember(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  table: TableDefinition,
  kind: 'field' | 'event',
  name: string,
): PromiseOrValue<void> {
  change.transaction.delete(memberKey(catalog.database.id, table.id, kind, name));
  return bumpTableVersion(change, catalog, table.name);
}

/** Deletes what depends on a definition. */
const DEPENDENT: {
  readonly [K in LevelKind]?: (change: SchemaChange, area: Area, name: string) => PromiseOrValue<void>;
} = {
  access: async ({ transaction, work }, area, name) => {
    await transaction.deleteRange(grantRange(area, name), work);
    return transaction.deleteRange(grantFamilyRange(area, name), work);
  },
  sequence: async ({ transaction }, area, name) => {
    const stored = await transaction.get(definitionKey(area, 'sequence', name));
    if (stored === undefined) return;
    transaction.delete(sequenceKey(area, readDefinition('define-sequence', stored).identity));
  },
  bucket: async ({ transaction }, area, name) => {
    const stored = await transaction.get(definitionKey(area, 'bucket', name));
    if (stored === undefined) return;
    leaveToSweeper(transaction, databaseOfArea(area), readDefinition('define-bucket', stored));
  },
};

/** The files of a removed bucket are deleted in the background: there may be many, and their bytes elsewhere. */
function leaveToSweeper(transaction: Transaction, database: Id, { name, identity, backend }: BucketDefinition): void {
  const address = backend?.kind === 'literal' ? backend.value : undefined;
  transaction.put(removedBucketKey(identity), objectFrom({ database, name, backend: address }));
}

/** Removes a definition at a level, with the grants of an access method or the counter of a sequence. */
export async function removeAtLevel(
  change: SchemaChange,
  databasePath: DatabasePath,
  kind: LevelKind,
  name: string,
): Promise<void> {
  const { transaction } = change;
  const area = await areaOf(transaction, databasePath);
  invariant(area !== undefined, 'what is removed has a path that exists');
  await DEPENDENT[kind]?.(change, area, name);
  transaction.delete(definitionKey(area, kind, name));
  return bumpVersionAt(change, databasePath);
}
