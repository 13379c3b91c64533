/**
 * Metadata of the schema's fields and types beyond GraphQL: the sources of their values. Kept in
 * their `extensions`.
 */
import type { GraphQLField, GraphQLInterfaceType, GraphQLObjectType, GraphQLUnionType } from 'graphql';
import { invariant } from '../../base/invariant.js';
import type { FileReference, ObjectValue, RecordId, Value } from '../../value/value.js';
import type { CompileCollectionQuery } from './collection-query.js';
import type { FieldUse } from './field-use.js';
import type { FileFunction } from './file-fetch.js';
import type { RootPlan } from './root-plan.js';
import type { EdgeDirection } from './select.js';

/** Of the fields of objects. */
export type FieldSource = ColumnSource | DerivedSource | EdgesSource | FileAnswerSource;

/** A field of a record, or of an object that is part of one. */
export interface ColumnSource {
  readonly kind: 'column';
  /** Its name in the database. */
  readonly column: string;
  /** Converts a stored value to the type's. Default: unchanged. */
  readonly read?: (value: Value) => Value;
}

/** Derived from the object of the field. */
export interface DerivedSource {
  readonly kind: 'derived';
  readonly read: (parent: ObjectValue) => Value;
}

/** The read of a record's edges in a table. */
export interface EdgesSource {
  readonly kind: 'edges';
  readonly table: string;
  readonly direction: EdgeDirection;
  readonly compile: CompileCollectionQuery;
}

/** What a function says of the file that the object shows, with the arguments of the field as its options. */
export interface FileAnswerSource {
  readonly kind: 'file';
  readonly function: FileFunction;
}

/** Of a field of Query, Mutation or Subscription. */
export type RootSource = (field: FieldUse) => RootPlan;

const SOURCE = 'tessera:source';
const ROOT_SOURCE = 'tessera:rootSource';
const TYPE_OF_RECORD = 'tessera:typeOfRecord';
const TYPE_OF_VALUE = 'tessera:typeOfValue';
const HAS_FILE = 'tessera:hasFile';

/** The extensions of a field that come from `source`. */
export function fromSource(source: FieldSource): Readonly<Record<string, unknown>> {
  return { [SOURCE]: source };
}

/** Fields of introspection have none. */
export function sourceOf({ extensions }: GraphQLField<unknown, unknown>): FieldSource | undefined {
  return extensions[SOURCE] as FieldSource | undefined;
}

/** The extensions of a root field that does what `source` compiles it to. */
export function fromRoot(source: RootSource): Readonly<Record<string, unknown>> {
  return { [ROOT_SOURCE]: source };
}

/** Fields of introspection have none. */
export function rootSourceOf({ extensions }: GraphQLField<unknown, unknown>): RootSource | undefined {
  return extensions[ROOT_SOURCE] as RootSource | undefined;
}

/** Which type a record has. Record types are those that links may lead to. */
export type TypeOfRecord = (id: RecordId) => RecordType;

export interface RecordType {
  readonly object: GraphQLObjectType;
  /** Absent for tables that the schema doesn't show, of whose records only the id is known. */
  readonly table?: string;
}

/** The extensions of a type that shows records: an object type, an interface or a union. */
export function ofRecords(typeOf: TypeOfRecord): Readonly<Record<string, unknown>> {
  return { [TYPE_OF_RECORD]: typeOf };
}

/** `undefined` for types that show something else. */
export function recordTypes({ extensions }: { readonly extensions: object }): TypeOfRecord | undefined {
  return (extensions as Extensions)[TYPE_OF_RECORD] as TypeOfRecord | undefined;
}

/** Which object type shows a value; none if it isn't one of them. */
export type TypeOfValue = (value: Value) => GraphQLObjectType | undefined;

/** The extensions of a union or interface without records. */
export function ofValues(typeOf: TypeOfValue): Readonly<Record<string, unknown>> {
  return { [TYPE_OF_VALUE]: typeOf };
}

/** The type resolver of an interface or a union. */
export function abstractTypes({ name, extensions }: GraphQLInterfaceType | GraphQLUnionType): TypeOfValue {
  const typeOf = (extensions as Extensions)[TYPE_OF_VALUE] as TypeOfValue | undefined;
  invariant(typeOf !== undefined, `${name} says which types its values have`);
  return typeOf;
}

/** Whether a file may exist: its bucket does. */
export type HasFile = (file: FileReference) => boolean;

/** The extensions of the type that shows files. */
export function ofFiles(has: HasFile): Readonly<Record<string, unknown>> {
  return { [HAS_FILE]: has };
}

/** `undefined` for types that show something else. */
export function fileTypes({ extensions }: { readonly extensions: object }): HasFile | undefined {
  return (extensions as Extensions)[HAS_FILE] as HasFile | undefined;
}

type Extensions = Readonly<Record<string, unknown>>;
