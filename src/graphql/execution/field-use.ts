/** What the compiler of a field learns about its place in an operation. */
import type { FieldNode, GraphQLObjectType } from 'graphql';
import type { CollectedFields } from './collect.js';
import type { FieldArguments } from './field-arguments.js';
import type { RecordPlan } from './record-plan.js';
import type { ValueCompletion } from './value-completion.js';

/**
 * A field at its place in an operation, for its compiler: one of Query, Mutation or Subscription, or
 * one that reads the edges of a record.
 */
export interface FieldUse {
  readonly nodes: readonly FieldNode[];
  readonly arguments: FieldArguments;
  /** The writer of a value of the field's type. */
  completion(): ValueCompletion;
  /** The same if objects with fields are always written by `plan`: for rows that are available. */
  completionBy(plan: RecordPlan): ValueCompletion;
  /** An object type restricted to the selections below some nodes, by default those of the field. */
  record(object: GraphQLObjectType, nodes?: readonly FieldNode[]): RecordPlan;
  /** The selected fields of an object type below some nodes, by response name. */
  fieldsBelow(type: GraphQLObjectType, nodes: readonly FieldNode[]): CollectedFields;
  /** The nodes of all fields called `name` on a type that stands below some nodes, whatever their aliases. */
  nodesBelow(type: GraphQLObjectType, nodes: readonly FieldNode[], name: string): readonly FieldNode[];
}
