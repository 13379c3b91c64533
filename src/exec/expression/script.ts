import { failure } from '../../errors/error.js';
import type { Evaluate } from '../execution.js';

/** JavaScript of users isn't run. */
export function compileScript(): Evaluate {
  return () => {
    throw failure('scripting_disabled');
  };
}
