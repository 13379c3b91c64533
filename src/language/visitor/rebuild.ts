/** Rebuilding trees: a node of which nothing has changed stays itself. */
import type { Expression, Statement } from '../ast.js';

/** The mapping of the direct children of a node. */
export interface Mapper {
  expression(node: Expression): Expression;
  statement(node: Statement): Statement;
}

export type NodeMappers<Node extends { readonly kind: string }> = {
  readonly [K in Node['kind']]: (node: Extract<Node, { kind: K }>, mapper: Mapper) => Extract<Node, { kind: K }>;
};

/**
 * The node with these fields; itself if none of them is another. Fields that are `undefined` weren't there and stay so.
 */
export function update<Node extends object>(
  node: Node,
  fields: { readonly [K in keyof Node]?: Node[K] | undefined },
): Node {
  let result = node;
  for (const key in fields) {
    const value = fields[key];
    if (value === undefined || value === node[key]) continue;
    if (result === node) result = { ...node };
    result[key] = value as Node[typeof key];
  }
  return result;
}

/** The list with each item mapped; itself if none has changed. */
export function each<T>(items: readonly T[], map: (item: T) => T): readonly T[];
export function each<T>(items: readonly T[] | undefined, map: (item: T) => T): readonly T[] | undefined;
export function each<T>(items: readonly T[] | undefined, map: (item: T) => T): readonly T[] | undefined {
  if (items === undefined) return undefined;
  let result: T[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as T;
    const mapped = map(item);
    if (mapped === item) continue;
    result ??= [...items];
    result[index] = mapped;
  }
  return result ?? items;
}

/** Maps a node that may be absent. */
export function optional<T, U>(node: T | undefined, map: (node: T) => U): U | undefined {
  return node === undefined ? undefined : map(node);
}

/** A node without children stays as it is. */
export function same<Node>(node: Node): Node {
  return node;
}
