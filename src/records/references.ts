/**
 * References: the keys at a record or a file that lead back to the records whose REFERENCE fields name it. The writer
 * keeps them; `<~` reads them, and what is deleted applies ON DELETE to them (`on-delete.ts`).
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { eachItem } from '../base/work/loops.js';
import { sortItems } from '../base/work/sort.js';
import type { DatabaseCatalog, TableEntry } from '../catalog/definitions/database-catalog.js';
import type { FieldDefinition } from '../catalog/definitions/definition.js';
import { vertexKey } from '../catalog/definitions/vertex-key.js';
import { edgePrefix, referenceKey, referencePrefix, referrerAt } from '../catalog/keys/edge-keys.js';
import { prefixRange } from '../catalog/keys/key-bytes.js';
import { encodedKeyOf } from '../catalog/keys/store-keys.js';
import type { Execution } from '../runtime/execution.js';
import type { Referent, Referrer, ReferrerSubject } from '../runtime/links.js';
import type { Key, KeyRange } from '../storage/contract.js';
import { forEachBatch } from '../storage/cursor.js';
import { decodeKey, encodeKey } from '../value/codecs/key-codec.js';
import type { Type } from '../value/type.js';
import {
  FileReference,
  isArray,
  isObject,
  type ObjectValue,
  Range,
  RecordId,
  type RecordKey,
  SetValue,
  type Value,
} from '../value/value.js';

/** The names of the fields of a table that refer. REFERENCE is for fields at the top of a record only. */
export function referringFields({ fields }: TableEntry): string[] {
  return fields.filter(({ reference }) => reference !== undefined).map(topName);
}

/** The name of the top-level field that a field belongs to. */
export function topName({ path: { parts } }: Pick<FieldDefinition, 'path'>): string {
  const [part] = parts;
  return part?.kind === 'field' ? part.name : '';
}

/** The records and files that a value of a REFERENCE field refers to. */
export function referredBy(value: Value): Referent[] {
  const items = value instanceof SetValue ? value.items : isArray(value) ? value : [value];
  return items.filter(
    (item) => item instanceof FileReference || (item instanceof RecordId && !(item.key instanceof Range)),
  ) as Referent[];
}

/** Replaces the references of one record's old state by those of its new state. */
export function updateReferences(
  execution: Execution,
  catalog: DatabaseCatalog,
  table: TableEntry,
  fields: readonly string[],
  key: RecordKey,
  before: ObjectValue | undefined,
  after: ObjectValue | undefined,
): PromiseOrValue<void> {
  if (fields.length === 0) return;
  const { transaction } = execution.context;
  const work = execution.interrupt;
  const encoded = encodeKey(key);
  const keysOf = (field: string, record: ObjectValue | undefined): PromiseOrValue<Set<Key>> => {
    const keys = new Set<Key>();
    const listed = eachItem(referredBy(record?.[field]), work, (of) => {
      keys.add(referenceKey(vertexKey(catalog, of), table.definition.id, field, encoded));
    });
    return andThen(listed, () => keys);
  };
  return forEachInOrder(fields, (field) => {
    if (before?.[field] === after?.[field]) return undefined;
    return andThen(keysOf(field, before), (old) =>
      andThen(keysOf(field, after), (fresh) => {
        const deleted = eachItem([...old], work, (each) => {
          if (!fresh.has(each)) transaction.delete(each);
        });
        const put = andThen(deleted, () =>
          eachItem([...fresh], work, (each) => {
            if (!old.has(each)) transaction.put(each, field);
          }),
        );
        return andThen(put, () => undefined);
      }),
    );
  });
}

/**
 * Follows a change of a field's definition: builds the references of one that begins to refer, removes those of one
 * that ends.
 */
export function settleReferences(
  execution: Execution,
  catalog: DatabaseCatalog,
  table: TableEntry,
  before: FieldDefinition | undefined,
  after: FieldDefinition | undefined,
): PromiseOrValue<void> {
  const field = after ?? before;
  if (field === undefined || (before?.reference === undefined) === (after?.reference === undefined)) return;
  const { transaction } = execution.context;
  const isBuilt = after?.reference !== undefined;
  const name = topName(field);
  return forEachBatch(transaction.scan(table.keys.records), (batch) => {
    for (const [key, record] of batch) {
      if (!isObject(record)) continue;
      for (const referent of referredBy(record[name])) {
        const entry = referenceKey(vertexKey(catalog, referent), table.definition.id, name, encodedKeyOf(key));
        if (isBuilt) transaction.put(entry, name);
        else transaction.delete(entry);
      }
    }
    return andThen(execution.interrupt.checkpoint(), () => false);
  });
}

/**
 * The records that refer to another or to a file, subject by subject, by field and key; without subjects those of all
 * tables, by their names.
 */
export function referrersAt(
  execution: Execution,
  of: Referent,
  subjects: readonly ReferrerSubject[],
): PromiseOrValue<Referrer[]> {
  return andThen(execution.context.catalog(), (catalog) => {
    if (catalog === undefined || of.key instanceof Range || !hasReferences(catalog, kindOfReferent(of))) return [];
    const node = vertexKey(catalog, of);
    const work = execution.interrupt;
    const referrers: Referrer[] = [];
    const found = forEachInOrder(rangesAt(catalog, node, subjects), (range) => {
      const read = forEachBatch(execution.context.transaction.scan(range), (batch) => {
        for (const [key, field] of batch) {
          const { table, key: encoded } = referrerAt(node, key);
          // References from a table that was removed stay behind.
          const name = catalog.tablesById.get(table)?.definition.name;
          if (name === undefined) continue;
          referrers.push({ id: new RecordId(name, decodeKey(encoded).value as RecordKey), field: field as string });
        }
        return andThen(work.checkpoint(), () => false);
      });
      return andThen(read, () => false);
    });
    const byTable = (a: Referrer, b: Referrer) => compareNames(a.id.table, b.id.table);
    return andThen(found, () =>
      subjects.length === 0 ? sortItems(referrers, execution.interrupt, byTable) : referrers,
    );
  });
}

/** Deletes the references to a record. */
export function forgetReferrers(execution: Execution, of: RecordId): PromiseOrValue<void> {
  return andThen(execution.context.catalog(), (catalog) =>
    catalog === undefined
      ? undefined
      : execution.context.transaction.deleteRange(
          prefixRange(edgePrefix(vertexKey(catalog, of), 'reference')),
          execution.interrupt,
        ),
  );
}

function rangesAt(catalog: DatabaseCatalog, node: string, subjects: readonly ReferrerSubject[]): KeyRange[] {
  if (subjects.length === 0) return [prefixRange(edgePrefix(node, 'reference'))];
  return subjects.flatMap(({ table, field }) => {
    const referring = catalog.tables.get(table)?.definition.id;
    if (referring === undefined) return [];
    const prefix =
      field === undefined ? edgePrefix(node, 'reference', referring) : referencePrefix(node, referring, field);
    return [prefixRange(prefix)];
  });
}

type ReferentKind = 'record' | 'file';

function kindOfReferent(of: Referent): ReferentKind {
  return of instanceof FileReference ? 'file' : 'record';
}

/**
 * Whether REFERENCE fields of the database refer to records, or to files; most have none, and what is deleted there
 * needn't be looked for.
 */
export function hasReferences(catalog: DatabaseCatalog, kind: ReferentKind): boolean {
  let kinds = referring.get(catalog);
  if (kinds === undefined) {
    const fields = [...catalog.tables.values()].flatMap((table) => table.fields);
    const types = fields.flatMap(({ reference, type }) =>
      reference === undefined || type === undefined ? [] : [type],
    );
    kinds = {
      record: types.some((type) => mayRefer(type, 'record')),
      file: types.some((type) => mayRefer(type, 'file')),
    };
    referring.set(catalog, kinds);
  }
  return kinds[kind];
}

const referring = new WeakMap<DatabaseCatalog, Readonly<Record<ReferentKind, boolean>>>();

function mayRefer(type: Type, kind: ReferentKind): boolean {
  if (type.kind === 'union') return type.of.some((member) => mayRefer(member, kind));
  return (type.kind === 'array' || type.kind === 'set' ? type.item?.kind : type.kind) === kind;
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
