/** What the page to sign in says when something went wrong. */
import type { RedirectError } from '../../auth/oidc/provider-error.js';
import type { ErrorCode } from '../../errors/catalogue.js';
import { TesseraError } from '../../errors/error.js';
import { labelOf } from './fields.js';

const TOO_MANY = 'There were too many attempts. Please wait a while, and try again.';
const OTHERS = 'It didn’t work. Please try again.';

const MESSAGES: { readonly [C in ErrorCode | RedirectError]?: string } = {
  invalid_auth: 'That wasn’t right. Please try again.',
  too_many_attempts: TOO_MANY,
  rate_limited: TOO_MANY,
  hashing_busy: 'There are too many people here at the moment. Please try again.',
  record_access_signup_query_failed: 'No account could be made with this. If you have one, please sign in to it.',
  account_exists: 'There is an account with this address already. Please sign in to it another way.',
  address_invalid: 'That isn’t a mail address.',
  mail_unavailable: 'No mail can be sent at the moment.',
  provider_unavailable: 'That provider can’t be reached at the moment.',
  access_denied: 'You didn’t sign in there. You can try again, or another way.',
};

/** Before the texts that clauses throw. */
const THROWN = /^An error occurred: /;

/** What people read of an error; `undefined` for one of the server, which isn't theirs. */
export function messageForPeople({ code, message, httpStatus, cause }: TesseraError): string | undefined {
  // What a clause throws is written for its users.
  if (code === 'thrown') return message.replace(THROWN, '');
  const wrong = code === 'signup_conflict' || code === 'signup_invalid' ? fieldsOf(cause) : [];
  if (wrong.length > 0) return `Please check: ${wrong.map(labelOf).join(', ')}.`;
  return MESSAGES[code] ?? (httpStatus >= 500 ? undefined : OTHERS);
}

/** Of a sign-up with ERRORS DETAILED, which names them. */
function fieldsOf(cause: unknown): readonly string[] {
  return cause instanceof TesseraError ? cause.fields : [];
}

/** What people read of the word that a provider, or this server in its place, has come back with. */
export function messageForWord(word: string): string {
  return (Object.hasOwn(MESSAGES, word) ? MESSAGES[word as RedirectError] : undefined) ?? OTHERS;
}
