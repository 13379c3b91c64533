import type { FieldDefinition } from '../catalog/definitions/definition.js';
import { type ComputedGraph, computedGraph, computedOrder, neededFields } from '../plan/computed-fields.js';
import type { FieldsRead } from '../plan/fields-read.js';
import { type Functions, withFunctions } from '../plan/function-reads.js';

/** The computed fields of a table, and for each plan those that it needs, which is decided once. */
export class ComputedFields<Field extends { readonly definition: FieldDefinition }> {
  /** In the order in which they are computed. */
  readonly all: readonly Field[];
  readonly #graph: ComputedGraph;
  #needed: WeakMap<FieldsRead, readonly Field[]> | undefined;

  constructor(fields: readonly Field[]) {
    const computed = fields.filter(({ definition }) => definition.computed !== undefined);
    if (computed.length === 0) {
      this.#graph = NO_GRAPH;
      this.all = computed;
      return;
    }
    this.#graph = computedGraph(computed.map(({ definition }) => definition));
    const places = new Map(computedOrder(this.#graph).map((name, place) => [name, place]));
    const place = (field: Field): number => places.get(nameOf(field)) ?? 0;
    this.all = computed.toSorted((a, b) => place(a) - place(b));
  }

  /**
   * The fields needed if `asked` is read of a record, in the order in which they are computed. If functions
   * are called whose reads aren't known, all are needed.
   */
  needed(asked: FieldsRead, functions?: Functions): readonly Field[] {
    if (this.all.length === 0 || asked.all) return this.all;
    if (asked.functions.size === 0) return this.#neededFor(asked);
    return functions === undefined ? this.all : this.needed(withFunctions(asked, functions));
  }

  #neededFor(asked: FieldsRead): readonly Field[] {
    this.#needed ??= new WeakMap();
    let needed = this.#needed.get(asked);
    if (needed === undefined) {
      const names = neededFields(this.#graph, asked);
      needed = this.all.filter((field) => names.has(nameOf(field)));
      this.#needed.set(asked, needed);
    }
    return needed;
  }
}

/** Of a table without computed fields. */
const NO_GRAPH: ComputedGraph = computedGraph([]);

/** Computed fields stand at the top of their records. */
function nameOf({ definition: { path } }: { readonly definition: FieldDefinition }): string {
  const [first] = path.parts;
  return first?.kind === 'field' ? first.name : '';
}
