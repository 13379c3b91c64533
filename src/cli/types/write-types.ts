/** The definitions of a database as a module of TypeScript types. */

import { type FieldTypeNode, fieldTypeTree, newNode } from '../../inference/field-tree.js';
import type { DatabaseTypes } from '../../inference/infer.js';
import type { Definitions, Schema, TableSchema, TypePurpose } from '../../inference/schema.js';
import { fieldIn } from '../../inference/types.js';
import type { DefineFunction } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import type { Type } from '../../value/type.js';
import type { ClientDialect } from './dialect.js';
import { documentation, parameterNames, TypeNames } from './identifiers.js';
import type { CheckedQueries } from './queries/check-queries.js';
import { declaration, isOptional, type Member, TypeWriter } from './type-writer.js';
import { queryTexts } from './write-queries.js';

/** The text of the module. `queries`: those of an app, whose types were inferred by `types`. */
export function writeTypes(
  definitions: Definitions,
  dialect: ClientDialect,
  types: DatabaseTypes,
  queries?: CheckedQueries['queries'],
): string {
  const names = namesOf(definitions);
  const writer = new TypeWriter(dialect);
  const sections = [
    ...definitions.read.tables.map((table) =>
      tableText(table, names.read.get(table.name) as string, dialect, writer, types),
    ),
    ...inputTexts(definitions, names, dialect),
    typesOfTables(names),
    typesOfInputs(names),
    functionsText(definitions.read, dialect, writer),
    paramsText(definitions.read, writer),
    ...(queries === undefined
      ? []
      : queryTexts(queries, dialect, new TypeWriter(dialect, 'read', namedTypes(names, types)))),
  ];
  const body = sections.join('\n');
  const imports = importText(body, dialect);
  return `// Made by \`tessera types\`: changes are lost when it is made again.\n${imports}\n${body}`;
}

/** The names of the types of tables' records and inputs, by the names of the tables. */
type Names = Readonly<Record<TypePurpose, ReadonlyMap<string, string>>>;

function namesOf({ read, create, update }: Definitions): Names {
  const names = new TypeNames();
  const tables = [...new Set([read, create, update].flatMap(({ tables }) => tables.map(({ name }) => name)))].sort();
  const types = new Map(tables.map((name) => [name, names.take(name)]));
  // After those of all tables, which keep their names. Views aren't written to.
  const inputs = (schema: Schema, verb: string) =>
    new Map(
      schema.tables
        .filter(({ definition }) => definition.view === undefined)
        .map(({ name }) => [name, names.take(`${verb}${types.get(name)}Input`)]),
    );
  return {
    read: new Map(read.tables.map(({ name }) => [name, types.get(name) as string])),
    create: inputs(create, 'Create'),
    update: inputs(update, 'Update'),
  };
}

/** The types that have names. */
function namedTypes(names: Names, { records }: DatabaseTypes): ReadonlyMap<Type, string> {
  return new Map<Type, string>([
    ...[...names.read].map(([table, name]) => [records.record(table), name] as const),
    ...[...names.create].map(([table, name]) => [records.input(table, 'create'), name] as const),
    ...[...names.update].map(([table, name]) => [records.input(table, 'update'), name] as const),
  ]);
}

/** Of each table what new records may have, then what changes may. */
function inputTexts({ create, update }: Definitions, names: Names, dialect: ClientDialect): string[] {
  const [creating, updating] = [new TypeWriter(dialect, 'create'), new TypeWriter(dialect, 'update')];
  const texts = [
    ...create.tables.map((table) => [table.name, createText(table, names.create.get(table.name), dialect, creating)]),
    ...update.tables.map((table) => [table.name, updateText(table, names.update.get(table.name), updating)]),
  ] as const;
  return texts.toSorted(([a = ''], [b = '']) => (a === b ? 0 : a < b ? -1 : 1)).flatMap(([, text]) => text ?? []);
}

function typesOfTables(names: Names): string {
  const list = [...names.read].map(([name, text]) => ({ name, text, optional: false }));
  return declaration('Tables', 'The records of each table.', list);
}

function typesOfInputs(names: Names): string {
  const tables = [...new Set([...names.create.keys(), ...names.update.keys()])].sort();
  const list = tables.map((name) => {
    const inputs = (['create', 'update'] as const).flatMap((purpose) => {
      const type = names[purpose].get(name);
      return type === undefined ? [] : [`${purpose}: ${type}`];
    });
    return { name, text: `{ ${inputs.join('; ')} }`, optional: false };
  });
  return declaration('Inputs', 'What new records of each table may have, and what changes of its records may.', list);
}

function functionsText({ functions }: Schema, dialect: ClientDialect, writer: TypeWriter): string {
  return declaration(
    'Functions',
    dialect.functions,
    functions.map((definition) => ({
      name: `fn::${definition.name}`,
      text: functionText(definition, writer),
      optional: false,
      comment: definition.comment,
    })),
  );
}

function paramsText({ params }: Schema, writer: TypeWriter): string {
  return declaration(
    'Params',
    'What each param is.',
    params.map(({ name, value, comment }) => {
      const constant = constantValue(value);
      const text = constant === undefined ? 'unknown' : writer.ofValue(constant.value);
      return { name, text, optional: false, comment };
    }),
  );
}

const COMMENTS_AND_STRINGS = /\/\*.*?\*\/|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/gs;

/** Only what is used: compilers complain about more. */
function importText(body: string, { classes, queryClass, module }: ClientDialect): string {
  const code = body.replace(COMMENTS_AND_STRINGS, '');
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b(?!\\??:)`).test(code);
  const used = classes.filter(isUsed);
  const values = queryClass !== undefined && isUsed(queryClass) ? `import { ${queryClass} } from '${module}';\n` : '';
  return `${used.length === 0 ? '' : `import type { ${used.join(', ')} } from '${module}';\n`}${values}`;
}

function tableText(
  table: TableSchema,
  type: string,
  { record }: ClientDialect,
  writer: TypeWriter,
  { records }: DatabaseTypes,
): string {
  const { definition, name, fields } = table;
  const { schemafull, view, comment } = definition;
  const inferred = records.record(name);
  if (view !== undefined) return `${documentation(comment)}export type ${type} = ${writer.of(inferred)};\n`;
  const tree = fieldTypeTree(fields, !schemafull);
  for (const [field, node] of tree.fields) if (node.computed !== undefined) node.type ??= fieldIn(inferred, field);
  const id = tree.fields.get('id');
  tree.fields.delete('id');
  const fixed: Member[] = [
    {
      name: 'id',
      text: record([name], id?.type && isKey(id.type) ? writer.of(id.type) : undefined),
      optional: false,
      comment: id?.comment,
    },
    ...endsOf(table, tree, writer),
  ];
  return declaration(type, comment, [...fixed, ...writer.nodeMembers(tree)], !schemafull);
}

/** Data of a new record: without what the server computes, and what has a default is optional. */
function createText(
  table: TableSchema,
  type: string | undefined,
  { record }: ClientDialect,
  writer: TypeWriter,
): string | undefined {
  if (type === undefined) return undefined;
  const { definition, name, fields } = table;
  const isOpen = !definition.schemafull;
  const tree = fieldTypeTree(fields, isOpen);
  const id = tree.fields.get('id');
  tree.fields.delete('id');
  const key = id?.type && isKey(id.type) ? writer.of(id.type) : undefined;
  const ends = endsOf(table, tree, writer);
  const fixed: Member[] = [{ name: 'id', text: record([name], key), optional: true, comment: id?.comment }, ...ends];
  return declaration(type, `A new record of ${name}.`, [...fixed, ...writer.nodeMembers(tree)], isOpen);
}

/** Changes of a record: everything is optional, and nothing of it READONLY. */
function updateText(
  { definition, name, fields }: TableSchema,
  type: string | undefined,
  writer: TypeWriter,
): string | undefined {
  if (type === undefined) return undefined;
  const isOpen = !definition.schemafull;
  const tree = fieldTypeTree(fields, isOpen);
  tree.fields.delete('id');
  if (definition.tableKind.kind === 'relation') for (const end of ENDS) tree.fields.delete(end);
  return declaration(type, `Changes of a record of ${name}.`, writer.nodeMembers(tree), isOpen);
}

const ENDS = ['in', 'out'] as const;

/** Of an edge the records that it connects. They are taken out of the tree. */
function endsOf({ definition }: TableSchema, tree: FieldTypeNode, writer: TypeWriter): Member[] {
  const { tableKind } = definition;
  if (tableKind.kind !== 'relation') return [];
  const tables = { in: tableKind.from, out: tableKind.to };
  return ENDS.map((end) => {
    const node = tree.fields.get(end) ?? newNode(false);
    node.type ??= { kind: 'record', tables: tables[end] ?? [] };
    tree.fields.delete(end);
    return { name: end, text: writer.of(node.type), optional: false, comment: node.comment };
  });
}

/** Types that the client takes for what stands behind the colon of a record id. */
const KEYS: ReadonlySet<Type['kind']> = new Set(['string', 'int', 'uuid', 'array', 'tuple', 'object']);

function isKey(type: Type): boolean {
  return type.kind === 'union' ? type.of.every(isKey) : KEYS.has(type.kind);
}

/** Parameters that may be left out are optional, as far as none that may not follows them. */
function functionText({ parameters, returns }: DefineFunction, writer: TypeWriter): string {
  const names = parameterNames(parameters.map(({ name }) => name));
  const lastNeeded = parameters.findLastIndex(({ type }) => !isOptional(type));
  const list = parameters.map(({ type }, at) => `${names[at]}${at > lastNeeded ? '?' : ''}: ${writer.of(type)}`);
  return `(${list.join(', ')}) => ${returns === undefined ? 'unknown' : writer.of(returns)}`;
}
