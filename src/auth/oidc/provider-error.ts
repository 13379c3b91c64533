/** Why a sign-in at an identity provider has failed: for the log, and in one word for the app. */
import { asTesseraError, failure, type TesseraError } from '../../errors/error.js';
import { shownHost } from './provider-target.js';

/** What an app gets as `?error=`. The first is that of RFC 6749 §4.1.2.1. */
export type RedirectError = 'access_denied' | 'provider_unavailable';

/** The error that is logged, and whether the provider can't be asked, or what it says isn't taken. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  constructor(
    readonly told: RedirectError,
    readonly logged: TesseraError,
  ) {
    super(told, { cause: logged });
  }
}

/** It can't be reached, or doesn't answer as a provider. */
export function unavailable(issuer: string, reason: string): ProviderFailure {
  return new ProviderFailure(
    'provider_unavailable',
    failure('provider_unreachable', { host: shownHost(issuer), reason }),
  );
}

/** It has said something that isn't taken, or that the sign-in is denied. */
export function refused(issuer: string, reason: string): ProviderFailure {
  return new ProviderFailure('access_denied', failure('provider_refused', { host: shownHost(issuer), reason }));
}

/** What an error of our own fetches means. */
export function cantBeReached(issuer: string, thrown: unknown): ProviderFailure {
  const error = asTesseraError(thrown);
  const reason =
    error.code === 'network_target_denied' ? `--allow-net doesn’t allow it (${error.message})` : error.message;
  return unavailable(issuer, reason);
}

/**
 * What an error of the library means. Its messages name the check that has failed; of what a provider has sent, the
 * error's word is kept.
 */
export function judgedByLibrary(issuer: string, thrown: unknown): ProviderFailure {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (error instanceof ProviderFailure) return error;
  const { code, message, error } = thrown as Readonly<Record<'code' | 'message' | 'error', unknown>>;
  const word = typeof error === 'string' && ERROR_WORD.test(error) ? error : undefined;
  const reason = [message, word ?? code].filter((part) => typeof part === 'string' && part !== '').join(', ');
  return word !== undefined && OF_THE_CLIENT.has(word) ? unavailable(issuer, reason) : refused(issuer, reason);
}

/** What OAuth names an error by, of which the description is left out: it may be of any kind. */
const ERROR_WORD = /^[a-z_]{1,40}$/;
/** Errors that no one who signs in can do anything about (RFC 6749, sections 4.1.2.1 and 5.2). */
const OF_THE_CLIENT: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'invalid_request',
  'unsupported_response_type',
  'server_error',
  'temporarily_unavailable',
]);
