/**
 * Identity providers, as whose client this server signs people in: the authorization code flow of OpenID Connect with
 * PKCE, a nonce, and where a provider offers them pushed requests (RFC 9126) and its name in the answer (RFC 9207).
 *
 * Each exchange has its own configuration of the library, made of what is cached: so it uses the clock of the
 * environment. Signatures of ID tokens are always checked, which the library leaves to TLS by default.
 */
import type { ClientAuth, Configuration, ExportedJWKSCache, IDToken } from 'openid-client';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import type { Environment } from '../../env/environment.js';
import { realEnvironment } from '../../env/real.js';
import type { TesseraError } from '../../errors/error.js';
import type { AccessWay } from '../../language/ast.js';
import { claimsFrom, type ProviderClaims, type ToldByProvider } from './claims.js';
import { clientKey, signedSecret } from './client-key.js';
import { discover, type ProviderFetcher, type ProviderMetadata } from './discovery.js';
import { type OpenIdClient, openIdClient } from './library.js';
import { cantBeReached, judgedByLibrary, ProviderFailure, refused, unavailable } from './provider-error.js';
import { type ProviderTarget, providerTarget } from './provider-target.js';

/** How providers are reached, and where failures are reported. */
export interface ProviderSource {
  readonly fetcher: ProviderFetcher;
  /** For the log; apps get one word. */
  report(error: TesseraError): void;
}

/** What a sign-in at a provider begins with. */
export interface Departure {
  /** Where people come back to. */
  readonly callback: string;
  readonly state: string;
  readonly nonce: string;
  /** S256 of the verifier that the provider gets later. */
  readonly challenge: string;
  /** Whether people must show again who they are. */
  readonly again: boolean;
}

/** What came back, and what it is compared with. */
export interface Arrival {
  readonly callback: string;
  readonly parameters: URLSearchParams;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Whether user info is asked even if the ID token has address and name: groups may be in either. */
  readonly asksUserInfo: boolean;
}

/** How long metadata is used, in milliseconds. */
const FRESH = 60 * 60 * 1000;
/** Exchanges with providers at once, most of which wait for them. */
const MOST_EXCHANGES = 64;

interface Entry {
  readonly metadata: ProviderMetadata;
  readonly fetchedAt: number;
  /** The key set, as the library keeps it: it is fetched again after five minutes, or after one for an unknown key. */
  keys?: ExportedJWKSCache | undefined;
}

export class Providers {
  readonly #environment: Environment;
  readonly #source: ProviderSource;
  readonly #entries = new TwoGenerationCache<string, Entry>(64);
  /** Metadata that is being fetched, shared by concurrent callers. */
  readonly #loading = new Map<string, Promise<Entry>>();
  #exchanges = 0;

  constructor(environment: Environment, source: ProviderSource) {
    this.#environment = environment;
    this.#source = source;
  }

  /** For the log, in one line. */
  report(error: TesseraError): void {
    this.#source.report(error);
  }

  /** Why the provider of a way can't be asked at present; `undefined` if it can, or the way has none. */
  async faultOf(way: AccessWay): Promise<string | undefined> {
    if (way.kind !== 'oidc' && way.kind !== 'oauth') return undefined;
    const target = providerTarget(way);
    try {
      await this.#bounded(target, () => this.#entry(target));
      return undefined;
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      return error.logged.message;
    }
  }

  /**
   * Where to send people, to sign in at a provider.
   * @throws ProviderFailure
   */
  depart(target: ProviderTarget, departure: Departure): Promise<string> {
    return this.#with(target, async (library, configuration, { metadata }) => {
      const { callback, state, nonce, challenge, again } = departure;
      const { preset, scopes, maxAge, oauth } = target;
      const parameters = {
        redirect_uri: callback,
        scope: scopes.join(' '),
        state,
        ...(oauth === undefined && { nonce }),
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...(preset?.responseMode !== undefined && { response_mode: preset.responseMode }),
        ...(maxAge !== undefined && { max_age: String(maxAge) }),
        ...(again && { prompt: 'login' }),
      };
      const isPushed = metadata.pushed_authorization_request_endpoint !== undefined;
      const url = isPushed
        ? await library.buildAuthorizationUrlWithPAR(configuration, parameters)
        : library.buildAuthorizationUrl(configuration, parameters);
      return url.href;
    });
  }

  /**
   * Who has signed in at a provider, by what has come back from it.
   * @throws ProviderFailure
   */
  arrive(target: ProviderTarget, arrival: Arrival): Promise<ProviderClaims> {
    return this.#with(target, async (library, configuration, { metadata }) => {
      const { callback, parameters, state, nonce, verifier, asksUserInfo } = arrival;
      const url = new URL(callback);
      url.search = parameters.toString();
      const isOidc = target.oauth === undefined;
      const tokens = await library.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        pkceCodeVerifier: verifier,
        ...(isOidc && { expectedNonce: nonce, idTokenExpected: true }),
        ...(target.maxAge !== undefined && { maxAge: target.maxAge }),
      });
      const { access_token: accessToken } = tokens;
      if (!isOidc) return this.#oauthClaims(library, configuration, target, accessToken);
      // One is expected, without which the library fails.
      const idToken = tokens.claims() as IDToken;
      const lacks = asksUserInfo || idToken['email'] === undefined || idToken['name'] === undefined;
      const asked = lacks && metadata.userinfo_endpoint !== undefined;
      const user = asked ? await library.fetchUserInfo(configuration, accessToken, idToken.sub) : {};
      return claimsFrom(target, idToken, user as unknown as ToldByProvider);
    });
  }

  /** A provider without ID tokens is asked who has signed in. */
  async #oauthClaims(
    library: OpenIdClient,
    configuration: Configuration,
    target: ProviderTarget,
    accessToken: string,
  ): Promise<ProviderClaims> {
    const { issuer, oauth } = target;
    const read = async (url = ''): Promise<unknown> => {
      const headers = new Headers({ accept: 'application/json' });
      const answer = await library.fetchProtectedResource(
        configuration,
        accessToken,
        new URL(url),
        'GET',
        null,
        headers,
      );
      if (answer.status !== 200) throw unavailable(issuer, `it answers with status ${answer.status}`);
      return answer.json();
    };
    const user = (await read(oauth?.user)) as ToldByProvider;
    const emails = await read(oauth?.emails);
    const listed = Array.isArray(emails) ? (emails as readonly ToldByProvider[]) : [];
    const primary = listed.find((each) => each?.['primary'] === true && each['verified'] === true);
    const { id, name, login } = user ?? {};
    if (!Number.isSafeInteger(id)) throw refused(issuer, 'it doesn’t tell who has signed in');
    const told = {
      sub: String(id),
      name: name ?? login,
      ...(primary !== undefined && { email: primary['email'], email_verified: true }),
    };
    return claimsFrom(target, { ...user, ...told }, {});
  }

  #with<T>(
    target: ProviderTarget,
    work: (library: OpenIdClient, configuration: Configuration, entry: Entry) => Promise<T>,
  ): Promise<T> {
    return this.#bounded(target, async () => {
      const library = await openIdClient();
      const entry = await this.#entry(target);
      const configuration = await this.#configuration(library, target, entry);
      try {
        return await work(library, configuration, entry);
      } catch (error) {
        throw judgedByLibrary(target.issuer, error);
      } finally {
        entry.keys = library.getJwksCache(configuration) ?? entry.keys;
      }
    });
  }

  async #bounded<T>({ issuer }: ProviderTarget, work: () => Promise<T>): Promise<T> {
    if (this.#exchanges >= MOST_EXCHANGES) throw unavailable(issuer, `${MOST_EXCHANGES} others are being asked`);
    this.#exchanges++;
    try {
      return await work();
    } finally {
      this.#exchanges--;
    }
  }

  async #entry(target: ProviderTarget): Promise<Entry> {
    const { issuer } = target;
    const { clock } = this.#environment;
    const known = this.#entries.get(issuer);
    if (known !== undefined && clock.monotonic() - known.fetchedAt < FRESH) return known;
    let loading = this.#loading.get(issuer);
    if (loading === undefined) {
      loading = discover(this.#source.fetcher, target)
        .then((metadata) => {
          const entry: Entry = { metadata, fetchedAt: clock.monotonic() };
          this.#entries.set(issuer, entry);
          return entry;
        })
        .finally(() => this.#loading.delete(issuer));
      this.#loading.set(issuer, loading);
    }
    return loading;
  }

  async #configuration(library: OpenIdClient, target: ProviderTarget, entry: Entry): Promise<Configuration> {
    const { clock } = this.#environment;
    const { issuer, client } = target;
    // The library reads the clock of the machine.
    const skew = Number((clock.now() - realEnvironment.clock.now()) / 1_000_000_000n);
    const metadata = { [library.clockSkew]: skew };
    const auth = await this.#clientAuth(library, target, entry.metadata);
    const configuration = new library.Configuration({ ...entry.metadata }, client.id, metadata, auth);
    configuration[library.customFetch] = (url, options) => this.#fetch(issuer, url, options);
    // Each answer has a bound of its own.
    configuration.timeout = 0;
    if (issuer.startsWith('http:')) library.allowInsecureRequests(configuration);
    if (target.oauth === undefined) library.enableNonRepudiationChecks(configuration);
    if (entry.keys !== undefined) library.setJwksCache(configuration, entry.keys);
    return configuration;
  }

  async #clientAuth(
    library: OpenIdClient,
    target: ProviderTarget,
    { token_endpoint_auth_methods_supported: methods }: ProviderMetadata,
  ): Promise<ClientAuth> {
    const { client, preset, oauth } = target;
    if (client.key !== undefined) {
      if (preset?.signsSecret) return library.ClientSecretPost(await signedSecret(target, this.#environment.clock));
      const key = await clientKey(client.key);
      return library.PrivateKeyJwt(client.keyId === undefined ? key : { key, kid: client.keyId });
    }
    // Basic is the default of OpenID Connect Core, section 9.
    const isBasic = oauth === undefined && (methods?.includes('client_secret_basic') ?? true);
    return isBasic ? library.ClientSecretBasic(client.secret) : library.ClientSecretPost(client.secret);
  }

  async #fetch(
    issuer: string,
    url: string,
    { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
  ): Promise<Response> {
    const text = body instanceof URLSearchParams || typeof body === 'string' ? String(body) : undefined;
    const request = {
      url,
      method,
      headers,
      body: text === undefined ? undefined : Buffer.from(text),
      secure: true,
      follow: false,
    };
    const answer = await this.#source.fetcher
      .fetch(request, () => {})
      .catch((error: unknown) => {
        throw cantBeReached(issuer, error);
      });
    if (answer.status >= 500) throw unavailable(issuer, `it answers with status ${answer.status}`);
    const type = answer.headers['content-type'];
    return new Response(answer.body.length === 0 ? null : Buffer.from(answer.body), {
      status: answer.status,
      headers: type === undefined ? {} : { 'content-type': type },
    });
  }
}
