/**
 * The fields that a selection requests of an object (specification, §6.3.2 CollectFields), with @skip and @include
 * decided.
 */
import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export interface DocumentContext {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The coerced variables; only those read by @skip and @include are needed. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The nodes of each field by its name in the answer, in the order of the answer. */
export type CollectedFields = ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]>;

/**
 * CollectFields of the GraphQL specification: the fields of selection sets by their response names, with @skip and
 * @include applied.
 * @see GraphQL specification, section 6.3.2
 */
export function collectFields(
  type: GraphQLObjectType,
  sets: Iterable<SelectionSetNode>,
  context: DocumentContext,
): CollectedFields {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>();
  const seen = new Set<string>();
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (!isIncluded(node, context)) continue;
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const known = fields.get(key);
        if (known === undefined) fields.set(key, [node]);
        else known.push(node);
        continue;
      }
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        if (seen.has(node.name.value)) continue;
        seen.add(node.name.value);
      }
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : context.fragments.get(node.name.value);
      if (fragment !== undefined && applies(fragment.typeCondition?.name.value, type, context)) {
        visit(fragment.selectionSet);
      }
    }
  };
  for (const set of sets) visit(set);
  return fields;
}

/** The selections below all of some nodes of one field. */
export function* selectionsBelow(nodes: readonly FieldNode[]): Iterable<SelectionSetNode> {
  for (const { selectionSet } of nodes) if (selectionSet !== undefined) yield selectionSet;
}

function applies(condition: string | undefined, type: GraphQLObjectType, { schema }: DocumentContext): boolean {
  if (condition === undefined || condition === type.name) return true;
  const abstract = schema.getType(condition);
  return isAbstractType(abstract) && schema.isSubType(abstract, type);
}

function isIncluded({ directives }: SelectionNode, context: DocumentContext): boolean {
  return directives === undefined || directives.every((directive) => allows(directive, context));
}

function allows({ name, arguments: given }: DirectiveNode, { variables }: DocumentContext): boolean {
  if (name.value !== 'skip' && name.value !== 'include') return true;
  const condition = given?.find((argument) => argument.name.value === 'if')?.value;
  const holds =
    condition?.kind === Kind.VARIABLE
      ? variables[condition.name.value] === true
      : condition?.kind === Kind.BOOLEAN && condition.value;
  return holds === (name.value === 'include');
}
