/** A field of an operation while it is compiled: a `FieldUse` over the compiler of its selections. */
import type { FieldNode, GraphQLField, GraphQLObjectType, GraphQLOutputType } from 'graphql';
import type { CollectedFields } from './collect.js';
import { FieldArguments } from './field-arguments.js';
import type { FieldUse } from './field-use.js';
import type { RecordPlan } from './record-plan.js';
import type { ValueCompletion } from './value-completion.js';

/** The compiler of the selections of the operation that contains a field. */
interface SelectionCompiler {
  completion(type: GraphQLOutputType, nodes: readonly FieldNode[], owner: string): ValueCompletion;
  completionBy(plan: RecordPlan, type: GraphQLOutputType, nodes: readonly FieldNode[], owner: string): ValueCompletion;
  record(type: GraphQLObjectType, nodes: readonly FieldNode[]): RecordPlan;
  fieldsBelow(type: GraphQLObjectType, nodes: readonly FieldNode[]): CollectedFields;
  nodesBelow(type: GraphQLObjectType, nodes: readonly FieldNode[], name: string): readonly FieldNode[];
}

export class CompiledField implements FieldUse {
  readonly nodes: readonly FieldNode[];
  readonly arguments: FieldArguments;
  readonly #compilation: SelectionCompiler;
  readonly #field: GraphQLField<unknown, unknown>;
  readonly #owner: string;

  /** `prefix` is that of its params. */
  constructor(
    compilation: SelectionCompiler,
    owner: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    nodes: readonly [FieldNode, ...FieldNode[]],
    prefix: string,
  ) {
    this.nodes = nodes;
    this.arguments = new FieldArguments(field, nodes[0], prefix);
    this.#compilation = compilation;
    this.#field = field;
    this.#owner = owner.name;
  }

  completion(): ValueCompletion {
    return this.#compilation.completion(this.#field.type, this.nodes, this.#owner);
  }

  completionBy(plan: RecordPlan): ValueCompletion {
    return this.#compilation.completionBy(plan, this.#field.type, this.nodes, this.#owner);
  }

  record(object: GraphQLObjectType, nodes: readonly FieldNode[] = this.nodes): RecordPlan {
    return this.#compilation.record(object, nodes);
  }

  fieldsBelow(type: GraphQLObjectType, nodes: readonly FieldNode[]): CollectedFields {
    return this.#compilation.fieldsBelow(type, nodes);
  }

  nodesBelow(type: GraphQLObjectType, nodes: readonly FieldNode[], name: string): readonly FieldNode[] {
    return this.#compilation.nodesBelow(type, nodes, name);
  }
}
