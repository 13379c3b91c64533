import { REQUEST_PARAMS } from '../../language/engine-params.js';

/** Whether a parameter is set by the server, so that neither clients nor LET can bind it. */
export function isReservedParameter(name: string): boolean {
  return REQUEST_PARAMS.has(name);
}
