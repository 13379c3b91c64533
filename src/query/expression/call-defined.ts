/** Calls of the functions that users define. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { CALL } from '../../base/work/work.js';
import type { FunctionDefinition } from '../../catalog/definitions/definition.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { withDefinerRightsCap } from '../../runtime/authorization/definer-rights-cap.js';
import { admits, compileRule, type Rule } from '../../runtime/authorization/permission.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import { deeper, withStackGuard } from '../../runtime/depth.js';
import { type Compiler, type Evaluate, Frame } from '../../runtime/frame.js';
import type { Scope } from '../../runtime/scope.js';
import { CoercionError, coerce, matches } from '../../value/coerce.js';
import type { Value } from '../../value/value.js';
import { coerceResult } from './closure.js';

/** The prefix of such functions. */
export const CUSTOM = 'fn::';

/** A function of DEFINE FUNCTION, ready to be called. */
interface Prepared {
  /** With `fn::`. */
  readonly name: string;
  readonly rule: Rule;
  readonly body: Evaluate;
  /** Number of required arguments. */
  readonly least: number;
}

const prepared = new WeakMap<FunctionDefinition, Prepared>();

function prepare(definition: FunctionDefinition, compiler: Compiler): Prepared {
  let entry = prepared.get(definition);
  if (entry === undefined) {
    entry = {
      name: CUSTOM + definition.name,
      rule: compileRule(definition.permissions, compiler),
      body: compiler.expression(definition.body),
      least: 1 + definition.parameters.findLastIndex(({ type }) => !matches(undefined, type)),
    };
    prepared.set(definition, entry);
  }
  return entry;
}

/**
 * Calls a function by its name. It runs with the rights of its caller, and sees the caller's variables unless its own
 * shadow them.
 * @throws TesseraError `function_not_defined`, `function_forbidden`, `function_denied`
 */
export function callDefined(
  name: string,
  args: readonly Value[],
  frame: Frame,
  compiler: Compiler,
): PromiseOrValue<Value> {
  const { execution } = frame;
  execution.services.functions?.check(CUSTOM + name);
  return andThen(execution.context.catalog(), (catalog) => {
    const definition = catalog?.functions.get(name);
    if (definition === undefined) {
      selectedDatabase(execution);
      throw notDefined(CUSTOM + name);
    }
    const entry = prepare(definition, compiler);
    const allowed = execution.checks.view ? admits(entry.rule, execution, undefined) : true;
    return andThen(allowed, (may) => {
      if (!may) throw failure('function_forbidden', { name: entry.name });
      return run(definition, entry, args, frame);
    });
  });
}

/** Its cause is the same in the words of statements that write (`peer-error-wording.ts`). */
function notDefined(name: string): TesseraError {
  return failure('function_not_defined', { name }, { cause: failure('function_undefined', { name }) });
}

function run(
  definition: FunctionDefinition,
  { name, body, least }: Prepared,
  args: readonly Value[],
  frame: Frame,
): PromiseOrValue<Value> {
  const scope = frame.scope.ofCalled();
  bindArguments(definition, name, least, args, scope);
  const execution = deeper(withDefinerRightsCap(frame.execution));
  const inner = new Frame(execution, scope, frame.current, frame.parent);
  const { returns } = definition;
  const {
    request: { memory },
  } = execution;
  return withStackGuard(() =>
    andThen(
      memory.settling(() => andThen(execution.interrupt.checkpoint(CALL), () => body(inner))),
      (value) => (returns === undefined ? value : coerceResult(name, returns, value)),
    ),
  );
}

function bindArguments(
  { parameters }: FunctionDefinition,
  name: string,
  least: number,
  args: readonly Value[],
  scope: Scope,
): void {
  const most = parameters.length;
  if (args.length < least || args.length > most) {
    const range = least === most ? `${most}` : `${least} to ${most}`;
    const reason = `The function expects ${range} argument${most === 1 ? '' : 's'}.`;
    throw failure('invalid_arguments', { name, reason });
  }
  parameters.forEach(({ name: parameter, type }, index) => {
    try {
      scope.set(parameter, coerce(args[index], type));
    } catch (error) {
      if (!(error instanceof CoercionError)) throw error;
      const reason = `Failed to coerce argument \`$${parameter}\`: ${error.message}`;
      throw failure('invalid_arguments', { name, reason });
    }
  });
}
