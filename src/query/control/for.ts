/** FOR over the elements of an array or set, or over the ints of a range, with BREAK and CONTINUE. */
import { andThen, otherwise, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Break, Continue, For } from '../../language/ast.js';
import type { Evaluate, Frame } from '../../runtime/frame.js';
import { intBounds } from '../../value/cast.js';
import { toErrorBareText, toText } from '../../value/text/text.js';
import { int, isArray, Range, SetValue, type Value } from '../../value/value.js';
import { compileStatements } from '../expression/block.js';
import type { InlineCompiler } from '../expression/inline-compiler.js';
import { BREAK, CONTINUE, LoopSignal } from '../expression/signal.js';

export function compileFor({ variable, over, body }: For, compiler: InlineCompiler): Evaluate {
  const source = compiler.expression(over);
  const run = compileStatements(body.statements, compiler, false, true);
  const iterate = (frame: Frame, item: Value): PromiseOrValue<boolean> =>
    otherwise(() => {
      // Each iteration has its own scope, so that closures keep the value of their iteration.
      const turn = frame.block();
      turn.scope.set(variable, item);
      return andThen(run(turn), () => false);
    }, endOfTurn);
  return (frame) =>
    andThen(source(frame), (value) => {
      const items = itemsOf(value);
      const {
        request: { memory },
        interrupt,
      } = frame.execution;
      const mark = memory.used;
      const loop = untilTrue(() => {
        // Clears the scope of the previous iteration.
        memory.releaseTo(mark);
        const next = items.next();
        return next.done === true || andThen(interrupt.checkpoint(), () => iterate(frame, next.value));
      });
      return andThen(loop, () => undefined);
    });
}

/** Whether a signal ends the loop; other errors are rethrown. */
function endOfTurn(thrown: unknown): boolean {
  if (thrown instanceof LoopSignal) return thrown === BREAK;
  throw thrown;
}

function itemsOf(value: Value): Iterator<Value> {
  if (isArray(value)) return value[Symbol.iterator]();
  if (value instanceof SetValue) return value.items[Symbol.iterator]();
  if (value instanceof Range) return intsOf(value);
  throw failure('not_iterable', { value: toErrorBareText(value) });
}

function* intsOf(range: Range): Generator<Value> {
  const bounds = intBounds(range);
  if (bounds === undefined) throw failure('range_not_int', { value: toText(wrongBound(range)) });
  for (let at = bounds.first; at < bounds.end; at++) yield int(at);
}

function wrongBound({ start, end }: Range): Value {
  return start !== undefined && intBounds(new Range(start, undefined)) === undefined ? start.value : end?.value;
}

export function compileBreak(_: Break, compiler: InlineCompiler): Evaluate {
  compiler.unwinds();
  return () => {
    throw BREAK;
  };
}

export function compileContinue(_: Continue, compiler: InlineCompiler): Evaluate {
  compiler.unwinds();
  return () => {
    throw CONTINUE;
  };
}
