/** What an identity provider says about a user, as `$identity` and as `$token.idp`. */
import { mailAddress } from '../../catalog/mail/address.js';
import { newObject, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import { refused } from './provider-error.js';
import { type ProviderTarget, providerSubject } from './provider-target.js';

/** JSON of a provider, of which nothing is known. */
export type ToldByProvider = Readonly<Record<string, unknown>>;

export interface ProviderClaims {
  /** Of the identity. */
  readonly subject: string;
  /** `$identity`. */
  readonly identity: ObjectValue;
  /** `$token.idp`. */
  readonly idp: ObjectValue;
}

/** OpenID Connect Core, section 2: at most 255 characters of ASCII. */
export const PROVIDER_SUBJECT = /^[\x20-\x7E]{1,255}$/;
const LONGEST_NAME = 1_000;
const MAX_DEPTH = 16;
const MAX_VALUES = 10_000;
/** Bytes of JSON that `$token.idp` has at most, since each request carries the token. */
const LARGEST_IDP = 2_048;
/** Those of the protocol say nothing about a user. */
const OF_PROTOCOL = new Set(['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'nonce', 'azp', 'jti', 'at_hash', 'c_hash']);
/** What is said about the sign-in itself. */
const OF_SIGN_IN = ['acr', 'amr', 'auth_time'];

/**
 * @param idToken what was signed, or for a provider without ID tokens what it answered
 * @param user what it has answered besides, for the same subject
 * @throws ProviderFailure for what isn't taken
 */
export function claimsFrom(target: ProviderTarget, idToken: ToldByProvider, user: ToldByProvider): ProviderClaims {
  const { issuer } = target;
  const sub = idToken['sub'];
  if (typeof sub !== 'string' || !PROVIDER_SUBJECT.test(sub))
    throw refused(issuer, 'its subject isn’t one of 1 to 255 characters');
  const reader = new Reader(issuer);
  const said = reader.object(idToken);
  const claims = objectFrom({ ...reader.object(user), ...said });
  const { email, email_verified: isVerified, name } = claims;
  const address = isVerified === true ? mailAddress(email) : undefined;
  const identity = objectFrom({
    issuer,
    subject: sub,
    email: address,
    email_verified: address !== undefined,
    name: typeof name === 'string' && name.length <= LONGEST_NAME ? name : undefined,
    claims,
  });
  return { subject: providerSubject(issuer, sub), identity, idp: idpOf(issuer, sub, said) };
}

/** All that the provider said, if it isn't long; else what it said about the sign-in. */
function idpOf(issuer: string, sub: string, said: ObjectValue): ObjectValue {
  const whole = newObject();
  const brief = newObject();
  for (const [name, claim] of Object.entries(said)) {
    if (OF_PROTOCOL.has(name)) continue;
    whole[name] = claim;
    if (OF_SIGN_IN.includes(name)) brief[name] = claim;
  }
  const sized = (claims: ObjectValue) => Buffer.byteLength(JSON.stringify(claims)) <= LARGEST_IDP;
  const kept = sized(whole) ? whole : sized(brief) ? brief : newObject();
  return objectFrom({ ...kept, iss: issuer, sub });
}

/** Makes values of JSON that comes from elsewhere. */
class Reader {
  #values = 0;

  constructor(readonly issuer: string) {}

  object(told: ToldByProvider): ObjectValue {
    return this.#value(told, 0) as ObjectValue;
  }

  #value(told: unknown, depth: number): Value {
    if (depth > MAX_DEPTH || ++this.#values > MAX_VALUES)
      throw refused(this.issuer, 'its claims are too many or too deep');
    if (told === null || typeof told === 'string' || typeof told === 'boolean' || typeof told === 'number') return told;
    if (Array.isArray(told)) return told.map((each) => this.#value(each, depth + 1));
    const value = newObject();
    for (const [name, member] of Object.entries(told as ToldByProvider)) value[name] = this.#value(member, depth + 1);
    return value;
  }
}
