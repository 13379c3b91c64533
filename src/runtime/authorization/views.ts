/** Where nothing has effects, in the store or elsewhere: views (`view_as`), and results that are kept right. */
import { failure } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import { isHarmless } from '../../plan/effects.js';
import type { Execution } from '../execution.js';
import type { Evaluate } from '../frame.js';

/**
 * Call before any effect or request outside of the transaction. `what` completes the phrase "there is no".
 * @throws TesseraError `view_read_only`, `live_result_unsteady`
 */
export function assertEffectsAllowed({ identity: { viewer }, request }: Execution, what: string): void {
  if (request.isKeptRight) throw failure('live_result_unsteady', { what });
  if (viewer !== undefined) throw failure('view_read_only', { what });
}

/** Makes a statement that may have effects fail in views, however deep it is in a query or in stored code. */
export function unlessInView(statement: Statement, evaluate: Evaluate): Evaluate {
  if (isHarmless(statement)) return evaluate;
  const what = statement.kind.replaceAll('-', ' ').toUpperCase();
  return (frame) => {
    assertEffectsAllowed(frame.execution, what);
    return evaluate(frame);
  };
}
