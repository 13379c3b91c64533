/** Errors of authentication and authorization. Their texts don't reveal which part of a credential was wrong. */
import type { ErrorDetails } from '../row.js';
import { row } from '../row.js';

const auth = (kind: string) => (): ErrorDetails => ({ kind: 'Auth', details: { kind } });
/** Seconds after which a denied request may be repeated; HTTP sends them as `Retry-After`. */
const retryAfter =
  (kind: string) =>
  (detail: { retryAfter: number }): ErrorDetails => ({ kind, details: { retryAfter: detail.retryAfter } });

export const identityErrors = {
  invalid_auth: row({
    kind: 'NotAllowed',
    text: () => 'There was a problem with authentication',
    details: auth('InvalidAuth'),
    rpc: -32002,
    http: 401,
  }),
  session_expired: row({
    kind: 'NotAllowed',
    text: () => 'The session has expired',
    details: auth('SessionExpired'),
    rpc: -32000,
    http: 401,
  }),
  token_expired: row({
    kind: 'NotAllowed',
    text: () => 'The token has expired',
    details: auth('TokenExpired'),
    rpc: -32002,
    http: 401,
  }),
  /** The user is signed in, but for something that asks for more (RFC 9470). */
  recent_sign_in_required: row({
    kind: 'NotAllowed',
    text: () => 'This needs a sign-in of the last ten minutes: sign in again',
    details: auth('RecentSignInRequired'),
    rpc: -32002,
    http: 401,
  }),
  /**
   * A first proof was right, and the record owes a second one: `signin` with `request` at one of `access` completes the
   * sign-in; at one of `enrol` the record may get its first factor. Without a request it is the session that lacks it.
   */
  second_factor_required: row<{ request?: string; access: readonly string[]; enrol?: readonly string[] }>({
    kind: 'NotAllowed',
    text: () => 'A second factor is required',
    details: (due) => ({ kind: 'Auth', details: { kind: 'SecondFactorRequired', details: { ...due } } }),
    rpc: -32002,
    http: 401,
  }),
  /** The sign-in met a conflict or unavailable storage: the credentials may be valid. */
  unexpected_auth: row({
    kind: 'NotAllowed',
    text: () => 'There was an unexpected error while performing authentication',
    details: auth('UnexpectedAuth'),
    rpc: -32002,
    http: 503,
    retryable: true,
  }),

  // Missing or superfluous members of a sign-in or sign-up body.
  missing_user_or_pass: row({
    kind: 'NotAllowed',
    text: () => 'Username or Password was not provided',
    details: auth('MissingUserOrPass'),
    rpc: -32002,
  }),
  no_signin_target: row({
    kind: 'NotAllowed',
    text: () => 'No signin target to either SC or DB or NS or KV',
    details: auth('NoSigninTarget'),
    rpc: -32002,
  }),
  invalid_signup: row({
    kind: 'NotAllowed',
    text: () => 'There was a problem with signing up',
    details: auth('InvalidSignup'),
    rpc: -32002,
  }),
  malformed_credentials: row<{ what: string }>({
    kind: 'Validation',
    text: ({ what }) => `The credentials are malformed: ${what}`,
    details: () => ({ kind: 'InvalidParams' }),
    rpc: -32603,
  }),
  too_many_variables: row<{ limit: number }>({
    kind: 'Validation',
    text: ({ limit }) => `A session keeps no more than ${limit} variables`,
  }),
  too_many_request_variables: row<{ limit: number }>({
    kind: 'Validation',
    text: ({ limit }) => `A request has no more than ${limit} variables of its own`,
  }),
  duplicate_variable: row<{ name: string }>({
    kind: 'Validation',
    text: ({ name }) => `The credentials are malformed: '${name}' is given twice`,
    details: () => ({ kind: 'InvalidParams' }),
    rpc: -32603,
  }),
  variable_not_data: row<{ name: string; found: string }>({
    kind: 'Validation',
    text: ({ name, found }) => `The credentials are malformed: '${name}' must be plain data, but holds a ${found}`,
    details: () => ({ kind: 'InvalidParams' }),
    rpc: -32603,
  }),
  reserved_variable: row<{ name: string }>({
    kind: 'Validation',
    text: ({ name }) => `'${name}' is a protected variable and cannot be set`,
    details: ({ name }) => ({ kind: 'InvalidParameter', details: { name } }),
    rpc: -32600,
  }),
  /** The same for session variables. */
  protected_variable: row<{ name: string }>({
    kind: 'Validation',
    text: ({ name }) => `Cannot set protected variable: ${name}`,
    details: () => ({ kind: 'InvalidParams' }),
    rpc: -32603,
  }),

  // Sign-in requests (`auth_start`, `POST /auth/:ns/:db/:ac/start`).
  start_malformed: row<{ reason: string }>({
    kind: 'Validation',
    text: ({ reason }) => `The request to sign in is malformed: ${reason}`,
    details: () => ({ kind: 'InvalidParams' }),
    rpc: -32603,
  }),
  address_invalid: row({
    kind: 'Validation',
    text: () => "'email' must be one mail address, such as ann@example.com",
    details: () => ({ kind: 'InvalidParams' }),
    rpc: -32603,
  }),
  record_user_required: row({
    kind: 'NotAllowed',
    text: () => 'Only a record user who is signed in may do this',
    details: auth('RecordUserRequired'),
    rpc: -32002,
    http: 401,
  }),
  identity_missing: row<{ access: string }>({
    kind: 'NotFound',
    text: ({ access }) => `There is nothing that was proved at the access method '${access}'`,
  }),
  identity_taken: row<{ access: string }>({
    kind: 'AlreadyExists',
    text: ({ access }) => `Another record has this identity at the access method '${access}'`,
    http: 409,
  }),
  too_many_identities: row<{ access: string; limit: number }>({
    kind: 'Validation',
    text: ({ access, limit }) => `A record has no more than ${limit} identities at the access method '${access}'`,
  }),
  subject_invalid: row({
    kind: 'Validation',
    text: () => 'SUBJECT must be a mail address, what a provider names a user by, or a secret in base32',
  }),
  last_identity: row({
    kind: 'NotAllowed',
    text: () => 'This is the last way to sign in that is known; add another one first',
    http: 403,
  }),
  /** Only logged; the client gets `invalid_auth`. */
  passkey_refused: row<{ reason: string }>({
    kind: 'NotAllowed',
    text: ({ reason }) => `A passkey was refused: ${reason}`,
    http: 401,
  }),
  /** Only logged, and in the audit log; the client gets `invalid_auth`. */
  passkey_counter_back: row<{ from: number; to: number }>({
    kind: 'NotAllowed',
    text: ({ from, to }) => `A passkey was refused: its counter has gone from ${from} to ${to}, so it may have a copy`,
    http: 401,
  }),
  /** Only logged; the client gets `record_access_signup_query_failed`. */
  signup_record_exists: row<{ access: string }>({
    kind: 'Validation',
    text: ({ access }) => `SIGNUP of the access method '${access}' must make a record; it has answered one that exists`,
  }),

  // Operations that an access method doesn't support, or failed.
  access_signup_missing: row({
    kind: 'Internal',
    text: () => 'This record access method does not allow signup',
  }),
  access_signin_missing: row({
    kind: 'Internal',
    text: () => 'This record access method does not allow signin',
  }),
  access_method_mismatch: row({
    kind: 'Internal',
    text: () => 'The access method cannot be used in the requested operation',
  }),
  bearer_key_missing: row({
    kind: 'Internal',
    text: () => 'This bearer access method requires a key to be provided',
  }),
  bearer_key_malformed: row({
    kind: 'Internal',
    text: () => 'This bearer access grant has an invalid format',
  }),
  /** The cause is only logged. */
  record_access_signup_query_failed: row({
    kind: 'Internal',
    text: () => 'The record access signup query failed',
  }),
  /** Of access methods with ERRORS DETAILED: `field` as the index names it, or `id`; several with commas. */
  signup_conflict: row<{ field: string }>({
    kind: 'AlreadyExists',
    text: ({ field }) => `Another record has the same value of ${field}`,
    details: ({ field }) => ({ kind: 'Field', details: { field } }),
    http: 409,
  }),
  signup_invalid: row<{ field: string }>({
    kind: 'Validation',
    text: ({ field }) => `The value of ${field} isn't valid`,
    details: ({ field }) => ({ kind: 'Field', details: { field } }),
  }),
  access_errors_misplaced: row({
    kind: 'Validation',
    text: () => 'ERRORS is a clause of access methods of TYPE RECORD',
  }),
  no_record_returned: row({
    kind: 'Internal',
    text: () => 'No record was returned',
  }),
  /** `actor` and `resource` as paths: `/ns:test/db:test/Actor::tobie(Viewer)`, `/ns:test/db:test/Table:""`. */
  not_allowed: row<{ actor: string; action: string; resource: string }>({
    kind: 'NotAllowed',
    text: () => 'IAM error: Not enough permissions to perform this action',
    details: (detail) => ({ kind: 'Auth', details: { kind: 'NotAllowed', details: { ...detail } } }),
    rpc: -32002,
    http: 403,
  }),
  invalid_role: row<{ name: string }>({
    kind: 'NotAllowed',
    text: ({ name }) => `IAM error: Invalid role '${name}'`,
    details: ({ name }) => ({ kind: 'Auth', details: { kind: 'InvalidRole', details: { name } } }),
    rpc: -32002,
    http: 401,
  }),

  // Views (`view_as`).
  view_read_only: row<{ what: string }>({
    kind: 'NotAllowed',
    text: ({ what }) => `A view is read-only, and there is no ${what} in it; view_as with NONE ends it`,
    details: () => ({ kind: 'ViewReadOnly' }),
    rpc: -32002,
    http: 403,
  }),
  view_target_missing: row<{ what: string }>({
    kind: 'NotFound',
    text: ({ what }) => `There is no ${what} to view as`,
  }),
  view_unavailable: row({
    kind: 'Configuration',
    text: () => 'A view needs a connection that lasts, such as a WebSocket: over HTTP a session ends with its request',
    rpc: -32604,
  }),

  /** The redacted output of INFO was used as a definition. */
  secret_redacted: row({
    kind: 'Validation',
    text: () => "'[REDACTED]' denotes a secret that is not shown; an export by an owner holds the secret itself",
  }),

  // Keys of tokens.
  invalid_key: row<{ algorithm: string; reason: string }>({
    kind: 'Validation',
    text: ({ algorithm, reason }) => `The key cannot be used with the algorithm ${algorithm}: ${reason}`,
  }),
  symmetric_keys_differ: row<{ algorithm: string }>({
    kind: 'Validation',
    text: ({ algorithm }) =>
      `Invalid query: Symmetric algorithm ${algorithm} requires the same key for signing and verification. Use the same key value for both KEY and WITH ISSUER KEY clauses, or omit WITH ISSUER KEY.`,
  }),
  rotation_key_missing: row({
    kind: 'Validation',
    text: () => 'The access method needs new keys: KEY, and WITH ISSUER KEY if it issues tokens with a private key',
  }),
  too_many_retired_keys: row<{ limit: number }>({
    kind: 'Validation',
    text: ({ limit }) => `An access method keeps no more than ${limit} former keys`,
  }),
  /** Only logged; the client gets `invalid_auth`. */
  key_set_unavailable: row<{ host: string; reason: string }>({
    kind: 'Internal',
    text: ({ host, reason }) => `The key set at ${host} is not available: ${reason}`,
    http: 503,
    retryable: true,
  }),

  /** Only logged. */
  clock_differs: row<{ seconds: string; way: 'ahead of' | 'behind' }>({
    kind: 'Internal',
    text: ({ seconds, way }) =>
      `The clock of this server is ${seconds} s ${way} the store's: its tokens may be refused by other servers`,
    http: 503,
  }),

  // Mail, links and redirects.
  mail_unavailable: row<{ reason: string }>({
    kind: 'Configuration',
    text: ({ reason }) => `Mail can't be sent: ${reason}`,
    details: () => ({ kind: 'MailUnavailable' }),
    http: 503,
    retryable: true,
  }),
  /** Only logged: a mail that was given up. Neither its address nor its text is named. */
  mail_undelivered: row<{ kind: string; database: string; reason: string }>({
    kind: 'Internal',
    text: ({ kind, database, reason }) => `A mail (${kind}) of the database ${database} was given up: ${reason}`,
    http: 503,
  }),
  provider_unavailable: row({
    kind: 'Internal',
    text: () => 'The identity provider can’t be asked at present; the log of the server says why',
    details: () => ({ kind: 'ProviderUnavailable' }),
    http: 503,
    retryable: true,
  }),
  /** Only logged; the app gets `provider_unavailable`. */
  provider_unreachable: row<{ host: string; reason: string }>({
    kind: 'Internal',
    text: ({ host, reason }) => `The identity provider ${host} can’t be used: ${reason}`,
  }),
  /** Only logged; the app gets `access_denied`. */
  provider_refused: row<{ host: string; reason: string }>({
    kind: 'Internal',
    text: ({ host, reason }) => `A sign-in at the identity provider ${host} isn’t taken: ${reason}`,
  }),
  /** Only logged; the client gets `invalid_auth`. */
  roles_missing: row<{ access: string; user: string; reason: string }>({
    kind: 'Internal',
    text: ({ access, user, reason }) => `ROLES of the access method '${access}' gives '${user}' no role: ${reason}`,
  }),
  provider_key_invalid: row({
    kind: 'Validation',
    text: () => 'KEY must be a private key in PEM (PKCS #8): RSA of at least 2048 bits, P-256, P-384, P-521 or Ed25519',
  }),
  issuer_insecure: row<{ issuer: string }>({
    kind: 'Validation',
    text: ({ issuer }) => `The issuer '${issuer}' must begin with https://, but for hosts that --allow-net names`,
  }),
  /** Only to users for whose addresses the provider vouches. */
  account_exists: row({
    kind: 'AlreadyExists',
    text: () => 'There is an account with this address; sign in to it as before, and link this way in from there',
    details: () => ({ kind: 'AccountExists' }),
    http: 409,
  }),
  public_url_missing: row({
    kind: 'Configuration',
    text: () => 'Links need an address of this server: --public-url, of which DEFINE CONFIG AUTH URL may pick one',
    details: () => ({ kind: 'PublicUrlMissing' }),
    http: 503,
  }),
  redirect_unknown: row({
    kind: 'NotAllowed',
    text: () => 'The redirect is not among those that the database or the access method lists',
    details: () => ({ kind: 'RedirectUnknown' }),
    rpc: -32002,
  }),
  config_invalid: row<{ clause: string; reason: string }>({
    kind: 'Validation',
    text: ({ clause, reason }) => `The value of ${clause} can't be used: ${reason}`,
    details: ({ clause }) => ({ kind: 'InvalidParameter', details: { name: clause } }),
  }),

  // The first root user (`POST /setup`).
  setup_code_wrong: row({
    kind: 'NotAllowed',
    text: () => 'This is not the code that the server has printed',
    http: 403,
  }),
  setup_closed: row({
    kind: 'NotAllowed',
    text: () =>
      'There is nothing to set up: there is a root user, or the code is no longer valid. The server prints another one when it starts without a root user',
    http: 403,
  }),

  // Limits.
  password_too_long: row<{ limit: number }>({
    kind: 'Validation',
    text: ({ limit }) => `The password is longer than ${limit} bytes`,
  }),
  password_too_short: row<{ least: number }>({
    kind: 'Validation',
    text: ({ least }) => `The password is shorter than ${least} characters`,
  }),
  hashing_busy: row<{ retryAfter: number }>({
    kind: 'NotAllowed',
    text: () => 'Too many passwords are being hashed at the moment. Try again later',
    details: retryAfter('HashingBusy'),
    http: 429,
    retryable: true,
  }),
  strength_busy: row<{ retryAfter: number }>({
    kind: 'NotAllowed',
    text: () => 'Too many passwords are being estimated at the moment. Try again later',
    details: retryAfter('StrengthBusy'),
    http: 429,
    retryable: true,
  }),
  too_many_attempts: row<{ retryAfter: number }>({
    kind: 'NotAllowed',
    text: () => 'Too many failed attempts to sign in. Try again later',
    details: retryAfter('TooManyAttempts'),
    rpc: -32002,
    http: 429,
    retryable: true,
  }),
  rate_limited: row<{ retryAfter: number }>({
    kind: 'NotAllowed',
    text: () => 'Too many requests. Try again later',
    details: retryAfter('RateLimited'),
    http: 429,
    retryable: true,
  }),
} as const;
