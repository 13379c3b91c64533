import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import { intValue } from '../../value/number.js';
import type { Value } from '../../value/value.js';

/**
 * The next number of a sequence of the selected database.
 * @throws TesseraError `namespace_empty`, `database_empty`, `sequence_missing`, `sequence_forbidden`,
 * `sequence_exhausted`, `timed_out`
 */
export function nextNumber(execution: Execution, name: string): PromiseOrValue<Value> {
  selectedDatabase(execution);
  return andThen(execution.context.catalog(), (catalog) => {
    const sequence = catalog?.sequences.get(name);
    if (catalog === undefined || sequence === undefined) throw failure('sequence_missing', { name });
    const { sequences, sequenceRights } = execution.services;
    return andThen(sequenceRights.assertMayDraw(execution, sequence), () =>
      andThen(sequences.next(catalog.database.id, sequence, execution.interrupt), intValue),
    );
  });
}
