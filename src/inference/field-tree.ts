/** The fields of a table as a tree, from which the types of its records are made. */
import { type FieldBranches, fieldNode } from '../catalog/definitions/field-tree.js';
import type { DefineField, Expression } from '../language/ast.js';
import type { Type } from '../value/type.js';

/** The definition of a field, and of the fields within it. */
export interface FieldTypeNode extends FieldBranches<FieldTypeNode> {
  type: Type | undefined;
  comment: string | undefined;
  /** Who gives its value: a COMPUTED one no client, one with a default clients that want another. */
  computed: Expression | undefined;
  hasDefault: boolean;
  isReadonly: boolean;
  /** Undefined fields within it are kept, too. */
  isOpen: boolean;
}

/** A field of which nothing is defined. */
export function newNode(isOpen: boolean): FieldTypeNode {
  return {
    type: undefined,
    comment: undefined,
    computed: undefined,
    hasDefault: false,
    isReadonly: false,
    isOpen,
    fields: new Map(),
    element: undefined,
  };
}

/** Whatever lies deeper is left out. */
const DEEPEST = 100;

/** The fields of a table as a tree. */
export function fieldTypeTree(definitions: readonly DefineField[], isOpen: boolean): FieldTypeNode {
  const root = newNode(isOpen);
  for (const definition of definitions) {
    const { path, type, comment, flexible } = definition;
    const node = fieldNode(root, path, DEEPEST, () => newNode(isOpen));
    if (node === undefined) continue;
    node.type = type;
    node.comment = comment;
    node.computed = definition.computed;
    node.hasDefault = definition.default !== undefined || definition.value !== undefined;
    node.isReadonly = definition.readonly;
    node.isOpen = isOpen || flexible;
  }
  return root;
}
