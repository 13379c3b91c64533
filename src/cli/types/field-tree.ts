import type { DefineField } from '../../language/ast.js';
import type { Type } from '../../value/type.js';

/** What is defined of a field, and of what is within it. */
export interface FieldNode {
  type: Type | undefined;
  comment: string | undefined;
  /** It is there in every record, whatever its type says. */
  isAlways: boolean;
  /** What isn't defined within it is kept, too. */
  isOpen: boolean;
  readonly fields: Map<string, FieldNode>;
  /** `.*`: all items of an array or a set, all members of an object. */
  items: FieldNode | undefined;
}

export function newNode(isOpen: boolean): FieldNode {
  return { type: undefined, comment: undefined, isAlways: false, isOpen, fields: new Map(), items: undefined };
}

/** The fields of a table as a tree: `address.city` is within `address`, `list.*.name` within each of `list`. */
export function fieldTree(definitions: readonly DefineField[], isOpen: boolean): FieldNode {
  const root = newNode(isOpen);
  for (const definition of definitions) {
    const node = nodeAt(root, definition);
    if (node === undefined) continue;
    node.type = definition.type;
    node.comment = definition.comment;
    node.isOpen = isOpen || definition.flexible;
  }
  return root;
}

/** Whatever lies deeper is left out. */
const MAX_DEPTH = 100;

/** The node of a path, made if it isn't there; `undefined` for paths that name single items of an array. */
function nodeAt(root: FieldNode, { path }: DefineField): FieldNode | undefined {
  if (path.parts.length > MAX_DEPTH) return undefined;
  let node = root;
  for (const part of path.parts) {
    if (part.kind === 'all') {
      node.items ??= newNode(root.isOpen);
      node = node.items;
    } else if (part.kind === 'field') {
      const inner = node.fields.get(part.name) ?? newNode(root.isOpen);
      node.fields.set(part.name, inner);
      node = inner;
    } else return undefined;
  }
  return node;
}
