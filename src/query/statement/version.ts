/** VERSION: records as they were at a time. */
import { failure } from '../../errors/error.js';
import type { Expression } from '../../language/ast.js';
import type { Execution, RecordReader } from '../../runtime/execution.js';
import { type Compiler, type Evaluate, Frame } from '../../runtime/frame.js';
import { Variants } from '../../runtime/variants.js';
import { cast } from '../../value/cast.js';
import { datetimeNanoseconds } from '../../value/time/datetime.js';
import type { Datetime } from '../../value/value.js';

/**
 * No history is kept. Known are the present, from the last change on, and the empty state before a store
 * in memory was opened.
 * @throws TesseraError `versions_not_kept`, `cast_failed`
 */
export function compileVersion(version: Expression | undefined, compiler: Compiler, run: Evaluate): Evaluate {
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
    storedRange: () => undefined,
    mayHide: (table, path) => reader.mayHide(table, path),
    judge: (execution, table, raw, action) => reader.judge(execution, table, raw, action),
    holds: (execution, table, raw, permission, value) => reader.holds(execution, table, raw, permission, value),
  };
}
