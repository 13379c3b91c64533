/** SELECT as a prepared statement, with its VERSION. */
import { andThen } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Expression, Select } from '../../language/ast.js';
import { bindSelect } from '../../plan/bind-select.js';
import { mayWrite } from '../../plan/effects.js';
import { fieldsSelected } from '../../plan/fields-read.js';
import { idsSuffice } from '../../plan/ids-suffice.js';
import { withMatchCalls } from '../../plan/match-calls.js';
import type { Access, RowNode } from '../../plan/nodes.js';
import type { Execution, RecordReader } from '../../runtime/execution.js';
import { type Compiler, type Evaluate, Frame } from '../../runtime/frame.js';
import { Variants } from '../../runtime/variants.js';
import { cast } from '../../value/cast.js';
import { datetimeNanoseconds } from '../../value/time/datetime.js';
import type { Datetime } from '../../value/value.js';
import { ALL_ROWS } from '../operators/operator.js';
import { OperatorCompiler } from '../operators/operators.js';
import { applyOnlyToSelect } from '../operators/rows/only.js';
import { Prepared } from './prepared.js';
import { compileTimeout } from './timeout.js';

/** SELECT: the rows of its plan, or with ONLY the single one. */
export function planSelect(written: Select, compiler: Compiler): Prepared<RowNode> {
  const select = withMatchCalls(written);
  const { from, where, with: hints, version, timeout } = select;
  return new Prepared(
    {
      targets: from,
      hints: { where, with: hints },
      purpose: 'select',
      fields: fieldsSelected(select),
      writes: mayWrite(select),
      bind: (binding, sources) => bindSelect({ ...select, from: sources }, binding),
      timed: (run) => compileTimeout(timeout, compiler, run, 'strict'),
      readerOf: (tree) => tree,
      compile: (tree, meter, reading) => {
        const ofIds = { ...reading, idsSuffice: (access: Access) => idsSuffice(select, access) };
        const rows = new OperatorCompiler(compiler, ofIds, meter).list(tree);
        return compileVersion(version, compiler, (frame) =>
          andThen(rows(frame, ALL_ROWS), (all) => applyOnlyToSelect(all, select)),
        );
      },
    },
    compiler,
  );
}

// VERSION: records as they were at a time.

/**
 * No history is kept. Known are the present, from the last change on, and the empty state before a store
 * in memory was opened.
 * @throws TesseraError `versions_not_kept`, `cast_failed`
 */
function compileVersion(version: Expression | undefined, compiler: Compiler, run: Evaluate): Evaluate {
  if (version === undefined || (version.kind === 'literal' && version.value === undefined)) return run;
  const evaluate = compiler.expression(version);
  return async (frame) => {
    const { execution } = frame;
    const { services } = execution;
    const now = services.environment.clock.now();
    const value = await evaluate(frame);
    const time = datetimeNanoseconds(cast(value, { kind: 'datetime' }, () => undefined) as Datetime);
    const { emptyBefore, unchangedSince } = services.past;
    const since = await unchangedSince();
    if (time >= (since ?? now)) return run(frame);
    if (emptyBefore === undefined || time >= emptyBefore) throw failure('versions_not_kept');
    const empty = { ...services, reader: beforeAll(services.reader) };
    const then: Execution = { ...execution, services: empty, variants: new Variants() };
    return run(new Frame(then, frame.scope, frame.current, frame.parent));
  };
}

/** Finds no records. */
function beforeAll(reader: RecordReader): RecordReader {
  return {
    read: () => undefined,
    readMany: (_, ids) => ids.map(() => undefined),
    scan: () => undefined,
    edges: () => [],
    ends: () => [],
    referrers: () => [],
    present: (execution, table, raw, purpose, fields) => reader.present(execution, table, raw, purpose, fields),
    presentsAlike: (execution, table) => reader.presentsAlike(execution, table),
    storedRange: () => undefined,
    mayHide: (table, path) => reader.mayHide(table, path),
    judge: (execution, table, raw, action) => reader.judge(execution, table, raw, action),
    holds: (execution, table, raw, permission, value) => reader.holds(execution, table, raw, permission, value),
  };
}
