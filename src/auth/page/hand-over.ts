/**
 * Handing over: people sign in at the page of the server, and the app that led there takes over with a code, which is
 * good once, for a minute, and only with the verifier that the app's own browser has. No token is ever in an address.
 */
import { drawRequestName, isOver } from '../../catalog/credentials/sign-in-request.js';
import { keyMark } from '../../catalog/credentials/signing-key.js';
import { redirectAllowed } from '../../catalog/definitions/web-addresses.js';
import { recordSubject } from '../../catalog/principal.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { newObject } from '../../value/value.js';
import { assuranceBy } from '../assurance.js';
import type { AuthContext } from '../context.js';
import type { AccessCredentials } from '../credentials.js';
import type { App } from '../directory.js';
import type { FirstSignIn } from '../second-factor/due.js';
import { type AppTarget, CODE_LIFETIME, pageRedirects, redirectWith } from '../ways/addresses.js';
import { isInForce } from '../ways/bearer.js';
import { isChallenge, verifies } from '../ways/challenge.js';
import type { RedeemedRecord } from '../ways/redeem.js';
import { CHALLENGE_EXPECTED, malformedStart } from '../ways/start-body.js';
import type { WayPlace } from '../ways/way.js';

/** What is wrong with the link of an app, which isn't led back to then: `redirect_unknown`, `start_malformed`. */
export function targetFault(app: App, target: AppTarget): TesseraError | undefined {
  if (!redirectAllowed(pageRedirects(app), target.redirect)) return failure('redirect_unknown');
  return isChallenge(target.challenge) ? undefined : malformedStart(CHALLENGE_EXPECTED);
}

/**
 * Keeps a sign-in for its app, and answers where that takes over: `https://shop.example/in?code=…&access=google`.
 * @param target one without a fault
 */
export async function handOver(
  context: AuthContext,
  signIn: FirstSignIn,
  { challenge, redirect }: AppTarget,
): Promise<string> {
  const { databasePath, access, identified, assurance, identity, token } = signIn;
  const code = drawRequestName(context.environment.random);
  await context.directory.proving(databasePath, (rows) =>
    rows.requests.put(code, {
      access: access.name,
      purpose: 'entered',
      challenge,
      variables: newObject(),
      record: identified.id,
      incarnation: identified.incarnation?.id,
      idp: assurance.idp,
      first: { amr: assurance.amr, token: token.id, identity, key: keyMark(access.accessKind), mayEnrol: false },
      created: toDatetime(assurance.at),
      expires: toDatetime(context.environment.clock.now() + CODE_LIFETIME),
      tries: 0,
    }),
  );
  return redirectWith(redirect, { code, access: access.name });
}

/**
 * The sign-in that a code leads to, if it was handed over at this access method: once, with the verifier.
 * `undefined` for every other code: access methods have codes of their own.
 */
export async function takeOver(
  { environment, directory }: AuthContext,
  access: WayPlace['access'],
  { databasePath, variables: { code, verifier } }: AccessCredentials,
): Promise<RedeemedRecord | undefined> {
  if (typeof code !== 'string' || typeof verifier !== 'string') return undefined;
  return directory.proving(databasePath, async (rows) => {
    const request = await rows.requests.find(code);
    const { purpose, challenge = '', record: id, first } = request ?? {};
    if (request === undefined || purpose !== 'entered' || request.access !== access.name) return undefined;
    if (id === undefined || first === undefined || isOver(request, environment.clock.now())) return undefined;
    if (!verifies(verifier, challenge)) {
      rows.requests.miss(code, request);
      return undefined;
    }
    rows.requests.remove(code, request);
    const at = datetimeNanoseconds(request.created);
    const incarnation = await rows.incarnationOf(id);
    if (incarnation === undefined || incarnation.id !== request.incarnation) return undefined;
    if (!(await isInForce(rows, { access: access.name, key: first.key }))) return undefined;
    if (await rows.isRevoked({ ...first, subject: recordSubject(id), at })) return undefined;
    const assurance = { ...assuranceBy(first.amr, at), idp: request.idp };
    return { identified: { id, incarnation }, assurance, identity: first.identity, isWhole: true };
  });
}
