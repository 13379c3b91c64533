/** `id IN $list`: the records that a list names. */
import { andThen, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { eachItem } from '../../../base/work/loops.js';
import { sortItems } from '../../../base/work/sort.js';
import type { TableEntry } from '../../../catalog/definitions/database-catalog.js';
import type { ListLookup } from '../../../plan/nodes.js';
import type { Execution } from '../../../runtime/execution.js';
import type { Compiler } from '../../../runtime/frame.js';
import type { Key } from '../../../storage/contract.js';
import { byteOrder } from '../../../storage/transaction/read-set.js';
import { encodeRecordKey } from '../../../value/codecs/key-codec.js';
import { itemsOf } from '../../../value/membership.js';
import { Range, RecordId, Regex, type Value } from '../../../value/value.js';
import type { Narrow, Narrowed } from './narrow.js';
import { compileOperand } from './operand.js';

/** Reads the records of a table that a list names; everything if it is no list, or holds a pattern. */
export function narrowToRecords({ ids }: ListLookup, compiler: Compiler): Narrow {
  const evaluate = compileOperand(ids, compiler);
  return (frame, _, entry) => andThen(evaluate(frame), (list) => recordsOf(list, entry, frame.execution));
}

function recordsOf(list: Value, entry: TableEntry, execution: Execution): PromiseOrValue<Narrowed | undefined> {
  const items = itemsOf(list);
  if (items === undefined || items.some((item) => item instanceof Regex)) return undefined;
  const { name } = entry.definition;
  const work = execution.interrupt;
  const keys: Key[] = [];
  const encoded = eachItem(items, work, (item) => {
    if (item instanceof RecordId && item.table === name && !(item.key instanceof Range))
      keys.push(entry.keys.record(encodeRecordKey(item)));
  });
  const sorted = andThen(encoded, () => sortItems(keys, work, byteOrder));
  return andThen(sorted, (ascending) => ({
    kind: 'records',
    keys: ascending.filter((key, at) => key !== ascending[at - 1]),
  }));
}
