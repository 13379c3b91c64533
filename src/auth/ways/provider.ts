/**
 * WITH OIDC and WITH OAUTH: signing in at an identity provider. A request is begun here, goes on at the provider, comes
 * back to the callback, and is redeemed by the client that has the verifier.
 *
 * Browsers carry a `state`, which leads to the request once; what the provider gets from this server alone (a verifier)
 * or must repeat (a nonce) never leaves it otherwise.
 */
import { drawRequestName, isOver, type SignInRequest } from '../../catalog/credentials/sign-in-request.js';
import { assertRedirect } from '../../catalog/definitions/web-addresses.js';
import type { DatabasePath } from '../../catalog/principal.js';
import type { Random } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import { toDatetime } from '../../value/time/datetime.js';
import { objectFrom } from '../../value/value.js';
import type { AuthContext } from '../context.js';
import type { SessionIdentity } from '../identity.js';
import { PROVIDER_SUBJECT, type ProviderClaims } from '../oidc/claims.js';
import { ProviderFailure, type RedirectError } from '../oidc/provider-error.js';
import { type ProviderWay, providerSubject, providerTarget } from '../oidc/provider-target.js';
import { redirectWith, wayUrl } from './addresses.js';
import { purposeOf } from './bearer.js';
import { challengeOf } from './challenge.js';
import { recordOfAddress } from './claim.js';
import { assertFewOpen, sourceDigest } from './open-requests.js';
import { malformedStart, type StartBody } from './start-body.js';
import type { StartedRequest, WayPlace, WayRow } from './way.js';

/** How long people may take at a provider. */
const LIFETIME = 600_000_000_000n;
/** How long the code for the app is valid. */
const CODE_LIFETIME = 60_000_000_000n;
const MOST_IDENTITIES = 10;
const SECRET_BYTES = 32;

/** Pages prove: a client has nothing to show for a request that no provider has answered. */
const BY_PROVIDER: WayRow<ProviderWay> = {
  start: startAtProvider,
  proof: 'fed',
  identities: MOST_IDENTITIES,
  prove: () => undefined,
  linked(way, sub) {
    return PROVIDER_SUBJECT.test(sub) ? { subject: providerSubject(providerTarget(way).issuer, sub) } : undefined;
  },
  async claim(rows, access, way, { identity }) {
    const address = identity?.['email'];
    const isAsked = way.kind === 'oidc' && way.linksVerifiedEmail && typeof address === 'string';
    return isAsked ? recordOfAddress(rows, access, address) : undefined;
  },
};

export const OIDC_WAY: WayRow<Extract<ProviderWay, { kind: 'oidc' }>> = BY_PROVIDER;
export const OAUTH_WAY: WayRow<Extract<ProviderWay, { kind: 'oauth' }>> = BY_PROVIDER;

/**
 * Begins a request, and answers where to go to.
 * @throws TesseraError `redirect_unknown`, `public_url_missing`, `rate_limited`, `provider_unavailable`; for links and
 * steps `record_user_required`, `recent_sign_in_required`, `identity_missing`
 */
async function startAtProvider(
  context: AuthContext,
  { databasePath, access }: WayPlace,
  way: ProviderWay,
  body: StartBody,
  identity: SessionIdentity,
): Promise<StartedRequest> {
  const { environment, directory, publicUrls, providers } = context;
  if (body.email !== undefined) throw malformedStart("'email' comes from the provider");
  const wanted = purposeOf(context, body, identity);
  const app = await directory.app(databasePath);
  const redirect = body.redirect ?? app.redirects[0];
  assertRedirect(app.redirects, redirect);
  const callback = wayUrl(publicUrls, app, { databasePath, access: access.name }, 'callback');
  const source = sourceDigest(identity.origin.ip);
  await assertFewOpen(context, { databasePath, access }, source);
  const target = providerTarget(way);
  const [state, nonce, verifier] = [0, 0, 0].map(() => drawSecret(environment.random)) as [string, string, string];
  const departure = { callback, state, nonce, challenge: challengeOf(verifier), again: wanted.purpose === 'step' };
  const url = await providers.depart(target, departure).catch((error: unknown) => {
    throw told(context, error) === undefined ? error : failure('provider_unavailable');
  });
  const name = drawRequestName(environment.random);
  const started = await directory.proving(databasePath, async (rows) => {
    const { purpose, own: record, bearer } = wanted;
    const incarnation = record && (await rows.incarnationOf(record))?.id;
    if (record !== undefined && purpose === 'step') {
      const proved = await rows.identities.ofRecordAt(record, access.name, way.kind);
      if (proved.length === 0) throw failure('identity_missing', { access: access.name });
    }
    const now = environment.clock.now();
    const expires = now + LIFETIME;
    const request = {
      access: access.name,
      kind: way.kind,
      purpose,
      challenge: body.challenge,
      redirect,
      variables: body.variables,
      record,
      incarnation,
      bearer,
      source,
      created: toDatetime(now),
      expires: toDatetime(expires),
      tries: 0,
      upstream: objectFrom({ verifier, nonce, callback, issuer: target.issuer }),
    };
    await rows.requests.put(name, request, [statePointer(state)]);
    return { request: name, expires, url };
  });
  // The database is gone.
  if (started === undefined) throw failure('invalid_auth');
  return started;
}

/**
 * Where to send people who come back from a provider: to the app, with a code that is good once, for a minute, and only
 * with the verifier of who began, or with an error.
 * @param parameters what came with them
 * @throws TesseraError `invalid_auth` if they don't come from a request that is open here
 */
export async function returnFromProvider(
  context: AuthContext,
  databasePath: DatabasePath,
  access: string,
  parameters: URLSearchParams,
): Promise<string> {
  const state = parameters.get('state');
  const names = [...parameters.keys()];
  if (state === null || new Set(names).size < names.length) throw failure('invalid_auth');
  const request = await takeReturning(context, databasePath, access, state);
  const { redirect, upstream } = request ?? {};
  if (request === undefined || redirect === undefined || upstream === undefined) throw failure('invalid_auth');
  let claims: ProviderClaims;
  try {
    claims = await claimsOf(context, { databasePath, access, request, state, parameters });
  } catch (error) {
    const word = told(context, error);
    if (word === undefined) throw error;
    return redirectWith(redirect, 'error', word);
  }
  const { subject, identity, idp } = claims;
  const code = drawRequestName(context.environment.random);
  await context.directory.proving(databasePath, (rows) => {
    const expires = toDatetime(context.environment.clock.now() + CODE_LIFETIME);
    const proved = { ...request, upstream: undefined, proved: true, subject, identity, idp, expires, tries: 0 };
    return rows.requests.put(code, proved);
  });
  return redirectWith(redirect, 'code', code);
}

/** The request to which a state leads, which it does once. */
async function takeReturning(
  { environment, directory }: AuthContext,
  databasePath: DatabasePath,
  access: string,
  state: string,
): Promise<SignInRequest | undefined> {
  return directory.proving(databasePath, async (rows) => {
    const pointer = statePointer(state);
    const request = await rows.requests.pointedTo(pointer);
    if (request?.access !== access) return undefined;
    await rows.requests.removePointedTo(pointer);
    return isOver(request, environment.clock.now()) ? undefined : request;
  });
}

interface Returning {
  readonly databasePath: DatabasePath;
  readonly access: string;
  readonly request: SignInRequest;
  readonly state: string;
  readonly parameters: URLSearchParams;
}

/** @throws ProviderFailure; TesseraError `invalid_auth` if the access method has become another meanwhile */
async function claimsOf(
  { directory, providers }: AuthContext,
  { databasePath, access: name, request: { kind, upstream }, state, parameters }: Returning,
): Promise<ProviderClaims> {
  const access = await directory.access(databasePath, name);
  const way = access?.accessKind.kind === 'record' ? access.accessKind.way : undefined;
  if (upstream === undefined || way === undefined || way.kind !== kind) throw failure('invalid_auth');
  if (way.kind !== 'oidc' && way.kind !== 'oauth') throw failure('invalid_auth');
  const target = providerTarget(way);
  const { verifier, nonce, callback, issuer } = upstream as unknown as UpstreamSecrets;
  if (target.issuer !== issuer) throw failure('invalid_auth');
  return providers.arrive(target, { callback, parameters, state, nonce, verifier });
}

/** What an app gets of an error, which is logged; `undefined` for other errors. */
function told({ providers }: AuthContext, error: unknown): RedirectError | undefined {
  if (!(error instanceof ProviderFailure)) return undefined;
  providers.report(error.logged);
  return error.told;
}

/** What is shown to a provider, or compared with what comes from it. */
interface UpstreamSecrets {
  readonly verifier: string;
  readonly nonce: string;
  readonly callback: string;
  /** The issuer that people were sent to. */
  readonly issuer: string;
}

function statePointer(state: string): string {
  return JSON.stringify(['state', state]);
}

function drawSecret(random: Random): string {
  return Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
}
