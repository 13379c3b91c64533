/** Record ids: literal, with computed parts, generated, or a range; and mocks, which are many at once. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { inSteps } from '../../base/work/loops.js';
import { failure } from '../../errors/error.js';
import { randomKey, ulidAt, uuidV7 } from '../../functions/identifiers.js';
import type { KeyBound, Mock, RecordIdLiteral, RecordKeyExpression } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { MAX_INT, MIN_INT } from '../../value/number.js';
import { type Bound, int, Range, RecordId, type RecordKey } from '../../value/value.js';

type EvaluateKey = (frame: Frame) => PromiseOrValue<RecordKey | Range>;

export function compileRecordId(id: RecordIdLiteral, compiler: Compiler): Evaluate {
  const known = constantValue(id);
  if (known !== undefined) return () => known.value;
  const { table } = id;
  const key = compileRecordKey(id.key, compiler);
  return (frame) => andThen(key(frame), (value) => new RecordId(table, value));
}

/** The key alone: of a record id, or of a range on a graph step. */
export function compileRecordKey(key: RecordKeyExpression, compiler: Compiler): EvaluateKey {
  switch (key.kind) {
    case 'key':
      // The grammar admits nothing here whose value isn't a key.
      return compiler.expression(key.value) as EvaluateKey;
    case 'generate':
      return GENERATORS[key.generator];
    case 'key-range': {
      const start = compileBound(key.start, compiler);
      const end = compileBound(key.end, compiler);
      return (frame) => andThen(start(frame), (from) => andThen(end(frame), (to) => new Range(from, to)));
    }
  }
}

const GENERATORS: Readonly<Record<'rand' | 'ulid' | 'uuid', EvaluateKey>> = {
  rand: ({ execution }) => randomKey(execution.services.environment.random),
  ulid: ({ execution }) => ulidAt(milliseconds(execution), execution.services.environment.random),
  uuid: ({ execution }) => uuidV7(milliseconds(execution), execution.services.environment.random),
};

function milliseconds({ services: { environment } }: Execution): number {
  return Number(environment.clock.now() / 1_000_000n);
}

function compileBound(
  bound: KeyBound | undefined,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<Bound | undefined> {
  if (bound === undefined) return () => undefined;
  const { inclusive } = bound;
  const evaluate = compiler.expression(bound.value);
  return (frame) => andThen(evaluate(frame), (value) => ({ value, inclusive }));
}

/** Maximum number of record ids that a mock generates. */
const MAX_MOCKS = 1_000_000;

/**
 * `|person:3|` gives three random ids, `|person:1..4|` those from 1 to 3.
 * @throws TesseraError `mock_too_large`, when it runs
 */
export function compileMock(mock: Mock): Evaluate {
  const { table, range } = mock;
  const [first, count] = range === undefined ? [0n, mock.count ?? 0n] : extent(range);
  const keyAt: (frame: Frame, index: number) => RecordKey =
    range === undefined
      ? (frame) => randomKey(frame.execution.services.environment.random)
      : (_, index) => int(first + BigInt(index));
  return (frame) => {
    if (count > MAX_MOCKS) throw failure('mock_too_large');
    const ids: RecordId[] = [];
    const made = inSteps(Math.max(0, Number(count)), frame.execution.interrupt, (from, to) => {
      for (let index = from; index < to; index++) ids.push(new RecordId(table, keyAt(frame, index)));
    });
    return andThen(made, () => ids);
  };
}

/** The first int of a range, and the number of ints. An open side reaches to the least or the greatest. */
function extent({ start, end }: NonNullable<Mock['range']>): [first: bigint, count: bigint] {
  const first = start === undefined ? MIN_INT : start.value + (start.inclusive ? 0n : 1n);
  const last = end === undefined ? MAX_INT : end.value - (end.inclusive ? 0n : 1n);
  return [first, last - first + 1n];
}
