/** UPSERT: changes what is there and creates what isn't. */
import { andThen, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import type { Upsert } from '../language/ast.js';
import { withField } from '../value/paths.js';
import { toText } from '../value/text/text.js';
import { type ObjectValue, RecordId, type Value } from '../value/value.js';
import { compileFinder, type Found } from './change.js';
import { randomId, recordIdIn } from './create.js';
import { compileData } from './data.js';
import { ensureTable } from './ensure-table.js';
import type { Compiler, Evaluate, Execution, Frame, Written } from './execution.js';
import { findByUniqueIndex } from './index-entries.js';
import { notSupported } from './not-supported.js';
import { answerWritten, compileOutput } from './output.js';
import { compileTargets, type Target } from './targets.js';
import { compileTimeout } from './timeout.js';

type Writing = PromiseOrValue<(Written | undefined)[]>;

export function compileUpsert(upsert: Upsert, compiler: Compiler): Evaluate {
  if (upsert.explain !== undefined) return notSupported('EXPLAIN');
  const targets = compileTargets(upsert, compiler);
  const find = compileFinder('UPSERT', upsert, compiler);
  const data = compileData(upsert.data, compiler);
  const output = compileOutput(upsert.output, 'after', compiler);

  const change = (frame: Frame, found: readonly Found[]): Writing =>
    mapInOrder(found, ({ id, seen }) =>
      frame.execution.writer.update(frame.execution, id, data.draft(frame.within(seen)), data.options),
    );

  const rewrite = (frame: Frame, id: RecordId): Writing =>
    andThen(find(frame, [{ kind: 'record', id }]), (found) => change(frame, found));

  const create = (execution: Execution, id: RecordId, record: ObjectValue): Writing => {
    const draft = () => withField(record, 'id', id);
    return andThen(execution.writer.create(execution, id, draft, data.options), (written) => [written]);
  };

  /** A record that doesn't exist is created whatever the condition says; one that exists is changed if it meets it. */
  const upsertRecord = (frame: Frame, target: Target & { kind: 'record' }): Writing => {
    const { execution } = frame;
    return andThen(find(frame, [target]), (found) => {
      if (found.length > 0) return change(frame, found);
      return andThen(execution.writer.exists(execution, target.id), (exists) => {
        if (exists) return [];
        const draft = data.draft(frame.within(undefined));
        return andThen(execution.writer.create(execution, target.id, draft, data.options), (written) => [written]);
      });
    });
  };

  /** With a condition, what meets it is changed; otherwise, or when nothing does, a record is made, unless a unique index knows it. */
  const upsertTable = (frame: Frame, target: Target & { kind: 'table' }): Writing => {
    const { execution } = frame;
    return andThen(upsert.where === undefined ? [] : find(frame, [target]), (found) => {
      if (found.length > 0) return change(frame, found);
      return andThen(data.draft(frame.within(undefined))(undefined), (record) =>
        andThen(execution.unit.catalog(), (catalog) => {
          const entry = catalog?.tables.get(target.table);
          // A record that the data names is changed if it is there, like one that the statement names.
          const named = recordIdIn(record, target.table);
          if (named !== undefined)
            return andThen(execution.writer.exists(execution, named), (exists) =>
              exists ? rewrite(frame, named) : create(execution, named, record),
            );
          const known =
            catalog === undefined || entry === undefined
              ? undefined
              : findByUniqueIndex(execution.unit.transaction, catalog, entry, record);
          return andThen(known, (key) =>
            key === undefined
              ? create(execution, randomId(execution, target.table), record)
              : rewrite(frame, new RecordId(target.table, key)),
          );
        }),
      );
    });
  };

  const upsertOne = (frame: Frame, target: Target): Writing => {
    if (target.kind === 'value') throw failure('invalid_target', { statement: 'UPSERT', value: toText(target.value) });
    if (target.kind === 'range') return andThen(find(frame, [target]), (found) => change(frame, found));
    const table = target.kind === 'table' ? target.table : target.id.table;
    return andThen(ensureTable(frame.execution, table), (exists) => {
      if (!exists) return [];
      return target.kind === 'table' ? upsertTable(frame, target) : upsertRecord(frame, target);
    });
  };

  const run = (frame: Frame): PromiseOrValue<Value> =>
    andThen(targets(frame), (named) =>
      andThen(
        mapInOrder(named, (target) => upsertOne(frame, target)),
        (groups) => answerWritten(frame, groups.flat(), output, upsert.only),
      ),
    );
  return compileTimeout(upsert.timeout, compiler, run);
}
