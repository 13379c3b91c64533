/** The record writer: every change of a record, on any path, goes through here. */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue, unawaited } from '../base/promise-or-value.js';
import { CALL } from '../base/work/work.js';
import type { DatabaseCatalog } from '../catalog/definitions/database-catalog.js';
import { failure } from '../errors/error.js';
import { ALL_FIELDS } from '../plan/fields-read.js';
import type { DeniedWrite } from '../runtime/audit-recorder.js';
import { denyChange, denyWrite } from '../runtime/authorization/denied-writes.js';
import type { Execution, LiveRegistry, RecordWriter } from '../runtime/execution.js';
import type { Draft, FoundRecord, WriteOptions, WrittenRecord } from '../runtime/record-access.js';
import type { Key, Stored } from '../storage/contract.js';
import { encodeKey } from '../value/codecs/key-codec.js';
import { equals } from '../value/order.js';
import { toText } from '../value/text/text.js';
import { isObject, newObject, type ObjectValue, type RecordId, type RecordKey } from '../value/value.js';
import { admitsRecord, judgeOfRecord } from './computed.js';
import { edgeEntries, edgesAt, isUnconnected } from './edges.js';
import { ElementNumbers } from './element-numbers.js';
import { endOnCredentialChange } from './end-sessions.js';
import { raiseEvents } from './events.js';
import { processFields } from './fields.js';
import { restoreElements } from './hidden.js';
import { updateIndexes } from './index/maintain.js';
import { maskElements } from './mask.js';
import { mapInBatches, prefetchRecords } from './prefetch.js';
import { noteChange } from './record-changes.js';
import { checkKind, inOrder, withEnds, withIdentity } from './record-form.js';
import { updateReferences } from './references.js';
import { assertStorableRecord, storable } from './storable.js';
import { storedOf } from './stored.js';
import type { PreparedTable, TablePreparer } from './table.js';
import { beginUser, endUser } from './users.js';

export class StoredRecordWriter implements RecordWriter {
  readonly #tables: TablePreparer;
  readonly #liveQueries: LiveRegistry;
  /** Number of writes so far: if it is the same, no expression has written what was read before it was evaluated. */
  #writes = 0;

  constructor(tables: TablePreparer, liveQueries: LiveRegistry) {
    this.#tables = tables;
    this.#liveQueries = liveQueries;
  }

  /**
   * Creates a record; `undefined` when the principal may not.
   * @throws TesseraError `record_exists`; `write_refused` strictly
   */
  create(
    execution: Execution,
    id: RecordId,
    draft: Draft,
    options: WriteOptions = {},
  ): PromiseOrValue<WrittenRecord | undefined> {
    return this.#locate(execution, id, undefined, (catalog, table, key, stored) => {
      // Existence is checked last, so that the read may be grouped with those of its unique values.
      const taken = unawaited(stored);
      const writes = this.#writes;
      const isRuled = execution.checks.edit && table.rules.create.kind !== 'full';
      if (isRuled && table.rules.create.kind === 'none')
        return denyWrite(execution, { action: 'create', table: id.table });
      return andThen(draft(undefined), (drafted) => {
        const origins = new ElementNumbers();
        const change = { execution, catalog, table, id, key, before: undefined, drafted, origins, options };
        return andThen(this.#settle(change), (settled) => {
          if (settled === undefined) return denyWrite(execution, { action: 'create', table: id.table });
          return andThen(this.#prefetchClaims(change, settled), () =>
            // The data may have created it.
            andThen(writes === this.#writes ? taken : execution.context.transaction.get(key), (there) => {
              // The error is only for a principal who could have created the record.
              if (isObject(there)) throw failure('record_exists', { id: toText(id) });
              return this.#store(change, settled);
            }),
          );
        });
      });
    });
  }

  /**
   * Changes a record; `undefined` when it doesn't exist or the principal may not.
   * @throws TesseraError `write_refused` strictly, if he can see the record
   */
  update(
    execution: Execution,
    id: RecordId,
    draft: Draft,
    options: WriteOptions = {},
    seen?: ObjectValue,
  ): PromiseOrValue<WrittenRecord | undefined> {
    return this.#locate(execution, id, seen, (catalog, table, key, stored) =>
      andThen(stored, (before) => {
        if (!isObject(before)) return undefined;
        return this.#change({ execution, catalog, table, id, key, before, draft, options });
      }),
    );
  }

  #change(update: Update): PromiseOrValue<WrittenRecord | undefined> {
    const { execution, catalog, table, id, key, before, draft, options } = update;
    const writes = this.#writes;
    const refusal: DeniedWrite = { action: 'update', table: id.table };
    return andThen(this.#may(execution, table, 'update', before, before, before), (allowed) => {
      if (!allowed) return denyChange(execution, refusal, table.entry, before);
      const origins = new ElementNumbers();
      return andThen(this.#draft(execution, table, before, draft, origins), (drafted) =>
        andThen(this.#presently(update, writes), (now) => {
          if (now !== before) return now && this.#changeAgain(update, now);
          const change: Change = { execution, catalog, table, id, key, before, drafted, origins, options };
          return andThen(this.#settle(change), (settled) => {
            if (settled === undefined) return denyChange(execution, refusal, table.entry, before);
            return andThen(this.#presently(update, writes), (last) => {
              if (last !== before) throw failure('record_changed_within', { id: toText(id) });
              return andThen(this.#prefetchClaims(change, settled), () => this.#store(change, settled));
            });
          });
        }),
      );
    });
  }

  /** The record as it is now: the same object, unless an expression that was evaluated since has changed it. */
  #presently(
    { execution, key, before }: Pick<Update, 'execution' | 'key' | 'before'>,
    writes: number,
  ): PromiseOrValue<ObjectValue | undefined> {
    if (writes === this.#writes) return before;
    return andThen(execution.context.transaction.get(key), (now) => {
      if (!isObject(now)) return undefined;
      return equals(now, before) ? before : now;
    });
  }

  /** The data of a statement has changed the record itself: its results are applied to what it is by now. */
  #changeAgain(update: Update, now: ObjectValue): PromiseOrValue<WrittenRecord | undefined> {
    const { execution, table, id, draft, isAgain } = update;
    if (isAgain === true) throw failure('record_changed_within', { id: toText(id) });
    const seen = execution.checks.view
      ? execution.services.reader.present(execution, table.entry, now, 'update', ALL_FIELDS)
      : now;
    return andThen(seen, (shown) =>
      this.#change({ ...update, before: now, draft: (before) => draft(before, shown ?? newObject()), isAgain: true }),
    );
  }

  /**
   * Deletes a record and the edges at it; `undefined` when it doesn't exist or the principal may not delete it or one
   * of them.
   */
  delete(execution: Execution, id: RecordId): PromiseOrValue<WrittenRecord | undefined> {
    return this.#delete(execution, id, undefined, false);
  }

  deleteMany(execution: Execution, found: readonly FoundRecord[]): PromiseOrValue<(WrittenRecord | undefined)[]> {
    return mapInBatches(found, (batch) =>
      andThen(this.#areUnconnected(execution, batch), (unconnected) =>
        andThen(unconnected ? undefined : prefetchEdges(execution, batch), () =>
          mapInOrder(batch, ({ id, seen }) => this.#delete(execution, id, seen, unconnected)),
        ),
      ),
    );
  }

  /** `isUnconnected`: there are known to be neither edges nor references at the record. */
  #delete(
    execution: Execution,
    id: RecordId,
    seen: ObjectValue | undefined,
    isUnconnected: boolean,
  ): PromiseOrValue<WrittenRecord | undefined> {
    return this.#locate(execution, id, seen, (catalog, table, key, stored) =>
      andThen(stored, (before) => {
        if (!isObject(before)) return undefined;
        const writes = this.#writes;
        return andThen(this.#may(execution, table, 'delete', before, before, undefined), (allowed) => {
          const refusal: DeniedWrite = { action: 'delete', table: id.table };
          if (!allowed) return denyChange(execution, refusal, table.entry, before);
          const cleared = isUnconnected
            ? true
            : andThen(execution.services.references.check(execution, id), () => this.#deleteEdges(execution, id));
          return andThen(cleared, (done) => {
            if (!done) return denyChange(execution, refusal, table.entry, before);
            // Events of its edges may have changed the record, or deleted it.
            return andThen(
              this.#presently({ execution, key, before }, writes),
              (now) => now && this.#drop(execution, catalog, table, id, key, now, isUnconnected),
            );
          });
        });
      }),
    );
  }

  /**
   * Stores or deletes a record without any checks but of its size and form.
   * @throws TesseraError `closure_stored`, `value_too_large`
   */
  put(execution: Execution, id: RecordId, record: ObjectValue | undefined): PromiseOrValue<void> {
    const done = this.#locate(execution, id, undefined, (catalog, table, key, stored) =>
      andThen(stored, (found) => {
        const before = isObject(found) ? found : undefined;
        if (record === undefined) return before && this.#drop(execution, catalog, table, id, key, before);
        const options = { inputless: true };
        const origins = new ElementNumbers();
        const change = { execution, catalog, table, id, key, before, drafted: record, origins, options };
        assertStorableRecord(record, before);
        return this.#store(change, record);
      }),
    );
    return andThen(done, () => undefined);
  }

  #drop(
    execution: Execution,
    catalog: DatabaseCatalog,
    table: PreparedTable,
    id: RecordId,
    stored: Key,
    before: ObjectValue,
    isUnconnected = false,
  ): PromiseOrValue<WrittenRecord> {
    const { transaction } = execution.context;
    const key = id.key as RecordKey;
    this.#writes++;
    transaction.delete(stored);
    for (const [edge] of edgeEntries(catalog, table.entry, key, before)) transaction.delete(edge);
    const written: WrittenRecord = { table: table.entry, id, before, after: undefined };
    const forgotten = updateReferences(execution, catalog, table.entry, table.references, key, before, undefined);
    const unlisted = andThen(forgotten, () => updateIndexes(execution, table.entry, key, before, undefined));
    const ended = andThen(unlisted, () => endUser(execution, table.entry, id));
    return andThen(
      andThen(ended, () => (isUnconnected ? undefined : execution.services.references.settle(execution, id))),
      () => andThen(this.#follow(execution, catalog, table, stored, written, undefined), () => written),
    );
  }

  /** The stored form of a `seen` record isn't read again, if nothing has been written there since. */
  #locate(
    execution: Execution,
    id: RecordId,
    seen: ObjectValue | undefined,
    work: (
      catalog: DatabaseCatalog,
      table: PreparedTable,
      key: Key,
      stored: PromiseOrValue<Stored | undefined>,
    ) => PromiseOrValue<WrittenRecord | undefined>,
  ): PromiseOrValue<WrittenRecord | undefined> {
    if (!execution.writable) throw failure('read_only');
    const {
      request: { memory },
    } = execution;
    // Every write of a record has a checkpoint, so that many writes don't block other requests.
    const turn = execution.interrupt.checkpoint(CALL);
    const write = (catalog: DatabaseCatalog | undefined) => {
      const entry = catalog?.tables.get(id.table);
      if (catalog === undefined || entry === undefined) throw failure('table_missing', { name: id.table });
      const key = entry.keys.record(encodeKey(id.key));
      const { transaction } = execution.context;
      const isKnown = seen !== undefined && !transaction.hasWritten(key);
      return work(catalog, this.#tables.prepare(entry), key, isKnown ? storedOf(seen) : transaction.get(key));
    };
    // The written bytes are charged to the transaction.
    return memory.within(() =>
      andThen(
        andThen(turn, () => execution.context.catalog()),
        write,
      ),
    );
  }

  #may(
    execution: Execution,
    table: PreparedTable,
    action: 'create' | 'update' | 'delete',
    document: ObjectValue,
    before: ObjectValue | undefined,
    after: ObjectValue | undefined,
  ): PromiseOrValue<boolean> {
    return execution.checks.edit
      ? admitsRecord(table.rules[action], execution, table, document, { before, after, value: document })
      : true;
  }

  /** The draft of a statement for a record; the statement works on the elements that its writer sees. */
  #draft(
    execution: Execution,
    table: PreparedTable,
    before: ObjectValue,
    draft: Draft,
    origins: ElementNumbers,
  ): PromiseOrValue<ObjectValue> {
    const { mask } = table;
    if (mask === undefined || !execution.checks.view || !mask.guardsElements) return draft(before);
    return andThen(maskElements(mask, before, judgeOfRecord(execution, table, before), origins), (seen) =>
      andThen(draft(seen), (drafted) => restoreElements(mask, drafted, seen, before, origins)),
    );
  }

  /** The record as it would be stored; `undefined` when the principal may not store it. */
  #settle({
    execution,
    table,
    id,
    before,
    drafted,
    origins,
    options,
  }: Change): PromiseOrValue<ObjectValue | undefined> {
    checkKind(table, id, before, options.edge === true);
    const draft = withIdentity(drafted, id, before);
    const processed = execution.importing
      ? draft
      : processFields({ execution, table, id, before, draft, origins, keepsReadonly: options.keepsReadonly === true });
    return andThen(processed, (record) => {
      const fixed = withEnds(record, before ?? (options.edge === true ? draft : undefined));
      const after = storable(inOrder(fixed), before);
      return andThen(this.#may(execution, table, before ? 'update' : 'create', after, before, after), (allowed) =>
        allowed ? after : undefined,
      );
    });
  }

  #store(change: Change, after: ObjectValue): PromiseOrValue<WrittenRecord> {
    const { execution, catalog, table, id, before, drafted, options } = change;
    const written: WrittenRecord = { table: table.entry, id, before, after };
    const { transaction } = execution.context;
    const key = id.key as RecordKey;
    // A DROP table accepts records and keeps none.
    const kept = table.entry.definition.drop
      ? undefined
      : andThen(this.#index(change, after), () => {
          this.#writes++;
          transaction.put(change.key, after);
          if (options.edge === true && before === undefined) {
            for (const [edge, end] of edgeEntries(catalog, table.entry, key, after)) transaction.put(edge, end);
          }
          return andThen(updateReferences(execution, catalog, table.entry, table.references, key, before, after), () =>
            before === undefined
              ? beginUser(execution, table.entry, id)
              : endOnCredentialChange(execution, table, id, before, after),
          );
        });
    const input = options.inputless === true ? undefined : drafted;
    return andThen(kept, () =>
      andThen(this.#follow(execution, catalog, table, change.key, written, input), () => written),
    );
  }

  /** The values that a record is about to claim, all of them together. */
  #prefetchClaims({ execution, table, before }: Change, after: ObjectValue): PromiseOrValue<void> {
    if (!execution.context.answersLater || table.entry.definition.drop) return;
    return prefetchRecords(execution, () => ({
      claims: [{ table: table.entry.definition.name, record: after, before }],
    }));
  }

  /**
   * The error of a unique violation names the record that holds the values only where all records are wholly visible.
   */
  #index({ execution, table, id, before }: Change, after: ObjectValue): PromiseOrValue<void> {
    const isOpen = table.mask === undefined && table.rules.select.kind === 'full';
    const tellsHolder = !execution.checks.view || isOpen;
    const key = id.key as RecordKey;
    return updateIndexes(execution, table.entry, key, before, after, tellsHolder);
  }

  /**
   * Whether one look shows that there is nothing at many records that could be in the way of deleting them, or has to
   * go with them; nor can anything come there while they are deleted. The look spans what lies between them, too, so
   * that it isn't for a few records.
   */
  #areUnconnected(execution: Execution, found: readonly FoundRecord[]): PromiseOrValue<boolean> {
    const table = found[0]?.id.table as string;
    if (found.length < MANY || found.some(({ id }) => id.table !== table)) return false;
    return andThen(execution.context.catalog(), (catalog) => {
      const entry = catalog?.tables.get(table);
      if (catalog === undefined || entry === undefined) return false;
      const { events, maintainViews } = this.#tables.prepare(entry);
      if (events.length > 0 || maintainViews !== undefined) return false;
      return isUnconnected(execution.context.transaction, catalog, found);
    });
  }

  /**
   * Returns false, with nothing settled, when the principal may not delete one of the edges; the statement then leaves
   * the record alone.
   */
  #deleteEdges(execution: Execution, id: RecordId): PromiseOrValue<boolean> {
    return andThen(edgesAt(execution, id, { direction: 'both', tables: [] }), (edges) => {
      if (edges.length === 0) return true;
      const { transaction } = execution.context;
      const start = transaction.savepoint();
      let cleared = true;
      const prefetched = prefetchRecords(execution, () => ({ records: edges, nodes: edges }));
      const done = andThen(prefetched, () =>
        forEachInOrder(edges, (edge) =>
          andThen(this.exists(execution, edge), (exists) => {
            // An edge from a record to itself is met at both its ends.
            if (!exists) return undefined;
            return andThen(this.delete(execution, edge), (written) => {
              cleared = written !== undefined;
              return !cleared;
            });
          }),
        ),
      );
      return andThen(done, () => {
        if (!cleared) transaction.rollback(start);
        return cleared;
      });
    });
  }

  exists(execution: Execution, id: RecordId): PromiseOrValue<boolean> {
    return andThen(execution.context.catalog(), (catalog) => {
      const entry = catalog?.tables.get(id.table);
      if (catalog === undefined || entry === undefined) return false;
      const key = entry.keys.record(encodeKey(id.key));
      return andThen(execution.context.transaction.get(key), (record) => record !== undefined);
    });
  }

  /**
   * The consequences of a change: its announcement, then views, then events, which see all of it. `key` is the
   * record's.
   */
  #follow(
    execution: Execution,
    catalog: DatabaseCatalog,
    table: PreparedTable,
    key: Key,
    written: WrittenRecord,
    input: ObjectValue | undefined,
  ): PromiseOrValue<void> {
    noteChange(this.#liveQueries, execution, catalog, key, written);
    return andThen(table.maintainViews?.(execution, catalog, table.entry, written), () =>
      execution.importing ? undefined : raiseEvents(execution, catalog, table, written, input),
    );
  }
}

/** Number of deleted records for which a single scan over all of them pays off. */
const MANY = 64;

/** Prefetches the edges and references of records to be deleted, and then those of these edges. */
function prefetchEdges(execution: Execution, found: readonly FoundRecord[]): PromiseOrValue<void> {
  if (!execution.context.answersLater) return;
  const nodes = found.map(({ id }) => id);
  return andThen(
    prefetchRecords(execution, () => ({ nodes })),
    () =>
      andThen(
        mapInOrder(nodes, (id) => edgesAt(execution, id, { direction: 'both', tables: [] })),
        (groups) => {
          const edges = groups.flat();
          return prefetchRecords(execution, () => ({ records: edges, nodes: edges }));
        },
      ),
  );
}

/** A record to be changed as a draft says. */
interface Update {
  readonly execution: Execution;
  readonly catalog: DatabaseCatalog;
  readonly table: PreparedTable;
  readonly id: RecordId;
  readonly key: Key;
  readonly before: ObjectValue;
  readonly draft: Draft;
  readonly options: WriteOptions;
  /** The draft is applied for the second time. */
  readonly isAgain?: boolean;
}

/** A record being written. */
interface Change {
  readonly execution: Execution;
  readonly catalog: DatabaseCatalog;
  readonly table: PreparedTable;
  readonly id: RecordId;
  /** Where it is stored. */
  readonly key: Key;
  readonly before: ObjectValue | undefined;
  readonly drafted: ObjectValue;
  readonly origins: ElementNumbers;
  readonly options: WriteOptions;
}
