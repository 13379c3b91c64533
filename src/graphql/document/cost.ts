/**
 * The cost of an operation, computed from the document alone, before it is validated or run. Fragments count wherever
 * they are spread, so that a few of them that spread each other can't unfold into millions of fields.
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { failure } from '../../errors/error.js';

export interface Cost {
  /** Levels of fields within each other. */
  readonly depth: number;
  readonly complexity: number;
  readonly aliases: number;
  readonly directives: number;
  /** Lists of types and fields, as introspection names them, and how many of them lie within each other. */
  readonly lists: number;
  readonly nestedLists: number;
}

export interface OperationCost {
  /** Of the fields that read records. */
  readonly data: Cost;
  /** Of `__schema` and `__type`. */
  readonly introspection: Cost;
  /** Fields on the first level, as they are in the answer: those of one name are one. */
  readonly rootFields: number;
}

type CostOfSelections = Omit<OperationCost, 'rootFields'>;

const NOTHING: Cost = { depth: 0, complexity: 0, aliases: 0, directives: 0, lists: 0, nestedLists: 0 };
const INTROSPECTED_LISTS: ReadonlySet<string> = new Set([
  'types',
  'fields',
  'inputFields',
  'interfaces',
  'possibleTypes',
]);

/** @throws TesseraError `graphql_fragment_cycle` */
export function costOf(document: DocumentNode, operation: OperationDefinitionNode): OperationCost {
  return new Reckoning(document).operation(operation);
}

class Reckoning {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  /** Computed costs; `undefined` while being computed. */
  readonly #costs = new Map<string, CostOfSelections | undefined>();

  constructor(document: DocumentNode) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  operation({ selectionSet, directives = [] }: OperationDefinitionNode): OperationCost {
    // Fragments that no operation spreads are walked by validation, too.
    for (const name of this.#fragments.keys()) this.#fragment(name);
    const cost = this.#selections(selectionSet);
    const rootFields = this.#names(selectionSet, new Set(), new Set()).size;
    return { ...cost, rootFields, data: beside(cost.data, { ...NOTHING, directives: directives.length }) };
  }

  #selections({ selections }: SelectionSetNode): CostOfSelections {
    let data = NOTHING;
    let introspection = NOTHING;
    for (const selection of selections) {
      const directives = selection.directives?.length ?? 0;
      if (selection.kind === Kind.FIELD) {
        const { name, alias, selectionSet } = selection;
        const below = selectionSet === undefined ? NOTHING : whole(this.#selections(selectionSet));
        const list = INTROSPECTED_LISTS.has(name.value) ? 1 : 0;
        const cost = {
          depth: below.depth + 1,
          complexity: below.complexity + 1,
          aliases: below.aliases + (alias === undefined ? 0 : 1),
          directives: below.directives + directives,
          lists: below.lists + list,
          nestedLists: below.nestedLists + list,
        };
        if (name.value === '__schema' || name.value === '__type') introspection = beside(introspection, cost);
        else data = beside(data, cost);
        continue;
      }
      const spread =
        selection.kind === Kind.INLINE_FRAGMENT
          ? this.#selections(selection.selectionSet)
          : this.#fragment(selection.name.value);
      data = beside(beside(data, spread.data), { ...NOTHING, directives });
      introspection = beside(introspection, spread.introspection);
    }
    return { data, introspection };
  }

  /** The names of fields on one level; each fragment is looked at once. */
  #names({ selections }: SelectionSetNode, names: Set<string>, seen: Set<string>): ReadonlySet<string> {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add((selection.alias ?? selection.name).value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) this.#names(selection.selectionSet, names, seen);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = this.#fragments.get(selection.name.value);
        if (fragment !== undefined) this.#names(fragment.selectionSet, names, seen);
      }
    }
    return names;
  }

  #fragment(name: string): CostOfSelections {
    const known = this.#costs.get(name);
    if (known !== undefined) return known;
    if (this.#costs.has(name)) throw failure('graphql_fragment_cycle', { name });
    const fragment = this.#fragments.get(name);
    // Validation names the fragments that are missing.
    if (fragment === undefined) return { data: NOTHING, introspection: NOTHING };
    this.#costs.set(name, undefined);
    const cost = this.#selections(fragment.selectionSet);
    this.#costs.set(name, cost);
    return cost;
  }
}

function whole({ data, introspection }: CostOfSelections): Cost {
  return beside(data, introspection);
}

/** The cost of two parts on one level. */
function beside(a: Cost, b: Cost): Cost {
  return {
    depth: Math.max(a.depth, b.depth),
    complexity: a.complexity + b.complexity,
    aliases: a.aliases + b.aliases,
    directives: a.directives + b.directives,
    lists: a.lists + b.lists,
    nestedLists: Math.max(a.nestedLists, b.nestedLists),
  };
}
