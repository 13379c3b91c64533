/** Views (`view_as`) have no effects: what an owner looks at as another user stays as it is, here and elsewhere. */
import { failure } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import { isHarmless } from '../../plan/effects.js';
import type { Execution } from '../runtime/execution.js';
import type { Evaluate } from '../runtime/frame.js';

/**
 * To be called before anything outside of the transaction is changed or asked. `what` fits behind "there is no".
 * @throws TesseraError `view_read_only`
 */
export function assertEffectsAllowed({ identity: { viewer } }: Execution, what: string): void {
  if (viewer !== undefined) throw failure('view_read_only', { what });
}

/** A statement that views refuse if it may change something, however deep in a query or in stored code. */
export function unlessInView(statement: Statement, evaluate: Evaluate): Evaluate {
  if (isHarmless(statement)) return evaluate;
  const what = statement.kind.replaceAll('-', ' ').toUpperCase();
  return (frame) => {
    assertEffectsAllowed(frame.execution, what);
    return evaluate(frame);
  };
}
