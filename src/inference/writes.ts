/** The types of what CREATE, INSERT, UPDATE, UPSERT, DELETE and RELATE give, and of what they are given. */
import type {
  Assignment,
  Create,
  Data,
  Delete,
  Expression,
  Idiom,
  Insert,
  Output,
  Relate,
  Update,
  Upsert,
} from '../language/ast.js';
import type { Type } from '../value/type.js';
import { fieldType } from './fields.js';
import { increment } from './operators.js';
import { pathType } from './paths.js';
import { projectedType } from './projections.js';
import type { TypeScope } from './scope.js';
import { recordsOf, tablesOf } from './sources.js';
import {
  ANY,
  alternativesOf,
  arrayOf,
  BOOL,
  fieldIn,
  NEVER,
  NONE,
  NULL,
  objectType,
  optionOf,
  plainType,
  recordOf,
  unionOf,
} from './types.js';

type Tables = readonly string[] | undefined;

/** What was there before, and what is there afterwards. */
interface Written {
  readonly before: Type;
  readonly after: Type;
  /** What is given without RETURN; NEVER if nothing is. */
  readonly shown: Type;
}

export function createType({ targets, data, output, only }: Create, scope: TypeScope): Type {
  const tables = tablesOf(targets, scope);
  const row = recordsOf(tables, scope);
  giveData(data, tables, 'create', scope);
  const isSure = targets.every((target) => isOne(scope.type(target)));
  return answer({ before: NONE, after: row, shown: row }, output, isSure && only ? 'one' : only, scope);
}

export function updateType({ targets, data, where, output, only, explain }: Update, scope: TypeScope): Type {
  const tables = tablesOf(targets, scope);
  const row = recordsOf(tables, scope);
  giveData(data, tables, 'update', scope);
  if (where !== undefined) scope.within(row).type(where, BOOL);
  return explain === undefined ? answer({ before: row, after: row, shown: row }, output, only, scope) : ANY;
}

export function upsertType({ targets, data, where, output, only, explain }: Upsert, scope: TypeScope): Type {
  const tables = tablesOf(targets, scope);
  const row = recordsOf(tables, scope);
  giveData(data, tables, 'update', scope);
  if (where !== undefined) scope.within(row).type(where, BOOL);
  const isSure = where === undefined && targets.every((target) => isOne(scope.type(target)));
  const written = { before: optionOf(row), after: row, shown: row };
  return explain === undefined ? answer(written, output, isSure && only ? 'one' : only, scope) : ANY;
}

export function deleteType({ targets, where, output, only, explain }: Delete, scope: TypeScope): Type {
  const row = recordsOf(tablesOf(targets, scope), scope);
  if (where !== undefined) scope.within(row).type(where, BOOL);
  return explain === undefined ? answer({ before: row, after: NONE, shown: NEVER }, output, only, scope) : ANY;
}

export function relateType({ from, edge, to, data, output, only }: Relate, scope: TypeScope): Type {
  const tables = tablesOf([edge], scope);
  const row = recordsOf(tables, scope);
  const end = (name: string): Type => {
    const type = alternativesOf(row).flatMap((one) => (one.kind === 'object' ? (fieldIn(one, name) ?? []) : []));
    return unionOf([type.length === 0 ? recordOf() : unionOf(type), arrayOf(unionOf(type))]);
  };
  const isSure = [scope.type(from, end('in')), scope.type(to, end('out'))].every(isOne);
  giveData(data, tables, 'create', scope);
  return answer({ before: NONE, after: row, shown: row }, output, isSure && only ? 'one' : only, scope);
}

/** One record, or a table that gets one. */
function isOne({ kind }: Type): boolean {
  return kind === 'record' || kind === 'table';
}

export function insertType({ into, data, onDuplicate, output }: Insert, scope: TypeScope): Type {
  const tables = into === undefined ? undefined : tablesOf([into], scope);
  const row = recordsOf(tables, scope);
  const written = recordsOf(tables, scope, 'create');
  const input = inputOf(tables, 'create', scope);
  if (data.kind === 'value') {
    scope.type(data.value, unionOf([input, arrayOf(input)]));
    checkFields(data.value, written, scope);
  } else {
    const types = data.fields.map((field) => fieldGiven(field, written, scope));
    for (const values of data.rows) for (const [at, value] of values.entries()) scope.type(value, types[at]);
  }
  assign(onDuplicate ?? [], recordsOf(tables, scope, 'update'), scope);
  return answer({ before: optionOf(row), after: row, shown: row }, output, false, scope);
}

/** `only`: whether there is a list; `one` if there surely is one record. */
function answer(
  { before, after, shown }: Written,
  output: Output | undefined,
  only: boolean | 'one',
  scope: TypeScope,
): Type {
  const kind = output?.kind ?? 'shown';
  const types = {
    shown,
    none: NEVER,
    null: NULL,
    before,
    after,
    diff: arrayOf(plainType('object')),
  } as const;
  const type = output?.kind === 'project' ? projected(output, before, after, scope) : types[kind as keyof typeof types];
  if (only === false) return arrayOf(type);
  return only === 'one' && kind !== 'none' ? type : optionOf(type);
}

/** RETURN with projections: of the record as it is now, of which nothing is left once it is deleted. */
function projected(
  { projections }: Extract<Output, { kind: 'project' }>,
  before: Type,
  after: Type,
  scope: TypeScope,
): Type {
  const inner = scope.within(after);
  inner.set('before', before);
  inner.set('after', after);
  return projectedType(projections, after, inner);
}

function inputOf(tables: Tables, purpose: 'create' | 'update', { inference }: TypeScope): Type {
  return tables === undefined || tables.length === 0
    ? objectType([], true)
    : unionOf(tables.map((name) => inference.records.input(name, purpose)));
}

/** What is written says what parameters are. */
function giveData(data: Data | undefined, tables: Tables, purpose: 'create' | 'update', scope: TypeScope): void {
  if (data === undefined) return;
  const row = recordsOf(tables, scope, purpose);
  if (data.kind === 'set') assign(data.assignments, row, scope);
  else if (data.kind === 'unset') for (const path of data.paths) fieldGiven(path, row, scope);
  else if (data.kind === 'patch') scope.type(data.value, arrayOf(plainType('object')));
  else {
    // CONTENT and REPLACE give whole records.
    const whole = data.kind === 'merge' ? 'update' : 'create';
    const inner = scope.within(row);
    inner.type(data.value, inputOf(tables, whole, scope));
    checkFields(data.value, row, inner);
  }
}

function assign(assignments: readonly Assignment[], row: Type, scope: TypeScope): void {
  const inner = scope.within(row);
  inner.set('input', ANY);
  for (const { path, operator, value } of assignments) {
    const field = fieldGiven(path, row, scope);
    inner.type(value, operator === '=' ? field : increment(field));
  }
}

/** The type of the field that is written. */
function fieldGiven(path: Idiom, row: Type, scope: TypeScope): Type {
  return pathType(path, scope.within(row));
}

/** The fields of an object that is written out are those of the table. */
function checkFields(value: Expression, row: Type, scope: TypeScope): void {
  const objects = value.kind === 'array' ? value.items : [value];
  for (const object of objects) {
    if (object.kind !== 'object') continue;
    for (const entry of object.entries) checkFields(entry[1], fieldType(row, entry[0], entry, scope), scope);
  }
}
