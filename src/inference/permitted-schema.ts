/**
 * The part of a database that the users of an access method may see, create or update.
 *
 * Conditions are judged without records: what they say of `$access` and `$auth` is known, anything else may be true or
 * not.
 */
import type { BinaryOperator, DefineField, Expression, FieldAction, Permission } from '../language/ast.js';
import { isTruthy } from '../value/truthiness.js';
import type { Schema, TableSchema } from './schema.js';
import { ANY, optionOf, plainType } from './types.js';

type Judgement = 'always' | 'never' | 'sometimes';

/**
 * What users of an access method may do by one action. A table or field that they never may isn't there; a field that
 * is hidden from some of them in some records is optional where it is read.
 *
 *     permittedSchema(schema, 'account', 'select')
 */
export function permittedSchema(schema: Schema, access: string, action: FieldAction): Schema {
  const judge = (permission: Permission) => judged(permission, access);
  const isPossible = ({ permissions }: { readonly permissions: Permission }) => judge(permissions) !== 'never';
  return {
    tables: schema.tables
      .filter(({ definition }) => judge(definition.permissions[action]) !== 'never')
      .map((table) => permittedTable(table, action, judge)),
    functions: schema.functions.filter(isPossible),
    params: schema.params.filter(isPossible),
  };
}

function permittedTable(
  table: TableSchema,
  action: FieldAction,
  judge: (permission: Permission) => Judgement,
): TableSchema {
  const judgementOf = ({ permissions }: DefineField): Judgement =>
    permissions === undefined ? 'always' : judge(permissions[action]);
  const hidden = table.fields.filter((field) => judgementOf(field) === 'never').map(pathText);
  const fields = table.fields
    .filter((field) => !hidden.some((path) => isWithin(pathText(field), path)))
    .map((field) => (action === 'select' && judgementOf(field) === 'sometimes' ? maybeHidden(field, table) : field));
  return { ...table, fields };
}

/** A field that may be missing. One without a type that has fields of its own is an object. */
function maybeHidden(field: DefineField, { fields }: TableSchema): DefineField {
  const path = pathText(field);
  const hasFields = fields.some((other) => other !== field && isWithin(pathText(other), path));
  return { ...field, type: optionOf(field.type ?? (hasFields ? plainType('object') : ANY)) };
}

/** The names of a path, `*` for all elements. */
function pathText({ path }: DefineField): readonly string[] {
  return path.parts.map((part) => (part.kind === 'field' ? part.name : '*'));
}

function isWithin(path: readonly string[], outer: readonly string[]): boolean {
  return outer.every((name, at) => path[at] === name);
}

function judged(permission: Permission, access: string): Judgement {
  if (permission.kind === 'where') return condition(permission.condition, access);
  return permission.kind === 'full' ? 'always' : 'never';
}

const OPPOSITE = { always: 'never', never: 'always', sometimes: 'sometimes' } as const;

function condition(expression: Expression, access: string): Judgement {
  if (isUser(expression)) return 'always';
  if (expression.kind === 'literal') return isTruthy(expression.value) ? 'always' : 'never';
  if (expression.kind === 'unary' && expression.operator === '!')
    return OPPOSITE[condition(expression.operand, access)];
  if (expression.kind !== 'binary' || typeof expression.operator !== 'string') return 'sometimes';
  const { operator, left, right } = expression;
  const joined = JOINED[operator];
  if (joined !== undefined) return joined(condition(left, access), condition(right, access));
  return comparison(operator, left, right, access) ?? comparison(operator, right, left, access) ?? 'sometimes';
}

const JOINED: { readonly [K in BinaryOperator & string]?: (left: Judgement, right: Judgement) => Judgement } = {
  '&&': (left, right) => (left === 'never' || right === 'never' ? 'never' : left === right ? left : 'sometimes'),
  '||': (left, right) => (left === 'always' || right === 'always' ? 'always' : left === right ? left : 'sometimes'),
};

const EQUALITY: { readonly [K in BinaryOperator & string]?: boolean } = { '=': true, '==': true, '!=': false };

/** `$access = 'account'`, `$access IN ['account', 'staff']`, `$auth != NONE`; `undefined` of anything else. */
function comparison(
  operator: BinaryOperator & string,
  known: Expression,
  other: Expression,
  access: string,
): Judgement | undefined {
  const isEqual = EQUALITY[operator];
  if (isEqual !== undefined && isUser(known) && other.kind === 'literal' && (other.value ?? null) === null)
    return isEqual ? 'never' : 'always';
  if (known.kind !== 'param' || known.name !== 'access') return undefined;
  if (isEqual !== undefined && other.kind === 'literal')
    return (other.value === access) === isEqual ? 'always' : 'never';
  if (operator !== 'IN' || other.kind !== 'array') return undefined;
  if (!other.items.every(({ kind }) => kind === 'literal')) return undefined;
  return other.items.some((item) => item.kind === 'literal' && item.value === access) ? 'always' : 'never';
}

/** `$auth` or `$auth.id`: users of an access method have signed in. */
function isUser(expression: Expression): boolean {
  if (expression.kind === 'param') return expression.name === 'auth';
  if (expression.kind !== 'idiom' || expression.start === undefined || !isUser(expression.start)) return false;
  const [part] = expression.parts;
  return expression.parts.length === 1 && part?.kind === 'field' && part.name === 'id';
}
