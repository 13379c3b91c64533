/** The types of statements, by kind. */
import type { DefineStatement, Let, Return, Statement } from '../language/ast.js';
import type { Type } from '../value/type.js';
import { fetchIn } from './row-changes.js';
import type { TypeScope } from './scope.js';
import { selectType } from './select.js';
import { rowsOf } from './sources.js';
import { ANY, alternativesOf, arrayOf, BOOL, INT, itemOf, NEVER, NONE, plainType, unionOf } from './types.js';
import { createType, deleteType, insertType, relateType, updateType, upsertType } from './writes.js';

type Rows = {
  readonly [K in Exclude<Statement['kind'], DefineStatement['kind']>]: (
    node: Extract<Statement, { kind: K }>,
    scope: TypeScope,
  ) => Type;
};

const none = (): Type => NONE;
const anything = (): Type => ANY;
const never = (): Type => NEVER;

const ROWS: Rows = {
  expression: ({ expression }, scope) => scope.type(expression),
  let: letType,
  return: returnType,
  throw: ({ value }, scope) => {
    scope.type(value);
    return NEVER;
  },
  for: ({ variable, over, body }, scope) => {
    const items = alternativesOf(scope.type(over)).map((one) => (one.kind === 'range' ? INT : (itemOf(one) ?? ANY)));
    const inner = scope.block();
    inner.set(variable, unionOf(items));
    inner.type(body);
    return NONE;
  },
  select: selectType,
  create: createType,
  insert: insertType,
  update: updateType,
  upsert: upsertType,
  delete: deleteType,
  relate: relateType,
  live: ({ from, where }, scope) => {
    const row = rowsOf(scope.type(from), scope);
    if (where !== undefined) scope.within(row).type(where, BOOL);
    return plainType('uuid');
  },
  'live-result': ({ expression }, scope) => {
    scope.type(expression);
    return plainType('uuid');
  },
  kill: ({ id }, scope) => {
    scope.type(id, plainType('uuid'));
    return NONE;
  },
  'show-changes': () => arrayOf(plainType('object')),
  info: () => plainType('object'),
  use: anything,
  break: never,
  continue: never,
  begin: none,
  commit: none,
  cancel: none,
  option: none,
  sleep: none,
  rebuild: none,
  alter: none,
  'alter-level': none,
  remove: none,
  access: anything,
  explain: anything,
  'explain-permissions': anything,
  'explain-record-permissions': anything,
  'kill-sessions': anything,
  'failed-events': anything,
};

export function statementType(node: Statement, scope: TypeScope): Type {
  const row = (ROWS as Partial<Record<Statement['kind'], (node: Statement, scope: TypeScope) => Type>>)[node.kind];
  // Definitions give nothing.
  return row === undefined ? NONE : row(node, scope);
}

function letType({ name, type, value }: Let, scope: TypeScope): Type {
  const given = scope.type(value, type);
  scope.set(name, type ?? given);
  return NONE;
}

/** Ends the block: its value is among what the blocks around it give. */
function returnType({ value, fetch }: Return, scope: TypeScope): Type {
  const given = scope.type(value);
  scope.inference.returns.push(fetch === undefined ? given : fetchIn(given, fetch, scope));
  return NEVER;
}
