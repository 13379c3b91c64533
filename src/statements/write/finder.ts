/** The common part of UPDATE, UPSERT and DELETE: finding their records. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { failure } from '../../errors/error.js';
import type { StreamNode } from '../../plan/nodes.js';
import type { Target } from '../../query/expression/targets.js';
import type { OperatorContext } from '../../query/operators/operator.js';
import { speculate } from '../../query/prefetch/speculate.js';
import { claimsOfChanges, mapPrefetched, type RecordReads } from '../../records/prefetch.js';
import { denyWrite } from '../../runtime/authorization/denied-writes.js';
import type { Execution } from '../../runtime/execution.js';
import type { Frame } from '../../runtime/frame.js';
import type { FoundRecord, WrittenRecord } from '../../runtime/record-access.js';
import { toErrorText } from '../../value/text/text.js';
import { isObject, type ObjectValue, RecordId, type Value } from '../../value/value.js';
import type { CompiledData } from './data.js';

/** Changes records one after the other, as the data of a statement says. */
export function changeFound(
  frame: Frame,
  found: readonly FoundRecord[],
  data: CompiledData,
): PromiseOrValue<(WrittenRecord | undefined)[]> {
  const { execution } = frame;
  const readsOf = (batch: readonly FoundRecord[], catalog: DatabaseCatalog): RecordReads => {
    if (!data.isSpeculable) return {};
    const make = (seen: ObjectValue, before: ObjectValue) =>
      speculate(execution, data.draft(frame.within(seen)), before);
    return { claims: claimsOfChanges(catalog, batch, make) };
  };
  return mapPrefetched(execution, found, readsOf, ({ id, seen }) =>
    execution.services.writer.update(execution, id, data.draft(frame.within(seen)), data.options, seen),
  );
}

/** The reads of named targets: for a single one prefetching doesn't pay off. */
export function readsOfTargets(targets: readonly Target[]): RecordReads {
  return targets.length < 2 ? {} : { records: recordTargets(targets) };
}

/** The records among targets. */
export function recordTargets(targets: readonly Target[]): RecordId[] {
  return targets.flatMap((target) => (target.kind === 'record' ? [target.id] : []));
}

/** Records that aren't charged. */
const FEW = 256;

/**
 * Finds the records of targets that meet a condition. All are found before the first is changed, so that none is
 * changed twice.
 */
export type Find = (frame: Frame, targets: readonly Target[]) => PromiseOrValue<FoundRecord[]>;

/**
 * Compiles how UPDATE, UPSERT and DELETE find their records, all of them before the first is changed.
 * @throws TesseraError `invalid_target`, when it runs
 */
export function compileFind(
  statement: 'UPDATE' | 'UPSERT' | 'DELETE',
  node: StreamNode,
  context: OperatorContext,
): Find {
  const rows = context.stream(node);
  const { purpose } = context.reading;

  const walk = (frame: Frame, targets: readonly Target[]): PromiseOrValue<FoundRecord[]> => {
    const found: FoundRecord[] = [];
    const {
      request: { memory },
    } = frame.execution;
    const take = (batch: readonly Value[]): undefined => {
      for (const row of batch) {
        const id = isObject(row) ? row['id'] : undefined;
        if (isObject(row) && id instanceof RecordId) found.push({ id, seen: row });
      }
      if (found.length > FEW) memory.chargeRows(batch);
      return undefined;
    };
    return andThen(rows(frame, { targets }, take), () => found);
  };

  return (frame, targets) => {
    for (const target of targets) {
      if (target.kind === 'value') throw failure('invalid_target', { statement, value: toErrorText(target.value) });
    }
    // UPSERT creates missing records.
    if (statement === 'UPSERT' || purpose === 'select' || !frame.execution.checks.edit) return walk(frame, targets);
    return andThen(openTargets(frame.execution, purpose, targets), (open) => walk(frame, open));
  };
}

/**
 * The targets without those in tables of which no record may be changed: these are denied whether or not there are any.
 */
function openTargets(
  execution: Execution,
  purpose: 'update' | 'delete',
  targets: readonly Target[],
): PromiseOrValue<readonly Target[]> {
  return andThen(execution.context.catalog(), (catalog) =>
    targets.filter((target) => {
      const table = target.kind === 'table' ? target.table : target.kind === 'value' ? '' : target.id.table;
      if (catalog?.tables.get(table)?.definition.permissions[purpose].kind !== 'none') return true;
      denyWrite(execution, { action: purpose, table });
      return false;
    }),
  );
}
