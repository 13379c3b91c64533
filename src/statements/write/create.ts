/** CREATE, and the ids of new records: named by the target, by the data, or random. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { ensureTable } from '../../ddl/define/ensure-table.js';
import { failure } from '../../errors/error.js';
import { randomKey } from '../../functions/identifiers.js';
import type { Create } from '../../language/ast.js';
import { compileTargets, type Target } from '../../query/expression/targets.js';
import { speculate } from '../../query/prefetch/speculate.js';
import { compileTimeout } from '../../query/statement/timeout.js';
import { hasClaims, mapPrefetched, type RecordReads } from '../../records/prefetch.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import { withField } from '../../value/paths.js';
import { toErrorText } from '../../value/text/text.js';
import { isObject, type ObjectValue, Range, RecordId, type RecordKey, Uuid, type Value } from '../../value/value.js';
import { compileData } from './data.js';
import { answerWritten, compileOutput } from './output.js';

export function compileCreate(create: Create, compiler: Compiler): Evaluate {
  const targets = compileTargets(create, compiler);
  const data = compileData(create.data, compiler);
  const output = compileOutput(create.output, 'after', compiler);
  const run = (frame: Frame): PromiseOrValue<Value> =>
    andThen(targets(frame), (found) =>
      andThen(createAll(frame, found), (written) => answerWritten(frame, written, output, create.only)),
    );

  function createAll(frame: Frame, targets: readonly Target[]): PromiseOrValue<(WrittenRecord | undefined)[]> {
    const { execution } = frame;
    const drawn: (RecordId | undefined)[] = [];
    const readsOf = (batch: readonly Target[], catalog: DatabaseCatalog): RecordReads => {
      const ids = batch.map((target) => idOf(execution, target));
      drawn.push(...ids);
      const records = ids.filter((id) => id !== undefined);
      const claims = records.flatMap((id) => {
        if (!data.isSpeculable || !hasClaims(catalog, id.table)) return [];
        const record = speculate(execution, data.draft(frame.within(undefined)), undefined);
        return record === undefined ? [] : [{ table: id.table, record: withField(record, 'id', id) as ObjectValue }];
      });
      return { records, claims };
    };
    return mapPrefetched(execution, targets, readsOf, (target, at) => createOne(frame, target, drawn[at]));
  }

  function createOne(
    frame: Frame,
    target: Target,
    drawn: RecordId | undefined,
  ): PromiseOrValue<WrittenRecord | undefined> {
    const { execution } = frame;
    const inner = frame.within(undefined);
    const draft = data.draft(inner);
    if (target.kind === 'record') {
      return andThen(ensureTable(execution, target.id.table), (exists) =>
        exists ? execution.services.writer.create(execution, target.id, draft, data.options) : undefined,
      );
    }
    if (target.kind !== 'table') {
      throw failure('invalid_target', {
        statement: 'CREATE',
        value: toErrorText(target.kind === 'value' ? target.value : target.id),
      });
    }
    return andThen(ensureTable(execution, target.table), (exists) => {
      if (!exists) return undefined;
      // The data may name the record's key; it is evaluated once, before the key is known.
      return andThen(draft(undefined), (record) => {
        const id = recordIdIn(record, target.table) ?? drawn ?? randomId(execution, target.table);
        return execution.services.writer.create(execution, id, () => withField(record, 'id', id), data.options);
      });
    });
  }

  return compileTimeout(create.timeout, compiler, run);
}

/** The record that a target names, or that a new one in its table is to be. */
function idOf(execution: Execution, target: Target): RecordId | undefined {
  if (target.kind === 'table') return randomId(execution, target.table);
  return target.kind === 'record' ? target.id : undefined;
}

/**
 * The record id that a record's own `id` field asks for in a table: a bare key, or the key of a record id.
 * @throws TesseraError `invalid_record_key`
 */
export function recordIdIn({ id }: ObjectValue, table: string): RecordId | undefined {
  if (id === undefined) return undefined;
  if (id instanceof RecordId && !(id.key instanceof Range)) return new RecordId(table, id.key);
  if (isKeyValue(id)) return new RecordId(table, id);
  throw failure('invalid_record_key', { value: toErrorText(id) });
}

/** A record id with a random key: 20 characters of a to z and 0 to 9. */
export function randomId({ services: { environment } }: Execution, table: string): RecordId {
  return new RecordId(table, randomKey(environment.random));
}

/** Whether a value may be the key of a record: an integer, a text, a UUID, an array or an object. */
export function isKeyValue(value: Value): value is RecordKey {
  if (typeof value === 'number') return Number.isInteger(value);
  return (
    typeof value === 'bigint' ||
    (typeof value === 'string' && value !== '') ||
    value instanceof Uuid ||
    Array.isArray(value) ||
    isObject(value)
  );
}
