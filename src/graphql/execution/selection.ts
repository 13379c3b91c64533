/** Which columns of a record the fields that a document selects need. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export interface Selection {
  readonly columns: ReadonlySet<string>;
  /** How many fields each record gives. */
  readonly weight: number;
}

/** What the schema says about a field in its `extensions`. */
export interface FieldExtensions {
  /** The column that it shows. */
  readonly column?: string;
  /** It shows an object that is part of the record. */
  readonly nested?: true;
}

type Context = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;

/** The selections of one request. The library hands over the same array of nodes for each row, so each is looked at once. */
export class Selections {
  readonly #known = new WeakMap<readonly FieldNode[], Map<GraphQLObjectType, Selection>>();

  of(info: GraphQLResolveInfo, type: GraphQLObjectType): Selection {
    let byType = this.#known.get(info.fieldNodes);
    if (byType === undefined) {
      byType = new Map();
      this.#known.set(info.fieldNodes, byType);
    }
    let selection = byType.get(type);
    if (selection === undefined) {
      const columns = new Set<string>();
      selection = { columns, weight: 1 + collect(info.fieldNodes, type, info, columns) };
      byType.set(type, selection);
    }
    return selection;
  }
}

/** Adds the columns that fields of `type` below `nodes` show, and counts the fields. */
function collect(
  nodes: readonly FieldNode[],
  type: GraphQLObjectType,
  context: Context,
  columns: Set<string> | undefined,
): number {
  const fields = type.getFields();
  const seen = new Set<string>();
  let weight = 0;
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (!isIncluded(node, context)) continue;
      if (node.kind === Kind.FIELD) {
        weight += 1;
        const field = fields[node.name.value];
        const { column, nested }: FieldExtensions = field?.extensions ?? {};
        if (column !== undefined) columns?.add(column);
        const inner = nested && field && getNamedType(field.type);
        if (isObjectType(inner)) weight += collect([node], inner, context, undefined);
        continue;
      }
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : unseenFragment(node.name.value, seen, context);
      const condition = fragment?.typeCondition?.name.value;
      if (fragment !== undefined && applies(condition, type, context)) visit(fragment.selectionSet);
    }
  };
  for (const { selectionSet } of nodes) if (selectionSet !== undefined) visit(selectionSet);
  return weight;
}

/** A named fragment counts once in each selection, as it does when the document is run. */
function unseenFragment(name: string, seen: Set<string>, { fragments }: Context): FragmentDefinitionNode | undefined {
  if (seen.has(name)) return undefined;
  seen.add(name);
  return fragments[name];
}

function applies(condition: string | undefined, type: GraphQLObjectType, { schema }: Context): boolean {
  if (condition === undefined || condition === type.name) return true;
  const abstract = schema.getType(condition);
  return isAbstractType(abstract) && schema.isSubType(abstract, type);
}

function isIncluded(node: SelectionNode, { variableValues }: Context): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  return (
    getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.['if'] !== false
  );
}
