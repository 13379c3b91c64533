/**
 * Which computed fields of a table a reader needs, in which order they are computed, and cycles among them:
 * derived from definitions alone.
 */
import type { FieldDefinition } from '../catalog/definitions/definition.js';
import { type FieldsRead, fieldsOfClause } from './fields-read.js';

/** The computed fields of a table as a graph, with an edge from each to those that it names. */
export interface ComputedGraph {
  /** By name, in the order of the names; so are the names of each. */
  readonly edges: ReadonlyMap<string, readonly string[]>;
  /** Fields that may read more than they name, themselves or through fields that they name. */
  readonly open: ReadonlySet<string>;
}

/** Computed fields stand at the top of their records, so that each has a plain name. */
export function computedGraph(fields: readonly FieldDefinition[]): ComputedGraph {
  const reads = new Map<string, FieldsRead>();
  for (const { path, computed } of fields) {
    const [first] = path.parts;
    if (computed !== undefined && first?.kind === 'field') reads.set(first.name, fieldsOfClause(computed));
  }
  const edges = new Map<string, readonly string[]>();
  const users = new Map<string, string[]>();
  for (const name of [...reads.keys()].sort()) {
    const named = [...(reads.get(name)?.names ?? [])].filter((other) => reads.has(other)).sort();
    edges.set(name, named);
    for (const other of named) users.set(other, [...(users.get(other) ?? []), name]);
  }
  const open = new Set([...edges.keys()].filter((name) => reads.get(name)?.all));
  // Fields added during the iteration are visited, too.
  for (const name of open) for (const user of users.get(name) ?? []) open.add(user);
  return { edges, open };
}

/**
 * All computed fields, each after those that it names. Open ones come last, since their reads aren't known; otherwise
 * the names decide.
 */
export function computedOrder(graph: ComputedGraph): readonly string[] {
  const names = [...graph.edges.keys()];
  const roots = [...names.filter((name) => !graph.open.has(name)), ...names];
  return walkInDepth(graph, roots).left;
}

/**
 * A cycle of fields that name each other, as `['x', 'y', 'x']`: the one that is met first in walks from each field, in
 * depth, in the order of the names. `undefined` if there is none.
 */
export function computedCycle(graph: ComputedGraph): readonly string[] | undefined {
  return walkInDepth(graph, [...graph.edges.keys()]).cycle;
}

/** The computed fields needed if `asked` is read of a record: those that it names, and those that these read. */
export function neededFields({ edges, open }: ComputedGraph, asked: FieldsRead): ReadonlySet<string> {
  if (asked.all) return new Set(edges.keys());
  const needed = new Set([...edges.keys()].filter((name) => asked.names.has(name)));
  for (const name of needed) {
    if (open.has(name)) return new Set(edges.keys());
    for (const other of edges.get(name) ?? []) needed.add(other);
  }
  return needed;
}

interface Walk {
  /** The nodes in post-order. */
  readonly left: readonly string[];
  readonly cycle: readonly string[] | undefined;
}

/** With an explicit stack: a table may have more fields than calls can be nested. */
function walkInDepth({ edges }: ComputedGraph, roots: readonly string[]): Walk {
  const met = new Set<string>();
  const left = new Set<string>();
  let cycle: readonly string[] | undefined;
  for (const root of roots) {
    const path: { readonly name: string; next: number }[] = [];
    const enter = (name: string): void => {
      if (!met.has(name)) {
        met.add(name);
        path.push({ name, next: 0 });
      } else if (cycle === undefined && !left.has(name)) {
        const names = path.map((each) => each.name);
        cycle = [...names.slice(names.indexOf(name)), name];
      }
    };
    enter(root);
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const other = edges.get(at.name)?.[at.next++];
      if (other !== undefined) enter(other);
      else {
        left.add(at.name);
        path.pop();
      }
    }
  }
  return { left: [...left], cycle };
}
