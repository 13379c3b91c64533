/**
 * WITH TOTP: codes of an authenticator app (RFC 6238), whose secret the server keeps as an identity of the record. It
 * is shown once, when it is made, and counts once a first code has confirmed that the app has it.
 */
import { isOver } from '../../catalog/credentials/sign-in-request.js';
import { mailAddress } from '../../catalog/mail/address.js';
import { failure } from '../../errors/error.js';
import { decodeBase32, drawTotpSecret, stepOfCode, totpUri } from '../../functions/crypto/totp.js';
import type { TotpWay } from '../../language/ast.js';
import { toText } from '../../value/text/text.js';
import { datetimeNanoseconds } from '../../value/time/datetime.js';
import { type ObjectValue, objectFrom, type RecordId } from '../../value/value.js';
import type { AuthContext } from '../context.js';
import type { IdentityRows } from '../directory.js';
import type { SessionIdentity } from '../identity.js';
import type { StartBody } from '../ways/start-body.js';
import { type ProofCall, type Proven, type StartedRequest, textIn, type WayPlace, type WayRow } from '../ways/way.js';
import { beginOwn, ownRequest } from './begin.js';

/**
 * Begins to enrol an app (`link`, or `request` of a sign-in that owes a factor), or a step.
 * @throws TesseraError `record_user_required`, `recent_sign_in_required`, `identity_missing`, `rate_limited`,
 * `invalid_auth` for a request that owes nothing
 */
async function startTotp(
  context: AuthContext,
  place: WayPlace,
  _: TotpWay,
  body: StartBody,
  identity: SessionIdentity,
): Promise<StartedRequest> {
  const secret = drawTotpSecret(context.environment.random);
  if (body.request !== undefined) return enrolOwed(context, place, body.request, secret);
  const own = ownRequest(context, body, identity);
  if (own.purpose === 'step') return beginOwn(context, place, body, own);
  const begun = await beginOwn(context, place, body, own, keptOf(place, secret));
  const shown = await context.directory.proving(place.databasePath, (rows) => shownTo(rows, own.record, secret));
  return { ...begun, shown };
}

/** Of a request that owes a factor: its first proof takes the place of a session. */
async function enrolOwed(
  { directory, environment }: AuthContext,
  place: WayPlace,
  name: string,
  secret: string,
): Promise<StartedRequest> {
  const begun = await directory.proving(place.databasePath, async (rows) => {
    const request = await rows.requests.find(name);
    const { record, first, expires } = request ?? {};
    if (request === undefined || record === undefined || expires === undefined) return undefined;
    if (isOver(request, environment.clock.now()) || first?.mayEnrol !== true) return undefined;
    rows.requests.change(name, { ...request, kept: keptOf(place, secret) });
    const shown = await shownTo(rows, record, secret);
    return { request: name, expires: datetimeNanoseconds(expires), shown };
  });
  if (begun === undefined) throw failure('invalid_auth');
  return begun;
}

/** Of a request: where the secret was made, and that. */
function keptOf({ access }: WayPlace, secret: string): ObjectValue {
  return objectFrom({ access: access.name, secret });
}

/** What an app is given: the secret as a URI, for a QR code, and as text, to be typed. */
async function shownTo(rows: IdentityRows, id: RecordId, secret: string): Promise<{ uri: string; secret: string }> {
  const identities = await rows.identities.ofRecord(id);
  const mailed = identities.find(({ kind }) => kind === 'mail')?.subject;
  const account = mailed ?? mailAddress((await rows.record(id))?.['email']) ?? toText(id);
  return { uri: totpUri(secret, account, rows.app.name), secret };
}

async function proveTotp({ context, rows, access, request, shown }: ProofCall<TotpWay>): Promise<Proven | undefined> {
  const code = textIn(shown['code'])?.replaceAll(' ', '');
  const { record, kept } = request;
  if (code === undefined || record === undefined) return undefined;
  const subject = toText(record);
  if (kept !== undefined) {
    const secret = kept['access'] === access.name ? textIn(kept['secret']) : undefined;
    const step = secret && stepIn(context, secret, code, undefined);
    return step === undefined ? undefined : { subject, kept: objectFrom({ secret, used: step }), isNew: true };
  }
  const { secret, used } = (await rows.owner(access.name, subject))?.kept ?? {};
  const step = typeof secret === 'string' ? stepIn(context, secret, code, used as number | undefined) : undefined;
  return step === undefined ? undefined : { subject, kept: objectFrom({ secret, used: step }) };
}

function stepIn({ environment }: AuthContext, secret: string, code: string, used: number | undefined) {
  const bytes = decodeBase32(secret);
  return bytes && stepOfCode(bytes, code, used, environment);
}

/** A record has one app at an access method; a new one takes its place. */
export const TOTP_WAY: WayRow<TotpWay> = { start: startTotp, proof: 'otp', identities: 'one', prove: proveTotp };
