/** Runs an access path: the one place where operators ask the record reader for the rows of a table. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../../catalog/definitions/database-catalog.js';
import type { Access } from '../../../plan/nodes.js';
import type { Frame } from '../../../runtime/frame.js';
import { RecordId, type Value } from '../../../value/value.js';
import type { Demand, OperatorContext, Visit } from '../operator.js';
import { compileAccess } from './accesses.js';

/** Reads the records of a table. */
export type ReadTable = (
  frame: Frame,
  catalog: DatabaseCatalog,
  entry: TableEntry,
  demand: Demand,
  visit: Visit,
) => PromiseOrValue<unknown>;

/**
 * Reads the records of a table by an access path, through the record reader.
 */
export function compileReadTable(access: Access, { compiler, reading }: OperatorContext): ReadTable {
  const narrow = compileAccess(access, compiler);
  const { purpose, fields } = reading;
  const { table } = access;
  const idsOnly = reading.idsSuffice?.(access) === true;
  return (frame, catalog, entry, demand, visit) =>
    andThen(narrow(frame, catalog, entry, demand), (narrowed) => {
      const { execution } = frame;
      if (narrowed?.kind === 'record') return readOne(frame, table, narrowed.id, reading, visit);
      const direction = narrowed?.kind === 'records' ? undefined : narrowed?.direction;
      const most = direction === undefined ? demand.rows : demand.inOrder;
      const scan = {
        table,
        purpose,
        fields,
        reverse: direction === 'backward',
        ...(most !== undefined && { limit: most }),
        ...(demand.skip !== undefined && { skip: demand.skip }),
        ...(narrowed?.kind === 'index' && { index: narrowed.ranges }),
        ...(narrowed?.kind === 'candidates' && { candidates: narrowed.candidates, idsOnly }),
        ...(narrowed?.kind === 'records' && { records: narrowed.keys }),
        ...(narrowed?.kind === 'table' && narrowed.keys && { keys: narrowed.keys }),
      };
      // In order, any row may be the last one needed.
      return execution.services.reader.scan(
        execution,
        scan,
        direction === undefined ? visit : oneByOne((row) => visit(row, direction)),
      );
    });
}

/**
 * Passes on the record whose id the condition names; another value names none.
 */
function readOne(
  { execution }: Frame,
  table: string,
  id: Value,
  { purpose, fields }: OperatorContext['reading'],
  visit: Visit,
): PromiseOrValue<unknown> {
  if (!(id instanceof RecordId) || id.table !== table) return undefined;
  return andThen(execution.services.reader.read(execution, id, purpose, fields), (record) =>
    record === undefined ? undefined : visit([record]),
  );
}

/** Visits row by row. */
export function oneByOne(visit: Visit): Visit {
  return (batch, direction) => {
    let isOver: boolean | undefined = false;
    const each = forEachInOrder(batch, (row) =>
      andThen(visit([row], direction), (stop) => {
        isOver = stop;
        return stop;
      }),
    );
    return andThen(each, () => isOver);
  };
}
