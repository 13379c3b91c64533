/** The types of calls: of built-in functions, and of those that users define (`fn::`). */
import { findAggregate } from '../functions/aggregates.js';
import { findFunction } from '../functions/registry.js';
import type { Call, DefineFunction } from '../language/ast.js';
import type { Type } from '../value/type.js';
import { type GivenArgument, resultOf } from './function-results.js';
import type { TypeScope } from './scope.js';
import { missingFunction } from './tables.js';
import { ANY, arrayOf } from './types.js';

const CUSTOM = 'fn::';

export function callType(call: Call, scope: TypeScope): Type {
  if (call.path.startsWith(CUSTOM)) return definedType(call, scope);
  const row = findFunction(call.path);
  const { rows } = scope;
  // The first argument of an aggregate function is what each row of the group gives, put in a list.
  const isAggregate = rows !== undefined && findAggregate(call.path) !== undefined;
  const args = call.args.map((arg, at): GivenArgument => {
    if (isAggregate && at === 0) return { type: arrayOf(rows.type(arg)) };
    const parameter = row?.parameters[at] ?? row?.parameters.findLast(({ rest }) => rest);
    return { expression: arg, type: scope.type(arg, parameter?.type) };
  });
  if (row === undefined) return ANY;
  // Of rows it gives the values as they are.
  return isAggregate && row.name === 'array::group' ? (args[0]?.type ?? ANY) : resultOf(row, args, scope);
}

/** What a function of the database gives: what it says, or what its body does. */
function definedType(call: Call, scope: TypeScope): Type {
  const { path, args } = call;
  const { schema } = scope.inference;
  const name = path.slice(CUSTOM.length);
  const definition = schema.functions.find((each) => each.name === name);
  if (definition === undefined) missingFunction(path, call, scope);
  for (const [at, arg] of args.entries()) scope.type(arg, definition?.parameters[at]?.type);
  return definition === undefined ? ANY : (definition.returns ?? bodyType(definition, scope));
}

function bodyType({ name, parameters, body }: DefineFunction, { inference }: TypeScope): Type {
  const { calling, faults, returns } = inference;
  if (calling.has(name)) return ANY;
  calling.add(name);
  const known = { faults: faults.length, returns: returns.length };
  const scope = inference.scope();
  for (const parameter of parameters) scope.set(parameter.name, parameter.type);
  const type = scope.type(body);
  // Its faults are no concern of the text that calls it.
  faults.length = known.faults;
  returns.length = known.returns;
  calling.delete(name);
  return type;
}
