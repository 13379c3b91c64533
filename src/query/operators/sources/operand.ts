/** Compiled operands of access paths, evaluated once a statement before anything is read. */
import type { Operand } from '../../../plan/nodes.js';
import { judgeOf } from '../../../runtime/authorization/permission.js';
import { type Compiler, type Evaluate, Frame } from '../../../runtime/frame.js';
import { Scope } from '../../../runtime/scope.js';

/** The value with which a field is compared; operands of a clause of PERMISSIONS are evaluated like the clause. */
export function compileOperand(operand: Operand | undefined, compiler: Compiler): Evaluate {
  if (operand === undefined) return () => undefined;
  const evaluate = compiler.expression(operand.value);
  return operand.from === 'query' ? evaluate : ({ execution }) => evaluate(new Frame(judgeOf(execution), new Scope()));
}
