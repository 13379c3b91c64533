/**
 * Methods on records. Their statements are constants with the parameters `$_what` and `$_data`: client data is never
 * part of a statement, and the compiled trees are reused.
 */
import { failure } from '../../errors/error.js';
import type { Call as CallExpression, Data, Output, Param, Statement } from '../../language/ast.js';
import { parseRecordId } from '../../language/parse.js';
import { isArray, type MutableObject, newObject, Range, RecordId, Table, type Value } from '../../value/value.js';
import { type Method, type RpcCall, wrongKind } from '../method.js';
import { isNothing } from '../request.js';
import { executeOne } from './execute-one.js';

const param = (name: string): Param => ({ kind: 'param', name });
const WHAT = param('_what');
const DATA = param('_data');
const TARGETS = [WHAT];

/** A single record answers an object (ONLY), everything else an array. */
interface ByCount {
  readonly one: Statement;
  readonly many: Statement;
}

function byCount(build: (only: boolean) => Statement): ByCount {
  return { one: build(true), many: build(false) };
}

interface ByData {
  readonly bare: ByCount;
  readonly withData: ByCount;
}

function byData(
  build: (only: boolean, data: { readonly data?: Data }) => Statement,
  kind: 'content' | 'merge' | 'patch',
) {
  const data = { data: { kind, value: DATA } };
  return { bare: byCount((only) => build(only, {})), withData: byCount((only) => build(only, data)) } satisfies ByData;
}

const DIFF: Output = { kind: 'diff' };
const BEFORE: Output = { kind: 'before' };

const update =
  (output: { readonly output?: Output } = {}) =>
  (only: boolean, data: { readonly data?: Data }): Statement => ({
    kind: 'update',
    only,
    targets: TARGETS,
    ...data,
    ...output,
  });

const STATEMENTS = {
  select: byCount((only) => ({
    kind: 'select',
    projections: { kind: 'fields', items: [{ kind: 'all' }] },
    only,
    from: TARGETS,
  })),
  create: byData((only, data) => ({ kind: 'create', only, targets: TARGETS, ...data }), 'content'),
  update: byData(update(), 'content'),
  upsert: byData((only, data) => ({ kind: 'upsert', only, targets: TARGETS, ...data }), 'content'),
  merge: byData(update(), 'merge'),
  patch: byData(update(), 'patch'),
  patchDiff: byData(update({ output: DIFF }), 'patch'),
  delete: byCount((only) => ({ kind: 'delete', only, targets: TARGETS, output: BEFORE })),
  relate: byData(
    (only, data) => ({
      kind: 'relate',
      only,
      orUpdate: false,
      from: param('_from'),
      edge: WHAT,
      to: param('_to'),
      ...data,
    }),
    'content',
  ),
};

const insertion = (relation: boolean, into: boolean): Statement => ({
  kind: 'insert',
  relation,
  ignore: false,
  ...(into ? { into: WHAT } : {}),
  data: { kind: 'value', value: DATA },
});
const INSERTIONS = {
  insert: { into: insertion(false, true), anywhere: insertion(false, false) },
  insert_relation: { into: insertion(true, true), anywhere: insertion(true, false) },
};

const WHAT_ONLY = '(what:Value)';
const WHAT_AND_DATA = '(what:Value, data:Value)';

export const recordMethods: readonly Method[] = [
  {
    name: 'select',
    querying: true,
    pipelined: true,
    expects: WHAT_ONLY,
    least: 1,
    most: 1,
    run: (call, [what]) => {
      const target = readTarget(call, what);
      return executeOne(call.executor, pick(STATEMENTS.select, isOneRecord(target)), bind(target));
    },
  },
  {
    name: 'create',
    querying: true,
    pipelined: true,
    expects: WHAT_AND_DATA,
    least: 1,
    most: 2,
    run: (call, [what, data]) => {
      const target = readTarget(call, what);
      // As in the reference engine, a table named by a string answers an object, a table value an array.
      const one = isOneRecord(target) || typeof what === 'string';
      return executeOne(call.executor, pickByData(STATEMENTS.create, one, data), bind(target, data));
    },
  },
  change('update', '(what, data)', STATEMENTS.update),
  change('upsert', WHAT_AND_DATA, STATEMENTS.upsert),
  change('merge', WHAT_AND_DATA, STATEMENTS.merge),
  {
    name: 'patch',
    querying: true,
    pipelined: true,
    expects: '(what:Value, data:Value, diff:Value)',
    least: 1,
    most: 3,
    run: (call, [what, operations, diff]) =>
      applyChange(call, diff === true ? STATEMENTS.patchDiff : STATEMENTS.patch, what, operations),
  },
  {
    name: 'delete',
    querying: true,
    pipelined: true,
    expects: WHAT_ONLY,
    least: 1,
    most: 1,
    run: (call, [what]) => {
      const target = readTarget(call, what);
      return executeOne(call.executor, pick(STATEMENTS.delete, isOneRecord(target)), bind(target));
    },
  },
  insert('insert', WHAT_AND_DATA),
  insert('insert_relation', '(what, data)'),
  {
    name: 'relate',
    querying: true,
    pipelined: true,
    expects: '(from:Value, kind:Value, with:Value, data:Value)',
    least: 3,
    most: 4,
    run: (call, [from, edge, to, data]) => {
      const variables = bind(readTarget(call, edge), data);
      variables._from = readEnd(call, from);
      variables._to = readEnd(call, to);
      const one = !isArray(from) && !isArray(to);
      return executeOne(call.executor, pickByData(STATEMENTS.relate, one, data), variables);
    },
  },
  {
    name: 'run',
    querying: callsBuiltIn,
    pipelined: true,
    expects: '(name:string, version:string, args:array)',
    least: 1,
    most: 3,
    run,
  },
];

function change(name: string, expects: string, statements: ByData): Method {
  return {
    name,
    querying: true,
    pipelined: true,
    expects,
    least: 1,
    most: 2,
    run: (call, [what, data]) => applyChange(call, statements, what, data),
  };
}

function applyChange(call: RpcCall, statements: ByData, what: Value, data: Value): Promise<Value> {
  const target = readTarget(call, what);
  return executeOne(call.executor, pickByData(statements, isOneRecord(target), data), bind(target, data));
}

function insert(name: keyof typeof INSERTIONS, expects: string): Method {
  const { into, anywhere } = INSERTIONS[name];
  return {
    name,
    querying: true,
    pipelined: true,
    expects,
    least: 2,
    most: 2,
    run: (call, [what, data]) =>
      isNothing(what)
        ? executeOne(call.executor, anywhere, bind(undefined, data))
        : executeOne(call.executor, into, bind(readTable(what), data)),
  };
}

/** Defined functions have PERMISSIONS of their own; others are parts of a query. */
function callsBuiltIn([name]: readonly Value[]): boolean {
  return typeof name !== 'string' || !name.startsWith('fn::');
}

/** Calls a function by name: `fn::x`, or a built-in one. The version applies to `ml::` only, which isn't supported. */
function run({ executor }: RpcCall, [name, version, args]: readonly Value[]): Promise<Value> {
  if (typeof name !== 'string') throw wrongKind('name', 'string', name);
  if (!isNothing(version) && typeof version !== 'string') throw wrongKind('version', 'string', version);
  if (!isNothing(args) && !isArray(args)) throw wrongKind('args', 'array', args);
  if (name.startsWith('ml::') && isNothing(version)) {
    throw failure('invalid_params', { expected: 'version to be set for model function' });
  }
  const variables = newObject();
  const call: CallExpression = {
    kind: 'call',
    path: name,
    args: (args ?? []).map((value, index) => {
      variables[`_${index}`] = value;
      return param(`_${index}`);
    }),
  };
  return executeOne(executor, { kind: 'return', value: call }, variables);
}

function pick({ one, many }: ByCount, only: boolean): Statement {
  return only ? one : many;
}

function pickByData({ bare, withData }: ByData, only: boolean, data: Value): Statement {
  return pick(isNothing(data) ? bare : withData, only);
}

function bind(what: Value, data?: Value): MutableObject {
  const variables = newObject();
  variables._what = what;
  variables._data = data;
  return variables;
}

function isOneRecord(target: Value): boolean {
  return target instanceof RecordId && !(target.key instanceof Range);
}

/** A plain string names a table. In JSON, which has no record ids, a string that parses as one is one. */
function readTarget(call: RpcCall, what: Value): Value {
  if (typeof what !== 'string') return what;
  return (call.format.hasRecordIds ? undefined : parseRecordId(what)) ?? new Table(what);
}

function readTable(what: Value): Value {
  return typeof what === 'string' ? new Table(what) : what;
}

/** An end of a relation: a string in CBOR isn't a record id, and is left for the statement to reject. */
function readEnd(call: RpcCall, end: Value): Value {
  if (call.format.hasRecordIds) return end;
  if (isArray(end)) return end.map((item) => readEnd(call, item));
  return typeof end === 'string' ? (parseRecordId(end) ?? end) : end;
}
