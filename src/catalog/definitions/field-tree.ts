/** The fields of a table as a tree: `address.city` below `address`, `tags.*` as the element of `tags`. */
import type { Idiom } from '../../language/ast.js';

/** A node of the tree, without the caller's data. */
export interface FieldBranches<N> {
  readonly fields: Map<string, N>;
  /** `.*`: the elements of an array or set, or the members of an object. */
  element: N | undefined;
}

/**
 * The node at the path of a field, created with its ancestors; `undefined` for a path of more than `deepest` parts and
 * for one through a single array element, which doesn't apply to the others.
 */
export function fieldNode<N extends FieldBranches<N>>(
  root: N,
  { parts }: Idiom,
  deepest: number,
  make: () => N,
): N | undefined {
  if (parts.length > deepest) return undefined;
  let node = root;
  for (const part of parts) {
    if (part.kind === 'all') {
      node.element ??= make();
      node = node.element;
    } else if (part.kind === 'field') {
      const inner = node.fields.get(part.name) ?? make();
      node.fields.set(part.name, inner);
      node = inner;
    } else return undefined;
  }
  return node;
}
