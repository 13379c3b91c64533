/** What is parsed, and not implemented, fails when it runs. */
import { failure } from '../../errors/error.js';
import type { Evaluate } from '../../runtime/frame.js';

/**
 * Compiles syntax that the engine doesn't implement: it fails when it is run, not when it is parsed.
 * @throws TesseraError `not_supported`, when it runs
 */
export function notSupported(what: string): Evaluate {
  return () => {
    throw failure('not_supported', { what });
  };
}
