/** The defined fields of a table as a tree. */
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { FieldDefinition } from '../../catalog/definitions/definition.js';
import { type FieldBranches, fieldNode } from '../../catalog/definitions/field-tree.js';
import type { Type } from '../../value/type.js';

export interface FieldTreeNode {
  /** Its definition; absent if only fields below it are defined. */
  readonly definition: FieldDefinition | undefined;
  readonly type: Type | undefined;
  readonly fields: ReadonlyMap<string, FieldTreeNode>;
  /** The definitions of the elements of an array. */
  readonly element: FieldTreeNode | undefined;
}

interface Growing extends FieldBranches<Growing> {
  definition: FieldDefinition | undefined;
  type: Type | undefined;
}

/** Deeper fields are part of their parent, which then is a scalar. */
const DEEPEST = 16;

/** `leftOut` is called with definitions that don't fit the tree. */
export function fieldTree(entry: TableEntry, leftOut: (definition: FieldDefinition) => void): FieldTreeNode {
  const root = newNode();
  for (const definition of entry.fields) {
    const node = fieldNode(root, definition.path, DEEPEST, newNode);
    if (node === undefined) leftOut(definition);
    else {
      node.definition = definition;
      node.type = definition.type;
    }
  }
  return root;
}

function newNode(): Growing {
  return { definition: undefined, type: undefined, fields: new Map(), element: undefined };
}

/** A type without the part that says it may be missing. */
export function present(type: Type | undefined): { readonly type: Type; readonly nullable: boolean } {
  if (type === undefined) return { type: { kind: 'any' }, nullable: true };
  if (type.kind !== 'union') return { type, nullable: type.kind === 'any' || isNothing(type) };
  const of = type.of.filter((member) => !isNothing(member));
  const nullable = of.length < type.of.length || of.some(({ kind }) => kind === 'any');
  const [only] = of;
  if (only === undefined) return { type: { kind: 'any' }, nullable };
  return { type: of.length === 1 ? only : { kind: 'union', of }, nullable };
}

function isNothing({ kind }: Type): boolean {
  return kind === 'none' || kind === 'null';
}
