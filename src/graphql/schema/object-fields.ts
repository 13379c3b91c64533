/** The fields of an object type: what each shows, how it is filtered and ordered. */
import { type GraphQLFieldConfig, type GraphQLFieldConfigMap, GraphQLNonNull } from 'graphql';
import { fromSource } from './field-source.js';
import type { FieldNode } from './field-tree.js';
import type { Member, Members } from './filter/filter.js';
import { type Filters, fieldMember } from './filter/filters.js';
import type { Names } from './names.js';
import { type Shape, type ShapeKit, shapeOf } from './shape.js';

export interface ObjectField {
  /** The field of the record or object, as the database calls it. */
  readonly column: string;
  readonly shape: Shape;
  readonly nullable: boolean;
  readonly description: string | undefined;
}

/** By their names in GraphQL. */
export type ObjectFields = ReadonlyMap<string, ObjectField>;

export type FieldConfigs = GraphQLFieldConfigMap<unknown, unknown>;
export type FieldConfig = GraphQLFieldConfig<unknown, unknown>;

/** `owner` are the names that lead to the object. */
export function objectFields(
  nodes: ReadonlyMap<string, FieldNode>,
  owner: readonly string[],
  names: Names,
  kit: ShapeKit,
): Map<string, ObjectField> {
  const columns = [...nodes.keys()];
  const claimed = names.claimAll(columns);
  const fields = new Map<string, ObjectField>();
  for (const column of columns) {
    const name = claimed.get(column) as string;
    const node = nodes.get(column) as FieldNode;
    const { shape, nullable } = shapeOf(node.type, { names: [...owner, column], node }, kit);
    fields.set(name, {
      column,
      shape,
      nullable,
      description: node.definition?.comment,
    });
  }
  return fields;
}

export function fieldConfigs(fields: ObjectFields): FieldConfigs {
  const configs: FieldConfigs = {};
  for (const [name, field] of fields) configs[name] = fieldConfig(field);
  return configs;
}

function fieldConfig({ column, shape, nullable, description }: ObjectField): FieldConfig {
  return {
    type: nullable ? shape.type : new GraphQLNonNull(shape.type),
    ...(description !== undefined && { description }),
    extensions: fromSource({ kind: 'column', column, ...(shape.read && { read: shape.read }) }),
  };
}

/** The members of a filter over these fields. */
export function filterMembers(fields: ObjectFields, filters: Filters): Members {
  const members = new Map<string, Member>();
  for (const [name, { column, shape }] of fields) {
    if (shape.filterable !== undefined) members.set(name, fieldMember(column, filters.of(shape.filterable, name)));
  }
  return members;
}
