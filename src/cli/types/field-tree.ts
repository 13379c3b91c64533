import { type FieldBranches, fieldNode } from '../../catalog/definitions/field-tree.js';
import type { DefineField } from '../../language/ast.js';
import type { Type } from '../../value/type.js';

/** The definition of a field, and of the fields within it. */
export interface FieldTypeNode extends FieldBranches<FieldTypeNode> {
  type: Type | undefined;
  comment: string | undefined;
  /** Undefined fields within it are kept, too. */
  isOpen: boolean;
}

export function newNode(isOpen: boolean): FieldTypeNode {
  return { type: undefined, comment: undefined, isOpen, fields: new Map(), element: undefined };
}

/** Whatever lies deeper is left out. */
const DEEPEST = 100;

/** The fields of a table as a tree. */
export function fieldTypeTree(definitions: readonly DefineField[], isOpen: boolean): FieldTypeNode {
  const root = newNode(isOpen);
  for (const { path, type, comment, flexible } of definitions) {
    const node = fieldNode(root, path, DEEPEST, () => newNode(isOpen));
    if (node === undefined) continue;
    node.type = type;
    node.comment = comment;
    node.isOpen = isOpen || flexible;
  }
  return root;
}
