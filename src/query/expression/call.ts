/** Calls: of built-in functions, of those that users define (`fn::`), and of closures. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import { functionCaller } from '../../functions/calls/call.js';
import { findFunction } from '../../functions/registry.js';
import type { Call, Expression } from '../../language/ast.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { Closure, kindOf, type Value } from '../../value/value.js';
import { CUSTOM, callDefined } from './call-defined.js';
import { callClosure } from './closure.js';
import { compileList } from './collection.js';
import { ExecutionFunctionContext } from './function-context.js';
import type { InlineCompiler } from './inline-compiler.js';
import { compileMatchCall } from './match-call.js';
import { compileNamedField } from './named-field.js';
import type { PartStep } from './step.js';

const MODEL = 'ml::';
const MODULE = 'mod::';
const PACKAGE = 'silo::';
/** The package with its version, without the function in it. */
const PACKAGE_NAME = /^(.*>)/;

export function compileCall(call: Call, compiler: InlineCompiler): Evaluate {
  const args = compileList(call.args, compiler);
  if (call.path.startsWith(CUSTOM)) {
    const name = call.path.slice(CUSTOM.length);
    return (frame) => andThen(args(frame), (values) => callDefined(name, values, frame, compiler.outer));
  }
  const named = compileNamedField(call, compiler.outer);
  if (named !== undefined) return named;
  if (call.path.startsWith(MODEL)) {
    return () => {
      throw failure('machine_learning_disabled');
    };
  }
  if (call.path.startsWith(MODULE)) {
    return () => {
      throw failure('modules_disabled', { name: call.path });
    };
  }
  if (call.path.startsWith(PACKAGE)) {
    const [, name = call.path] = PACKAGE_NAME.exec(call.path) ?? [];
    return () => {
      throw failure('package_functions', { name });
    };
  }
  if (call.match !== undefined) return compileMatchCall(call, call.match, compiler.outer);
  const row = findFunction(call.path);
  if (row === undefined) {
    return () => {
      throw failure('function_missing', { name: call.path });
    };
  }
  const run = functionCaller(row, call.path);
  const apply = (values: readonly Value[], { execution, current }: Frame): PromiseOrValue<Value> => {
    const made = run(values, new ExecutionFunctionContext(execution, current));
    return made instanceof Promise
      ? made.then((settled) => execution.request.memory.charged(settled))
      : execution.request.memory.charged(made);
  };
  return (frame) => {
    const values = args(frame);
    return values instanceof Promise ? values.then((settled) => apply(settled, frame)) : apply(values, frame);
  };
}

/** `(args)` behind a value. @throws TesseraError `not_callable`, when it runs */
export function invokeStep(args: readonly Expression[], compiler: Compiler): PartStep {
  const evaluate = compileList(args, compiler);
  return {
    apply: (value, frame) => {
      if (!(value instanceof Closure)) throw failure('not_callable', { kind: kindOf(value) });
      return andThen(evaluate(frame), (values) => callClosure(frame.execution, value, values));
    },
  };
}
