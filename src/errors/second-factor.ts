/** What `second_factor_required` says besides its text, for transports whose errors have no details. */
import type { TesseraError } from './error.js';

/** `{ request?, access, enrol? }`; `undefined` for every other error. */
export function secondFactorIn({ code, details }: TesseraError): Readonly<Record<string, unknown>> | undefined {
  const told = code === 'second_factor_required' ? details?.details : undefined;
  return told?.details as Readonly<Record<string, unknown>> | undefined;
}
