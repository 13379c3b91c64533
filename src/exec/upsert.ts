/** UPSERT: changes what is there and creates what isn't. */
import { andThen, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import { randomKey } from '../functions/identifiers.js';
import type { Upsert } from '../language/ast.js';
import { toText } from '../value/text/text.js';
import { RecordId, type Value } from '../value/value.js';
import { compileFinder, type Found } from './change.js';
import { recordIdIn } from './create.js';
import { compileData } from './data.js';
import { ensureTable } from './ensure-table.js';
import type { Compiler, Evaluate, Frame, Written } from './execution.js';
import { findByUniqueIndex } from './index-entries.js';
import { notSupported } from './not-supported.js';
import { answerWritten, compileOutput } from './output.js';
import { compileTargets, type Target } from './targets.js';
import { compileTimeout } from './timeout.js';

type Writing = PromiseOrValue<(Written | undefined)[]>;

export function compileUpsert(upsert: Upsert, compiler: Compiler): Evaluate {
  if (upsert.explain !== undefined) return notSupported('EXPLAIN');
  const targets = compileTargets(upsert.targets, compiler);
  const find = compileFinder('UPSERT', upsert.where, compiler);
  const data = compileData(upsert.data, compiler);
  const output = compileOutput(upsert.output, 'after', compiler);

  const change = (frame: Frame, found: readonly Found[]): Writing =>
    mapInOrder(found, ({ id, seen }) =>
      frame.execution.writer.update(frame.execution, id, data.draft(frame.within(seen)), data.options),
    );

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
          const known =
            catalog === undefined || entry === undefined || record['id'] !== undefined
              ? undefined
              : findByUniqueIndex(execution.unit.transaction, catalog, entry, record);
          return andThen(known, (key) => {
            if (key !== undefined) {
              return andThen(find(frame, [{ kind: 'record', id: new RecordId(target.table, key) }]), (same) =>
                change(frame, same),
              );
            }
            const id =
              recordIdIn(record['id'], target.table) ??
              new RecordId(target.table, randomKey(execution.environment.random));
            return andThen(
              execution.writer.create(execution, id, () => record, data.options),
              (written) => [written],
            );
          });
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
