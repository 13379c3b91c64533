/**
 * Signing in of system users at an identity provider (`TYPE JWT WITH OIDC`). A request goes the way of those of records
 * (`provider.ts`), but is kept apart from them; what the provider says becomes roles rather than a record.
 */
import { isOver, type SignInRequest } from '../../catalog/credentials/sign-in-request.js';
import { assertRedirect } from '../../catalog/definitions/web-addresses.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { ProviderAccess } from '../../language/ast.js';
import { newObject } from '../../value/value.js';
import type { AuthContext } from '../context.js';
import type { AccessCredentials } from '../credentials.js';
import type { Directory } from '../directory.js';
import type { ClientOrigin } from '../identity.js';
import type { AccessOf } from '../kinds/access-kind.js';
import { providerTarget } from '../oidc/provider-target.js';
import { type NamedPlace, wayUrl } from './addresses.js';
import { verifies } from './challenge.js';
import { assertFewOpen, sourceDigest } from './open-requests.js';
import { leaveFor } from './provider.js';
import { malformedStart, type StartBody } from './start-body.js';
import type { StartedRequest } from './way.js';

/** The pages of a server that redeem codes of system users. */
const OWN_PAGES = ['/studio', '/graphql', '/'];

/** Where sign-ins of system users may end; the first is the default. */
export function systemRedirects(publicUrls: readonly string[], { redirects = [] }: ProviderAccess): readonly string[] {
  return [...publicUrls.flatMap((url) => OWN_PAGES.map((page) => url + page)), ...redirects];
}

/**
 * Begins a request, and answers where to go to.
 * @throws TesseraError `start_malformed`, `public_url_missing`, `redirect_unknown`, `rate_limited`,
 * `provider_unavailable`
 */
export async function startSystemUser(
  context: AuthContext,
  { databasePath, access }: { readonly databasePath: DatabasePath; readonly access: AccessOf<ProviderAccess> },
  body: StartBody,
  origin: ClientOrigin,
): Promise<StartedRequest> {
  const { directory, publicUrls } = context;
  const { challenge, page, email, link, step, signup, request } = body;
  if (email !== undefined || page || link || step || signup || request !== undefined)
    throw malformedStart("a system user begins with 'challenge' and 'redirect' alone");
  const { name, accessKind } = access;
  const callback = wayUrl(publicUrls, { config: undefined }, { databasePath, access: name }, 'callback');
  const redirects = systemRedirects(publicUrls, accessKind);
  const redirect = body.redirect ?? redirects[0];
  assertRedirect(redirects, redirect);
  const source = sourceDigest(origin.ip);
  await assertFewOpen(context, 'system-users', source);
  const leaving = { access: name, challenge, redirect, callback, source, again: false };
  const begin = await leaveFor(context, accessKind.way, leaving);
  return directory.systemRequests(databasePath, (requests) =>
    begin(requests, { purpose: 'sign-in', variables: newObject() }),
  );
}

/**
 * What a provider has said of who shows `code` and `verifier`. A code is good once, and a wrong verifier counts as a
 * try.
 * @throws TesseraError `invalid_auth` for everything that is wrong
 */
export async function redeemSystemUser(
  { directory, environment }: AuthContext,
  { name: access, accessKind }: AccessOf<ProviderAccess>,
  { databasePath, variables: { code, verifier } }: AccessCredentials,
): Promise<SignInRequest> {
  const now = environment.clock.now();
  const taken = await directory.systemRequests(databasePath, async (requests) => {
    const request = typeof code === 'string' ? await requests.find(code) : undefined;
    if (typeof code !== 'string' || request?.proved !== true || request.access !== access) return undefined;
    const { challenge } = request;
    if (challenge === undefined || isOver(request, now)) return undefined;
    if (!verifies(verifier, challenge)) {
      requests.miss(code, request);
      return undefined;
    }
    requests.remove(code, request);
    return request;
  });
  // The access method may lead to another provider than when the request began.
  if (taken?.identity?.['issuer'] !== providerTarget(accessKind.way).issuer) throw failure('invalid_auth');
  return taken;
}

/** As `Authenticator.providerAccesses` says. */
export async function providerAccesses(
  directory: Directory,
  { namespace, database }: DatabasePath,
): Promise<readonly NamedPlace[]> {
  const paths: DatabasePath[] = [{}];
  if (namespace !== undefined) paths.push({ namespace });
  if (namespace !== undefined && database !== undefined) paths.push({ namespace, database });
  const found: NamedPlace[] = [];
  for (const databasePath of paths)
    for (const { name, accessKind } of await directory.accesses(databasePath))
      if (accessKind.kind === 'provider') found.push({ databasePath, access: name });
  return found;
}
