/** Names of definitions. */
import type { Name } from '../ast.js';
import { type Mapper, update } from './rebuild.js';

/** A name, which may be an expression. */
export function name(node: Name, mapper: Mapper): Name {
  return typeof node === 'string' ? node : mapper.expression(node);
}

/** The names that a node may have. */
export function names<Node extends object>(
  node: Node & { readonly name?: Name; readonly table?: Name },
  mapper: Mapper,
): Node {
  const fields: { name?: Name; table?: Name } = {};
  if (node.name !== undefined) fields.name = name(node.name, mapper);
  if (node.table !== undefined) fields.table = name(node.table, mapper);
  return update<{ readonly name?: Name; readonly table?: Name }>(node, fields) as Node;
}
