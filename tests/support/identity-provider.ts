/**
 * An identity provider without a network: what it answers to a client (RFC 6749, RFC 7636, OpenID Connect Core), and in
 * how many ways it can lie.
 */
import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { Network, NetworkAnswer, NetworkHop } from '../../src/env/network.js';
import { fakeNetwork } from './fake-network.js';

type Members = Record<string, unknown>;
type Answer = Partial<NetworkAnswer> | Promise<NetworkAnswer>;

export const CLIENT = { id: 'the-shop', secret: 'a secret of the client' };

/** What a provider does otherwise than it should. */
export interface Lies {
  metadata?(metadata: Members): Answer | Members;
  keys?(keys: Members): Answer | Members;
  /** The claims of the ID token. */
  claims?(claims: Members): Members;
  /** The ID token itself. */
  sign?(claims: Members, provider: StubProvider): Promise<string>;
  /** What the token endpoint answers. */
  token?(answer: Members): Answer | Members;
  user?(claims: Members): Answer | Members;
  /** What comes back with people. */
  returns?(parameters: URLSearchParams): void;
}

interface Issued {
  readonly parameters: URLSearchParams;
  readonly person: Members;
}

export class StubProvider {
  readonly issuer: string;
  lies: Lies = {};
  /** Seconds since 1970. */
  now = () => 1_800_000_000;
  /** Whether a request comes from its client. */
  knows = (_form: URLSearchParams, headers: Readonly<Record<string, string>>): boolean =>
    clientIn(headers['authorization'] ?? '') === `${CLIENT.id}:${CLIENT.secret}`;
  /** What was asked of it, in order. */
  readonly asked: NetworkHop[] = [];
  readonly #codes = new Map<string, Issued>();
  readonly #tokens = new Map<string, Members>();
  #pushed = new Map<string, URLSearchParams>();
  #drawn = 0;
  readonly #keys;

  private constructor(
    readonly host: string,
    readonly address: string,
    keys: Awaited<ReturnType<typeof drawKeys>>,
    scheme: string,
  ) {
    this.issuer = `${scheme}://${host}`;
    this.#keys = keys;
  }

  static async at(host: string, address: string, scheme = 'https'): Promise<StubProvider> {
    let keys = KEYS.get(host);
    if (keys === undefined) {
      keys = drawKeys();
      KEYS.set(host, keys);
    }
    return new StubProvider(host, address, await keys, scheme);
  }

  get privateKey() {
    return this.#keys.privateKey;
  }

  get publicJwk(): JWK {
    return this.#keys.jwk;
  }

  /** People sign in at the address that a start has answered, and come back with this. */
  signIn(url: string, person: Members): URLSearchParams {
    const asked = new URL(url).searchParams;
    const pushed = asked.get('request_uri');
    const parameters = pushed === null ? asked : (this.#pushed.get(pushed) ?? asked);
    const code = `code-${this.host}-${this.#drawn++}`;
    this.#codes.set(code, { parameters, person });
    const back = new URLSearchParams({ code, state: parameters.get('state') ?? '', iss: this.issuer });
    this.lies.returns?.(back);
    return back;
  }

  async answer(hop: NetworkHop): Promise<NetworkAnswer> {
    this.asked.push(hop);
    const found = await this.#answer(hop);
    const isAnswer = 'status' in found || 'body' in found || 'headers' in found;
    return { ...json({}), ...(isAnswer ? (found as NetworkAnswer) : json(found as Members)) };
  }

  async #answer({ url, body, headers }: NetworkHop): Promise<Answer | Members> {
    const form = new URLSearchParams(Buffer.from(body ?? []).toString());
    switch (url.pathname) {
      case '/.well-known/openid-configuration': {
        const metadata = this.metadata();
        return this.lies.metadata?.(metadata) ?? metadata;
      }
      case '/keys': {
        const keys = { keys: [this.publicJwk] };
        return this.lies.keys?.(keys) ?? keys;
      }
      case '/par': {
        const uri = `urn:par:${this.#drawn++}`;
        this.#pushed.set(uri, form);
        return { status: 201, ...pick(json({ request_uri: uri, expires_in: 60 })) };
      }
      case '/token':
        return this.#token(form, headers);
      case '/user': {
        const person = this.#tokens.get((headers['authorization'] ?? '').replace('Bearer ', ''));
        if (person === undefined) return { status: 401 };
        return this.lies.user?.(person) ?? person;
      }
      default:
        return { status: 404 };
    }
  }

  async #token(form: URLSearchParams, headers: Readonly<Record<string, string>>): Promise<Answer | Members> {
    const code = form.get('code') ?? '';
    const issued = this.#codes.get(code);
    this.#codes.delete(code);
    const denied = (error: string) => ({ status: 400, ...pick(json({ error })) });
    if (!this.knows(form, headers)) return denied('invalid_client');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      challenge === issued?.parameters.get('code_challenge') &&
      form.get('redirect_uri') === issued.parameters.get('redirect_uri');
    if (issued === undefined || !isRight) return denied('invalid_grant');
    const now = this.now();
    const { user, ...person } = issued.person;
    const claims: Members = {
      iss: this.issuer,
      aud: CLIENT.id,
      iat: now,
      exp: now + 300,
      nonce: issued.parameters.get('nonce'),
      ...person,
    };
    const told = this.lies.claims?.(claims) ?? claims;
    const accessToken = `token-${this.#drawn++}`;
    this.#tokens.set(accessToken, (user as Members | undefined) ?? person);
    const idToken = await (this.lies.sign?.(told, this) ?? this.sign(told));
    const answer = { access_token: accessToken, token_type: 'Bearer', expires_in: 300, id_token: idToken };
    return this.lies.token?.(answer) ?? answer;
  }

  sign(claims: Members, header: Members = {}): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(this.privateKey);
  }

  metadata(): Members {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      userinfo_endpoint: `${issuer}/user`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }
}

/** RFC 6749, section 2.3.1. */
function clientIn(authorization: string): string {
  const text = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
  return text
    .split(':')
    .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
    .join(':');
}

/** Of each host, since RSA keys take long to draw. */
const KEYS = new Map<string, ReturnType<typeof drawKeys>>();

async function drawKeys() {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  return { privateKey, jwk };
}

export function json(body: unknown): NetworkAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) };
}

function pick({ headers, body }: NetworkAnswer): Pick<NetworkAnswer, 'headers' | 'body'> {
  return { headers, body };
}

/** A network in which providers are found by their names. */
export function providersNetwork(...providers: readonly StubProvider[]): Network {
  return fakeNetwork({
    names: Object.fromEntries(providers.map(({ host, address }) => [host, [address]])),
    servers: Object.fromEntries(
      providers.map((provider) => [`${provider.address}:443`, (hop: NetworkHop) => provider.answer(hop)]),
    ),
  });
}
