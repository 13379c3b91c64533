/** UPSERT: changes existing records and creates missing ones. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { ensureTable } from '../../ddl/define/ensure-table.js';
import { failure } from '../../errors/error.js';
import type { Upsert as UpsertStatement } from '../../language/ast.js';
import { bindFound } from '../../plan/bind-change.js';
import type { StreamNode, Upsert } from '../../plan/nodes.js';
import { compileTargets, type Target } from '../../query/expression/targets.js';
import { OperatorCompiler } from '../../query/operators/operators.js';
import { Prepared } from '../../query/statement/prepared.js';
import { compileTimeout } from '../../query/statement/timeout.js';
import { findByUniqueIndex } from '../../records/index/maintain.js';
import { mapPrefetched, type RecordReads } from '../../records/prefetch.js';
import { listedRecordExists, recordExists } from '../../runtime/authorization/denied-writes.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Frame } from '../../runtime/frame.js';
import type { Draft, FoundRecord, WrittenRecord } from '../../runtime/record-access.js';
import { withField } from '../../value/paths.js';
import { toErrorText } from '../../value/text/text.js';
import { type ObjectValue, RecordId } from '../../value/value.js';
import { randomId, recordIdIn } from './create.js';
import { compileData } from './data.js';
import { changeFound, compileFind, type Find, recordTargets } from './finder.js';
import { answerWritten, compileOutput } from './output.js';
import { countWritten, planningOf } from './planning.js';

type Writing = PromiseOrValue<(WrittenRecord | undefined)[]>;

/** Records that the statement finds itself aren't planned. */
const FOUND: StreamNode = { kind: 'union', targets: [], inputs: [] };

export function planUpsert(upsert: UpsertStatement, compiler: Compiler): Prepared<Upsert> {
  const targets = compileTargets(upsert, compiler);
  const data = compileData(upsert.data, compiler);
  const output = compileOutput(upsert.output, 'after', compiler);

  const change = (frame: Frame, found: readonly FoundRecord[]): Writing => changeFound(frame, found, data);

  const rewrite = (find: Find, frame: Frame, id: RecordId): Writing =>
    andThen(find(frame, [{ kind: 'record', id }]), (found) => change(frame, found));

  const create = (execution: Execution, id: RecordId, record: ObjectValue): Writing => {
    const draft = () => withField(record, 'id', id);
    return andThen(execution.services.writer.create(execution, id, draft, data.options), (written) => [written]);
  };

  /** A record that doesn't exist is created whatever the condition says; one that exists is changed if it meets it. */
  const upsertRecord = (find: Find, frame: Frame, target: Target & { kind: 'record' }): Writing => {
    const { execution } = frame;
    return andThen(find(frame, [target]), (found) => {
      if (found.length > 0) return change(frame, found);
      return andThen(recordExists(execution, target.id), (exists) => {
        if (exists) return [];
        const draft = data.draft(frame.within(undefined));
        return andThen(data.writes ? createdByData(execution, target.id, draft) : undefined, (seen) =>
          andThen(
            seen === undefined
              ? execution.services.writer.create(execution, target.id, draft, data.options)
              : execution.services.writer.update(execution, target.id, (before) => draft(before, seen), data.options),
            (written) => [written],
          ),
        );
      });
    });
  };

  /** The record as the principal sees it, if the data of the statement, which is evaluated here, creates it itself. */
  const createdByData = (execution: Execution, id: RecordId, draft: Draft): PromiseOrValue<ObjectValue | undefined> =>
    andThen(draft(undefined), () => execution.services.reader.read(execution, id, 'update', data.reads));

  /**
   * With a condition, what meets it is changed; otherwise, or when nothing does, a record is made, unless a unique
   * index knows it.
   */
  const upsertTable = (find: Find, frame: Frame, target: Target & { kind: 'table' }): Writing => {
    const { execution } = frame;
    return andThen(upsert.where === undefined ? [] : find(frame, [target]), (found) => {
      if (found.length > 0) return change(frame, found);
      return andThen(data.draft(frame.within(undefined))(undefined), (record) =>
        andThen(execution.context.catalog(), (catalog) => {
          const entry = catalog?.tables.get(target.table);
          // A record that the data names is changed if it is there, like one that the statement names.
          const named = recordIdIn(record, target.table);
          if (named !== undefined)
            return andThen(recordExists(execution, named), (exists) =>
              exists ? rewrite(find, frame, named) : create(execution, named, record),
            );
          const known =
            catalog === undefined || entry === undefined
              ? undefined
              : findByUniqueIndex(execution.context.transaction, entry, record);
          return andThen(known, (key) => {
            const holder = key === undefined ? undefined : new RecordId(target.table, key);
            return andThen(holder !== undefined && listedRecordExists(execution, holder), (there) =>
              holder !== undefined && there
                ? rewrite(find, frame, holder)
                : create(execution, randomId(execution, target.table), record),
            );
          });
        }),
      );
    });
  };

  const upsertOne = (find: Find, frame: Frame, target: Target): Writing => {
    if (target.kind === 'value')
      throw failure('invalid_target', { statement: 'UPSERT', value: toErrorText(target.value) });
    if (target.kind === 'range') return andThen(find(frame, [target]), (found) => change(frame, found));
    const table = target.kind === 'table' ? target.table : target.id.table;
    return andThen(ensureTable(frame.execution, table), (exists) => {
      if (!exists) return [];
      return target.kind === 'table' ? upsertTable(find, frame, target) : upsertRecord(find, frame, target);
    });
  };

  // Without a condition nothing is looked for in tables.
  const finds = upsert.where !== undefined || upsert.targets.some(({ kind }) => kind !== 'table');
  return new Prepared<Upsert>(
    {
      ...planningOf(upsert, 'update', data.reads),
      bind: (binding, targets) => ({
        kind: 'upsert',
        targets: upsert.targets,
        ...(finds && { input: bindFound({ ...upsert, targets }, binding) }),
      }),
      timed: (run) => compileTimeout(upsert.timeout, compiler, run),
      readerOf: ({ input }) => input,
      compile: (tree, meter, reading) => {
        const find = compileFind('UPSERT', tree.input ?? FOUND, new OperatorCompiler(compiler, reading, meter));
        const write = meter.each(
          tree,
          (frame: Frame, named: readonly Target[]) =>
            andThen(
              mapPrefetched(frame.execution, named, readsOfTargets, (target) => upsertOne(find, frame, target)),
              (groups) => groups.flat(),
            ),
          countWritten,
        );
        return (frame) =>
          andThen(targets(frame), (named) =>
            andThen(write(frame, named), (written) => answerWritten(frame, written, output, upsert.only)),
          );
      },
    },
    compiler,
  );
}

/** Whether a record is there is asked for more than once. */
function readsOfTargets(targets: readonly Target[]): RecordReads {
  return { records: recordTargets(targets) };
}
