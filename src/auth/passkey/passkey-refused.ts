/** Why a passkey is refused, for the log: its client learns that it was, and no more. */
import { failure, type TesseraError } from '../../errors/error.js';

export function passkeyRefused(reason: string): TesseraError {
  return failure('passkey_refused', { reason });
}
