import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
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
  return (frame) => {
    const { execution } = frame;
    const { change } = beginDefinition(execution, 'database', 'edit', 'Field');
    return andThen(pathOf(frame), (path) =>
      andThen(tableOf(frame), (tableName) =>
        andThen(tableOfField(execution, statement, tableName), (found): PromiseOrValue<undefined> => {
          const field: FieldDefinition = settled(statement, { path, table: tableName });
          const name = fieldName(field);
          checkField(field, found.table, execution.importing);
          const existing = found.table.fields.find((other) => fieldName(other) === name);
          if (!shouldDefine(statement.mode, existing !== undefined, () => failure('field_exists', { name }))) return;
          return defineField(execution, change, found, field, existing);
        }),
      ),
    );
  };
}

/** Stores a field, and its consequences: fields of elements, references, the ends of a relation. */
function defineField(
  execution: Execution,
  change: SchemaChange,
  { catalog, table }: TableInCatalog,
  field: FieldDefinition,
  existing: FieldDefinition | undefined,
): PromiseOrValue<undefined> {
  const put = putField(change, catalog, table.definition, field);
  const implied = andThen(put, () => {
    finish(execution);
    const before = existing === undefined ? [] : elementFieldsOf(existing);
    return settleImplied(change, { catalog, table }, before, elementFieldsOf(field));
  });
  const referred = andThen(implied, () => {
    finish(execution);
    return settleReferences(execution, catalog, table, existing, field);
  });
  return andThen(referred, () => keepRelation(execution, change, field, { catalog, table }));
}

/** A missing table is created for the field, unless the field depends on its definition. */
function tableOfField(execution: Execution, { flexible }: DefineField, name: string): PromiseOrValue<TableInCatalog> {
  if (!flexible) return tableToDefineOn(execution, name);
  return andThen(execution.context.catalog(), (catalog) => {
    if (catalog?.tables.has(name) === false) throw failure('table_missing', { name });
    return tableToDefineOn(execution, name);
  });
}

/** If the field is an end of a relation, the relation connects the tables that its type names. */
export function keepRelation(
  execution: Execution,
  change: SchemaChange,
  field: FieldDefinition,
  { table }: TableInCatalog,
): PromiseOrValue<undefined> {
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
  return andThen(tableNow(execution, table.definition.name), (now) =>
    andThen(putTable(change, now.catalog, { ...now.table.definition, tableKind }), () => finish(execution)),
  );
}
