/**
 * What another issuer says about how the bearer of its token has signed in counts as that issuer's: it is in
 * `$token.idp`, never where PERMISSIONS find what was proved here.
 */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { issuingKey } from '../../catalog/credentials/signing-key.js';
import type { JwtAccess } from '../../language/ast.js';
import { ASSURANCE_CLAIMS, type Claims } from './claims.js';
import type { Json } from './strict-json.js';
import { issuerOf, type Tokens, type UnverifiedToken } from './tokens.js';

/**
 * The claims of a verified token: as they are if this server has issued it, else with what they say about the sign-in
 * under `idp`. `issuing` are the keys of an access method that issues such tokens; `undefined`: it doesn't.
 *
 * Where others have its secret, too, `iss` tells who has issued a token. Of a key set, one key may be ours.
 */
export function ownOrForeign(
  tokens: Tokens,
  token: UnverifiedToken,
  issuing: JwtAccess | undefined,
): PromiseOrValue<Claims> {
  const { claims } = token;
  if (!claims.assured) return claims;
  const key = issuing && issuingKey(issuing);
  if (issuing === undefined || key === undefined) return withForeignAssurance(claims);
  if (claims.all['iss'] !== issuerOf(issuing)) return withForeignAssurance(claims);
  if (issuing.verify.kind === 'key') return claims;
  return tokens.isSignedBy(token, key).then((isOurs) => (isOurs ? claims : withForeignAssurance(claims)));
}

/** Cached per token, since clients send the same token with each request. */
const moved = new WeakMap<Claims, Claims>();

/**
 * The claims with what they say about the sign-in under `idp`. A claim `idp` of the issuer's own stays there as a
 * member of that name, unless it is an object, which gets the others as members.
 */
function withForeignAssurance(claims: Claims): Claims {
  let found = moved.get(claims);
  if (found === undefined) {
    const all: { [key: string]: Json } = Object.assign(Object.create(null), claims.all);
    const { idp } = all;
    const told: { [key: string]: Json } = Object.create(null);
    if (typeof idp === 'object' && idp !== null && !Array.isArray(idp)) Object.assign(told, idp);
    else if (idp !== undefined) told['idp'] = idp;
    for (const name of ASSURANCE_CLAIMS) {
      const claim = all[name];
      if (claim !== undefined) told[name] = claim;
      delete all[name];
    }
    all['idp'] = told;
    found = { ...claims, all, assured: false };
    moved.set(claims, found);
  }
  return found;
}
