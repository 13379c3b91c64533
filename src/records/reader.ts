/** The record reader: every record that a principal sees passes through here. */
import {
  andThen,
  filterInOrder,
  forEachInOrder,
  lastly,
  mapInOrder,
  mapTogether,
  type PromiseOrValue,
  untilTrue,
} from '../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../catalog/definitions/database-catalog.js';
import { failure } from '../errors/error.js';
import type { Part, Permission, TableAction } from '../language/ast.js';
import { ALL_FIELDS, EDGE_FIELDS, type FieldsRead } from '../plan/fields-read.js';
import type { Functions } from '../plan/function-reads.js';
import { skipWrite } from '../runtime/authorization/denied-writes.js';
import { type Candidate, type Candidates, forEachCandidates, rowsOfIds, withNote } from '../runtime/candidates.js';
import { mapReads } from '../runtime/concurrent-reads.js';
import type { Execution, RecordReader } from '../runtime/execution.js';
import type { EdgeStep, Hop, Referent, Referrer, ReferrerSubject } from '../runtime/links.js';
import type { BatchVisitor, PermissionVerdict, ReadPurpose, RecordScan } from '../runtime/record-access.js';
import type { Tuning } from '../runtime/tuning.js';
import type { Key, KeyRange, ScanOptions } from '../storage/contract.js';
import { forEachBatch, forEachBatchOfValues, skipEntries } from '../storage/cursor.js';
import { encodeKey, encodeRecordKey } from '../value/codecs/key-codec.js';
import { isObject, newObject, type ObjectValue, Range, type RecordId, type Value } from '../value/value.js';
import { admitsRecord, computeFields, judgeOfRecord, withRecordJudge } from './computed.js';
import { edgesAt, endsAt } from './edges.js';
import { hiddenFields } from './hidden-fields.js';
import { ListedKeys } from './listed-keys.js';
import { applyMask, mayHide } from './mask.js';
import { isAlikeForAll, isAsStored, isChecked, isPlain } from './plain.js';
import { recordRange } from './record-range.js';
import { referrersAt } from './references.js';
import { storedOf, withStoredRecord } from './stored.js';
import type { PreparedField, PreparedTable, TablePreparer } from './table.js';

/** The compiled access to the records of one table. */
interface Reading {
  readonly execution: Execution;
  readonly table: PreparedTable;
  readonly purpose: ReadPurpose;
  /** The computed fields to read. */
  readonly computed: readonly PreparedField[];
}

/** Returns a stored record of a table as requested. */
type Present = (table: PreparedTable, raw: ObjectValue) => PromiseOrValue<ObjectValue | undefined>;

export class StoredRecordReader implements RecordReader {
  readonly #tables: TablePreparer;
  readonly #batch: number;

  constructor(tables: TablePreparer, { batch }: Tuning) {
    this.#tables = tables;
    this.#batch = batch;
  }

  read(
    execution: Execution,
    id: RecordId,
    purpose: ReadPurpose = 'select',
    fields: FieldsRead = ALL_FIELDS,
  ): PromiseOrValue<ObjectValue | undefined> {
    return andThen(execution.context.catalog(), (catalog) => {
      const entry = catalog?.tables.get(id.table);
      if (catalog === undefined || entry === undefined || id.key instanceof Range) return undefined;
      const key = entry.keys.record(encodeRecordKey(id));
      return andThen(execution.context.transaction.get(key), (raw) =>
        isObject(raw)
          ? this.#presentNamed(execution, this.#tables.prepare(entry), raw, purpose, fields, catalog.functions)
          : undefined,
      );
    });
  }

  readMany(
    execution: Execution,
    ids: readonly RecordId[],
    purpose: ReadPurpose = 'select',
    fields: FieldsRead = ALL_FIELDS,
  ): PromiseOrValue<(ObjectValue | undefined)[]> {
    const [first] = ids;
    if (first !== undefined && ids.length === 1) {
      return andThen(this.read(execution, first, purpose, fields), (record) => [record]);
    }
    return andThen(execution.context.catalog(), (catalog) => {
      const tables = this.#tablesOf(catalog, ids);
      // What a computed field writes is seen by those after it.
      const isSteady =
        !execution.context.transaction.writable ||
        tables.every((table) => !table?.computed.needed(fields, catalog?.functions).length);
      const size = isSteady ? this.#batch : 1;
      const found: (ObjectValue | undefined)[] = [];
      let at = 0;
      const done = untilTrue(() => {
        if (at >= ids.length) return true;
        const from = at;
        at += size;
        return andThen(execution.interrupt.checkpoint(), () => {
          const present: Present = (table, raw) =>
            this.#presentNamed(execution, table, raw, purpose, fields, catalog?.functions);
          const batch = this.#readBatch(execution, ids.slice(from, at), tables.slice(from, at), present);
          return andThen(batch, (records) => {
            for (const record of records) found.push(record);
            if (ids.length > size) execution.request.memory.chargeRows(records);
            return false;
          });
        });
      });
      return andThen(done, () => found);
    });
  }

  /** For each id the table where its record may be. */
  #tablesOf(catalog: DatabaseCatalog | undefined, ids: readonly RecordId[]): (PreparedTable | undefined)[] {
    let name: string | undefined;
    let table: PreparedTable | undefined;
    return ids.map((id) => {
      if (id.table !== name) {
        name = id.table;
        const entry = catalog?.tables.get(name);
        table = entry && this.#tables.prepare(entry);
      }
      return id.key instanceof Range ? undefined : table;
    });
  }

  #readBatch(
    execution: Execution,
    ids: readonly RecordId[],
    tables: readonly (PreparedTable | undefined)[],
    present: Present,
  ): PromiseOrValue<(ObjectValue | undefined)[]> {
    const keys: string[] = [];
    for (let at = 0; at < ids.length; at++) {
      const table = tables[at];
      if (table !== undefined) keys.push(table.entry.keys.record(encodeRecordKey(ids[at] as RecordId)));
    }
    return andThen(execution.context.transaction.getMany(keys), (stored) => {
      let next = 0;
      return mapInOrder(tables, (table) => {
        const raw = table === undefined ? undefined : stored[next++];
        return table === undefined || !isObject(raw) ? undefined : present(table, raw);
      });
    });
  }

  scan(execution: Execution, scan: RecordScan, visit: BatchVisitor): PromiseOrValue<void> {
    return andThen(execution.context.catalog(), (catalog) => {
      const entry = catalog?.tables.get(scan.table);
      if (catalog === undefined || entry === undefined) throw failure('table_missing', { name: scan.table });
      const table = this.#tables.prepare(entry);
      const purpose = scan.purpose ?? 'select';
      if (isClosed(execution, table, purpose)) return;
      const reading = {
        execution,
        table,
        purpose,
        computed: table.computed.needed(scan.fields ?? ALL_FIELDS, catalog.functions),
      };
      if (scan.candidates !== undefined) return this.#follow(reading, scan.candidates, scan.idsOnly === true, visit);
      if (scan.records !== undefined) return this.#readListed(reading, scan.records, visit);
      return scan.index === undefined
        ? this.#walk(reading, scan.keys ?? recordRange(entry, scan.range), scan, visit)
        : this.#lookUp(reading, scan.index, scan, visit);
    });
  }

  edges(execution: Execution, id: RecordId, step: EdgeStep): PromiseOrValue<RecordId[]> {
    if (!execution.checks.view) return edgesAt(execution, id, step);
    const directions = step.direction === 'both' ? (['in', 'out'] as const) : [step.direction];
    const found = mapReads(execution, directions, (direction) =>
      andThen(edgesAt(execution, id, { ...step, direction }), (ids) =>
        this.#withOpenEnd(execution, ids, direction === 'out' ? 'in' : 'out'),
      ),
    );
    return andThen(found, (lists) => lists.flat(1));
  }

  ends(execution: Execution, id: RecordId, hop: Hop): PromiseOrValue<RecordId[] | undefined> {
    return andThen(execution.context.catalog(), (catalog) => {
      const edge = catalog?.tables.get(hop.edge);
      if (catalog === undefined || edge === undefined) return undefined;
      const isStored = this.#tables.prepare(edge).computed.needed(EDGE_FIELDS).length === 0;
      return isStored && isPlain(execution, 'select') ? endsAt(execution, catalog, id, hop) : undefined;
    });
  }

  /**
   * The edges whose end at the starting record the principal may see, so that a traversal doesn't reveal a hidden
   * field.
   */
  #withOpenEnd(execution: Execution, edges: RecordId[], end: 'in' | 'out'): PromiseOrValue<RecordId[]> {
    if (edges.length === 0) return edges;
    return andThen(execution.context.catalog(), (catalog) => {
      const path = [{ kind: 'field', name: end }] as const;
      const isOpen = mapReads(execution, edges, (edge) => {
        const entry = catalog?.tables.get(edge.table);
        if (entry === undefined || !this.mayHide(entry, path)) return true;
        return andThen(this.read(execution, edge, 'select', EDGE_FIELDS), (record) => record?.[end] !== undefined);
      });
      return andThen(isOpen, (open) => edges.filter((_, at) => open[at]));
    });
  }

  referrers(execution: Execution, of: Referent, subjects: readonly ReferrerSubject[]): PromiseOrValue<Referrer[]> {
    return referrersAt(execution, of, subjects);
  }

  storedRange(
    execution: Execution,
    entry: TableEntry,
    purpose: ReadPurpose,
    fields: FieldsRead,
  ): PromiseOrValue<KeyRange | undefined> {
    const table = this.#tables.prepare(entry);
    return andThen(execution.context.catalog(), (catalog) => {
      const computed = table.computed.needed(fields, catalog?.functions);
      return isAsStored({ execution, purpose, computed }) ? recordRange(entry, undefined) : undefined;
    });
  }

  mayHide(entry: TableEntry, path: readonly Part[]): boolean {
    const { mask } = this.#tables.prepare(entry);
    return mask !== undefined && mayHide(mask, path);
  }

  present(
    execution: Execution,
    table: TableEntry,
    raw: ObjectValue,
    purpose: ReadPurpose = 'select',
    fields: FieldsRead = ALL_FIELDS,
  ): PromiseOrValue<ObjectValue | undefined> {
    const prepared = this.#tables.prepare(table);
    return andThen(execution.context.catalog(), (catalog) => {
      const computed = prepared.computed.needed(fields, catalog?.functions);
      return this.#present({ execution, table: prepared, purpose, computed }, raw);
    });
  }

  presentsAlike(execution: Execution, table: TableEntry): boolean {
    return isAlikeForAll(execution, this.#tables.prepare(table));
  }

  /**
   * A record that was asked for by its id. One that a rule keeps from being changed was meant, while in a scan the rule
   * only narrows.
   */
  #presentNamed(
    execution: Execution,
    table: PreparedTable,
    raw: ObjectValue,
    purpose: ReadPurpose,
    fields: FieldsRead,
    functions: Functions | undefined,
  ): PromiseOrValue<ObjectValue | undefined> {
    const computed = table.computed.needed(fields, functions);
    if (computed.length === 0 && isPlain(execution, purpose)) return raw;
    const presented = this.#present({ execution, table, purpose, computed }, raw);
    if (purpose === 'select') return presented;
    return andThen(
      presented,
      (record) => record ?? skipWrite(execution, { action: purpose, table: table.entry.definition.name }),
    );
  }

  judge(
    execution: Execution,
    entry: TableEntry,
    raw: ObjectValue,
    action: TableAction,
  ): PromiseOrValue<PermissionVerdict> {
    const table = this.#tables.prepare(entry);
    return andThen(admitsRecord(table.rules[action], execution, table, raw), (admitted) =>
      andThen(hiddenFields(execution, table, raw), (hidden) => ({ admitted, hidden })),
    );
  }

  holds(execution: Execution, of: TableEntry, raw: ObjectValue, by: Permission, value: Value): PromiseOrValue<boolean> {
    return admitsRecord(this.#tables.rule(by), execution, this.#tables.prepare(of), raw, { value });
  }

  #present(reading: Reading, raw: ObjectValue): PromiseOrValue<ObjectValue | undefined> {
    const shown = this.#show(reading, raw);
    if (reading.purpose === 'select') return shown;
    return andThen(shown, (record) => record && withStoredRecord(record, raw));
  }

  #show(reading: Reading, raw: ObjectValue): PromiseOrValue<ObjectValue | undefined> {
    const { execution, table, purpose, computed } = reading;
    if (isPlain(execution, purpose)) return computeFields(execution, table, raw, computed);
    if (purpose === 'select') {
      return andThen(admitsRecord(table.rules.select, execution, table, raw), (visible) =>
        visible ? unveil(reading, raw) : undefined,
      );
    }
    const seeing: Reading = { ...reading, purpose: 'select' };
    const allowed = execution.checks.edit ? admitsRecord(table.rules[purpose], execution, table, raw) : true;
    return andThen(allowed, (may) => {
      // In strict mode visible records are returned, for the writer to deny them if the statement concerns them.
      if (!may) return execution.request.strict ? this.#present(seeing, raw) : undefined;
      return andThen(this.#present(seeing, raw), (seen) => seen ?? idAlone(raw));
    });
  }

  #walk(reading: Reading, range: KeyRange, scan: RecordScan, visit: BatchVisitor): PromiseOrValue<void> {
    const { execution } = reading;
    const cursor = execution.context.transaction.scan(range, this.#scanOptions(scan));
    const asStored = isAsStored(reading);
    const walk = () =>
      forEachBatchOfValues(cursor, (records) => {
        const seen = asStored ? (records as readonly ObjectValue[]) : this.#presentAll(reading, records);
        return this.#hand(execution, seen, visit);
      });
    if (scan.skip === undefined) return walk();
    return lastly(
      () => andThen(skipEntries(cursor, scan.skip ?? 0, execution.interrupt), walk),
      () => cursor.close(),
    );
  }

  #readListed(reading: Reading, keys: readonly Key[], visit: BatchVisitor): PromiseOrValue<void> {
    let from = 0;
    return untilTrue(() => {
      const batch = keys.slice(from, from + LISTED);
      from += LISTED;
      return batch.length === 0 || this.#handListed(reading, batch, visit);
    });
  }

  #lookUp(reading: Reading, ranges: readonly KeyRange[], scan: RecordScan, visit: BatchVisitor): PromiseOrValue<void> {
    const { execution } = reading;
    const { transaction } = execution.context;
    if (execution.context.answersLater) return this.#lookUpTogether(reading, ranges, scan, visit);
    const options = this.#scanOptions(scan);
    const listed = new ListedKeys(reading.table);
    let isOver = false;
    return forEachInOrder(ranges, (range) => {
      const read = forEachBatch(transaction.scan(range, options), (entries) =>
        andThen(this.#handListed(reading, listed.keys(entries), visit), (stop) => {
          isOver = stop;
          return stop;
        }),
      );
      return andThen(read, () => isOver);
    });
  }

  /** The same for asynchronous stores: the first entries of several ranges are read together. */
  async #lookUpTogether(
    reading: Reading,
    ranges: readonly KeyRange[],
    scan: RecordScan,
    visit: BatchVisitor,
  ): Promise<void> {
    const { transaction } = reading.execution.context;
    const options = this.#scanOptions(scan);
    const listed = new ListedKeys(reading.table);
    for (let from = 0; from < ranges.length; from += TOGETHER) {
      const cursors = ranges.slice(from, from + TOGETHER).map((range) => transaction.scan(range, options));
      try {
        const firsts = await mapTogether(cursors, (cursor) => cursor.next());
        const keys = firsts.map((entries) => listed.keys(entries ?? []));
        const records = await mapTogether(keys, (some) => (some.length === 0 ? [] : transaction.getMany(some)));
        for (const [at, cursor] of cursors.entries()) {
          if (firsts[at] === undefined) continue;
          if (await this.#hand(reading.execution, this.#presentAll(reading, records[at] ?? []), visit)) return;
          for (let entries = await cursor.next(); entries !== undefined; entries = await cursor.next()) {
            if (await this.#handListed(reading, listed.keys(entries), visit)) return;
          }
        }
      } finally {
        for (const cursor of cursors) cursor.close();
      }
    }
  }

  /** Candidates are checked like all records, before the index's notes about them are passed on. */
  #follow(reading: Reading, candidates: Candidates, isOfIds: boolean, visit: BatchVisitor): PromiseOrValue<void> {
    const { execution, table } = reading;
    const readsNone = isOfIds && isAsStored(reading) && !execution.context.transaction.writable;
    return forEachCandidates(candidates, (batch) => {
      const ids = readsNone ? rowsOfIds(table.entry.definition.name, batch) : undefined;
      if (ids !== undefined) return this.#hand(execution, ids, visit);
      const keys = batch.map(({ key }) => table.entry.keys.record(encodeKey(key)));
      return andThen(execution.context.transaction.getMany(keys), (records) =>
        this.#hand(execution, this.#presentCandidates(reading, batch, records), visit),
      );
    });
  }

  #presentCandidates(
    reading: Reading,
    batch: readonly Candidate[],
    records: readonly Value[],
  ): PromiseOrValue<readonly ObjectValue[]> {
    const found = batch.flatMap(({ note }, at) => {
      const raw = records[at];
      return isObject(raw) ? { raw, note } : [];
    });
    // What a computed field writes is seen by those after it.
    const map = reading.computed.length === 0 ? mapReads : mapInTurn;
    const seen = map(reading.execution, found, ({ raw, note }) =>
      andThen(this.#present(reading, raw), (row) => row && withStoredRecord(withNote(row, note), storedOf(row))),
    );
    return andThen(seen, (all) => all.filter((row) => row !== undefined));
  }

  #handListed(reading: Reading, keys: readonly string[], visit: BatchVisitor): PromiseOrValue<boolean> {
    const { execution } = reading;
    return andThen(execution.context.transaction.getMany(keys), (records) =>
      this.#hand(execution, this.#presentAll(reading, records), visit),
    );
  }

  #scanOptions({ reverse = false, limit }: RecordScan): ScanOptions {
    return { reverse, batch: this.#batch, ...(limit !== undefined && { first: limit }) };
  }

  #presentAll(reading: Reading, records: readonly Value[]): PromiseOrValue<readonly ObjectValue[]> {
    if (isAsStored(reading)) return records.filter(isObject);
    const {
      request: { memory },
    } = reading.execution;
    // The collector of the records counts their memory.
    const presented = memory.within(() => this.#presentStored(reading, records.filter(isObject)));
    return andThen(presented, (all) => all.filter((record) => record !== undefined));
  }

  #presentStored(
    reading: Reading,
    records: readonly ObjectValue[],
  ): PromiseOrValue<readonly (ObjectValue | undefined)[]> {
    const { execution, table, purpose, computed } = reading;
    // What a computed field writes is seen by those after it.
    const mapRecords = <U>(map: (raw: ObjectValue) => PromiseOrValue<U>) =>
      computed.length === 0 ? mapReads(execution, records, map) : mapInOrder(records, map);
    if (purpose !== 'select' || !execution.checks.view) {
      return mapRecords((raw) => this.#present(reading, raw));
    }
    const rule = table.rules.select;
    const visible = withRecordJudge(rule, execution, table, (judge) =>
      execution.context.answersLater
        ? andThen(mapReads(execution, records, judge), (verdicts) => records.filter((_, at) => verdicts[at]))
        : filterInOrder(records, judge),
    );
    const isWhole = table.mask === undefined && computed.length === 0;
    return andThen(visible, (all) => (isWhole ? all : mapInOrder(all, (raw) => unveil(reading, raw))));
  }

  /** Passes a batch on and yields; returns whether the scan is over. */
  #hand(
    execution: Execution,
    batch: PromiseOrValue<readonly ObjectValue[]>,
    visit: BatchVisitor,
  ): PromiseOrValue<boolean> {
    return andThen(batch, (records) =>
      andThen(records.length === 0 ? undefined : visit(records), (stop) =>
        stop === true ? true : andThen(execution.interrupt.checkpoint(), () => false),
      ),
    );
  }
}

/** `mapReads` for work that must not run concurrently. */
function mapInTurn<T, U>(_: Execution, items: readonly T[], map: (item: T) => PromiseOrValue<U>): PromiseOrValue<U[]> {
  return mapInOrder(items, map);
}

/** Ranges of an index that are read together. */
const TOGETHER = 256;
/** Records of a list that are read in one step. */
const LISTED = 256;

/** A visible record, with its computed fields and without its hidden ones. */
function unveil({ execution, table, computed }: Reading, raw: ObjectValue): PromiseOrValue<ObjectValue> {
  const { mask } = table;
  const record = computeFields(execution, table, raw, computed);
  if (mask === undefined) return record;
  return andThen(record, (whole) => applyMask(mask, whole, judgeOfRecord(execution, table, raw)));
}

/** Whether no record can be visible, so that none need be read. */
function isClosed(execution: Execution, table: PreparedTable, purpose: ReadPurpose): boolean {
  if (!isChecked(execution, purpose) || table.rules[purpose].kind !== 'none') return false;
  return purpose === 'select' || !execution.request.strict || isClosed(execution, table, 'select');
}

function idAlone(raw: ObjectValue): ObjectValue {
  const record = newObject();
  record['id'] = raw['id'];
  return record;
}
