/** Signs in, or up, through an access method of any type. */
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import { takeOrRefuse } from '../../catalog/limits/rate-limits.js';
import { signUpBuckets } from '../../catalog/limits/request-rates.js';
import { failure, TesseraError } from '../../errors/error.js';
import { recordAccount } from '../attempts/account.js';
import type { Attempt } from '../attempts/attempt-keys.js';
import { attemptedRecord } from '../attempts/attempt-names.js';
import { type AttemptedVariable, attemptedVariables } from '../attempts/attempted-variables.js';
import { clauseVariables } from '../attempts/clause-variables.js';
import type { AuthContext, SignedInWithTokens } from '../context.js';
import type { AccessCredentials } from '../credentials.js';
import type { Client } from '../identity.js';
import { targetFault } from '../page/hand-over.js';
import type { AppTarget } from '../ways/addresses.js';
import { accessKindOf } from './access-kinds.js';
import { enterForApp } from './record-access.js';

/** Of an unknown access method nothing is shown: what might be secrets, no clause says. */
function attemptOf(access: AccessDefinition | undefined, credentials: AccessCredentials, client: Client): Attempt {
  const row = access && accessKindOf(access.accessKind);
  if (access !== undefined && row?.redeemsRequests?.(access.accessKind) === true && credentials.refresh === undefined)
    return { account: undefined, source: client.origin.ip };
  const clause = access && row?.signInClause?.(access.accessKind);
  const variables = attemptedVariables(credentials.variables, clause && clauseVariables(clause));
  const { account, parts } = recordAccount(credentials, variables);
  const named = (shown: readonly AttemptedVariable[]) =>
    attemptedRecord(credentials, access === undefined ? [] : shown);
  return {
    account,
    parts: parts.map(({ key, variable }) => ({ key, named: named(variable === undefined ? [] : [variable]) })),
    source: client.origin.ip,
    named: named(variables),
  };
}

/**
 * Signs in with what an access method requires: the variables of its SIGNIN clause, a refresh token, or the key of a
 * bearer grant. All failures take the same time, whether or not the account exists.
 *
 * @throws TesseraError `invalid_auth` for an unknown access method, an invalid key or refresh token, a result that is
 * no existing record, and any internal failure (its cause is only logged); `thrown` if the clause throws;
 * `second_factor_required` after a first proof that was right, if the record owes a second one;
 * `access_signin_missing`, `access_method_mismatch`, `bearer_key_missing`, `bearer_key_malformed`, `too_many_attempts`,
 * `hashing_busy`, `unexpected_auth` (retryable)
 */
export function signInByAccess(
  context: AuthContext,
  credentials: AccessCredentials,
  client: Client,
): Promise<SignedInWithTokens> {
  return trying(context, 'signin', credentials, client, (access) =>
    accessKindOf(access.accessKind).signIn(context, access, credentials, client),
  );
}

/**
 * Signs a record user up through the SIGNUP clause, and in.
 *
 * @throws TesseraError as `signInByAccess`, but `no_record_returned` if the clause answers no record; `rate_limited`
 * after too many sign-ups, whether or not they succeeded; and the error codes of sign-up
 */
export function signUpByAccess(
  context: AuthContext,
  credentials: AccessCredentials,
  client: Client,
): Promise<SignedInWithTokens> {
  return trying(context, 'signup', credentials, client, (access) => {
    const { signUp } = accessKindOf(access.accessKind);
    if (signUp === undefined) throw failure('access_method_mismatch');
    return signUp(context, access, credentials, client);
  });
}

/** What a client sends to the page of the server, for the app that has led there. */
export interface PageEntry {
  readonly way: 'signin' | 'signup';
  readonly credentials: AccessCredentials;
  readonly target: AppTarget;
}

/**
 * Signs in or up at the page of the server, and answers where the app takes over, with a code.
 * @throws TesseraError as `signInByAccess` and `signUpByAccess`; `redirect_unknown`, `start_malformed`
 */
export async function signInForApp(
  context: AuthContext,
  { way, credentials, target: { challenge, redirect } }: PageEntry,
  client: Client,
): Promise<string> {
  const fault = targetFault(await context.directory.app(credentials.databasePath), { challenge, redirect });
  if (fault !== undefined) throw fault;
  return trying(context, way, credentials, client, (access) =>
    enterForApp(context, way, access, { ...credentials, challenge }, redirect, client),
  );
}

/** An attempt, of which `enter` is what differs; a sign-up names no account. */
function trying<T>(
  context: AuthContext,
  way: PageEntry['way'],
  credentials: AccessCredentials,
  client: Client,
  enter: (access: AccessDefinition) => Promise<T>,
): Promise<T> {
  return orDue(
    context.failureDelay.equalize(async () => {
      const { databasePath } = credentials;
      const access = await context.directory.access(databasePath, credentials.access);
      const isSignUp = way === 'signup';
      if (isSignUp && access !== undefined && accessKindOf(access.accessKind).signUp !== undefined)
        await takeOrRefuse(context.limits, signUpBuckets(context.rates, databasePath, client.origin.ip));
      const attempt = isSignUp
        ? { account: undefined, source: client.origin.ip }
        : attemptOf(access, credentials, client);
      return context.throttle.attempt(attempt, () =>
        context.failureDelay.observe(async () => {
          if (access === undefined) throw failure('invalid_auth');
          return dueOf(enter(access));
        }),
      );
    }),
  );
}

/** A first proof that was right is no failure, although the sign-in isn't complete. */
async function dueOf<T>(work: Promise<T>): Promise<T | TesseraError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TesseraError && error.code === 'second_factor_required') return error;
    throw error;
  }
}

async function orDue<T>(work: Promise<T | TesseraError>): Promise<T> {
  const outcome = await work;
  if (outcome instanceof TesseraError) throw outcome;
  return outcome;
}
