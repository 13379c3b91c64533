/** DEFINE API: a path with its actions; paths that match the same requests are one definition. */
import { mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { putAtLevel } from '../../catalog/ddl/define.js';
import { failure } from '../../errors/error.js';
import type { ApiAction, Call, DefineApi, Handling } from '../../language/ast.js';
import { API_LIMIT, readApiLimit } from '../../query/api/limit.js';
import { apiPathText, parseApiPath } from '../../query/api/path.js';
import { assertStorable } from '../../records/storable.js';
import { ensureSelectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { beginDefinition, compileName, finish, settled, shouldDefine } from './definition.js';

export function compileDefineApi(statement: DefineApi, compiler: Compiler): Evaluate {
  const pathOf = compileName(statement.name, 'string', compiler);
  const handlingOf = compileHandling(statement.handling, compiler);
  const actions = statement.actions.map((action) => compileAction(action, compiler));
  return async (frame) => {
    const { execution } = frame;
    const { databasePath, change } = beginDefinition(execution, 'database', 'own', 'Api');
    const path = await pathOf(frame);
    const name = apiPathText(parseApiPath(path));
    const catalog = await ensureSelectedDatabase(execution);
    if (!shouldDefine(statement.mode, catalog.apis.has(name), () => failure('api_exists', { name }))) return;
    const handling = await handlingOf(frame);
    const settledActions = await mapInOrder(actions, (action) => action(frame));
    const api = { ...settled(statement, { name }), handling, actions: settledActions };
    await putAtLevel(change, databasePath, api);
    return finish(execution);
  };
}

function compileAction(action: ApiAction, compiler: Compiler): (frame: Frame) => PromiseOrValue<ApiAction> {
  const handlingOf = compileHandling(action.handling, compiler);
  return async (frame) => {
    const handling = await handlingOf(frame);
    return { ...action, handling };
  };
}

/**
 * The middleware of DEFINE API and DEFINE CONFIG API: its arguments are computed by the definition, and are literals
 * from then on.
 */
export function compileHandling<H extends Handling>(
  handling: H,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<H> {
  const calls = handling.middleware.map((call) => compileArguments(call, compiler));
  return async (frame) => {
    const middleware = await mapInOrder(calls, (call) => call(frame));
    return { ...handling, middleware };
  };
}

function compileArguments(call: Call, compiler: Compiler): (frame: Frame) => PromiseOrValue<Call> {
  const args = call.args.map((each) => compiler.expression(each));
  return async (frame) => {
    const values = await mapInOrder(args, (evaluate) => evaluate(frame));
    // A limit that fails only when the endpoint is called would be noticed late.
    if (call.path.toLowerCase() === API_LIMIT) readApiLimit(values);
    return {
      ...call,
      args: values.map((value) => {
        assertStorable(value);
        return { kind: 'literal', value } as const;
      }),
    };
  };
}
