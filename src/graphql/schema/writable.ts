/** What may be written where a shape stands. The input types of the schema are made of it (`inputs.ts`). */
import type { GraphQLInputType, GraphQLNullableType } from 'graphql';
import type { FieldDefinition } from '../../catalog/definitions/definition.js';
import type { Type } from '../../value/type.js';

export type Writable =
  | { readonly kind: 'leaf'; readonly type: GraphQLInputType & GraphQLNullableType }
  | {
      readonly kind: 'list';
      readonly isSet: boolean;
      readonly element: Writable;
      /** Of the elements; any unless told. */
      readonly type: Type | undefined;
    }
  /** `names` lead to it. */
  | { readonly kind: 'object'; readonly names: readonly string[]; readonly fields: () => WritableFields }
  /** To records of any table when none is named. */
  | { readonly kind: 'link'; readonly tables: readonly string[] };

export interface WritableField {
  /** As the database calls it. */
  readonly column: string;
  readonly description: string | undefined;
  /** Absent for fields of an object type that is written out. */
  readonly definition: FieldDefinition | undefined;
  /** Of the stored value; any unless told. */
  readonly type: Type | undefined;
  readonly shape: { readonly writable: Writable };
}

/** By their names in GraphQL. */
export type WritableFields = ReadonlyMap<string, WritableField>;

/** What `null` means for a type: NULL if it admits that, else NONE, which the database judges. */
export function nothingOf(type: Type | undefined): null | undefined {
  return type === undefined || admitsNull(type) ? null : undefined;
}

function admitsNull(type: Type): boolean {
  if (type.kind === 'union') return type.of.some(admitsNull);
  return type.kind === 'any' || type.kind === 'null';
}
