/** Walks the rows of a statement's evaluated targets: tables, records, ranges, values. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { eachItem } from '../../../base/work/loops.js';
import { CALL, type Work } from '../../../base/work/work.js';
import type { TableEntry } from '../../../catalog/definitions/database-catalog.js';
import type { Access } from '../../../plan/nodes.js';
import type { Execution } from '../../../runtime/execution.js';
import type { Frame } from '../../../runtime/frame.js';
import type { ObjectValue, RecordId } from '../../../value/value.js';
import type { Target } from '../../expression/targets.js';
import type { Demand, OperatorContext, Visit } from '../operator.js';
import { compileReadTable, type ReadTable } from './read-table.js';
import { requireTable } from './require-table.js';

/** Consecutive records of a list, to be read together. */
interface Listed {
  readonly kind: 'listed';
  readonly ids: readonly RecordId[];
}

export class TargetsWalk {
  readonly #context: OperatorContext;
  /** The access to the tables that the plan names. */
  readonly #planned: ReadonlyMap<string, ReadTable> | undefined;
  /** The access to other tables, by the state of their definition; created on first use. */
  #others: WeakMap<TableEntry, ReadTable> | undefined;

  constructor(context: OperatorContext, accesses: readonly Access[]) {
    this.#context = context;
    // Statements about records alone, which are made by the thousand, name no tables.
    if (accesses.length > 0) {
      this.#planned = new Map(accesses.map((access) => [access.table, compileReadTable(access, context)]));
    }
  }

  /** Passes on the rows target by target. */
  walk(frame: Frame, targets: readonly Target[], demand: Demand, visit: Visit): PromiseOrValue<unknown> {
    const [only] = targets;
    if (only !== undefined && targets.length === 1 && isStored(only)) return this.one(frame, only, demand, visit);
    let stopped = false;
    const watch: Visit = (batch, direction) =>
      andThen(visit(batch, direction), (stop) => {
        stopped = stop === true;
        return stopped;
      });
    const { execution } = frame;
    const visitEach = (found: readonly (Target | Listed)[]) =>
      forEachInOrder(found, (target) => {
        const turn = target.kind === 'value' ? execution.interrupt.checkpoint(CALL) : undefined;
        return andThen(turn, () => andThen(this.one(frame, target, demand, watch), () => stopped));
      });
    const size =
      this.#context.reading.writes && execution.context.transaction.writable ? 1 : this.#context.compiler.tuning.batch;
    return andThen(gathered(targets, Math.min(size, demand.rows ?? size), execution.interrupt), visitEach);
  }

  /** Passes on the rows of one target. */
  one(frame: Frame, target: Target | Listed, demand: Demand, visit: Visit): PromiseOrValue<unknown> {
    const { execution } = frame;
    const { purpose, fields } = this.#context.reading;
    switch (target.kind) {
      case 'record':
        return andThen(this.record(execution, target.id), (record) =>
          record === undefined ? undefined : visit([record]),
        );
      case 'listed':
        return andThen(execution.services.reader.readMany(execution, target.ids, purpose, fields), visit);
      case 'range': {
        const { table } = target.id;
        const limit = demand.rows !== undefined && { limit: demand.rows };
        return execution.services.reader.scan(execution, { table, range: target.id, purpose, fields, ...limit }, visit);
      }
      case 'value':
        return target.value === undefined || target.value === null ? undefined : visit([target.value]);
      case 'table':
        return andThen(requireTable(execution, target.table), ({ catalog, entry }) => {
          const read = this.#planned?.get(target.table) ?? this.#read(execution, entry);
          return read(frame, catalog, entry, demand, visit);
        });
    }
  }

  /** The record of an id, as it may be seen. @throws TesseraError `table_missing` */
  record(execution: Execution, id: RecordId): PromiseOrValue<ObjectValue | undefined> {
    const { purpose, fields } = this.#context.reading;
    return andThen(requireTable(execution, id.table), () =>
      execution.services.reader.read(execution, id, purpose, fields),
    );
  }

  #read(execution: Execution, entry: TableEntry): ReadTable {
    this.#others ??= new WeakMap();
    let read = this.#others.get(entry);
    if (read === undefined) {
      read = compileReadTable(this.#context.reading.access(execution, entry), this.#context);
      this.#others.set(entry, read);
    }
    return read;
  }
}

/** Whether a target is no member of a list. */
function isStored(target: Target): boolean {
  return target.kind === 'table' || target.kind === 'range' || (target.kind === 'record' && target.listed !== true);
}

/** The targets, of which those records are joined that a list names one after the other: at most `size` of them. */
function gathered(targets: readonly Target[], size: number, work: Work): PromiseOrValue<readonly (Target | Listed)[]> {
  const all: (Target | Listed)[] = [];
  let ids: RecordId[] | undefined;
  const done = eachItem(targets, work, (target) => {
    if (target.kind !== 'record' || !target.listed) {
      ids = undefined;
      all.push(target);
    } else if (ids === undefined || ids.length >= size) {
      ids = [target.id];
      all.push({ kind: 'listed', ids });
    } else {
      ids.push(target.id);
    }
  });
  return andThen(done, () => all);
}
