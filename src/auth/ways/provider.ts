/**
 * WITH OIDC and WITH OAUTH: signing in at an identity provider. A request is begun here, goes on at the provider, comes
 * back to the callback, and is redeemed by the client that has the verifier.
 *
 * Browsers carry a `state`, which leads to the request once; what the provider gets from this server alone (a verifier)
 * or must repeat (a nonce) never leaves it otherwise.
 */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { IdentityGrant } from '../../catalog/credentials/identity.js';
import {
  drawRequestName,
  isOver,
  type SignInRequest,
  type SignInRequests,
} from '../../catalog/credentials/sign-in-request.js';
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import { assertRedirect } from '../../catalog/definitions/web-addresses.js';
import { type DatabasePath, recordSubject } from '../../catalog/principal.js';
import type { Random } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { AccessWay } from '../../language/ast.js';
import { toDatetime } from '../../value/time/datetime.js';
import { objectFrom, type RecordId } from '../../value/value.js';
import type { AuthContext } from '../context.js';
import type { Directory, IdentityRows } from '../directory.js';
import type { SessionIdentity } from '../identity.js';
import { PROVIDER_SUBJECT, type ProviderClaims } from '../oidc/claims.js';
import { ProviderFailure, type RedirectError } from '../oidc/provider-error.js';
import {
  type ProviderWay,
  providerSubject,
  providerTarget,
  providerWayOf,
  readProviderSubject,
} from '../oidc/provider-target.js';
import { CODE_LIFETIME, type Onward, onward, pageRedirects, wayUrl } from './addresses.js';
import { purposeOf } from './bearer.js';
import { challengeOf } from './challenge.js';
import { assertFewOpen, sourceDigest } from './open-requests.js';
import { malformedStart, type StartBody } from './start-body.js';
import type { StartedRequest, WayPlace, WayRow } from './way.js';

/** How long people may take at a provider. */
const LIFETIME = 600_000_000_000n;
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
 * The record that has proved a mail address in this database, if exactly one has: by mail, or at another provider whose
 * word is taken for it. What stands in a field of a record proves nothing, since users may write it.
 * @param access the access method that asks
 */
async function recordOfAddress(rows: IdentityRows, access: string, address: string): Promise<RecordId | undefined> {
  const found = new Map<string, RecordId>();
  for (const identity of await rows.identities.ofAddress(address)) {
    if (!vouches(rows.way(identity.access), identity, access)) continue;
    const owner = await rows.owner(identity.access, identity.subject);
    if (owner !== undefined) found.set(recordSubject(owner.record), owner.record);
  }
  return found.size === 1 ? [...found.values()][0] : undefined;
}

/** Whether an identity proves its address still, as its access method is defined now. */
function vouches(way: AccessWay | undefined, { kind, access, subject }: IdentityGrant, asking: string): boolean {
  if (way?.kind !== kind) return false;
  if (way.kind === 'mail') return true;
  if (way.kind !== 'oidc' || !way.linksVerifiedEmail || access === asking) return false;
  return readProviderSubject(subject).issuer === providerTarget(way).issuer;
}

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
  const { directory, publicUrls } = context;
  if (body.email !== undefined) throw malformedStart("'email' comes from the provider");
  const wanted = purposeOf(context, body, identity);
  const app = await directory.app(databasePath);
  const redirect = body.redirect ?? app.redirects[0];
  assertRedirect(body.page ? pageRedirects(app) : app.redirects, redirect);
  const callback = wayUrl(publicUrls, app, { databasePath, access: access.name }, 'callback');
  const source = sourceDigest(identity.origin.ip);
  await assertFewOpen(context, { databasePath }, source);
  const { challenge } = body;
  const leaving = { access: access.name, challenge, redirect, callback, source, again: wanted.purpose === 'step' };
  const begin = await leaveFor(context, way, leaving);
  const started = await directory.proving(databasePath, async (rows) => {
    const { purpose, own: record, bearer } = wanted;
    const incarnation = record && (await rows.incarnationOf(record))?.id;
    if (record !== undefined && purpose === 'step') {
      const proved = await rows.identities.ofRecordAt(record, access.name, way.kind);
      if (proved.length === 0) throw failure('identity_missing', { access: access.name });
    }
    return begin(rows.requests, { purpose, page: body.page, variables: body.variables, record, incarnation, bearer });
  });
  // The database is gone.
  if (started === undefined) throw failure('invalid_auth');
  return started;
}

/** What a request at a provider is begun with. */
interface Leaving extends Pick<SignInRequest, 'access' | 'challenge' | 'redirect' | 'source'> {
  /** Where people come back to. */
  readonly callback: string;
  /** Whether they must show again who they are. */
  readonly again: boolean;
}

/** Stores a request for people who leave for a provider, with what else it is for. */
type Begin = (
  requests: SignInRequests,
  rest: Pick<SignInRequest, 'purpose' | 'page' | 'variables' | 'record' | 'incarnation' | 'bearer'>,
) => Promise<StartedRequest>;

/**
 * Asks a provider to take people, before anything is stored.
 * @throws TesseraError `provider_unavailable`
 */
export async function leaveFor(
  context: AuthContext,
  way: ProviderWay,
  { callback, again, ...leaving }: Leaving,
): Promise<Begin> {
  const { environment, providers } = context;
  const target = providerTarget(way);
  const [state, nonce, verifier] = [0, 0, 0].map(() => drawSecret(environment.random)) as [string, string, string];
  const departure = { callback, state, nonce, challenge: challengeOf(verifier), again };
  const url = await providers.depart(target, departure).catch((error: unknown) => {
    throw told(context, error) === undefined ? error : failure('provider_unavailable');
  });
  const name = drawRequestName(environment.random);
  const upstream = objectFrom({ verifier, nonce, callback, issuer: target.issuer });
  return async (requests, rest) => {
    const now = environment.clock.now();
    const expires = now + LIFETIME;
    const times = { created: toDatetime(now), expires: toDatetime(expires), tries: 0 };
    await requests.put(name, { ...leaving, ...rest, ...times, kind: way.kind, upstream }, [statePointer(state)]);
    return { request: name, expires, url };
  };
}

/**
 * What follows for people who come back from a provider: their app, or the page of the server, gets a code that is good
 * once, for a minute, and only with the verifier of who began, or an error.
 * @param parameters what came with them
 * @throws TesseraError `invalid_auth` if they don't come from a request that is open here
 */
export async function returnFromProvider(
  context: AuthContext,
  databasePath: DatabasePath,
  name: string,
  parameters: URLSearchParams,
): Promise<Onward> {
  const { directory, environment } = context;
  const state = parameters.get('state');
  const names = [...parameters.keys()];
  if (state === null || new Set(names).size < names.length) throw failure('invalid_auth');
  const access = await directory.access(databasePath, name);
  const way = access && providerWayOf(access.accessKind);
  if (access === undefined || way === undefined) throw failure('invalid_auth');
  const within = keepingOf(directory, databasePath, access);
  const request = await within((requests) => takeReturning(requests, name, state, environment.clock.now()));
  const { redirect, upstream } = request ?? {};
  if (request === undefined || redirect === undefined || upstream === undefined) throw failure('invalid_auth');
  let claims: ProviderClaims;
  try {
    claims = await claimsOf(context, { access, way, request, state, parameters });
  } catch (error) {
    const word = told(context, error);
    if (word === undefined) throw error;
    return onward(request, redirect, { error: word });
  }
  const { subject, identity, idp } = claims;
  const code = drawRequestName(environment.random);
  await within((requests) => {
    const expires = toDatetime(environment.clock.now() + CODE_LIFETIME);
    const proved = { ...request, upstream: undefined, proved: true, subject, identity, idp, expires, tries: 0 };
    return requests.put(code, proved);
  });
  return onward(request, redirect, { code, access: name });
}

/** Reads and writes the requests of an access method in a transaction, and commits it. */
type Keeping = <T>(work: (requests: SignInRequests) => Promise<T>) => PromiseOrValue<T | undefined>;

/** Those of records and of system users are apart, so that neither can be redeemed as the others. */
function keepingOf(directory: Directory, databasePath: DatabasePath, { accessKind }: AccessDefinition): Keeping {
  return accessKind.kind === 'provider'
    ? (work) => directory.systemRequests(databasePath, work)
    : (work) => directory.proving(databasePath, ({ requests }) => work(requests));
}

/** The request to which a state leads, which it does once. */
async function takeReturning(
  requests: SignInRequests,
  access: string,
  state: string,
  now: bigint,
): Promise<SignInRequest | undefined> {
  const pointer = statePointer(state);
  const request = await requests.pointedTo(pointer);
  if (request?.access !== access) return undefined;
  await requests.removePointedTo(pointer);
  return isOver(request, now) ? undefined : request;
}

interface Returning {
  readonly access: AccessDefinition;
  readonly way: ProviderWay;
  readonly request: SignInRequest;
  readonly state: string;
  readonly parameters: URLSearchParams;
}

/** @throws ProviderFailure; TesseraError `invalid_auth` if the access method has become another meanwhile */
async function claimsOf(
  { providers }: AuthContext,
  { access, way, request: { kind, upstream }, state, parameters }: Returning,
): Promise<ProviderClaims> {
  if (upstream === undefined || way.kind !== kind) throw failure('invalid_auth');
  const target = providerTarget(way);
  const { verifier, nonce, callback, issuer } = upstream as unknown as UpstreamSecrets;
  if (target.issuer !== issuer) throw failure('invalid_auth');
  const asksUserInfo = access.accessKind.kind === 'provider';
  return providers.arrive(target, { callback, parameters, state, nonce, verifier, asksUserInfo });
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
