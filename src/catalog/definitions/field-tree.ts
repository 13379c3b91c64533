/** The fields of a table as a tree: `address.city` below `address`, `tags.*` as the element of `tags`. */
import type { Idiom } from '../../language/ast.js';

/** What a node of such a tree has beside what its users keep there. */
export interface FieldBranches<N> {
  readonly fields: Map<string, N>;
  /** `.*`: what is defined of all elements of an array or a set, or of all members of an object. */
  element: N | undefined;
}

/**
 * The node for the path of a field, which is made with all that leads to it; `undefined` for a path of more than `deepest` parts, and for one
 * through a single element of an array, which says nothing about the others.
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
