import { andThen } from '../../base/promise-or-value.js';
import type { Omit } from '../../plan/nodes.js';
import { compileOmit } from './omit-fields.js';
import type { List, Making } from './operator.js';

/** OMIT: leaves fields out. */
export function compileOmitNode({ fields, input: below }: Omit, making: Making): List {
  const input = making.list(below);
  const omit = compileOmit(fields, making.compiler);
  return (frame, demand) => andThen(input(frame, demand), (rows) => omit(frame, rows));
}
