/** DEFINE FIELD, with what follows from a field: fields of elements, references, the ends of a relation. */
import { fieldName, putField, putTable } from '../../catalog/ddl/define.js';
import type { FieldDefinition } from '../../catalog/definitions/definition.js';
import type { SchemaChange } from '../../catalog/definitions/schema-version.js';
import { failure } from '../../errors/error.js';
import type { DefineField, TableKind } from '../../language/ast.js';
import { settleReferences } from '../../records/references.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import {
  beginDefinition,
  compileName,
  finish,
  settled,
  shouldDefine,
  type TableInCatalog,
  tableNow,
  tableToDefineOn,
} from './definition.js';
import { compileFieldPath } from './field-path.js';
import { checkField, relationEndOf } from './field-rules.js';
import { elementFieldsOf, settleImplied } from './implied-fields.js';

/** Defines a field, and those that its type implies. The end of a relation changes the table's definition as well. */
export function compileDefineField(statement: DefineField, compiler: Compiler): Evaluate {
  const pathOf = compileFieldPath(statement.path, compiler);
  const tableOf = compileName(statement.table, 'table name', compiler);
  return async (frame) => {
    const { execution } = frame;
    const { change } = beginDefinition(execution, 'database', 'edit', 'Field');
    const path = await pathOf(frame);
    const tableName = await tableOf(frame);
    const found = await tableOfField(execution, statement, tableName);
    const field: FieldDefinition = settled(statement, { path, table: tableName });
    const name = fieldName(field);
    checkField(field, found.table, execution.importing);
    const existing = found.table.fields.find((other) => fieldName(other) === name);
    if (!shouldDefine(statement.mode, existing !== undefined, () => failure('field_exists', { name }))) return;
    return defineField(execution, change, found, field, existing);
  };
}

/** Stores a field, and its consequences: fields of elements, references, the ends of a relation. */
async function defineField(
  execution: Execution,
  change: SchemaChange,
  { catalog, table }: TableInCatalog,
  field: FieldDefinition,
  existing: FieldDefinition | undefined,
): Promise<undefined> {
  await putField(change, catalog, table.definition, field);
  finish(execution);
  const before = existing === undefined ? [] : elementFieldsOf(existing);
  await settleImplied(change, { catalog, table }, before, elementFieldsOf(field));
  finish(execution);
  await settleReferences(execution, catalog, table, existing, field);
  return keepRelation(execution, change, field, { catalog, table });
}

/** A missing table is created for the field, unless the field depends on its definition. */
async function tableOfField(execution: Execution, { flexible }: DefineField, name: string): Promise<TableInCatalog> {
  if (!flexible) return tableToDefineOn(execution, name);
  const catalog = await execution.context.catalog();
  if (catalog?.tables.has(name) === false) throw failure('table_missing', { name });
  return tableToDefineOn(execution, name);
}

/** If the field is an end of a relation, the relation connects the tables that its type names. */
export async function keepRelation(
  execution: Execution,
  change: SchemaChange,
  field: FieldDefinition,
  { table }: TableInCatalog,
): Promise<undefined> {
  const end = relationEndOf(field, table);
  const kind = table.definition.tableKind;
  if (end === undefined || kind.kind !== 'relation' || field.type?.kind !== 'record') return undefined;
  const { from, to, enforced } = kind;
  const tables = field.type.tables.length === 0 ? undefined : field.type.tables;
  const [newFrom, newTo] = end === 'in' ? [tables, to] : [from, tables];
  const tableKind: TableKind = {
    kind: 'relation',
    ...(newFrom !== undefined && { from: newFrom }),
    ...(newTo !== undefined && { to: newTo }),
    enforced,
  };
  const now = await tableNow(execution, table.definition.name);
  await putTable(change, now.catalog, { ...now.table.definition, tableKind });
  return finish(execution);
}
