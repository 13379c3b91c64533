/** Calls: of built-in functions, of those that users define (`fn::`), and of closures. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { FunctionDefinition } from '../../catalog/definition.js';
import { failure } from '../../errors/error.js';
import { callFunction } from '../../functions/call.js';
import { findFunction } from '../../functions/registry.js';
import type { Call, Expression } from '../../language/ast.js';
import { CoercionError, coerce, matches } from '../../value/coerce.js';
import { Closure, kindOf, type Value } from '../../value/value.js';
import { calling, deeper } from '../depth.js';
import { type Compiler, type Evaluate, Frame, Scope } from '../execution.js';
import { admits, compileRule, type Rule } from '../permission.js';
import { callClosure, coerceResult } from './closure.js';
import { compileList } from './collection.js';
import { functionContext } from './function-context.js';
import type { InlineCompiler } from './inline-compiler.js';
import type { Step } from './step.js';

const CUSTOM = 'fn::';

export function compileCall(call: Call, compiler: InlineCompiler): Evaluate {
  const args = compileList(call.args, compiler);
  if (call.path.startsWith(CUSTOM)) {
    const name = call.path.slice(CUSTOM.length);
    return (frame) => andThen(args(frame), (values) => callDefined(name, values, frame, compiler.outer));
  }
  const row = findFunction(call.path);
  if (row === undefined) {
    return () => {
      throw failure('function_missing', { name: call.path });
    };
  }
  return (frame) => {
    const values = args(frame);
    return values instanceof Promise
      ? values.then((settled) => callFunction(row, settled, functionContext(frame.execution)))
      : callFunction(row, values, functionContext(frame.execution));
  };
}

/** `(args)` behind a value. */
export function invokeStep(args: readonly Expression[], next: Step, compiler: Compiler): Step {
  const evaluate = compileList(args, compiler);
  return (value, frame) => {
    if (!(value instanceof Closure)) throw failure('not_callable', { kind: kindOf(value) });
    return andThen(evaluate(frame), (values) =>
      andThen(callClosure(frame.execution, value, values), (result) => next(result, frame)),
    );
  };
}

/** A function of DEFINE FUNCTION. It runs with the rights of its caller, and sees the caller's variables behind its own. */
function callDefined(name: string, args: readonly Value[], frame: Frame, compiler: Compiler): PromiseOrValue<Value> {
  return andThen(frame.execution.unit.catalog(), (catalog) => {
    const definition = catalog?.functions.get(name);
    if (definition === undefined) throw failure('function_not_defined', { name: CUSTOM + name });
    return andThen(permit(definition, frame, compiler), () => run(definition, args, frame, compiler));
  });
}

function permit(definition: FunctionDefinition, frame: Frame, compiler: Compiler): PromiseOrValue<void> {
  if (!frame.execution.checks.view) return;
  return andThen(admits(ruleOf(definition, compiler), frame.execution, undefined), (allowed) => {
    if (!allowed) throw failure('function_forbidden', { name: CUSTOM + definition.name });
  });
}

const rules = new WeakMap<FunctionDefinition, Rule>();

function ruleOf(definition: FunctionDefinition, compiler: Compiler): Rule {
  let rule = rules.get(definition);
  if (rule === undefined) {
    rule = compileRule(definition.permissions, compiler);
    rules.set(definition, rule);
  }
  return rule;
}

function run(
  definition: FunctionDefinition,
  args: readonly Value[],
  frame: Frame,
  compiler: Compiler,
): PromiseOrValue<Value> {
  const name = CUSTOM + definition.name;
  const scope = new Scope(frame.scope);
  bindArguments(definition, name, args, scope);
  const inner = new Frame(deeper(frame.execution), scope, frame.current, frame.parent);
  const { returns } = definition;
  const body = compiler.expression(definition.body);
  return calling(() =>
    andThen(body(inner), (value) => (returns === undefined ? value : coerceResult(name, returns, value))),
  );
}

function bindArguments({ parameters }: FunctionDefinition, name: string, args: readonly Value[], scope: Scope): void {
  const least = 1 + parameters.findLastIndex(({ type }) => !matches(undefined, type));
  const most = parameters.length;
  if (args.length < least || args.length > most) {
    const range = least === most ? `${most}` : `${least} to ${most}`;
    throw failure('invalid_arguments', {
      name,
      reason: `The function expects ${range} argument${most === 1 ? '' : 's'}.`,
    });
  }
  for (let index = 0; index < most; index++) {
    const { name: parameter, type } = parameters[index] as (typeof parameters)[number];
    try {
      scope.set(parameter, coerce(args[index], type));
    } catch (error) {
      if (!(error instanceof CoercionError)) throw error;
      throw failure('invalid_arguments', {
        name,
        reason: `Failed to coerce argument \`$${parameter}\`: ${error.message}`,
      });
    }
  }
}
