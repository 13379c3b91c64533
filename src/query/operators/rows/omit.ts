import { andThen } from '../../../base/promise-or-value.js';
import type { Omit } from '../../../plan/nodes.js';
import type { List, OperatorContext } from '../operator.js';
import { compileOmit } from './omit-fields.js';

/** OMIT: leaves fields out. */
export function compileOmitNode({ fields, input: below }: Omit, context: OperatorContext): List {
  const input = context.list(below);
  const omit = compileOmit(fields, context.compiler);
  return (frame, demand) => andThen(input(frame, demand), (rows) => omit(frame, rows));
}
