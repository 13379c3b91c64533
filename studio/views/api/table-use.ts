/** What a user can do with a table: the fields that they read and write, and the clauses under which they may. */

import { alternativesOf, linkedTables } from '../../connection/kinds.js';
import { identifier } from '../../connection/surrealql.js';
import { ACTIONS, type Action, type Clause, type FieldParts, type TableParts } from '../../connection/table-parts.js';
import { clauseFor } from '../permissions/rights.js';
import type { Caller } from './caller.js';
import { EXAMPLE, otherSample, plainName, type Sample, sampleOf, textFor } from './samples.js';

/** A field that is written. */
export interface Assignment {
  /** Its plain name. */
  readonly field: string;
  /** The name of the variable with its value. */
  readonly variable: string;
  /** What is assigned, in SurrealQL. */
  readonly expression: string;
  /** Absent where the server has the value: the user who is signed in. */
  readonly sample?: Sample;
}

/** A field that is read. */
export interface Output {
  readonly field: string;
  readonly kind: string;
  /** The fields that are defined within it. */
  readonly members: readonly Output[];
}

export interface TableUse {
  readonly table: string;
  readonly alias: string;
  readonly key: Sample;
  /** Of relations: a record that it leads from, and one that it leads to. */
  readonly ends: { readonly in: Sample; readonly out: Sample } | undefined;
  /** Without the id; empty where no fields are defined. */
  readonly read: readonly Output[];
  readonly created: readonly Assignment[];
  readonly changed: readonly Assignment[];
  readonly rights: Readonly<Record<Action, Clause>>;
}

/** @param tables all of the database, since links lead to them */
export function tableUse(table: TableParts, tables: readonly TableParts[], caller: Caller): TableUse {
  const group = caller.kind === 'record' ? 'record' : caller.role;
  const may = (field: FieldParts, action: Action) =>
    clauseFor(group, action, field.permissions[action] ?? true) !== false;
  const keyOf = (name: string) => keySample(tables.find((one) => one.name === name));
  const end = (kinds: readonly string[] | undefined): Sample => {
    const [first = 'person'] = kinds ?? [];
    return { kind: 'record', table: first, key: keyOf(first) };
  };
  const top = table.fields.filter(({ name }) => isTop(name) && name !== 'id');
  const isRelation = table.kind.kind === 'RELATION';
  const assignments = top
    .filter((field) => !isRelation || (field.name !== 'in' && field.name !== 'out'))
    .filter(isWritten)
    .map((field, at) => assignmentOf(field, at, table, keyOf, caller));
  const isOpen = (action: Action) => (assignment: Assignment) =>
    top.some((field) => plainName(field.name) === assignment.field && may(field, action));
  const free: readonly Assignment[] =
    top.length > 0 || table.schemafull
      ? []
      : [{ field: 'name', variable: 'name', expression: '$name', sample: { kind: 'text', text: 'Some text' } }];
  const known = assignments.filter((assignment) => assignment !== undefined);
  const isReadonly = ({ field }: Assignment) =>
    top.some((one) => plainName(one.name) === field && one.readonly === true);
  return {
    table: table.name,
    alias: table.graphql_alias ?? table.name,
    key: keySample(table),
    ends: isRelation ? { in: end(table.kind.in), out: end(table.kind.out) } : undefined,
    read: top.filter((field) => may(field, 'select')).map((field) => outputOf(field, table)),
    created: [...known.filter(isOpen('create')), ...free],
    changed: [...known.filter((one) => isOpen('update')(one) && !isReadonly(one)), ...free]
      .flatMap(changeOf)
      .slice(0, 1),
    rights: Object.fromEntries(
      ACTIONS.map((action) => [action, clauseFor(group, action, table.permissions[action])]),
    ) as Record<Action, Clause>,
  };
}

/** The assignment of another value; none of what has no other to show. */
function changeOf(assignment: Assignment): readonly Assignment[] {
  const sample = otherSample(assignment.sample);
  return sample === undefined ? [] : [{ ...assignment, sample }];
}

/** What the keys of a table's records are like. */
function keySample(table: TableParts | undefined): Sample {
  const kind = table?.fields.find(({ name }) => name === 'id')?.kind;
  const sample = kind === undefined ? EXAMPLE : sampleOf(kind, 'id', () => EXAMPLE);
  return sample === undefined || !['number', 'uuid'].includes(sample.kind) ? EXAMPLE : sample;
}

/** Whether a path isn't within another field. */
function isTop(path: string): boolean {
  return /^(?:`(?:[^`\\]|\\.)+`|[^.[`]+)$/.test(path);
}

/** Whether clients give its value, rather than the server. */
function isWritten({ computed, value, default: given }: FieldParts): boolean {
  return computed === undefined && given === undefined && (value === undefined || /\$(value|input)\b/.test(value));
}

function assignmentOf(
  field: FieldParts,
  at: number,
  table: TableParts,
  keyOf: (table: string) => Sample,
  caller: Caller,
): Assignment | undefined {
  const name = plainName(field.name);
  const kind = field.kind ?? 'any';
  const variable = /^[a-z_]\w*$/i.test(name) && !OWN_VARIABLES.has(name) ? name : `value${at + 1}`;
  if (caller.kind === 'record' && linkedTables(kind).map(plainName).includes(caller.table)) {
    return { field: name, variable, expression: '$auth' };
  }
  const members = membersOf(field, table).flatMap((member): [string, Sample][] => {
    const last = plainName(member.name.slice(field.name.length + 1));
    const sample = isWritten(member) ? sampleOf(member.kind ?? 'any', last, keyOf) : undefined;
    return sample === undefined ? [] : [[last, sample]];
  });
  const sample: Sample | undefined =
    members.length > 0 && alternativesOf(kind).includes('object')
      ? { kind: 'object', members }
      : sampleOf(kind, name, keyOf);
  const isSet = alternativesOf(kind).some((one) => /^set\b/.test(one));
  return sample && { field: name, variable, expression: `${isSet ? '<set>' : ''}$${variable}`, sample };
}

/** `$id` is the record; the others have their values from the server. */
const OWN_VARIABLES: ReadonlySet<string> = new Set([
  'id',
  'in',
  'out',
  'auth',
  'token',
  'session',
  'access',
  'value',
  'this',
  'parent',
  'event',
  'before',
  'after',
  'input',
]);

/** The fields right within an object. */
function membersOf({ name }: FieldParts, { fields }: TableParts): readonly FieldParts[] {
  return fields.filter((field) => field.name.startsWith(`${name}.`) && isTop(field.name.slice(name.length + 1)));
}

function outputOf(field: FieldParts, table: TableParts): Output {
  const members = membersOf(field, table)
    .filter(({ name }) => !name.endsWith('*'))
    .map((member) => ({ ...outputOf(member, table), field: plainName(member.name.slice(field.name.length + 1)) }));
  return { field: plainName(field.name), kind: field.kind ?? 'any', members };
}

/** What is read, in SurrealQL. */
export function columnsOf({ read }: TableUse): string {
  return read.length === 0 ? '*' : ['id', ...read.map(({ field }) => identifier(field))].join(', ');
}

/** `a = $a, b = $auth`, with ` SET ` before it; empty where nothing is written. */
export function setClause(
  assignments: readonly Assignment[],
  written = ({ expression }: Assignment) => expression,
): string {
  const parts = assignments.map((one) => `${identifier(one.field)} = ${written(one)}`);
  return parts.length === 0 ? '' : ` SET ${parts.join(', ')}`;
}

/** A value for a variable of a SIGNIN clause. */
export function valueOfVariable(name: string): string {
  return textFor(name, `your ${name}`);
}
