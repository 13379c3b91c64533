/** `WHERE id = $id`: one record by its key. */
import { andThen } from '../../../base/promise-or-value.js';
import type { PointLookup } from '../../../plan/nodes.js';
import type { Compiler } from '../../../runtime/frame.js';
import type { Narrow, Narrowed } from './narrow.js';
import { compileOperand } from './operand.js';

/** Reads the one record whose id the condition names. */
export function narrowToRecord({ id }: PointLookup, compiler: Compiler): Narrow {
  const evaluate = compileOperand(id, compiler);
  return (frame) => andThen(evaluate(frame), (value): Narrowed => ({ kind: 'record', id: value }));
}
