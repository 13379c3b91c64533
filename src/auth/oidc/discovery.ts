/** What an identity provider says of itself (OpenID Connect Discovery 1.0, section 3). */
import type { Fetcher } from '../../functions/network/fetcher.js';
import { type Json, type JsonObject, parseStrictObject } from '../tokens/strict-json.js';
import { cantBeReached, unavailable } from './provider-error.js';
import type { ProviderTarget } from './provider-target.js';

/** How providers are asked: bounded in time and size, and subject to the server's network rules. */
export type ProviderFetcher = Pick<Fetcher, 'fetch'>;

/** Limits of each answer: milliseconds, and bytes. */
export const PROVIDER_LIMITS = { time: 5_000, response: 256 * 1024 } as const;

/** The members of a discovery document that are used, by the names that the library knows, too. */
export interface ProviderMetadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri?: string;
  readonly userinfo_endpoint?: string;
  readonly pushed_authorization_request_endpoint?: string;
  readonly authorization_response_iss_parameter_supported?: boolean;
  readonly token_endpoint_auth_methods_supported?: string[];
  readonly id_token_signing_alg_values_supported?: string[];
}

const MAX_DEPTH = 8;

/**
 * The metadata of a provider, from the address that its issuer gives.
 * @throws ProviderFailure
 */
export async function discover(fetcher: ProviderFetcher, { issuer, oauth }: ProviderTarget): Promise<ProviderMetadata> {
  if (oauth !== undefined) return { issuer, authorization_endpoint: oauth.authorization, token_endpoint: oauth.token };
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const request = { url, method: 'GET', headers: { accept: 'application/json' }, secure: true, follow: false };
  const answer = await fetcher
    .fetch(request, () => {})
    .catch((error: unknown) => {
      throw cantBeReached(issuer, error);
    });
  if (answer.status !== 200) throw unavailable(issuer, `its metadata has status ${answer.status}`);
  const found = parseStrictObject(Buffer.from(answer.body).toString('utf8'), MAX_DEPTH);
  if (found === undefined) throw unavailable(issuer, 'its metadata is no JSON object');
  if (found['issuer'] !== issuer) throw unavailable(issuer, 'its metadata is that of another issuer');
  return metadataOf(issuer, found);
}

function metadataOf(issuer: string, found: JsonObject): ProviderMetadata {
  const required = (name: string): string => {
    const url = endpoint(issuer, found[name], name);
    if (url === undefined) throw unavailable(issuer, `its metadata has no ${name}`);
    return url;
  };
  const optional = <N extends string>(name: N): { [key in N]?: string } => {
    const url = endpoint(issuer, found[name], name);
    return url === undefined ? {} : ({ [name]: url } as { [key in N]: string });
  };
  return {
    issuer,
    authorization_endpoint: required('authorization_endpoint'),
    token_endpoint: required('token_endpoint'),
    jwks_uri: required('jwks_uri'),
    ...optional('userinfo_endpoint'),
    ...optional('pushed_authorization_request_endpoint'),
    authorization_response_iss_parameter_supported: found['authorization_response_iss_parameter_supported'] === true,
    ...texts(found, 'token_endpoint_auth_methods_supported', () => true),
    // A secret that both sides know proves nothing to others, and `none` nothing at all.
    ...texts(found, 'id_token_signing_alg_values_supported', (name) => ASYMMETRIC.test(name)),
  };
}

const ASYMMETRIC = /^(?:RS|PS|ES)(?:256|384|512)$|^(?:EdDSA|Ed25519)$/;

/** An address of a provider; without TLS only where its issuer is so, too. */
function endpoint(issuer: string, value: Json | undefined, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const isPlain = url?.protocol === 'http:' && issuer.startsWith('http:');
  if (url === undefined || (url.protocol !== 'https:' && !isPlain) || url.username !== '' || url.hash !== '')
    throw unavailable(issuer, `its ${name} is no address with https://`);
  return url.href;
}

function texts<N extends string>(
  found: JsonObject,
  name: N,
  isTaken: (text: string) => boolean,
): { [key in N]?: string[] } {
  const value = found[name];
  if (!Array.isArray(value)) return {};
  const taken = value.filter((each) => typeof each === 'string' && isTaken(each));
  return { [name]: taken } as { [key in N]: string[] };
}
