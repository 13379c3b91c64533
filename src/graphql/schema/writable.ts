/** The input of a shape's place. The input types of the schema are made of these (`inputs.ts`). */
import type { GraphQLInputType, GraphQLNullableType } from 'graphql';
import type { FieldDefinition } from '../../catalog/definitions/definition.js';
import type { Type } from '../../value/type.js';

export type Writable =
  | { readonly kind: 'leaf'; readonly type: GraphQLInputType & GraphQLNullableType }
  | {
      readonly kind: 'list';
      readonly isSet: boolean;
      readonly element: Writable;
      /** The elements' type. Default: any. */
      readonly type: Type | undefined;
    }
  /** `names` lead to it. */
  | { readonly kind: 'object'; readonly names: readonly string[]; readonly fields: () => WritableFields }
  /** To records of any table when none is named. */
  | { readonly kind: 'link'; readonly tables: readonly string[] }
  | { readonly kind: 'file' };

export interface WritableField {
  /** Its name in the database. */
  readonly column: string;
  readonly description: string | undefined;
  /** Absent for fields of an object type that is written out. */
  readonly definition: FieldDefinition | undefined;
  /** The stored value's type. Default: any. */
  readonly type: Type | undefined;
  readonly shape: { readonly writable: Writable };
}

/** By their names in GraphQL. */
export type WritableFields = ReadonlyMap<string, WritableField>;

/** The value of `null` for a type: NULL if the type admits it, otherwise NONE, which the database checks. */
export function nothingOf(type: Type | undefined): null | undefined {
  return type === undefined || admitsNull(type) ? null : undefined;
}

function admitsNull(type: Type): boolean {
  if (type.kind === 'union') return type.of.some(admitsNull);
  return type.kind === 'any' || type.kind === 'null';
}
