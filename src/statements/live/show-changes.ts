/**
 * SHOW CHANGES: changes in tables with a changefeed, commit by commit. For users whose role lets them read
 * everything.
 */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { mapItems } from '../../base/work/loops.js';
import { CALL } from '../../base/work/work.js';
import {
  type ChangeSet,
  type ChangesWanted,
  type LoggedChange,
  type RecordChange,
  readChanges,
} from '../../catalog/changefeed/change-log.js';
import { firstStamp } from '../../catalog/changefeed/era.js';
import { describeDefinition } from '../../ddl/info/structure.js';
import { failure } from '../../errors/error.js';
import type { ShowChanges } from '../../language/ast.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import type { Evaluate } from '../../runtime/frame.js';
import type { Transaction, Versionstamp } from '../../storage/contract.js';
import { stampOfTime } from '../../storage/transaction/append.js';
import { diff } from '../../value/patch/diff.js';
import { toDisplay } from '../../value/text/text.js';
import { datetimeNanoseconds } from '../../value/time/datetime.js';
import { Datetime, int, type ObjectValue, objectFrom, type Value } from '../../value/value.js';

/**
 * SHOW CHANGES FOR TABLE … SINCE …: reads the changefeed of a table.
 * @throws TesseraError as the changefeed is read
 */
export function compileShowChanges({ table, since, limit }: ShowChanges): Evaluate {
  return async ({ execution }) => {
    const databasePath = selectedDatabase(execution);
    authorize(execution.identity, 'view', databasePath, 'Table');
    const wanted = { table, since: stampFrom(since.value), limit: limit ?? Number.POSITIVE_INFINITY };
    const catalog = await execution.context.catalog();
    if (catalog === undefined) return [];
    const { transaction } = execution.context;
    const work = execution.interrupt;
    await mustBeOfThisEra(transaction, since.value, wanted);
    const sets = await readChanges(transaction, catalog.database.id, wanted, work);
    return mapInOrder(sets, (set) => shown(execution, set));
  };
}

/** Smaller numbers were never assigned: they mean the beginning. */
const LEAST_STAMP: Versionstamp = 1n << 16n;

/** @throws TesseraError `changefeed_too_short` for a versionstamp of before the store was restored */
function mustBeOfThisEra(
  transaction: Transaction,
  given: Value,
  { table, since }: Pick<ChangesWanted, 'table' | 'since'>,
): PromiseOrValue<void> {
  if (given instanceof Datetime || since < LEAST_STAMP) return undefined;
  return andThen(firstStamp(transaction), (first) => {
    if (since < first) throw failure('changefeed_too_short', { table: table ?? '*' });
  });
}

/** A number is a versionstamp, a datetime the first one of its millisecond. */
function stampFrom(since: Value): Versionstamp {
  return since instanceof Datetime ? stampAt(since) : BigInt(since as number | bigint);
}

/** The first versionstamp of a time. @throws TesseraError `versionstamp_out_of_range` */
export function stampAt(moment: Datetime): Versionstamp {
  const stamp = stampOfTime(datetimeNanoseconds(moment));
  if (stamp === undefined) throw failure('versionstamp_out_of_range', { moment: toDisplay(moment) });
  return stamp;
}

async function shown(execution: Execution, { stamp, changes }: ChangeSet): Promise<ObjectValue> {
  const listed = await mapItems(changes, execution.interrupt, (change) =>
    andThen(execution.interrupt.checkpoint(CALL), () => shownChange(change)),
  );
  return objectFrom({ changes: listed, versionstamp: int(stamp) });
}

function shownChange(change: LoggedChange): ObjectValue {
  switch (change.kind) {
    case 'define':
      return objectFrom({ define_table: describeDefinition(change.table) });
    case 'set':
      return objectFrom({ update: change.record });
    case 'update':
      return objectFrom({ current: change.record, update: change.back });
    case 'delete':
      return objectFrom({ delete: objectFrom({ id: change.id }) });
    case 'change':
    case 'import':
      return shownRecord(change);
  }
}

function shownRecord({ before, after }: RecordChange): ObjectValue {
  if (after === undefined) return objectFrom({ delete: objectFrom({ id: before?.['id'] }) });
  if (before === undefined) return objectFrom({ update: after });
  return objectFrom({ current: after, update: diff(after, before) });
}
