/** The fields of an object type: what each shows, how it is filtered and ordered. */
import { type GraphQLFieldConfig, type GraphQLFieldConfigMap, GraphQLNonNull, getNamedType } from 'graphql';
import type { Type } from '../../value/type.js';
import { SCALARS } from '../base/scalars.js';
import { fromSource } from '../execution/field-source.js';
import type { FieldTreeNode } from './field-tree.js';
import type { FilterMember, FilterMembers } from './filter/filter.js';
import { type Filters, fieldMember } from './filter/filters.js';
import type { Names } from './names.js';
import { type OutputShape, outputShapeOf, type ShapeKit } from './output-shape.js';
import type { WritableField } from './writable.js';

export interface ObjectField extends WritableField {
  readonly shape: OutputShape;
  readonly nullable: boolean;
  /** The deprecation reason. */
  readonly deprecated: string | undefined;
  /** Whether no user of the schema can ever read it; it is used in inputs only. */
  readonly isHidden: boolean;
}

/** By their names in GraphQL. */
export type ObjectFields = ReadonlyMap<string, ObjectField>;

export type FieldConfigs = GraphQLFieldConfigMap<unknown, unknown>;
export type FieldConfig = GraphQLFieldConfig<unknown, unknown>;

/** `owner` are the names that lead to the object. */
export function objectFields(
  nodes: ReadonlyMap<string, FieldTreeNode>,
  owner: readonly string[],
  names: Names,
  kit: ShapeKit,
): Map<string, ObjectField> {
  const columns = [...nodes.keys()];
  const claimed = names.claimAll(columns, aliasesOf(nodes));
  const fields = new Map<string, ObjectField>();
  for (const column of columns) {
    const name = claimed.get(column) as string;
    const node = nodes.get(column) as FieldTreeNode;
    const alias = node.definition?.graphqlAlias;
    const path = [...owner, alias ?? column];
    const { shape, nullable } = outputShapeOf(node.type, { names: path, node }, kit);
    if (name !== (alias ?? column)) kit.warn(`the field ${column} of ${owner.join('.')} is called ${name}`);
    if (isOpaque(shape, node.type))
      kit.warn(`the field ${column} of ${owner.join('.')} is shown as a value of any type`);
    fields.set(name, {
      column,
      shape,
      nullable,
      description: node.definition?.comment,
      deprecated: node.definition?.graphqlDeprecated,
      isHidden: kit.isHidden(node.definition),
      definition: node.definition,
      type: node.type,
    });
  }
  return fields;
}

function aliasesOf(nodes: ReadonlyMap<string, FieldTreeNode>): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  for (const [column, { definition }] of nodes) {
    if (definition?.graphqlAlias !== undefined) aliases.set(column, definition.graphqlAlias);
  }
  return aliases;
}

/** Whether GraphQL has nothing better than `any` for a type that says more. */
function isOpaque({ type }: OutputShape, declared: Type | undefined): boolean {
  return getNamedType(type) === SCALARS.any && declared !== undefined && !admitsAny(declared);
}

function admitsAny(type: Type): boolean {
  if (type.kind === 'union') return type.of.some(admitsAny);
  if (type.kind === 'array' || type.kind === 'set') return type.item === undefined || admitsAny(type.item);
  return type.kind === 'any';
}

export function fieldConfigs(fields: ObjectFields): FieldConfigs {
  const configs: FieldConfigs = {};
  for (const [name, field] of fields) if (!field.isHidden) configs[name] = fieldConfig(field);
  return configs;
}

function fieldConfig({ column, shape, nullable, description, deprecated }: ObjectField): FieldConfig {
  return {
    type: nullable ? shape.type : new GraphQLNonNull(shape.type),
    ...(description !== undefined && { description }),
    ...(deprecated !== undefined && { deprecationReason: deprecated }),
    extensions: fromSource({ kind: 'column', column, ...(shape.read && { read: shape.read }) }),
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** The members of a filter over these fields; `searched` are the columns with full-text indexes. */
export function filterMembers(
  fields: ObjectFields,
  filters: Filters,
  searched: ReadonlySet<string> = NOTHING,
): FilterMembers {
  const members = new Map<string, FilterMember>();
  for (const [name, { column, shape, isHidden }] of fields) {
    if (shape.filterable === undefined || isHidden) continue;
    const filter = searched.has(column)
      ? filters.ofSearched(shape.filterable, name)
      : filters.of(shape.filterable, name);
    members.set(name, fieldMember(column, filter));
  }
  return members;
}
