/** `$name`: values of the session, the current document, variables, and params that are defined. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { ParamDefinition } from '../../catalog/definitions/definition.js';
import { failure } from '../../errors/error.js';
import type { Param } from '../../language/ast.js';
import { CURRENT_DOCUMENT_PARAMS, type RequestParam } from '../../language/engine-params.js';
import { admits, compileRule, type Rule } from '../../runtime/authorization/permission.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import type { Value } from '../../value/value.js';

/** Params that LET can't shadow: the user and the session. */
const IDENTITY: Readonly<Record<RequestParam, Evaluate>> = {
  auth: (frame) => frame.execution.identity.auth,
  token: (frame) => frame.execution.identity.token,
  session: (frame) => frame.execution.identity.session,
  access: (frame) => frame.execution.identity.access,
};

export function compileParam({ name, slot }: Param, compiler: Compiler): Evaluate {
  if (slot !== undefined) return ({ execution }) => execution.request.literals[slot];
  if (Object.hasOwn(IDENTITY, name)) return IDENTITY[name as RequestParam];
  if (CURRENT_DOCUMENT_PARAMS.has(name))
    return ({ current, scope }) => (current === undefined ? scope.getAnywhere(name) : current);
  const variable: Evaluate = (frame) => {
    const value = frame.scope.get(name);
    return value === undefined && !frame.scope.has(name) ? definedParam(name, frame, compiler) : value;
  };
  if (name !== 'parent') return variable;
  return (frame) => {
    const outer = frame.parent?.current;
    return outer === undefined ? variable(frame) : outer;
  };
}

/**
 * The value of DEFINE PARAM, where no variable has the name; else a variable of the function's caller; NONE if
 * there is none.
 * @throws TesseraError `namespace_empty`, `database_empty`
 */
function definedParam(name: string, frame: Frame, compiler: Compiler): PromiseOrValue<Value> {
  selectedDatabase(frame.execution);
  return andThen(frame.execution.context.catalog(), (catalog) => {
    const definition = catalog?.params.get(name);
    if (definition === undefined) return frame.scope.caller?.getAnywhere(name);
    if (!frame.execution.checks.view) return definition.value;
    return andThen(admits(ruleOf(definition, compiler), frame.execution, undefined), (allowed) => {
      if (!allowed) throw failure('param_forbidden', { name });
      return definition.value;
    });
  });
}

const rules = new WeakMap<ParamDefinition, Rule>();

function ruleOf(definition: ParamDefinition, compiler: Compiler): Rule {
  let rule = rules.get(definition);
  if (rule === undefined) {
    rule = compileRule(definition.permissions, compiler);
    rules.set(definition, rule);
  }
  return rule;
}
