/**
 * An operation, compiled once and run often. What it asks for may depend on the variables that @skip and @include read,
 * so there is a variant for each combination of those.
 */
import {
  type DirectiveNode,
  type DocumentNode,
  executeSync,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type TypeNode,
  visit,
} from 'graphql';
import { invariant } from '../../base/invariant.js';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import { collectFields } from './collect.js';
import { Compilation } from './compilation.js';
import { CompiledField } from './compiled-field.js';
import type { ExecutionContext } from './execution-context.js';
import { rootSourceOf } from './field-source.js';
import type { RootPlan } from './root-plan.js';

export interface CompiledRoot {
  /** Its name in the answer. */
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  /** Its plan, or for introspection and `__typename` its JSON. */
  readonly plan: RootPlan | ((call: ExecutionContext) => string);
}

export interface CompiledOperation {
  readonly roots: readonly CompiledRoot[];
  /** Whether more than one statement for each of its root fields may have to be run. */
  readonly hasMore: boolean;
}

/** Each takes as much as the operation itself. */
const KEPT_VARIANTS = 4;

export class Operation {
  readonly node: OperationDefinitionNode;
  readonly #schema: GraphQLSchema;
  readonly #document: DocumentNode;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The variables of @skip and @include. */
  readonly #deciding: readonly string[];
  readonly #variants = new TwoGenerationCache<string, CompiledOperation>(KEPT_VARIANTS);

  constructor(schema: GraphQLSchema, document: DocumentNode, node: OperationDefinitionNode) {
    this.node = node;
    this.#schema = schema;
    this.#document = document;
    this.#fragments = new Map(
      document.definitions
        .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
        .map((fragment) => [fragment.name.value, fragment]),
    );
    this.#deciding = decidingVariables(document);
  }

  /** The operation with these coerced variables. */
  compiled(variables: Readonly<Record<string, unknown>>): CompiledOperation {
    const key = this.#deciding.map((name) => (variables[name] === true ? '1' : '0')).join('');
    let variant = this.#variants.get(key);
    if (variant === undefined) {
      variant = this.#compile(variables);
      this.#variants.set(key, variant);
    }
    return variant;
  }

  #compile(variables: Readonly<Record<string, unknown>>): CompiledOperation {
    const schema = this.#schema;
    const context = { schema, fragments: this.#fragments, variables };
    const type = schema.getRootType(this.node.operation);
    invariant(type !== undefined && type !== null, 'a valid operation has a root type');
    const compilation = new Compilation(context);
    const roots = Array.from(
      collectFields(type, [this.node.selectionSet], context),
      ([key, nodes], at): CompiledRoot => {
        const [node] = nodes;
        const name = node.name.value;
        if (name === '__typename') {
          const text = JSON.stringify(type.name);
          return { key, nodes, plan: () => text };
        }
        const field = type.getFields()[name];
        const compile = field && rootSourceOf(field);
        if (field === undefined || compile === undefined) {
          return { key, nodes, plan: introspection(schema, this.#document, this.node, nodes) };
        }
        return {
          key,
          nodes,
          plan: compile(new CompiledField(compilation, type, field, nodes, `root_${at}`)),
        };
      },
    );
    const isMore = ({ plan }: CompiledRoot) => typeof plan !== 'function' && plan.several === true;
    return { roots, hasMore: compilation.hasFetches || roots.some(isMore) };
  }
}

function decidingVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    [Kind.DIRECTIVE]: ({ name, arguments: given = [] }: DirectiveNode) => {
      if (name.value !== 'skip' && name.value !== 'include') return;
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

// `__schema` and `__type`, which the library answers.

/** The types of all arguments that introspection takes, those of @skip and @include among them. */
const ARGUMENT_TYPES: ReadonlySet<string> = new Set(['Boolean', 'String']);

/** The value of an introspection field as JSON. Without variables it is computed once. */
function introspection(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
  nodes: readonly FieldNode[],
): (call: ExecutionContext) => string {
  const key = (nodes[0]?.alias ?? nodes[0]?.name)?.value ?? '';
  const operation: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: OperationTypeNode.QUERY,
    variableDefinitions: variableDefinitions.filter(({ type }) => ARGUMENT_TYPES.has(nameOf(type))),
    selectionSet: { kind: Kind.SELECTION_SET, selections: nodes },
  };
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  let known: string | undefined;
  return ({ variables }) => {
    if (known !== undefined) return known;
    const { data, errors = [] } = executeSync({
      schema,
      document: { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] },
      variableValues: variables,
    });
    if (errors[0] !== undefined) throw errors[0];
    const text = JSON.stringify(data?.[key] ?? null);
    if (variableDefinitions.length === 0) known = text;
    return text;
  };
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
}
