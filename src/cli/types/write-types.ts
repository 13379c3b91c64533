/** The definitions of a database as a module of TypeScript types. */
import type { DefineFunction } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import type { Type } from '../../value/type.js';
import type { ClientDialect } from './dialect.js';
import { type FieldTypeNode, fieldTypeTree, newNode } from './field-tree.js';
import { documentation, parameterNames, TypeNames } from './identifiers.js';
import type { Schema, TableSchema } from './schema.js';
import { isOptional, type Member, members, TypeWriter } from './type-text.js';

/** The text of the module. */
export function writeTypes({ tables, functions, params }: Schema, dialect: ClientDialect): string {
  const writer = new TypeWriter(dialect);
  const names = new TypeNames();
  const named = tables.map((table) => ({ table, type: names.take(table.name) }));
  // After those of all tables, which keep their names.
  const written = named
    .filter(({ table }) => table.definition.view === undefined)
    .map(({ table, type }) => ({
      table,
      create: names.take(`Create${type}Input`),
      update: names.take(`Update${type}Input`),
    }));
  const creations = new TypeWriter(dialect, 'create');
  const updates = new TypeWriter(dialect, 'update');
  const sections = [
    ...named.map(({ table, type }) => tableText(table, type, dialect, writer)),
    ...written.flatMap(({ table, create, update }) => [
      createText(table, create, dialect, creations),
      updateText(table, update, updates),
    ]),
    declaration(
      'Tables',
      'The records of each table.',
      named.map(({ table, type }) => ({ name: table.name, text: type, optional: false })),
    ),
    declaration(
      'Inputs',
      'What new records of each table may have, and what changes of its records may.',
      written.map(({ table, create, update }) => ({
        name: table.name,
        text: `{ create: ${create}; update: ${update} }`,
        optional: false,
      })),
    ),
    declaration(
      'Functions',
      dialect.functions,
      functions.map((definition) => ({
        name: `fn::${definition.name}`,
        text: functionText(definition, writer),
        optional: false,
        comment: definition.comment,
      })),
    ),
    declaration(
      'Params',
      'What each param is.',
      params.map(({ name, value, comment }) => {
        const constant = constantValue(value);
        return {
          name,
          text: constant === undefined ? 'unknown' : writer.ofValue(constant.value),
          optional: false,
          comment,
        };
      }),
    ),
  ];
  const body = sections.join('\n');
  return `// Made by \`tessera types\`: changes are lost when it is made again.\n${importText(body, dialect)}\n${body}`;
}

const COMMENTS_AND_STRINGS = /\/\*.*?\*\/|'(?:[^'\\]|\\.)*'/gs;

/** Only what is used: compilers complain about more. */
function importText(body: string, { classes, module }: ClientDialect): string {
  const code = body.replace(COMMENTS_AND_STRINGS, '');
  const used = classes.filter((name) => new RegExp(`\\b${name}\\b(?!\\??:)`).test(code));
  return used.length === 0 ? '' : `import type { ${used.join(', ')} } from '${module}';\n`;
}

function declaration(name: string, comment: string | undefined, list: readonly Member[], isOpen = false): string {
  return `${documentation(comment)}export type ${name} = ${members(list, isOpen)};\n`;
}

function tableText(table: TableSchema, type: string, { record }: ClientDialect, writer: TypeWriter): string {
  const { definition, name, fields } = table;
  const { schemafull, view, comment } = definition;
  const isOpen = !schemafull || view !== undefined;
  const tree = fieldTypeTree(fields, isOpen);
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
  return declaration(type, comment, [...fixed, ...writer.nodeMembers(tree)], isOpen);
}

/** Data of a new record: without what the server computes, and what has a default is optional. */
function createText(table: TableSchema, type: string, { record }: ClientDialect, writer: TypeWriter): string {
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
function updateText({ definition, name, fields }: TableSchema, type: string, writer: TypeWriter): string {
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
