/** Closures: functions as values. They capture the variables of the place where they were made, and can't write. */
import { invariant } from '../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { CALL } from '../../base/work/work.js';
import { failure } from '../../errors/error.js';
import type { ClosureExpression } from '../../language/ast.js';
import { printExpression } from '../../language/print.js';
import { deeper, withStackGuard } from '../../runtime/depth.js';
import type { Execution } from '../../runtime/execution.js';
import { type Compiler, type Evaluate, Frame } from '../../runtime/frame.js';
import { Scope } from '../../runtime/scope.js';
import { Variants } from '../../runtime/variants.js';
import { CoercionError, coerce } from '../../value/coerce.js';
import { typeTextInErrors } from '../../value/text/type-text.js';
import type { Type } from '../../value/type.js';
import { Closure, type Value } from '../../value/value.js';

/** The name of a closure in errors. */
const NAME = 'ANONYMOUS';

class Implementation {
  constructor(
    readonly parameters: ClosureExpression['parameters'],
    readonly returns: Type | undefined,
    readonly body: Evaluate,
    /** The variables where the closure was made. */
    readonly scope: Scope,
    readonly made: Frame,
  ) {}
}

/** The body of a closure that the server itself provides. */
export class HostFunction {
  constructor(readonly run: (execution: Execution, args: readonly Value[]) => PromiseOrValue<Value>) {}
}

export function compileClosure(closure: ClosureExpression, compiler: { readonly outer: Compiler }): Evaluate {
  const { parameters, returns } = closure;
  const body = compiler.outer.expression(closure.body);
  const text = printExpression(closure);
  return (frame) => new Closure(text, new Implementation(parameters, returns, body, frame.scope.snapshot(), frame));
}

/**
 * Calls a closure on behalf of `execution`. Missing arguments are NONE, superfluous ones are dropped.
 * @throws TesseraError `closure_argument`, `return_coercion`, `computation_too_deep`, and whatever the body throws
 */
export function callClosure(execution: Execution, closure: Closure, args: readonly Value[]): PromiseOrValue<Value> {
  const { implementation } = closure;
  if (implementation instanceof HostFunction) {
    return withStackGuard(() =>
      andThen(execution.interrupt.checkpoint(CALL), () => implementation.run(deeper(execution), args)),
    );
  }
  invariant(implementation instanceof Implementation, 'a closure was made by compileClosure');
  const { parameters, returns, body, scope: outer, made } = implementation;
  const scope = new Scope(outer);
  for (let index = 0; index < parameters.length; index++) {
    const { name, type } = parameters[index] as (typeof parameters)[number];
    scope.set(name, coerceArgument(name, type, args[index]));
  }
  const frame = new Frame(readingOnly(deeper(asWhereMade(execution, made))), scope, made.current, made.parent);
  const {
    request: { memory },
  } = execution;
  return withStackGuard(() =>
    andThen(
      memory.settling(() => andThen(execution.interrupt.checkpoint(CALL), () => body(frame))),
      (value) => (returns === undefined ? value : coerceResult(NAME, returns, value)),
    ),
  );
}

function coerceArgument(name: string, type: Type, value: Value): Value {
  if (type.kind === 'any') return value;
  try {
    return coerce(value, type);
  } catch (error) {
    if (error instanceof CoercionError) throw failure('closure_argument', { name, type: typeTextInErrors(type) });
    throw error;
  }
}

/** The result of a function, coerced to its declared type. @throws TesseraError `return_coercion` */
export function coerceResult(name: string, type: Type, value: Value): Value {
  try {
    return coerce(value, type);
  } catch (error) {
    if (error instanceof CoercionError) throw failure('return_coercion', { name, reason: error.message });
    throw error;
  }
}

/** A closure that a client passes to a defined function is no stored code. */
function asWhereMade(execution: Execution, made: Frame): Execution {
  if (execution.inStoredCode !== true || made.execution.inStoredCode === true) return execution;
  return { ...execution, inStoredCode: false, variants: new Variants() };
}

function readingOnly(execution: Execution): Execution {
  if (!execution.writable) return execution;
  const variants = Variants.of(execution);
  variants.reading ??= { ...execution, writable: false, variants: new Variants() };
  return variants.reading;
}
