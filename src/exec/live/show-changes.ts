/** SHOW CHANGES: what was changed in tables with a changefeed, commit by commit. For those whose role lets them look at everything. */
import { andThen } from '../../base/promise-or-value.js';
import { type ChangeSet, type LoggedChange, readChanges } from '../../catalog/change-log.js';
import { failure } from '../../errors/error.js';
import type { ShowChanges } from '../../language/ast.js';
import { stampOfTime, type Versionstamp } from '../../storage/append.js';
import { datetimeNanoseconds } from '../../value/datetime.js';
import { toDisplay } from '../../value/text/text.js';
import { Datetime, int, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import { authorize } from '../authorize.js';
import { selectedDatabase } from '../ensure-place.js';
import type { Evaluate } from '../execution.js';
import { describe } from '../info/structure.js';

export function compileShowChanges({ table, since, limit }: ShowChanges): Evaluate {
  return ({ execution }) => {
    const place = selectedDatabase(execution);
    authorize(execution.identity, 'view', place, 'Table');
    const wanted = { table, since: stampOf(since.value), limit: limit ?? Number.POSITIVE_INFINITY };
    return andThen(execution.unit.catalog(), (catalog) => {
      if (catalog === undefined) return [];
      const { transaction } = execution.unit;
      const pause = () => execution.interrupt.checkpoint();
      return andThen(readChanges(transaction, catalog.database.id, wanted, pause), (sets) => sets.map(shown));
    });
  };
}

/** A number is a versionstamp, a datetime the first one of its millisecond. */
function stampOf(since: Value): Versionstamp {
  if (!(since instanceof Datetime)) return BigInt(since as number | bigint);
  const stamp = stampOfTime(datetimeNanoseconds(since));
  if (stamp === undefined) throw failure('versionstamp_out_of_range', { moment: toDisplay(since) });
  return stamp;
}

function shown({ stamp, changes }: ChangeSet): ObjectValue {
  return objectFrom({ changes: changes.map(shownChange), versionstamp: int(stamp) });
}

function shownChange(change: LoggedChange): ObjectValue {
  switch (change.kind) {
    case 'define':
      return objectFrom({ define_table: describe(change.table) });
    case 'set':
      return objectFrom({ update: change.record });
    case 'update':
      return objectFrom({ current: change.record, update: change.back });
    case 'delete':
      return objectFrom({ delete: objectFrom({ id: change.id }) });
  }
}
