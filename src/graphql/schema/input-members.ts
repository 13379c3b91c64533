/** The members of input objects, each of which writes its value to the record being made. */
import { type GraphQLInputType, GraphQLNonNull, type GraphQLNullableType } from 'graphql';
import type { MutableObject, RecordId, Value } from '../../value/value.js';
import type { NestedWrites } from '../execution/nested-writes.js';
import { present } from './field-tree.js';
import { isGiven } from './list-arguments.js';
import { nothingOf, type WritableField } from './writable.js';

/** The purpose of an input. */
export type InputPurpose = 'create' | 'upsert' | 'update' | 'call';

export interface PurposeRow {
  readonly prefix: string;
  /**
   * Whether the input replaces the whole record: then nothing required may be missing, and READONLY fields
   * may be given.
   */
  readonly isWhole: boolean;
  /** Whether edges are made with the record. */
  readonly hasEdges: boolean;
  /** Whether records may be made with what leads to them. */
  readonly hasNested: boolean;
}

export const PURPOSES: Readonly<Record<InputPurpose, PurposeRow>> = {
  create: { prefix: 'Create', isWhole: true, hasEdges: true, hasNested: true },
  upsert: { prefix: 'Upsert', isWhole: true, hasEdges: false, hasNested: true },
  update: { prefix: 'Update', isWhole: false, hasEdges: false, hasNested: true },
  call: { prefix: '', isWhole: true, hasEdges: false, hasNested: false },
};

/** A record, or an object that is part of one, on the way from an input. */
export interface RecordDraft {
  readonly values: MutableObject;
  readonly writing: NestedWrites;
  /** Of the record. */
  readonly id: () => RecordId;
}

export interface InputMember {
  readonly type: GraphQLInputType;
  readonly description?: string;
  readonly write: (given: unknown, draft: RecordDraft) => void;
}

export type InputMembers = ReadonlyMap<string, InputMember>;

export interface InputReader {
  readonly type: GraphQLInputType & GraphQLNullableType;
  /** Isn't given null. */
  readonly read: (given: unknown, draft: RecordDraft) => Value;
}

export type Given = Readonly<Record<string, unknown>>;

export function columnMember(
  { column, type, description }: WritableField,
  { type: of, read }: InputReader,
  isNeeded: boolean,
): InputMember {
  const nothing = nothingOf(type);
  return {
    type: isNeeded ? new GraphQLNonNull(of) : of,
    ...(description !== undefined && { description }),
    write: (given, draft) => {
      draft.values[column] = isGiven(given) ? read(given, draft) : nothing;
    },
  };
}

/** Whether the database has nothing to put in the place of a field that isn't given. */
export function mustBeGiven({ definition, type }: WritableField): boolean {
  return !present(type).nullable && definition?.default === undefined && definition?.value === undefined;
}

/** In the order of the members, so that a record created for a link finds the link's value. */
export function writeAll(given: Given, members: InputMembers, draft: RecordDraft): void {
  // A member may be called as something that every object inherits.
  for (const [name, { write }] of members) if (Object.hasOwn(given, name)) write(given[name], draft);
}
