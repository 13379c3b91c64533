/** A certified identity provider (`oidc-provider`) on a port of this machine, at which each user signs in at once. */

import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What is used of the library, which has no types. */
interface Library {
  readonly default: new (issuer: string, configuration: object) => Certified;
}

interface Certified {
  callback(): RequestListener;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  readonly Client: { readonly prototype: { redirectUriAllowed(uri: string): boolean } };
  readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
}

interface GrantContext {
  readonly oidc: { readonly client: { readonly clientId: string }; readonly session: { readonly accountId: string } };
}

export interface CertifiedProvider {
  readonly issuer: string;
  /**
   * A browser with a session at the provider of its own: follows the provider from an address until it sends people
   * elsewhere, and answers where to.
   */
  signIn(url: string, account: string): Promise<string>;
  close(): Promise<void>;
}

const NAME = 'oidc-provider';

/** @param redirects where its one client, `shop`, is sent back to; none: anywhere */
export async function startCertifiedProvider(secret: string, ...redirects: string[]): Promise<CertifiedProvider> {
  let listener: RequestListener = (_, response) => response.end();
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { default: Provider } = (await import(NAME)) as Library;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider: Certified = new Provider(issuer, {
    clients: [
      { client_id: 'shop', client_secret: secret, redirect_uris: redirects.length === 0 ? [issuer] : redirects },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of cookies'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    features: { devInteractions: { enabled: false }, pushedAuthorizationRequests: { enabled: true } },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({
        ...{ sub, email: `${sub}@example.com`, email_verified: true, name: `The person ${sub}` },
        groups: sub === 'ann' ? ['db-admins'] : ['sales'],
      }),
    }),
    loadExistingGrant: async ({ oidc: { client, session } }: GrantContext) => {
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  if (redirects.length === 0) provider.Client.prototype.redirectUriAllowed = () => true;
  const answer = provider.callback();
  listener = (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response);
    const { 'x-account': account = 'ann' } = request.headers;
    return void provider.interactionFinished(request, response, { login: { accountId: account } });
  };
  return { issuer, signIn: (url, account) => follow(issuer, url, account), close: () => closed(server) };
}

const MOST_STEPS = 10;

async function follow(issuer: string, from: string, account: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = from;
  for (let step = 0; step < MOST_STEPS && url.startsWith(issuer); step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie, 'x-account': account } });
    for (const set of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`${answer.status} ${await answer.text()}`);
    url = new URL(location, url).href;
  }
  return url;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
