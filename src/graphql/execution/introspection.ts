/** `__schema` and `__type`, which the library answers. */
import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type TypeNode,
} from 'graphql';
import type { ExecutionContext } from './execution-context.js';

/** The types of all arguments that introspection takes, those of @skip and @include among them. */
const ARGUMENT_TYPES: ReadonlySet<string> = new Set(['Boolean', 'String']);

/** The value of an introspection field as JSON. Without variables it is computed once. */
export function introspection(
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
