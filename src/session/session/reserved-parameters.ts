import { REQUEST_PARAMS } from '../../language/engine-params.js';

/** Whether no client and no LET may bind a name. */
export function isReservedParameter(name: string): boolean {
  return REQUEST_PARAMS.has(name);
}
