/** Signs up through an access method of TYPE RECORD. */
import { failure } from '../../errors/error.js';
import type { AuthContext } from '../context.js';
import type { AccessCredentials } from '../credentials.js';
import type { Client } from '../identity.js';
import { enterAsRecord, type SignedInWithTokens } from './record-access.js';

/**
 * Signs a record user up through the SIGNUP clause, and in.
 *
 * @throws TesseraError as `signInByAccess`, but `no_record_returned` if the clause answers no record; and the error
 * codes of sign-up
 */
export function signUpByAccess(
  context: AuthContext,
  credentials: AccessCredentials,
  client: Client,
): Promise<SignedInWithTokens> {
  return context.failureDelay.equalize(async () => {
    const access = await context.directory.access(credentials.databasePath, credentials.access);
    return context.throttle.attempt({ account: undefined, source: client.origin.ip }, () =>
      context.failureDelay.observe(async () => {
        if (access === undefined) throw failure('invalid_auth');
        return enterAsRecord(context, 'signup', access, credentials, client);
      }),
    );
  });
}
